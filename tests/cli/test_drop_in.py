"""docs/reference/netcdf-c-options.md: options work, are ignored, or are refused.

Where Debian's ncgen, ncdump and nccopy are installed, the same option must have the same effect on
a netCDF file; ``make test`` compares a third of the options of ncgen and nccopy.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.record import record
from tests.conftest import ROOT, Run
from tests.sampled import sampled

CDL = """netcdf in {
dimensions:
  time = UNLIMITED ; y = 3 ;
variables:
  double time(time) ; time:units = "days since 2000-01-01" ;
  float t(time, y) ; t:_FillValue = -1.f ; t:C_format = "%.2f" ;
    t:_ChunkSizes = 2, 3 ; t:_DeflateLevel = 1 ;
  double free(y) ;
  int fixed(y) ; fixed:_ChunkSizes = 1 ;
  int absent(y) ;
  string s(y) ;
  :title = "drop-in" ;
data:
  time = 0, 0.25, 31, 59 ;
  t = 1.23456, 2.5, -1, 4, 5, 6, 7, 8, 9, 10, 11, 12.3456 ;
  free = 3.14159265358979, 1, 2 ;
  fixed = 1, 2, 3 ;
  s = "a", "b", "c" ;
group: g { variables: short v(y) ; data: v = 7, 8, 9 ; }
}
"""

FORM = re.compile(r"\| (?P<options>\(none\)|`.+`) \| (?P<outcome>\w+) \| (?P<text>.*)\|")


@record
class Row:
    """One option of a line of a table."""

    program: str
    arguments: tuple[str, ...]
    outcome: str
    reason: str


def rows() -> list[Row]:
    found, program = [], ""
    for line in (ROOT / "docs/reference/netcdf-c-options.md").read_text("utf-8").splitlines():
        if line.startswith("## "):
            program = line[3:].partition(":")[0]
        elif line.startswith("| ") and not line.startswith("| option "):
            match = FORM.fullmatch(line)
            assert match is not None, line
            quoted = re.search('"(.+)"', match["text"])
            for option in re.findall("`(.+?)`", match["options"]) or [""]:
                reason = quoted[1] if quoted else ""
                found.append(Row(program, tuple(shlex.split(option)), match["outcome"], reason))
    return found


ROWS = rows()


def of(program: str, *outcomes: str) -> list[tuple[str, ...]]:
    return [r.arguments for r in ROWS if r.program == program and r.outcome in outcomes]


def name(arguments: tuple[str, ...]) -> str:
    return " ".join(arguments) or "none"


def lines(outcome: str) -> list[Any]:
    chosen = [row for row in ROWS if row.outcome == outcome]
    return [pytest.param(row, id=f"{row.program} {name(row.arguments)}") for row in chosen]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the text, and the store of it."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "in.cdl").write_text(CDL)
    ncz.gen(folder / "in.cdl", folder / "in.zarr", notify=ignore_notice)
    return folder


@pytest.fixture
def store(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The store in the current folder, which is new for each test."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return "in.zarr"


@pytest.fixture
def call(run: Run, store: str):
    """Run a program of ncz with the files that it needs, and return its code and its result."""

    def result(program: str, arguments: tuple[str, ...]) -> tuple[int, bytes, str]:
        shutil.rmtree("out.zarr", ignore_errors=True)
        match program:
            case "ncgen" if "-o" in arguments:
                done = run("gen", "in.cdl", *arguments)
            case "ncgen":
                done = run("gen", "in.cdl", "-o", "out.zarr", *arguments)
            case "ncdump":
                return (done := run("dump", *arguments, store)).code, done.stdout, done.stderr
            case "nccopy":
                done = run("copy", *arguments, store, "out.zarr")
            case "zmapio":
                return (done := run("ls", *arguments, store)).code, done.stdout, done.stderr
        if done.stdout or not Path("out.zarr").exists():
            return done.code, done.stdout, done.stderr
        files = sorted(p for p in Path("out.zarr").rglob("*") if p.is_file())
        shown = run("dump", "-s", "out.zarr").stdout
        return done.code, shown + b"".join(p.read_bytes() for p in files), done.stderr

    return result


@pytest.mark.parametrize("row", lines("refused"))
def test_refused_with_the_reason(row: Row, call):
    code, result, message = call(row.program, row.arguments)
    assert (code, result) == (2, b"")
    assert row.reason
    assert row.reason in message
    assert SAID.get(" ".join(row.arguments), "") in message


SAID = {
    **dict.fromkeys(["-3", "-k classic", "-k nc3", "-v classic"], "data, not 'classic'"),
    **dict.fromkeys(["-5", "-k cdf5"], "data, not 'cdf5'"),
    **dict.fromkeys(["-7", "-k nc7"], "data, not 'netCDF-4 classic model'"),
    "-6": "data, not '64-bit offset'",
    "-c": "programs in C",
    "-f": "programs in Fortran",
    "-l c": "programs in 'c'",
    "-lf77": "programs in 'f77'",
    "-l java": "programs in 'java'",
    "-F t,4,141,4": "filter 4 (szip)",
    "-F t,32000": "filter 32000 (lzf)",
    "-t int -F %s": "is not a valid format",
    "-t integer": "is not a valid type",
}
"""Further words of a refusal, where a line of a table is about several options."""


@pytest.mark.parametrize("row", lines("ignored"))
def test_ignored(row: Row, call):
    code, result, message = call(row.program, row.arguments)
    assert (code, message) == (0, call(row.program, ())[2])
    assert result == call(row.program, ())[1]


@pytest.mark.parametrize("row", lines("works"))
def test_works(row: Row, call):
    """The result is not that without the option; which it is, is compared with the peers."""
    usual: tuple[str, ...] = ("-s",) if row.arguments in (("-F",), ("-Xp",)) else ()
    if row.arguments == ("-s",) and row.program == "nccopy":
        usual = ("-d1",)
    if row.arguments == ("-M", "1000"):
        usual = ("-c", "fixed:1")
    code, result, _ = call(row.program, (*usual, *row.arguments))
    assert code == 0
    assert result
    if row.arguments not in SAME:
        assert result != call(row.program, usual)[1]


SAME = [(), ("-o", "out.zarr"), ("-N", "other")]
"""Options that a dump of the store does not show."""


def test_every_outcome_is_one_of_three():
    assert {row.outcome for row in ROWS} == {"works", "ignored", "refused"}


GETOPT = {
    "ncgen": "134567bcdDfhHklMnoPvxLNBW",
    "ncdump": "bcdfghiklnpstvxwFKLX",
    "nccopy": "k3467dsumchrewxgGvVFLM",
    "zmapio": "dhvxtFTX",
}
"""The letters of the options in netCDF-C 4.10."""


@pytest.mark.parametrize("program", GETOPT)
def test_every_letter_of_the_peer_has_a_line(program):
    known = {r.arguments[0][1] for r in ROWS if r.program == program and r.arguments}
    assert set(GETOPT[program]) <= known


needs = pytest.mark.skipif(shutil.which("ncdump") is None, reason="netcdf-bin is not installed")


def peer(*arguments: str) -> bytes:
    return subprocess.run(arguments, check=True, capture_output=True).stdout


@pytest.fixture
def file(store: str) -> str:
    peer("ncgen", "-4", "-o", "in.nc", "in.cdl")
    return "in.nc"


FAULTS = {
    ("ncdump", "-XF"): "ncdump 4.9 has no -XF",
    ("ncgen", "-P"): "ncgen ends with a segmentation fault",
    ("nccopy", "-c", "/"): "nccopy fails for a variable with a filter or an unlimited dimension",
    ("nccopy", "-d", "5"): "nccopy fails for a string variable",
    ("nccopy", "-F", "t,1,5"): "nccopy keeps the level of the source",
    ("nccopy", "-g", "g"): "nccopy writes uninitialized memory to other variables",
    ("nccopy", "-v", "t"): "nccopy writes uninitialized memory to other variables",
    ("nccopy", "-G", "g"): "nccopy keeps the definitions of other variables",
    ("nccopy", "-V", "t"): "nccopy keeps groups without variables",
    ("nccopy", "-L0"): "nccopy was built without logging",
    ("nccopy", "-s"): "nccopy shuffles only what -d compresses",
    ("nccopy", "-u"): "nccopy chooses other chunks for unlimited dimensions",
}
"""Cases where Debian's netCDF 4.9 differs from its manual, or from ncz."""


def compared(program: str) -> list[Any]:
    """Return the options of a program that work or are ignored; known faults are marked."""
    return [
        pytest.param(
            arguments,
            id=name(arguments),
            marks=[pytest.mark.xfail(reason=FAULTS[key])] if key in FAULTS else [],
        )
        for arguments in of(program, "works", "ignored")
        for key in [(program, *arguments)]
    ]


ABOUT_STORAGE = [("-F",), ("-s",), ("-x",), ("-Xp",)]
"""Options whose output for a netCDF-4 file differs from that for a store."""


@needs
@pytest.mark.parametrize("arguments", compared("ncdump"))
def test_ncdump_prints_the_same(arguments, file: str, store: str, run: Run):
    if arguments in ABOUT_STORAGE:
        arguments = (*arguments, "-k")  # accepted by both, and nothing else is printed
    assert run("dump", *arguments, store).stdout == peer("ncdump", *arguments, file)


@needs
@pytest.mark.parametrize("arguments", sampled(compared("ncgen"), 3))
def test_ncgen_creates_the_same(arguments, store: str, run: Run):
    if arguments in ((), ("-h",)):
        assert peer("ncgen", *arguments, "in.cdl") == b""  # the usage is printed as an error
        return
    if "-o" in arguments:
        arguments = ()
    # A file of an older kind has no group, so that the peer needs -4 as well.
    peer("ncgen", "-4", *arguments, "-o", "x.nc", "in.cdl")
    assert run("gen", *arguments, "in.cdl", "-o", "x.zarr").code == 0
    shown = run("dump", "x.zarr").stdout
    if arguments == ("-x",):  # without fill values, absent data are anything
        shown, theirs = run("dump", "-h", "x.zarr").stdout, peer("ncdump", "-h", "x.nc")
    else:
        theirs = peer("ncdump", "x.nc")
    assert shown == theirs


LAYOUT = re.compile(rb"\tt:_(?:ChunkSizes|DeflateLevel|Shuffle) = .*")


@needs
@pytest.mark.parametrize("arguments", sampled(compared("nccopy"), 3))
def test_nccopy_creates_the_same(arguments, file: str, store: str, run: Run):
    peer("nccopy", *arguments, file, "x.nc")
    assert run("copy", *arguments, store, "x.zarr").code == 0
    assert run("dump", "x.zarr").stdout == peer("ncdump", "x.nc")
    ours, theirs = run("dump", "-hs", "x.zarr").stdout, peer("ncdump", "-hs", "x.nc")
    assert LAYOUT.findall(ours) == LAYOUT.findall(theirs)


@pytest.mark.parametrize("zarr_format", ["2", "3"])
def test_a_store_in_the_only_folder_of_a_zip(zarr_format, store: str, run: Run):
    run("gen", "in.cdl", "-o", "inner.zarr", "--mode=zarr", "--zarr-format", zarr_format)
    with zipfile.ZipFile("outer.zip", "w") as archive:
        for path in sorted(Path("inner.zarr").rglob("*")):
            archive.write(path)
    expected = run("dump", "-nx", "inner.zarr").stdout
    assert run("dump", "-nx", "outer.zip").stdout == expected


def test_a_directory_with_a_single_store_is_that_store(store: str, run: Run):
    shutil.copytree("in.zarr", "outer/inner")
    assert run("dump", "-nx", "outer").stdout == run("dump", "-nx", "in.zarr").stdout


def test_an_array_alone_in_a_directory_has_the_name_of_its_folder(store: str, run: Run):
    Path("outer/inner").mkdir(parents=True)
    document = {"zarr_format": 2, "shape": [4], "chunks": [4], "dtype": "<f8", "order": "C"}
    document |= {"fill_value": 0, "filters": None, "compressor": None}
    Path("outer/inner/.zarray").write_text(json.dumps(document))
    assert b"double inner(" in run("dump", "-h", "outer").stdout
    assert run("dump", "-h", "outer").stdout.splitlines()[0] == b"netcdf outer {"


def test_a_directory_that_contains_more_than_a_store_is_not_one(store: str, run: Run):
    shutil.copytree("in.zarr", "outer/inner")
    Path("outer/README").touch()
    done = run("dump", "outer")
    assert (done.code, done.stdout) == (1, b"")
    assert "/inner looks like a store; open that" in done.stderr

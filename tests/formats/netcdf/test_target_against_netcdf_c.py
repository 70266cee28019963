"""Files that ncz writes, printed by netCDF-C's ncdump: as ncz prints their sources, or as ncgen's.

Needs Debian's ncgen and ncdump (4.9.0). ``make test`` takes a part of the stores and texts.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import EXAMPLES, ROOT, Run
from tests.sampled import paired, sampled

pytestmark = pytest.mark.skipif(
    shutil.which("ncgen") is None or shutil.which("ncdump") is None, reason="needs netCDF-C"
)

GOLDEN = sorted(ROOT.glob("tests/golden/netcdf-c/*/store.zip"))

DIFFERENT = {
    "cdl-l3": "ncdump leaves out NUL characters of a char variable whose fill value is not NUL",
    "ncdump-a": "ncdump begins a new text after a newline",
    "ncdump-un": "ncdump prints a vertical tab as a newline",
    "cdl-i9": "a dimension with a length that is not valid, which ncz leaves out",
}
"""Lines that ncdump prints otherwise for any file; see docs/reference/differences.md."""

WITH_PLUGINS = frozenset({"format-rich", "format-rich490", "format-rich490b", "ncdump-sp"})
"""Stores with filters that Debian's ncdump cannot read."""


def ncdump(path: Path, *arguments: str) -> bytes:
    command = ["ncdump", "-n", "x", *arguments, str(path)]
    return subprocess.run(command, capture_output=True, check=True, timeout=60).stdout


@pytest.mark.parametrize("store", sampled(GOLDEN, 10), ids=lambda path: path.parent.name)
def test_a_copy_of_a_store_has_all_that_the_store_has(store: Path, run: Run, tmp_path):
    name, target = store.parent.name, tmp_path / "x.nc"
    plain = ["-F", "*,none"] if name in WITH_PLUGINS else []
    plain += ["--allow-loss"] if name == "cdl-i9" else []
    done = run("copy", *plain, store, target)
    assert done.code == 0, done.stderr
    if name not in DIFFERENT:
        assert ncdump(target) == run("dump", "-n", "x", store).stdout


OTHERWISE = {
    "codecs": "its codecs need plugins",
    "filters": "its filters need plugins",
    "not_numbers": "ncgen takes -0 of an integer for 0",
    "harder_names": "ncgen cannot read it",
    "quantize": "ncgen 4.9.0 cannot read it",
    "station_types": "user-defined types",
    "user_types": "user-defined types",
    **dict.fromkeys(("cdl-cj", "cdl-c4", "cdl-cn", "cdl-l3"), "ncz reads lists of char otherwise"),
    **dict.fromkeys(("cdl-s10", "cdl-s2", "cdl-tt"), r"ncgen does not know \x in text"),
    "cdl-i10": "ncz gives the attribute to the variable that it names",
    "cdl-jd": "ncgen takes hexadecimal digits for bytes in memory",
    "cdl-zh": "ncgen 4.9.0 does not quantize",
    **dict.fromkeys(("format-own_nczarr", "format-own_zarr"), "ncgen 4.9.0 does not quantize"),
    "ncdump-sp2": "ncgen leaves values undefined, which are 0 in files of ncz",
}
"""Examples that are not compared, and why."""

TEXTS = [path for path in EXAMPLES if path.stem not in OTHERWISE] + sorted(
    store.with_name("in.cdl")
    for store in GOLDEN
    if store.parent.name not in {*OTHERWISE, *WITH_PLUGINS}
)


@pytest.mark.parametrize(
    "text", sampled(TEXTS, 10), ids=lambda p: p.parent.name if p.stem == "in" else p.stem
)
def test_gen_writes_the_same_as_ncgen(text: Path, run: Run, tmp_path):
    if run("gen", "--check", text).code:
        pytest.skip("ncz does not accept the text")
    theirs = tmp_path / "theirs.nc"
    made = subprocess.run(
        ["ncgen", "-4", "-o", theirs, text], capture_output=True, check=False, timeout=60
    )
    if made.returncode or not theirs.exists():
        pytest.skip("ncgen 4.9.0 cannot read it")
    ours = tmp_path / "ours.nc"
    done = run("gen", "-4", text, "-o", ours)
    assert done.code == 0, done.stderr
    assert ncdump(ours) == ncdump(theirs)


SMALL = """netcdf x {
dimensions: t = UNLIMITED ; n = 3 ; unused = 4 ;
variables:
  double t(t) ; t:units = "days since 2000-01-01" ;
  short odd(t, n) ; odd:_FillValue = -1s ; odd:range = 1.5f, 2.f ;
  byte b(n) ; char c(t, n) ; int k ; float f(n) ; char one(t) ;
  :title = "caf\u00e9" ; :many = 1, 2, 3 ;
data:
  t = 0, 1.5, 3 ; odd = 1, _, 3, 4, 5, 6, 7, 8, 9 ; b = -1, 0, 1 ; c = "abc", "de", "" ;
  k = 42 ; one = "xyz" ;
}
"""
WIDE = """netcdf x { dimensions: r = UNLIMITED ; n = 2 ;
variables: ubyte a(r) ; ushort b(n) ; uint c(r, n) ; uint64 e ; e:big = 18446744073709551615ULL ;
data: a = 1, 255, 7 ; b = 1, 65535 ; c = 1, 2, 3, 4, 5, 6 ; e = 3 ; }
"""
ONE_RECORD_VARIABLE = """netcdf x { dimensions: r = UNLIMITED ; n = 3 ;
variables: byte odd(r, n) ; int f(n) ; data: odd = 1, 2, 3, 4, 5, 6 ; f = 7, 8, 9 ; }
"""

KINDS = {
    "nc3": "classic",
    "nc6": "64-bit offset",
    "nc5": "cdf5",
    "nc4": "netCDF-4",
    "nc7": "netCDF-4 classic model",
}


@pytest.mark.parametrize(("word", "text"), paired(KINDS, [SMALL, WIDE, ONE_RECORD_VARIABLE]))
def test_every_kind_is_as_ncgens(word: str, text: str, run: Run, tmp_path):
    source, ours, theirs = (tmp_path / name for name in ("x.cdl", "ours.nc", "theirs.nc"))
    source.write_text(text)
    done = run("gen", "-k", word, source, "-o", ours)
    if text is WIDE and word not in ("nc4", "nc5"):
        assert done.code == 1
        assert f"a file of kind '{KINDS[word]}' cannot represent variable /a of the type ubyte" in (
            done.stderr
        )
        assert not ours.exists()
        return
    assert done.code == 0, done.stderr
    subprocess.run(["ncgen", "-k", word, "-o", theirs, source], check=True, timeout=60)
    assert ncdump(ours) == ncdump(theirs)
    assert ncdump(ours, "-k").strip() == KINDS[word].encode()
    if word in ("nc3", "nc5", "nc6"):
        assert len(ours.read_bytes()) == len(theirs.read_bytes())


def test_storage_is_as_netcdf_c_reads_it(run: Run, tmp_path):
    text = """netcdf x { dimensions: t = UNLIMITED ; n = 8 ;
    variables: float z(t, n) ; z:_ChunkSizes = 2, 4 ; z:_DeflateLevel = 3 ; z:_Shuffle = "true" ;
      z:_Fletcher32 = "true" ; int big(n) ; big:_Endianness = "big" ; int plain(n) ;
      short tiny(n) ; tiny:_Storage = "compact" ; int quiet(n) ; quiet:_NoFill = "true" ;
    data: z = 1, 2, 3, 4, 5, 6, 7, 8 ; big = 1, 2, 3, 4, 5, 6, 7, 8 ;
      quiet = 1, 2, 3, 4, 5, 6, 7, 8 ; }"""
    source, ours, theirs = (tmp_path / name for name in ("x.cdl", "ours.nc", "theirs.nc"))
    source.write_text(text)
    assert run("gen", source, "-o", ours).code == 0
    subprocess.run(["ncgen", "-4", "-o", theirs, source], check=True, timeout=60)
    made_by = re.compile(rb"\t\t:_NCProperties = .*\n")
    shown = [made_by.sub(b"", ncdump(path, "-s")) for path in (ours, theirs)]
    assert shown[0] == shown[1]
    assert b"ncz=" in ncdump(ours, "-s")

"""``ncz copy`` from end to end: plans, summaries, CDL as source or target, errors and leftovers."""

from __future__ import annotations

import errno
import json
import os
import random
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.zmap.local.content import FileContent
from ncz.zmap.local.zip_writer import ZipWriter
from tests.conftest import ROOT, Ran, Run

WEATHER = ROOT / "cdl_examples" / "weather.cdl"
GROUPS = ROOT / "cdl_examples" / "groups.cdl"


@pytest.fixture
def weather(run: Run, tmp_path: Path) -> Path:
    assert run("gen", WEATHER, "-o", tmp_path / "weather.zarr").code == 0
    return tmp_path / "weather.zarr"


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_plan_is_printed_and_nothing_written(run: Run, weather, tmp_path):
    ran = run(
        "copy", "--dry-run", weather, f"{tmp_path}/b.zarr#mode=zarr", "-c", "time/1", "-d", "1",
        "--no-annotations",
    )  # fmt: skip
    assert (ran.code, ran.stderr) == (0, "")
    lines = ran.text.splitlines()
    assert lines[0].split() == ["variable", "way", "chunks", "from", "to"]
    ways = {line.split()[0]: line.split()[1] for line in lines[1:] if line.startswith("/")}
    assert ways == {
        "/time": "recode", "/lat": "recode", "/lon": "recode", "/temperature": "rechunk",
        "/wind_speed": "recode", "/station": "recode",
    }  # fmt: skip
    assert lines[-3] == "loss: unlimited dimensions become fixed in pure Zarr: /time"
    assert lines[-1].startswith("forecast: about ")
    assert left(tmp_path) == ["weather.zarr"]


def test_the_plan_as_json(run: Run, weather, tmp_path):
    ran = run("copy", "--dry-run", "--json", weather, tmp_path / "b.zarr", "--codec", "zstd:3")
    document = json.loads(ran.text)
    assert document["losses"] == []
    temperature = next(v for v in document["variables"] if v["name"] == "/temperature")
    assert temperature == {
        "name": "/temperature", "way": "recode", "chunks": 2, "bytes": 240,
        "encoded_bytes": 240,
        "chunk_shape": [2, 3, 5], "codecs": [{"id": "zstd", "level": 3}], "reads": 1,
        "temporary_bytes": 0,
    }  # fmt: skip


def test_changes_as_json(run: Run, weather, tmp_path):
    ran = run("copy", "--json", "--verify", weather, tmp_path / "b.zip")
    summary = json.loads(ran.text)
    assert summary["variables"] == summary["raw"] == 6
    assert summary["values_compared"] == 4 + 3 + 5 + 2 * 60 + 3
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        chunks = [i for i in archive.infolist() if "/." not in i.filename and i.file_size]
    assert summary["chunks"] == len(chunks)
    assert summary["bytes"] == sum(i.file_size for i in chunks)


def test_losses_stop_the_copy_and_are_listed(run: Run, weather, tmp_path):
    ran = run("copy", "--no-annotations", weather, f"{tmp_path}/b.zip#mode=zarr,zip")
    assert ran.code == 1
    assert ran.stderr.count("\n") == 1
    assert "unlimited dimensions become fixed in pure Zarr: /time; pure Zarr does not" in ran.stderr
    assert "use --allow-loss" in ran.stderr
    assert left(tmp_path) == ["weather.zarr"]
    target = f"{tmp_path}/b.zip#mode=zarr,zip"
    ran = run("copy", "--no-annotations", "--allow-loss", weather, target)
    assert ran.code == 0
    assert ran.stderr.count("ncz: notice: ") == 3
    assert "netcdf-c cannot open a zip file with its keys at the root" in ran.stderr
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        assert ".zgroup" in archive.namelist()


def test_unreadable_parts_of_the_source_stop_the_copy_too(run: Run, weather, tmp_path):
    document = weather / "lat" / ".zarray"
    document.write_bytes(document.read_bytes().replace(b'"<f4"', b'"<q9"'))
    ran = run("copy", weather, tmp_path / "b.zarr")
    assert (ran.code, ran.stderr.count("\n")) == (1, 1)
    assert '/lat/.zarray: dtype "<q9" is not supported; the variable is left out' in ran.stderr
    assert left(tmp_path) == ["weather.zarr"]
    ran = run("copy", "--dry-run", weather, tmp_path / "b.zarr")
    assert 'loss: dtype "<q9" is not supported' in ran.text
    ran = run("copy", "--allow-loss", weather, tmp_path / "b.zarr")
    assert (ran.code, "the variable is left out" in ran.stderr) == (0, True)
    header = run("dump", "-h", tmp_path / "b.zarr")
    assert (header.code, "lat(lat)" in header.text) == (0, False)


def test_cdl_at_either_end(run: Run, weather, tmp_path):
    text = run("dump", weather)
    assert run("copy", "-", tmp_path / "b.zarr", stdin=text.stdout).code == 0
    assert run("dump", "-n", "weather", tmp_path / "b.zarr").stdout == text.stdout
    assert run("copy", weather, tmp_path / "c.cdl").code == 0
    assert (tmp_path / "c.cdl").read_bytes() == text.stdout
    ran = run("copy", weather, tmp_path / "c.cdl")
    assert (ran.code, "already exists" in ran.stderr) == (1, True)
    assert run("copy", WEATHER, tmp_path / "d.zip", "--codec", "zstd:2").code == 0
    assert run("dump", "-n", "weather", tmp_path / "d.zip").stdout == text.stdout
    assert run("copy", "-V", "lat", weather, tmp_path / "e.cdl").code == 0
    assert "temperature" not in (tmp_path / "e.cdl").read_text("utf-8")


def test_broken_cdl_leaves_nothing(run: Run, tmp_path):
    ran = run(
        "copy", "-", tmp_path / "b.zarr", stdin=b"netcdf x {\n variables: int v ; data: v = ;}"
    )
    assert ran.code == 1
    assert ran.stderr.startswith("ncz: stdin:2:")
    (tmp_path / "x.cdl").write_bytes(b"netcdf x { variables: int v(n) ; }")
    assert run("copy", tmp_path / "x.cdl", tmp_path / "b.cdl").code == 1
    assert left(tmp_path) == ["x.cdl"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a"], "the target is missing; type: ncz copy a TARGET"),
        (["a", "b", "-c", "x"], "is not a valid chunkspec"),
        (["a", "b", "-d", "10"], "level must be an integer from 0 to 9, not 10"),
        (["a", "b", "--codec", "zip"], "is not valid; write NAME:LEVEL"),
        (["a", "b", "--chunk-size", "10 apples"], "is not a valid size"),
        (["a", "b.zarr", "-k", "classic"], "a Zarr store contains netCDF-4 data"),
        (["a", "-", "--resume"], "--resume needs a path or a URL as DST, not standard output"),
        (["a", "-", "--json"], "--json needs a path or a URL as DST, not standard output"),
        (["a", "b", "--threads", "0"], "'0' is not a whole number from 1 to 256"),
    ],
)
def test_wrong_usage(run: Run, weather, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    weather.rename(tmp_path / "a")
    ran = run("copy", *arguments)
    code = 1 if "is named" in message else 2
    assert (ran.code, message in ran.stderr) == (code, True), ran.stderr
    assert left(tmp_path) == ["a"]


def test_a_variable_that_does_not_exist_is_an_error(run: Run, weather, tmp_path):
    ran = run("copy", weather, tmp_path / "b.zarr", "-V", "nowhere")
    assert (ran.code, "no variable is named 'nowhere'" in ran.stderr) == (1, True), ran.stderr
    assert not (tmp_path / "b.zarr").exists()


def test_the_error_for_other_files_is_one_line(run: Run, tmp_path):
    (tmp_path / "a.nc").write_bytes(b"\x89HDF\r\n\x1a\n")
    (tmp_path / "a.grib").write_bytes(b"GRIB....")
    for source, told in (
        ("a.nc", "the HDF5 file is damaged"),
        ("a.grib", "this is a GRIB file"),
        ("absent", "no file or store exists at this path"),
    ):
        ran = run("copy", tmp_path / source, tmp_path / "b.zarr")
        assert (ran.code, told in ran.stderr, ran.stderr.count("\n")) == (1, True, 1)
    assert left(tmp_path) == ["a.grib", "a.nc"]


def test_sizes(run: Run, weather, tmp_path):
    for number, size in enumerate(["24", "24B", "1kB", "0.1MiB", "1 GB"]):
        ran = run("copy", weather, tmp_path / f"b{number}.zarr", "--chunk-size", size)
        assert ran.code == 0, ran.stderr
    assert "temperature:_ChunkSizes = 1, 2, 3" in run("dump", "-hs", tmp_path / "b0.zarr").text
    netcdf = run("copy", weather, tmp_path / "n.zarr", "--chunk-size", "24", "--chunking", "netcdf")
    assert netcdf.code == 0
    assert "temperature:_ChunkSizes = 1, " in run("dump", "-hs", tmp_path / "n.zarr").text


@pytest.mark.long
def test_a_chunk_beyond_the_memory(run: Run, tmp_path, monkeypatch):
    monkeypatch.setattr("ncz.parallel.memory.free_memory", lambda: None)
    text = (
        b"netcdf b { dimensions: x = 11000000 ; variables: double v(x) ;"
        b" v:_ChunkSizes = 11000000 ; data: v = 1 ; }"
    )
    assert run("gen", "-", "-o", tmp_path / "b.zarr", stdin=text).code == 0
    chunk = tmp_path / "b.zarr" / "v" / "0"
    chunk.write_bytes(random.Random(1).randbytes(chunk.stat().st_size))  # not to be compressed
    ran = run("copy", tmp_path / "b.zarr", tmp_path / "c.zarr", "-d", "1", "--memory", "200MiB")
    assert ran.code == 1
    assert (
        "/v: copying one chunk needs 251 MiB of memory, and --memory leaves 104 MiB" in ran.stderr
    )
    assert "use --memory 348MiB" in ran.stderr
    assert left(tmp_path) == ["b.zarr"]
    # A raw copy needs none; without a limit, it is reported and done.
    assert run("copy", tmp_path / "b.zarr", tmp_path / "c.zarr", "--memory", "120MiB").code == 0
    ran = run("copy", tmp_path / "b.zarr", tmp_path / "d.zarr", "-d", "1")
    assert (ran.code, "copying one chunk needs 251 MiB" in ran.stderr) == (0, True)
    assert "choose smaller chunks with --chunk-size" in ran.stderr
    ran = run(
        "copy", "--mode", "zarr,v3", "-c", "x/1100000", "--shards", "/",
        tmp_path / "b.zarr", tmp_path / "e.zarr",
    )  # fmt: skip
    assert (ran.code, "choose smaller shards with --shards" in ran.stderr) == (0, True)
    assert run("copy", tmp_path / "b.zarr", tmp_path / "d.zarr", "--verify").code == 0


@pytest.mark.parametrize("target", ["b.zarr", "b.zip"])
def test_a_full_disk_is_one_line_and_leaves_nothing(
    run: Run, weather, tmp_path, monkeypatch, target
):
    written = 0

    def full(*_: object) -> None:
        nonlocal written
        written += 1
        if written > 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def then(name: str, module: object) -> None:
        real = getattr(module, name)

        def replaced(*arguments: object, **options: object) -> object:
            full()
            return real(*arguments, **options)

        monkeypatch.setattr(module, name, replaced)

    then("copy_to", FileContent)
    then("_append_at_once", ZipWriter)
    ran = run("copy", weather, tmp_path / target)
    assert ran.code == 1
    assert "cannot write: No space left on device" in ran.stderr
    assert ran.stderr.count("\n") == 1
    assert left(tmp_path) == ["weather.zarr"]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_place(run: Run, weather, tmp_path):
    place = tmp_path / "locked"
    place.mkdir(mode=0o555)
    ran = run("copy", weather, place / "b.zarr")
    assert (ran.code, ran.stderr.count("\n")) == (1, 1)
    assert "Permission denied" in ran.stderr
    assert left(place) == []


def test_a_place_that_refuses(run: Run, weather, tmp_path, monkeypatch):
    real = os.open

    def refuse(path: str, *arguments: int, **options: int) -> int:
        if str(path).endswith(".claim"):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return real(path, *arguments, **options)

    monkeypatch.setattr(os, "open", refuse)
    ran = run("copy", weather, tmp_path / "b.zarr")
    assert (ran.code, ran.stderr.count("\n")) == (1, 1)
    assert "b.zarr: cannot write: Read-only file system" in ran.stderr
    monkeypatch.undo()
    assert left(tmp_path) == ["weather.zarr"]


@pytest.fixture
def stopping(monkeypatch):
    """Stop the copy after a number of chunks."""
    from ncz.zmap.local.writable import WritableDirectoryZmap

    real = WritableDirectoryZmap.put_from
    after: list[int] = []

    def put_from(*arguments: Any) -> int | None:
        if after:
            after[0] -= 1
            if after[0] < 0:
                raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(WritableDirectoryZmap, "put_from", put_from)
    return after


def test_an_interrupted_copy_leaves_nothing_or_files_for_resume(
    run: Run, weather, tmp_path, stopping
):
    stopping[:] = [3]
    ran = run("copy", weather, tmp_path / "b.zarr", "--threads", "1", "--no-resume")
    note = f"{tmp_path / 'b.zarr'} was not changed"
    assert (ran.code, ran.stderr) == (130, f"ncz: interrupted; {note}\n")
    assert left(tmp_path) == ["weather.zarr"]
    stopping[:] = [3]
    assert run("copy", weather, tmp_path / "b.zarr", "--threads", "1", "--resume").code == 130
    claim, partial, source = left(tmp_path)
    assert (Path(claim).suffix, Path(partial).suffix) == (".claim", ".partial")
    assert Path(claim).stem == Path(partial).stem
    assert source == "weather.zarr"
    # Of another form it is not the beginning.
    ran = run("copy", weather, tmp_path / "b.zarr", "--resume", "--codec", "zstd:1")
    assert (ran.code, "another source or other options" in ran.stderr) == (1, True)
    stopping.clear()
    ran = run("copy", weather, tmp_path / "b.zarr", "--resume", "--json")
    summary = json.loads(ran.text)
    assert summary["chunks_kept"] == 3
    assert left(tmp_path) == ["b.zarr", "weather.zarr"]
    assert run("copy", weather, tmp_path / "b.zarr", "--verify").code == 0


@pytest.mark.parametrize("form", ["b.zarr", "b.zip", "b.zarr#mode=zarr,v3"])
def test_a_complete_copy_is_compared_when_it_is_resumed(run: Run, weather, tmp_path, form):
    """So a script that repeats the command until it succeeds ends."""
    line = ("copy", "--allow-loss", "--resume", "-c", "time/1", weather, f"{tmp_path}/{form}")
    assert run(*line).code == 0
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    ran = run(*line, "--json")
    summary = json.loads(ran.text)
    assert (ran.code, summary["chunks"], summary["values_compared"] > 0) == (0, 0, True)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
    ran = run(*line, "-c", "time/2")
    assert (ran.code, "already exists" in ran.stderr) == (1, True)
    assert run("edit", weather, "--set", ":title = 1").code == 0
    ran = run(*line)
    assert (ran.code, "title" in ran.stderr) == (1, True)


def test_without_resume_a_copy_begins_again(run: Run, weather, tmp_path, stopping):
    stopping[:] = [3]
    assert run("copy", weather, tmp_path / "b.zarr", "--threads", "1", "--resume").code == 130
    stopping.clear()
    ran = run("copy", weather, tmp_path / "b.zarr", "--json", "--no-resume")
    assert json.loads(ran.text)["chunks_kept"] == 0
    assert left(tmp_path) == ["b.zarr", "weather.zarr"]


def test_the_same_command_continues_an_interrupted_copy(run: Run, weather, tmp_path, stopping):
    line = ("copy", weather, tmp_path / "b.zarr", "--threads", "1")
    stopping[:] = [3]
    ran = run(*line)
    note = "3 chunks are kept; run the same command again to resume the copy"
    assert (ran.code, ran.stderr) == (130, f"ncz: interrupted; {note}\n")
    assert not (tmp_path / "b.zarr").exists()
    stopping.clear()
    ran = run(*line, "--json")
    assert json.loads(ran.text)["chunks_kept"] == 3
    assert "b.zarr: an interrupted copy was continued: 3 chunks of " in ran.stderr
    assert ran.stderr.count("\n") == 1
    assert left(tmp_path) == ["b.zarr", "weather.zarr"]
    assert run("diff", weather, tmp_path / "b.zarr").code == 0


@pytest.mark.parametrize("change", ["source", "options", "form"])
def test_another_copy_begins_again(run: Run, weather, tmp_path, stopping, change):
    target = tmp_path / "b.zarr"
    stopping[:] = [3]
    assert run("copy", weather, target, "--threads", "1").code == 130
    stopping.clear()
    options = {"source": [], "options": ["--isel", "time=0:2"], "form": ["--codec", "zstd:1"]}
    if change == "source":
        chunk = next(path for path in weather.rglob("0.0.0"))
        chunk.write_bytes(chunk.read_bytes())
    ran = run("copy", weather, target, *options[change], "--json")
    assert (ran.code, json.loads(ran.text)["chunks_kept"], ran.stderr) == (0, 0, "")
    assert left(tmp_path) == ["b.zarr", "weather.zarr"]


def test_an_error_leaves_nothing(run: Run, weather, tmp_path):
    next(path for path in weather.rglob("1.0.0")).write_bytes(b"damaged")
    assert run("copy", "--check-data", weather, tmp_path / "b.zarr", "--threads", "1").code == 1
    assert left(tmp_path) == ["weather.zarr"]


def test_the_files_of_an_interrupted_copy_are_cleaned(run: Run, weather, tmp_path, stopping):
    stopping[:] = [3]
    assert run("copy", weather, tmp_path / "b.zarr", "--threads", "1").code == 130
    assert len(left(tmp_path)) == 3
    said = run("info", tmp_path / "b.zarr").stderr
    assert "a copy to it was interrupted; run it again to continue, or ncz clean" in said
    assert run("clean", tmp_path / "b.zarr").code == 0
    assert left(tmp_path) == ["weather.zarr"]


def test_a_join_of_other_sources_begins_again(run: Run, weather, tmp_path, stopping):
    for name, times in (("1", "0:1"), ("2", "1:3"), ("3", "3:4")):
        run("copy", "-q", weather, tmp_path / f"{name}.zarr", "--isel", f"time={times}")
    names = [tmp_path / f"{n}.zarr" for n in (1, 2, 3)]
    for sources, kept in ((names[1:], False), (names[:2], True)):
        stopping[:] = [2]
        line = ("copy", "--concat", "time", *names[:2], tmp_path / "b.zarr", "--threads", "1")
        assert run(*line).code == 130
        stopping.clear()
        ran = run("copy", "--concat", "time", *sources, tmp_path / "b.zarr", "--json")
        assert (json.loads(ran.text)["chunks_kept"] > 0) == kept
        run("rm", tmp_path / "b.zarr")


@pytest.mark.skipif(os.name != "posix", reason="a system without these locks")
def test_two_cannot_write_one_target(run: Run, weather, tmp_path):
    program = (
        "import sys\nfrom ncz.zmap.claim import Claim\nfrom ncz.zmap.opening import create_zmap\n"
        "from ncz.zmap.location import parse_location\n"
        "with create_zmap(parse_location(sys.argv[1]), claim=Claim('other')):\n"
        "    print('here', flush=True)\n    sys.stdin.read()\n    raise SystemExit(3)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "b.zarr")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"here\n"
        ran = run("copy", weather, tmp_path / "b.zarr")
        assert (ran.code, "another process is writing this store" in ran.stderr) == (1, True)
        other.communicate()
    assert run("copy", weather, tmp_path / "b.zarr").code == 0
    assert left(tmp_path) == ["b.zarr", "weather.zarr"]


def test_consolidate_in_place(run: Run, tmp_path):
    for name in ("weather", "groups", "unicode"):
        source = ROOT / f"cdl_examples/{name}.cdl"
        assert run("gen", source, "-o", tmp_path / "a.zarr", "--overwrite").code == 0
        assert (
            run("gen", source, "-o", tmp_path / "b.zarr", "--overwrite", "--consolidated").code == 0
        )
        ran = run("consolidate", tmp_path / "a.zarr")
        assert (ran.code, ran.stdout, ran.stderr) == (0, b"", "")
        made = (tmp_path / "a.zarr/.zmetadata").read_bytes()
        assert made == (tmp_path / "b.zarr/.zmetadata").read_bytes()
        assert run("consolidate", tmp_path / "a.zarr").code == 0
        assert (tmp_path / "a.zarr/.zmetadata").read_bytes() == made


def test_consolidate_version_3(run: Run, tmp_path):
    zarr = pytest.importorskip("zarr", reason="the peer zarr is not installed")
    for place, option in (("a.zarr", []), ("b.zarr", ["--consolidated"])):
        assert run("gen", GROUPS, "-o", tmp_path / place, "--zarr-format", "3", *option).code == 0
    assert run("consolidate", tmp_path / "a.zarr").code == 0
    made = [(tmp_path / place / "zarr.json").read_bytes() for place in ("a.zarr", "b.zarr")]
    assert made[0] == made[1]
    assert run("consolidate", tmp_path / "a.zarr").code == 0
    assert (tmp_path / "a.zarr/zarr.json").read_bytes() == made[0]
    assert dict(zarr.open_consolidated(str(tmp_path / "a.zarr")).groups())


def test_stores_that_cannot_be_consolidated(run: Run, weather, tmp_path):
    assert run("copy", weather, tmp_path / "b.zip").code == 0
    (tmp_path / "empty").mkdir()
    for place, told in (
        (
            "b.zip",
            "a zip file cannot be changed in place; write a changed copy with 'ncz copy'",
        ),
        ("empty", "no Zarr group exists here"),
        ("absent", "no file or store exists at this path"),
    ):
        ran = run("consolidate", tmp_path / place)
        assert (ran.code, told in ran.stderr) == (1, True), ran.stderr
    (weather / "lat/.zarray").write_bytes(b"{")
    ran = run("consolidate", weather)
    assert (ran.code, "/lat/.zarray" in ran.stderr) == (1, True)
    assert not (weather / ".zmetadata").exists()


def test_zarr_python_opens_consolidated_stores(run: Run, tmp_path):
    zarr = pytest.importorskip("zarr", reason="the peer zarr is not installed")
    place = f"{tmp_path}/a.zarr#mode=zarr"
    assert run("gen", GROUPS, "-o", place).code == 0
    assert run("consolidate", place).code == 0
    group = zarr.open_consolidated(str(tmp_path / "a.zarr"), zarr_format=2)
    assert sorted(name for name, _ in group.groups())


def test_the_environment_replaces_a_store_as_nccopy_does(run: Run, weather, tmp_path, monkeypatch):
    target, text = tmp_path / "b.zarr", tmp_path / "b.cdl"
    assert run("gen", GROUPS, "-o", target).code == 0
    text.write_text("precious")
    assert run("copy", weather, target).code == 1
    monkeypatch.setenv("NCZ_OVERWRITE", "1")
    assert run("copy", weather, target, "--verify").code == 1  # only compared
    assert run("copy", weather, text).code == 1
    assert text.read_text() == "precious"
    assert run("copy", weather, target).code == 0
    assert run("dump", target, "-nx").stdout == run("dump", weather, "-nx").stdout


@pytest.mark.parametrize("name", ["f.nc", "f.zip", "f.json", "f.cdl", "f.zarr"])
def test_a_folder_as_target_is_refused_without_an_option_that_does_not_help(
    run: Run, weather, tmp_path, name
):
    (tmp_path / name).mkdir()
    (tmp_path / name / "mine.txt").write_text("mine")
    done = run("copy", "-q", weather, tmp_path / name)
    assert (done.code, done.text) == (1, "")
    assert "already exists: it is a directory" in done.stderr
    assert "use another name" in done.stderr
    assert "overwrite" not in done.stderr
    assert left(tmp_path / name) == ["mine.txt"]


def test_a_folder_as_target_of_other_commands(run: Run, weather, tmp_path):
    (tmp_path / "f.cdl").mkdir()
    (tmp_path / "f.cdl" / "mine.txt").write_text("mine")
    for done in (
        run("dump", weather, "-o", tmp_path / "f.cdl"),
        run("dump", weather, "--overwrite", "-o", tmp_path / "f.cdl"),
        run("gen", WEATHER, "-o", f"{tmp_path}/f.cdl#mode=nczarr,file"),
    ):
        assert (done.code, done.text) == (1, "")
        assert "already exists: it is a directory" in done.stderr
        assert "use --overwrite" not in done.stderr


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("a.tar", "an archive; name it x.zarr, x.zip or x.nc"),
        ("a.nc.gz", "a compressed file; name it x.zarr, x.zip or x.nc"),
        ("a.png", "a picture; use 'ncz view' for a picture"),
    ],
)
def test_suffixes_of_other_formats_are_said(run: Run, weather, tmp_path, name, what):
    done = run("copy", weather, tmp_path / name)
    assert done.code == 1
    assert f"this is the name of {what}" in done.stderr
    assert left(tmp_path) == ["weather.zarr"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a.foo", "because .foo is not the suffix of a known format; name it x.zarr, or x.nc"),
        ("a.zarrr", "because .zarrr is not the suffix of a known format; did you mean '.zarr'?"),
        ("a.nc5", "because .nc5 is not the suffix of a known format; did you mean '.nc"),
        ("a.foo#mode=nczarr", None),
        ("a.store", None),
        ("a", None),
        ("2020.01", None),
        ("data.v1", None),
        ("data.v1.2", None),
        (".hidden", None),
    ],
)
def test_a_suffix_that_says_nothing_is_a_store_with_a_notice(
    run: Run, weather, tmp_path, name, said
):
    for number, ran in enumerate(
        [
            run("copy", weather, tmp_path / name),
            run("gen", WEATHER, "-o", tmp_path / name, "--overwrite"),
        ]
    ):
        assert ran.code == 0
        assert ("is not the suffix" in ran.stderr) == (said is not None and not number)
        assert said is None or number or said in ran.stderr
    assert run("info", tmp_path / name.partition("#")[0]).code == 0


def test_the_mode_bytes_of_netcdf_c_has_no_effect(run: Run, weather):
    for fragment in ("#mode=bytes", "#bytes", "#mode=nczarr,bytes"):
        assert run("dump", f"{weather}{fragment}").text == run("dump", weather).text


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("bitround:10+zstd:3", [{"id": "bitround", "keepbits": 10}, {"id": "zstd", "level": 3}]),
        (
            "fixedscaleoffset:100:1+zlib:4",
            [
                {"id": "fixedscaleoffset", "scale": 100.0, "offset": 1.0, "dtype": "<f4"},
                {"id": "zlib", "level": 4},
            ],
        ),
        ("quantize:2+lz4", [{"id": "quantize", "digits": 2, "dtype": "<f4"}, {"id": "lz4"}]),
        ("delta+bz2:9", [{"id": "delta", "dtype": "<f4"}, {"id": "bz2", "level": 9}]),
        ("astype:<f8:<f4+gzip", [{"id": "astype", "encode_dtype": "<f8"}, {"id": "gzip"}]),
    ],
)
def test_codecs_by_name_in_a_chain(run: Run, weather, tmp_path, spec, expected):
    done = run("copy", "-q", weather, f"{tmp_path}/b.zarr", "--codec", f"temperature={spec}")
    assert (done.code, done.stderr) == (0, "")
    document = json.loads((tmp_path / "b.zarr/temperature/.zarray").read_text())
    found = [*(document["filters"] or []), document["compressor"]]
    assert [{k: f[k] for k in e} for f, e in zip(found, expected, strict=True)] == expected
    assert run("check", "--data", tmp_path / "b.zarr").code == 0


def test_a_codec_by_name_with_a_wrong_value(run: Run, weather, tmp_path):
    for spec, message in (
        ("bitround:x", "keepbits must be an integer, not 'x'"),
        ("fixedscaleoffset:a:1", "scale must be a number, not 'a'"),
        ("bitround", "the codec bitround needs the parameter 'keepbits'"),
        ("bitround:1:2", "'bitround:1:2' is not valid"),
    ):
        done = run("copy", weather, tmp_path / "b.zarr", "--codec", spec)
        assert done.code == 2
        assert message in done.stderr


def test_coordinates_keep_their_chunks_unless_they_are_named(run: Run, weather, tmp_path):
    assert run("copy", "-q", weather, tmp_path / "b.zarr", "-c", "time/1,lat/1").code == 0
    assert run("copy", "-q", weather, tmp_path / "c.zarr", "-c", "lat:1", "-c", "time/1").code == 0
    before, some, named = (
        {v["path"]: v["chunks"] for v in json.loads(run("info", "--json", path).text)["variables"]}
        for path in (weather, tmp_path / "b.zarr", tmp_path / "c.zarr")
    )
    assert some["/temperature"] == [1, 1, 5]
    assert (some["/time"], some["/lat"]) == (before["/time"], before["/lat"])
    assert named["/lat"] == [1]


def test_a_store_with_blosc_becomes_netcdf_with_zlib(run: Run, weather, tmp_path):
    run("copy", "-q", weather, tmp_path / "b.zarr", "--codec", "temperature=blosc")
    done = run("copy", "--verify", tmp_path / "b.zarr", tmp_path / "c.nc")
    assert done.code == 0
    assert "blosc becomes zlib, because HDF5 needs a plugin for it: /temperature" in done.stderr
    assert "plugin for the filter" not in done.stderr
    assert "the copy also changes" not in done.stderr  # which it would say again
    header = run("dump", "-hs", tmp_path / "c.nc").text
    assert "temperature:_DeflateLevel = 4 ;" in header
    assert 'temperature:_Shuffle = "true" ;' in header
    classic = run(
        "copy", "-V", "temperature", "-k", "classic", tmp_path / "b.zarr", tmp_path / "d.nc"
    )
    assert "becomes zlib" not in classic.stderr


def test_a_store_becomes_netcdf_that_hdf5_reads_without_plugins(run: Run, weather, tmp_path):
    names = ["blosc", "zstd", "bz2", "lz4", "lzma", "gzip"]
    chosen = [f"v{name}={name}" for name in names]
    header = " ".join(f"float v{name}(x) ; v{name}:_ChunkSizes = 9 ;" for name in names)
    values = " ".join(f"v{name} = {', '.join(map(str, range(40)))} ;" for name in names)
    cdl = f"netcdf a {{ dimensions: x = 40 ; variables: {header} data: {values} }}"
    assert run("gen", "-", "-o", tmp_path / "a.zarr", stdin=cdl.encode()).code == 0
    more = [word for one in chosen for word in ("--codec", one)]
    assert run("copy", "-q", tmp_path / "a.zarr", tmp_path / "b.zarr", *more).code == 0
    done = run("copy", "--verify", tmp_path / "b.zarr", tmp_path / "c.nc")
    assert done.code == 0
    assert "plugin for the filter" not in done.stderr
    for name in names[:-1]:
        assert f"{name} becomes zlib, because HDF5 needs a plugin for it: /v{name}" in done.stderr
    code = (
        "import json, sys; sys.modules['hdf5plugin'] = None; import h5py\n"
        "with h5py.File(sys.argv[1]) as f:"
        " print(json.dumps({n: [v.compression, *v[:].tolist()] for n, v in f.items() if n != 'x'}))"
    )
    environment = {k: v for k, v in os.environ.items() if k != "HDF5_PLUGIN_PATH"}
    found = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "c.nc"],
        env=environment, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert json.loads(found) == {f"v{name}": ["gzip", *range(40)] for name in names}
    kept = run("copy", tmp_path / "b.zarr", tmp_path / "d.nc", "--codec", "vzstd=zstd")
    assert "readers need an HDF5 plugin for the filter zstd: /vzstd" in kept.stderr


@pytest.mark.parametrize("name", ["folder.zarr", "notes.zip", "notes.nc"])
def test_overwrite_is_not_advised_for_other_files(run: Run, weather, tmp_path, name):
    (tmp_path / "folder.zarr").mkdir()
    for file in ("folder.zarr/notes", "notes.zip", "notes.nc"):
        (tmp_path / file).write_text("notes")
    ran = run("copy", weather, tmp_path / name)
    assert (ran.code, "already exists" in ran.stderr) == (1, True)
    assert "--overwrite" not in ran.stderr
    assert run("copy", "--overwrite", weather, tmp_path / name).code == 1


def test_overwrite_is_advised_for_a_store(run: Run, weather, tmp_path):
    assert run("copy", weather, tmp_path / "b.zarr").code == 0
    assert "use --overwrite" in run("copy", weather, tmp_path / "b.zarr").stderr


def test_the_working_directory_was_removed(run: Run, tmp_path, monkeypatch):
    """Absolute paths need none."""
    file, store = tmp_path / "a.nc", tmp_path / "a.zarr"
    cdl = b"netcdf a { variables: int v ; data: v = 1 ; }"
    assert run("gen", "-", "-o", file, stdin=cdl).code == 0
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    for command in (["copy", file, store], ["copy", file, store, "--overwrite"], ["rm", store]):
        assert run(*command) == Ran(0, b"", "")


def test_patterns_and_folders_mean_sources(run: Run, weather, tmp_path, monkeypatch):
    folder = tmp_path / "in"
    folder.mkdir()
    for number, times in enumerate(("0:1", "1:3", "3:4")):
        run("copy", "-q", weather, folder / f"{number}.nc", "--isel", f"time={times}")
    monkeypatch.chdir(tmp_path)
    for name, source in (("a.nc", "in/*.nc"), ("b.nc", "in"), ("c.nc", "in/[012].nc")):
        done = run("copy", "--concat", "time", source, name)
        assert (done.code, done.stderr) == (0, "")
        assert ncz.read(name, "time").tolist() == [0, 6, 12, 18]
    done = run("copy", "in", "d.nc")
    assert done.code == 1
    assert "contains netCDF files, not a Zarr store: 0.nc, 1.nc, 2.nc" in done.stderr
    assert (
        "name its files, such as in/*.nc; to join them: ncz copy --concat time in/*.nc OUT;"
        " to copy each: ncz copy --each in/*.nc FOLDER/" in done.stderr
    )
    (folder / "readme.txt").write_text("a text")
    assert run("copy", "--concat", "time", "in", "e.nc").code == 1
    assert not Path("e.nc").exists()


@pytest.mark.parametrize("name", ["x.nc", "x.zarr"])
def test_text_is_not_written_to_a_name_of_another_format(run: Run, weather, tmp_path, name):
    done = run("dump", weather, "-o", tmp_path / name)
    assert done.code == 2
    assert f"type: ncz copy {weather} {tmp_path / name}" in done.stderr
    assert left(tmp_path) == ["weather.zarr"]


def test_a_name_of_hdf5_matches_a_netcdf_4_file(run: Run, weather, tmp_path):
    assert run("copy", "-3", "--vars", "temperature", weather, tmp_path / "day.nc").code == 0
    for number, source in enumerate((weather, tmp_path / "day.nc")):
        target = tmp_path / f"day{number}.h5"
        assert run("copy", source, target).code == 0
        assert run("dump", "-k", target).text == "netCDF-4\n"
        assert run("diff", source, target).code == 0


@pytest.mark.parametrize("name", ["zstd", "zstandard", "32015"])
def test_filters_of_nccopy_have_names_or_numbers(run: Run, weather, tmp_path, name):
    assert run("copy", "-F", f"*,{name},4", weather, tmp_path / "z.nc").code == 0
    assert "zstd(level=4)" in repr(ncz.open(tmp_path / "z.nc")["temperature"])


def test_files_are_copied_to_a_folder_as_by_cp(run: Run, weather, tmp_path):
    run("copy", "-q", weather, tmp_path / "a.nc")
    run("copy", "-q", weather, tmp_path / "b.nc")
    files = [tmp_path / "a.nc", tmp_path / "b.nc"]
    done = run("copy", *files, f"{tmp_path}/new/")
    assert (done.code, "the copies are Zarr stores; for netCDF, add -4" in done.stderr) == (0, True)
    assert left(tmp_path / "new") == ["a.zarr", "b.zarr"]
    assert run("copy", "-4", *files, f"{tmp_path}/files/").stderr == ""
    assert left(tmp_path / "files") == ["a.nc", "b.nc"]
    joined = run("copy", "--concat", "time", tmp_path / "a.nc", tmp_path / "b.nc", f"{tmp_path}/x/")
    assert joined.code != 0 or not (tmp_path / "x" / "a.zarr").exists()


@pytest.mark.parametrize("name", ["u.nc", "u.zarr"])
def test_dimensions_become_unlimited(run: Run, weather, tmp_path, name):
    assert run("copy", "--unlimited", "lat", "--verify", weather, tmp_path / name).code == 0
    text = run("dump", tmp_path / name).text
    assert "lat = UNLIMITED ; // (3 currently)" in text
    assert "lon = 5 ;" in text
    unknown = run("copy", "--unlimited", "lev", weather, tmp_path / "x.nc")
    assert "--unlimited: no dimension is named 'lev'" in unknown.stderr


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("--mode w", "to replace DST, use --overwrite"),
        ("--chunks auto", "or give the size of a chunk, --chunk-size 10MB"),
        ("--lsd 3", "use --quantize DIGITS for significant digits, or --pack short:SCALE:OFFSET"),
        ("--scale-factor 0.1", "use --pack short:0.1:OFFSET"),
        ("--sel time=3 --isel lat=0", "for an index, use --isel"),
    ],
)
def test_options_of_others_are_answered(run: Run, weather, tmp_path, line, says):
    done = run("copy", *line.split(), weather, tmp_path / "x.zarr")
    assert done.code == 2
    assert says in done.stderr
    assert left(tmp_path) == ["weather.zarr"]


@pytest.mark.parametrize(
    "options",
    ["--mode w-", "--engine h5netcdf", "--consolidated=True", "--zarr-format v3", "--overwrite=no"],
)
def test_options_of_others_are_taken(run: Run, weather, tmp_path, options):
    assert run("copy", *options.split(), weather, tmp_path / "x.zarr").code == 0
    assert run("diff", weather, tmp_path / "x.zarr").code == 0


@pytest.mark.parametrize("folder", ["there", "there/", "."])
def test_a_source_keeps_its_name_in_a_folder_as_by_cp(run, weather, tmp_path, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    for path in (tmp_path / "there", tmp_path / "sources"):
        path.mkdir()
    run("copy", "-q", weather, "sources/a.nc")
    run("copy", "-q", weather, "sources/b.zarr")
    for name in ("a.nc", "b.zarr"):
        assert run("copy", f"sources/{name}", folder).code == 0
        assert run("diff", f"sources/{name}", f"{folder}/{name}").code == 0
        again = run("copy", f"sources/{name}", folder)
        assert f"{name}: already exists; use --overwrite" in again.stderr
    assert run("dump", "-k", f"{folder}/a.nc").text.strip() == "netCDF-4"
    assert run("copy", "--cloud", "sources/a.nc", folder).code == 0
    assert {"a.nc", "a.zarr", "b.zarr"} <= {*left(tmp_path / folder)}


@pytest.mark.parametrize("options", ["-3 -d 5", "-3 --codec zlib:5", "-6 -F *,1,5", "-5 -s -d1"])
def test_codecs_are_not_silently_left_out(run: Run, weather, tmp_path, options):
    """Options that a kind of file cannot have are refused."""
    run("copy", "-q", "--vars", "temperature", weather, tmp_path / "t.nc")
    done = run("copy", *options.split(), tmp_path / "t.nc", tmp_path / "new.nc")
    assert done.code == 2
    assert "which has no codecs; omit it, or use --kind nc7" in done.stderr
    assert left(tmp_path) == ["t.nc", "weather.zarr"]
    assert run("copy", "-3", "-d", "0", tmp_path / "t.nc", tmp_path / "new.nc").code == 0


@pytest.mark.parametrize("options", ["-d 5 -s -c time/1,lat/3,lon/5", "--codec shuffle+zlib:5"])
@pytest.mark.parametrize("kind", ["classic", "64-bit offset"])
def test_a_compressed_copy_of_a_classic_file_is_netcdf4(run: Run, weather, tmp_path, options, kind):
    run("copy", "-q", "--vars", "temperature", "-k", kind, weather, tmp_path / "t.nc")
    done = run("copy", *options.split(), tmp_path / "t.nc", tmp_path / "new.nc")
    assert (done.code, done.stderr) == (0, "")
    assert run("dump", "-k", tmp_path / "new.nc").text.strip() == "netCDF-4 classic model"
    assert ncz.open(tmp_path / "new.nc")["temperature"].codecs


@pytest.mark.parametrize("command", ["copy", "dump", "edit", "gen", "info", "view"])
def test_a_command_alone_names_the_missing_argument(run: Run, command):
    done = run(command, stdin=b"")
    assert (done.code, done.stdout) in ((2, b""), (1, b""))
    assert done.stderr.splitlines()[-1].startswith("ncz: ")


@pytest.mark.parametrize(
    "options",
    ["--compression zlib --level 4", "--clevel 4 --codec zlib", "--codec zlib:4"],
)
def test_a_level_next_to_the_name_of_a_codec(run, tmp_path, options):
    source, target = str(tmp_path / "w.nc"), str(tmp_path / "w.zarr")
    run("gen", str(ROOT / "cdl_examples/weather.cdl"), "-o", source)
    assert run("copy", source, target, *options.split()).code == 0
    (codec,) = ncz.open(target)["lat"].codecs
    assert (codec["id"], codec["level"]) == ("zlib", 4)


@pytest.mark.parametrize(
    "option", ["--skip-existing", "--ignore-existing", "--update", "--continue", "--partial"]
)
def test_files_that_are_copied_already_are_skipped(run, tmp_path, monkeypatch, option):
    monkeypatch.chdir(tmp_path)
    run("gen", str(ROOT / "cdl_examples/weather.cdl"), "-o", "a.nc")
    for name in ("b.nc", "c.nc"):
        run("copy", "a.nc", name)
    run("copy", "a.nc", "b.nc", "stores/")
    assert run("copy", "a.nc", "b.nc", "c.nc", "stores/").code == 1
    assert run("copy", option, "a.nc", "b.nc", "c.nc", "stores/").code == 0
    assert sorted(os.listdir("stores")) == ["a.zarr", "b.zarr", "c.zarr"]


def test_an_append_that_skips_existing_values(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("gen", str(ROOT / "cdl_examples/weather.cdl"), "-o", "w.nc")
    for at in range(4):
        run("copy", "w.nc", f"{at}.nc", "--isel", f"time={at}")
    run("copy", "--concat", "time", "0.nc", "1.nc", "all.zarr")
    line = ["copy", "--append", "time", "0.nc", "1.nc", "2.nc", "all.zarr"]
    assert run(*line).code == 1
    assert run(*line, "--skip-existing").code == 0
    assert ncz.open("all.zarr")["time"][:].tolist() == [0, 6, 12]


def test_a_bucket_or_prefix_with_other_objects_is_a_folder(run: Run, weather, moto, monkeypatch):
    with moto.bucket("folders", monkeypatch) as url:
        assert run("copy", weather, f"{url}/runs/a.zarr").code == 0
        for folder in (url, f"{url}/runs/"):
            assert run("copy", weather, folder).code == 0
            assert not ncz.diff(f"{folder.rstrip('/')}/weather.zarr", str(weather))
        refused = run("copy", weather, f"{url}/runs/a.zarr/")
        assert (refused.code, "already exists" in refused.stderr) == (1, True)
        assert run("copy", weather, f"{url}/new/").code == 0
        assert not ncz.diff(f"{url}/new", str(weather))

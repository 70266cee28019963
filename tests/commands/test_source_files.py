"""The files that datasets refer to, and their states."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.zmap.location import parse_location
from ncz.zmap.remote.opening import connect_to_write
from tests.commands.source_files import write
from tests.conftest import Run


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    names = [f"s{number}.nc" for number in range(3)]
    for number, name in enumerate(names):
        write(tmp_path / name, number)
    return names


def as_json(files: list[str]) -> str:
    ncz.copy(files, "all.json", concat="t", notify=ignore_notice)
    return "all.json"


def as_parquet(files: list[str]) -> str:
    pytest.importorskip("pyarrow")
    ncz.copy(files, "all.parq", concat="t", notify=ignore_notice)
    return "all.parq"


def as_repository(files: list[str]) -> str:
    pytest.importorskip("icechunk")
    ncz.copy(files, "all.icechunk", concat="t", modes=("reference",), notify=ignore_notice)
    return "all.icechunk"


def as_master(files: list[str]) -> str:
    ncz.aggregate(files, "all.nca", axis="t", notify=ignore_notice)
    return "all.nca"


def as_master_in_zarr(files: list[str]) -> str:
    ncz.aggregate(files, "master.zarr", axis="t", mode="cf", notify=ignore_notice)
    return "master.zarr"


MAKE = [as_json, as_parquet, as_repository, as_master, as_master_in_zarr]


@pytest.mark.parametrize("make", MAKE)
def test_files_with_their_sizes_and_states(
    files: list[str], make: Callable[[list[str]], str], tmp_path: Path, run: Run
) -> None:
    name = make(files)
    found = ncz.info(name, sources=True).sources
    assert found is not None
    assert [(s.url, s.size, s.state, s.reason) for s in found] == [
        (str(tmp_path / file), (tmp_path / file).stat().st_size, "unchanged", "") for file in files
    ]
    later = (tmp_path / "s1.nc").stat().st_mtime_ns + 10**10
    os.utime("s1.nc", ns=(later, later))
    os.unlink("s2.nc")
    states = [s.state for s in ncz.info(name, sources=True).sources or ()]
    assert states == ["unchanged", "changed", "missing"]
    done = run("info", "--sources", name)
    assert [line.split()[0] for line in done.stdout.decode().splitlines()[-3:]] == [
        str(tmp_path / file) for file in files
    ]
    done = run("info", "--sources", "--json", name)
    assert [s["state"] for s in json.loads(done.stdout)["sources"]] == states
    assert ncz.info(name).sources is None


@pytest.mark.parametrize("make", MAKE)
def test_a_missing_or_changed_file_is_found_without_reading_chunks(
    files: list[str], make: Callable[[list[str]], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = make(files)
    assert ncz.check(name).is_clean
    later = os.stat("s1.nc").st_mtime_ns + 10**10
    os.utime("s1.nc", ns=(later, later))
    os.unlink("s2.nc")
    found = [f for f in ncz.check(name).findings if f.code == "source-changed"]
    assert [f.severity for f in found] == ["error", "error"]
    assert "s1.nc has changed" in found[0].message
    assert "s2.nc does not exist" in found[1].message


@pytest.mark.parametrize("make", [as_json, as_parquet, as_master, as_master_in_zarr])
def test_a_long_list_has_the_states_of_files(
    files: list[str], make: Callable[[list[str]], str], run: Run
) -> None:
    name = make(files)
    os.utime("s1.nc", ns=(0, 0))
    os.unlink("s2.nc")
    listed = ncz.ls(name, "v", kinds=("chunk", "piece"), long=True)
    size = os.stat("s0.nc").st_size
    known = [("unchanged", size), ("changed", size), ("missing", None)]
    assert [(entry.state, entry.source_size) for entry in listed] == known
    lines = run("ls", "-l", name, "v/*.0").stdout.decode().splitlines()
    assert [line.partition("  (")[2] for line in lines] == [
        f"{size} bytes, unchanged)", f"{size} bytes, changed)", "missing)"
    ]  # fmt: skip
    told = json.loads(run("ls", "--json", name, "v/1.0").stdout)
    assert (told[0]["state"], told[0]["source_size"]) == ("changed", size)


def test_a_long_list_of_a_repository_has_the_states_of_files(
    files: list[str], tmp_path: Path, run: Run
) -> None:
    name = as_repository(files)
    icechunk = pytest.importorskip("icechunk")
    if not hasattr(icechunk.IcechunkStore, "array_chunk_iterator"):
        pytest.skip("icechunk is older than 2.3")
    os.utime("s1.nc", ns=(0, 0))
    os.unlink("s2.nc")
    listed = ncz.ls(name, "v", kinds="chunk", recursive=True, long=True)
    size = os.stat("s0.nc").st_size
    known = [("unchanged", size), ("changed", size), ("missing", None)]
    assert [(entry.state, entry.source_size) for entry in listed] == known
    assert [entry.target and entry.target[0] for entry in listed] == [
        f"file://{tmp_path / file}" for file in files
    ]
    assert [(entry.target or ())[2:] for entry in listed] == [(4000,)] * 3
    (held,) = ncz.ls(name, "t", kinds="chunk", recursive=True, long=True)
    assert (held.target, held.state) == (None, None)
    lines = run("ls", "-rl", name, "v", "--kind", "chunk").stdout.decode().splitlines()
    assert [line.partition("  (")[2] for line in lines] == [
        f"{size} bytes, unchanged)", f"{size} bytes, changed)", "missing)"
    ]  # fmt: skip


def test_a_file_that_is_no_master_refers_to_no_file(files: list[str]) -> None:
    assert ncz.check(files[0]).is_clean
    assert ncz.info(files[0], sources=True).sources == ()


def test_history_of_a_repository(files: list[str], run: Run) -> None:
    name = as_repository(files)
    ncz.copy("s0.nc", f"{name}#icechunk.branch=test", overwrite=True, notify=ignore_notice)
    text = run("ls", "--history", name).stdout.decode()
    assert text.startswith("branches: main, test\nsnapshots:\n")
    assert "Join s0.nc, s1.nc and s2.nc along t" in text
    done = run("ls", "--history", files[0])
    assert done.code == 1
    assert "keeps no history" in done.stderr


def test_files_of_a_dataset_that_refers_to_none(files: list[str], run: Run) -> None:
    ncz.copy(files[0], "one.zarr", notify=ignore_notice)
    for name in ("one.zarr", files[0]):
        assert ncz.info(name, sources=True).sources == ()
        done = run("info", "--sources", name)
        assert b"sources: none; all data are in the dataset" in done.stdout


def test_files_that_must_not_be_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    group = {".zgroup": '{"zarr_format": 2}'}
    array = {"shape": [1], "chunks": [1], "dtype": "<i4", "fill_value": 0, "order": "C"}
    array |= {"compressor": None, "filters": None, "zarr_format": 2}
    document = {**group, "v/.zarray": json.dumps(array), "v/0": ["/etc/hostname", 0, 4]}
    Path("r.json").write_text(json.dumps(document))
    (found,) = ncz.info("r.json", sources=True).sources or ()
    assert (found.url, found.state, found.size) == ("/etc/hostname", "not permitted", None)
    assert "--allow-target" in found.reason or "allow_target" in found.reason


def test_objects_on_a_server(s3: str, files: list[str]) -> None:
    folder = connect_to_write(parse_location(f"{s3}/data#mode=s3"))
    for name in files:
        folder.put(name, Path(name).read_bytes())
    target = f"{s3}/all.json#mode=s3,reference"
    ncz.copy(
        [f"{s3}/data/{name}#mode=s3" for name in files], target, concat="t", notify=ignore_notice
    )
    folder.put("s1.nc", Path("s0.nc").read_bytes())
    folder.delete("s2.nc")
    found = ncz.info(target, sources=True).sources or ()
    assert [s.state for s in found] == ["unchanged", "changed", "missing"]
    assert found[0].size == os.stat("s0.nc").st_size

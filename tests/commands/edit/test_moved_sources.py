"""Moved files that datasets refer to."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.zmap.location import parse_location
from ncz.zmap.moved_sources import Move
from ncz.zmap.remote.opening import connect_to_write
from tests.commands.source_files import write
from tests.conftest import Run
from tests.sampled import paired

FOLDER = "files of year=2024"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    os.mkdir(FOLDER)
    names = [f"{FOLDER}/s{number}.nc" for number in range(3)]
    for number, name in enumerate(names):
        write(tmp_path / name, number)
    return names


def as_set(name: str) -> Callable[[list[str]], str]:
    def make(files: list[str]) -> str:
        if ".parq" in name:
            pytest.importorskip("pyarrow")
        ncz.copy(files, name, concat="t", notify=ignore_notice)
        return name.partition("#")[0]

    return make


def as_generated(files: list[str]) -> str:
    """Make a set whose references are in entries of ``gen``, as kerchunk writes them."""
    name = as_set("all.json")(files)
    document = json.loads(Path(name).read_text())
    places = {key: value for key, value in document["refs"].items() if isinstance(value, list)}
    document["gen"] = [
        {"key": key, "url": url, "offset": "{{i}}", "length": str(length),
         "dimensions": {"i": [offset]}}
        for key, (url, offset, length) in places.items()
    ]  # fmt: skip
    document["refs"] = {key: document["refs"][key] for key in document["refs"].keys() - places}
    Path(name).write_text(json.dumps(document))
    return name


def as_repository(files: list[str]) -> str:
    icechunk = pytest.importorskip("icechunk")
    if icechunk.__version__ < "2":
        pytest.skip("icechunk has no relative chunks")
    ncz.copy(
        files, "all.icechunk#reference.relative_to=ref", concat="t", modes=("reference",),
        notify=ignore_notice,
    )  # fmt: skip
    return "all.icechunk"


def as_master(name: str, mode: str) -> Callable[[list[str]], str]:
    def make(files: list[str]) -> str:
        ncz.aggregate(files, name, axis="t", mode=mode, notify=ignore_notice)  # type: ignore[arg-type]
        return name

    return make


MAKE = [
    as_set("all.json"), as_set("all.json.zst"), as_set("all.parq"),
    as_set("all.json#reference.relative_to=ref"), as_set("all.json#reference.version=0"),
    as_generated, as_repository, as_master("all.nca", "cfa"),
    as_master("all.nca", "cfa0.4"), as_master("all.nca", "cf"), as_master("all.zarr", "cf"),
]  # fmt: skip


def values(name: str) -> list[list[float]]:
    with ncz.open(name) as dataset:
        found: list[list[float]] = dataset["v"][:, :3].tolist()
    return found


@pytest.mark.parametrize(("make", "is_absolute"), paired(MAKE, [False, True]))
def test_moved_files_are_read_at_their_new_place(
    files: list[str], make: Callable[[list[str]], str], is_absolute: bool, tmp_path: Path, run: Run
) -> None:
    name = make(files)
    wanted = values(name)
    states = [s.state for s in ncz.info(name, sources=True).sources or ()]
    os.rename(FOLDER, "else where")
    above = f"{tmp_path}/" if is_absolute else ""
    request = f"{above}{FOLDER}={above}else where"
    before = {p: p.read_bytes() for p in Path().rglob("*") if p.is_file()}
    done = run("edit", name, "--move-sources", request, "--dry-run")
    assert (done.code, done.stdout.decode().count("would refer to ")) == (
        0, 1 if make is as_repository else 3
    ), done.stderr  # fmt: skip
    assert {p: p.read_bytes() for p in Path().rglob("*") if p.is_file()} == before
    notices: list[ncz.Notice] = []
    changes = ncz.edit(name, move_sources=request, notify=notices.append)
    assert {change.kind for change in changes} == {"source"}
    assert "pieces-missing" not in [notice.code for notice in notices]
    assert values(name) == wanted
    found = ncz.info(name, sources=True).sources or ()
    assert [s.url for s in found] == [f"{tmp_path}/else where/s{number}.nc" for number in range(3)]
    assert [s.state for s in found] == states
    # Every form becomes a separate store.
    ncz.copy(name, "own.zarr", notify=ignore_notice, verify=True)
    shutil.rmtree("else where")
    assert values("own.zarr") == wanted


@pytest.mark.parametrize("make", [MAKE[0], as_repository, MAKE[-2]])
def test_files_that_are_not_at_the_new_place_are_reported(
    files: list[str], make: Callable[[list[str]], str], run: Run
) -> None:
    name = make(files)
    os.mkdir("new")
    os.rename(files[0], "new/s0.nc")
    done = run("edit", name, "--move-sources", f"{FOLDER}=new")
    assert f"{name}: missing files: 2 of 3, the first is " in done.stderr
    assert "new/s1.nc; move the files there" in done.stderr


def test_a_repository_of_absolute_chunks_stays(files: list[str], tmp_path: Path) -> None:
    pytest.importorskip("icechunk")
    ncz.copy(files, "all.icechunk", concat="t", modes=("reference",), notify=ignore_notice)
    with pytest.raises(ncz.NczError, match="absolute URLs, which Icechunk cannot change") as caught:
        ncz.edit("all.icechunk", move_sources=f"{FOLDER}=other", notify=ignore_notice)
    assert "#reference.relative_to=ref" in (caught.value.hint or "")


def test_states_of_the_first_set_stay(files: list[str]) -> None:
    ncz.copy(files, "all.json", concat="t", notify=ignore_notice)
    os.rename(FOLDER, "moved")
    write(Path("moved/s1.nc"), 7)
    later = os.stat("moved/s1.nc").st_mtime_ns + 10**9
    os.utime("moved/s1.nc", ns=(later, later))
    ncz.edit("all.json", move_sources=f"{FOLDER}=moved", notify=ignore_notice)
    found = ncz.info("all.json", sources=True).sources or ()
    assert [s.state for s in found] == ["unchanged", "changed", "unchanged"]


def test_sets_of_other_programs(files: list[str]) -> None:
    ncz.copy(files, "all.json#reference.seals=off", concat="t", notify=ignore_notice)
    document = json.loads(Path("all.json").read_text())
    place = os.path.abspath(FOLDER)
    for value in document["refs"].values():
        if isinstance(value, list):
            value[0] = value[0].replace(f"file://{place}/", "{{u}}/")
    document["templates"] = {"u": place}
    Path("all.json").write_text(json.dumps(document))
    wanted = values("all.json")
    os.rename(FOLDER, "moved")
    ncz.edit("all.json", move_sources=f"{FOLDER}=moved", notify=ignore_notice)
    assert values("all.json") == wanted
    assert "ncz" not in json.loads(Path("all.json").read_text())


def test_objects_that_were_moved_on_a_server(s3: str, files: list[str]) -> None:
    folder = connect_to_write(parse_location(f"{s3}/data#mode=s3"))
    other = connect_to_write(parse_location(f"{s3}/other#mode=s3"))
    for name in files:
        folder.put(os.path.basename(name), Path(name).read_bytes())
        other.put(os.path.basename(name), Path(name).read_bytes())
    target = f"{s3}/all.json#mode=s3,reference"
    ncz.copy(
        [f"{s3}/data/{os.path.basename(name)}#mode=s3" for name in files],
        target, concat="t", notify=ignore_notice,
    )  # fmt: skip
    wanted = values(target)
    (one, *_) = ncz.info(target, sources=True).sources or ()
    old = one.url.rpartition("/")[0]
    for name in files:
        folder.delete(os.path.basename(name))
    request = f"{old}={old.removesuffix('data')}other"
    ncz.edit(target, move_sources=request, notify=ignore_notice)
    assert values(target) == wanted


@pytest.mark.parametrize("name", ["all.json", "all.nca", "one.zarr", "s.nc"])
def test_nothing_below_a_folder(files: list[str], name: str, run: Run) -> None:
    ncz.copy(files, "all.json", concat="t", notify=ignore_notice)
    ncz.aggregate(files, "all.nca", axis="t", notify=ignore_notice)
    ncz.copy(files[0], "one.zarr", notify=ignore_notice)
    shutil.copy(files[0], "s.nc")
    done = run("edit", name, "--move-sources", "/nowhere=/else")
    assert (done.code, "refers to no file below /nowhere" in done.stderr) == (1, True), done.stderr


def test_requests_that_are_not_valid(files: list[str], run: Run) -> None:
    ncz.copy(files, "all.json", concat="t", notify=ignore_notice)
    done = run("edit", "all.json", "--move-sources", "old")
    assert (done.code, "write OLD=NEW" in done.stderr) == (2, True)
    done = run("edit", "all.json", "--move-sources", "a=b", "--set", ":x = 1")
    assert (done.code, "cannot be made together" in done.stderr) == (2, True)


def test_names_below_a_folder() -> None:
    move = Move(old="/data", new="/archive")
    assert move.new_name("/data/a/b.nc") == "/archive/a/b.nc"
    assert move.new_name("/data") == "/archive"
    assert move.new_name("/data2/b.nc") is None
    assert move.new_name("s3://data/b.nc") is None
    move = Move.of("s3://bucket/", "https://host/path/")
    assert move.new_name("s3://bucket/b.nc") == "https://host/path/b.nc"

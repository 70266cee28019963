"""Repositories that ncz writes, read with icechunk, zarr-python and xarray."""

from __future__ import annotations

import json
import math
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import LossError, Notice, StoreExists, UrlError, ZmapError, ignore_notice
from ncz.zmap.location import parse_location
from ncz.zmap.opening import create_zmap, open_zmap
from tests.conftest import Run
from tests.killed_at import ends_by_itself

icechunk = pytest.importorskip("icechunk", reason="icechunk is not installed (make setup)")
zarr = pytest.importorskip("zarr")
netcdf4 = pytest.importorskip("netCDF4")
xarray = pytest.importorskip("xarray")

IS_OLD = not hasattr(icechunk, "FeatureFlag")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    icechunk.set_logs_filter("off")
    return tmp_path


def write(name: str, start: int = 0, length: int = 4, *, fill: int = 0, **options: Any) -> str:
    """Write a file of some days, with a group; return its name."""
    with netcdf4.Dataset(name, "w", **options) as file:
        file.title = "days"
        file.createDimension("time", None)
        file.createDimension("x", 300)
        time = file.createVariable("time", "f8", ("time",))
        time.units = "days since 2001-01-01"
        time[:] = np.arange(start, start + length)
        has_filters = file.data_model == "NETCDF4"
        how = {"zlib": True, "chunksizes": (2, 300)} if has_filters else {}
        v = file.createVariable("v", "i2", ("time", "x"), fill_value=-9, **how)
        v.valid_range = np.array([0, 2000], "i2")
        v[:] = np.random.default_rng(start + fill).integers(0, 1000, (length, 300))
        if has_filters:
            group = file.createGroup("g")
            group.createVariable("names", str, ("x",))[:] = np.array([f"n{i}" for i in range(300)])
    return name


def opened(path: str, **names: str) -> Any:
    """Return the repository at a path, whose virtual chunks may be read."""
    storage = icechunk.local_filesystem_storage(path)
    config = icechunk.Repository.open(storage).config
    access = None if IS_OLD else icechunk.credentials.LocalFileSystemAccess
    prefixes = config.virtual_chunk_containers or {}
    known = icechunk.containers_credentials(dict.fromkeys(prefixes, access))
    return icechunk.Repository.open(storage, authorize_virtual_chunk_access=known)


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Ignore warnings of codecs that are not in the specification of Zarr V3."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def seen(path: str, branch: str = "main", group: str | None = None) -> Any:
    """Return the dataset that xarray sees in a repository."""
    store = opened(path).readonly_session(branch).store
    return xarray.open_zarr(store, consolidated=False, group=group).load()


def messages(path: str, branch: str = "main") -> list[str]:
    """Return the messages of the commits of a branch, the first one first."""
    return [one.message for one in opened(path).ancestry(branch=branch)][-2::-1]


SOURCES = ["nc", "nc3", "zarr2", "zarr3", "nczarr", "zip", "json", "parq", "cdl"]


@pytest.mark.parametrize("kind", SOURCES)
def test_a_source_of_any_kind_is_copied(kind: str) -> None:
    source = write("a.nc", format="NETCDF3_CLASSIC" if kind == "nc3" else "NETCDF4")
    modes = {"zarr2": ("zarr", "v2"), "zarr3": ("zarr", "v3"), "nczarr": ("nczarr",)}
    if kind in modes or kind in ("zip", "json", "parq"):
        ncz.copy(source, f"b.{kind}", modes=modes.get(kind, ()), notify=ignore_notice)
        source = f"b.{kind}"
    if kind == "cdl":
        Path("a.cdl").write_text(ncz.dump(source))
        ncz.gen("a.cdl", "repo.icechunk", notify=ignore_notice)
    else:
        ncz.copy(source, "repo.icechunk", notify=ignore_notice, verify=True)
    assert ncz.diff("a.nc", "repo.icechunk") == []
    wanted = xarray.open_dataset("a.nc")
    xarray.testing.assert_equal(seen("repo.icechunk"), wanted.load())
    assert len(messages("repo.icechunk")) == 1


@pytest.mark.parametrize("kind", ["nc", "zarr2", "zarr3", "unconsolidated"])
def test_attributes_that_json_cannot_represent_are_text_of_a_noted_type(kind: str) -> None:
    wanted = write("a.nc")
    with netcdf4.Dataset("a.nc", "a") as file:
        file["v"].missing_value = np.float32("nan")
        file["v"].limits = [1.0, math.inf]
    if kind != "nc":
        wanted = "a.zarr"
        options = {"consolidated": kind != "unconsolidated"}
        xarray.open_dataset("a.nc", mask_and_scale=False).to_zarr(
            wanted, zarr_format=2 if kind == "zarr2" else 3, **options
        )
    notices: list[str] = []
    ncz.copy(wanted, "repo.icechunk", notify=lambda notice: notices.append(str(notice)))
    assert any("see text for attributes that are NaN" in notice for notice in notices), notices
    assert ncz.diff(wanted, "repo.icechunk") == []
    found = seen("repo.icechunk")["v"]
    assert found.attrs["limits"] == [1.0, "Infinity"]
    xarray.testing.assert_equal(found, xarray.open_dataset("a.nc")["v"].load())


def test_a_commit_describes_the_change() -> None:
    names = [write(f"m{i}.nc", 4 * i) for i in range(5)]
    ncz.copy(names[:4], "repo.icechunk", concat="time", notify=ignore_notice)
    ncz.copy(names[4], "repo.icechunk", append="time", notify=ignore_notice)
    ncz.edit("repo.icechunk", set=[":title=new"], notify=ignore_notice)
    assert messages("repo.icechunk") == [
        "Join m0.nc, m1.nc, m2.nc and 1 other sources along time",
        "Append m4.nc along time",
        "Change documents",
    ]
    wanted = xarray.concat([xarray.open_dataset(name) for name in names], "time", data_vars=["v"])
    xarray.testing.assert_equal(seen("repo.icechunk"), wanted.load())
    assert seen("repo.icechunk").attrs["title"] == "new"


def test_info_lists_branches_tags_and_snapshots(run: Run) -> None:
    ncz.copy(write("a.nc"), "repo.icechunk", notify=ignore_notice)
    first = opened("repo.icechunk").lookup_branch("main")
    opened("repo.icechunk").create_tag("v1", first)
    ncz.copy("a.nc", "repo.icechunk#icechunk.branch=dev", notify=ignore_notice)
    ncz.copy(write("b.nc", 4), "repo.icechunk", append="time", notify=ignore_notice)
    text = run("info", "repo.icechunk").text
    assert "branches: dev, main\ntags: v1\nsnapshots:\n" in text
    assert text.index("Append b.nc along time") < text.index("Copy a.nc")
    found = json.loads(run("info", "--json", "repo.icechunk#icechunk.tag=v1").text)["history"]
    assert [one["message"] for one in found["snapshots"]] == ["Copy a.nc", "Repository initialized"]
    assert found["snapshots"][0]["name"] == first
    assert "history" not in json.loads(run("info", "--json", "a.nc").text)


def test_virtual_chunks_stay_in_their_files() -> None:
    names = [write("m0.nc"), write("m1.nc", 4)]
    how: dict[str, Any] = {"modes": ("reference",), "inline": 0}
    ncz.copy(names, "repo.icechunk", concat="time", notify=ignore_notice, verify=True, **how)
    files = opened("repo.icechunk").readonly_session("main").all_virtual_chunk_locations()
    assert {Path(url).name for url in files} == {"m0.nc", "m1.nc"}
    wanted = xarray.concat([xarray.open_dataset(name) for name in names], "time", data_vars=["v"])
    xarray.testing.assert_equal(seen("repo.icechunk"), wanted.load())
    ncz.copy(write("m2.nc", 8), "repo.icechunk", append="time", notify=ignore_notice, inline=0)
    assert len(opened("repo.icechunk").readonly_session("main").all_virtual_chunk_locations()) == 6
    with ncz.open("repo.icechunk") as dataset:
        np.testing.assert_array_equal(dataset["v"][8:], xarray.open_dataset(
            "m2.nc", mask_and_scale=False)["v"].values)  # fmt: skip
    ncz.copy("repo.icechunk", "whole.zarr", notify=ignore_notice)
    for name in ("m0.nc", "m1.nc", "m2.nc"):
        Path(name).unlink()
    assert ncz.open("whole.zarr")["v"].shape == (12, 300)


@pytest.mark.skipif(IS_OLD, reason="icechunk is older than 2.0")
def test_relative_virtual_chunks_follow_their_container(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    write("data/a?b#c 100%.nc")
    ncz.copy(
        "data/a?b#c 100%.nc", "repo.icechunk#mode=icechunk,reference&reference.relative_to=ref",
        notify=ignore_notice,
    )  # fmt: skip
    shutil.move("data", "elsewhere")
    with pytest.raises(Exception, match="not found"):
        seen("repo.icechunk")
    storage = icechunk.local_filesystem_storage("repo.icechunk")
    config = icechunk.Repository.open(storage).config
    ((prefix, container),) = config.virtual_chunk_containers.items()
    assert prefix == f"file://{tmp_path}/data/"
    config.clear_virtual_chunk_containers()
    config.set_virtual_chunk_container(
        icechunk.VirtualChunkContainer(
            f"file://{tmp_path}/elsewhere/",
            icechunk.local_filesystem_store(f"{tmp_path}/elsewhere"),
            name=container.name,
        )
    )
    icechunk.Repository.open(storage, config).save_config()
    wanted = xarray.open_dataset("elsewhere/a?b#c 100%.nc").load()
    xarray.testing.assert_equal(seen("repo.icechunk"), wanted)
    assert ncz.diff("elsewhere/a?b#c 100%.nc", "repo.icechunk") == []


@pytest.mark.skipif(not IS_OLD, reason="icechunk is not older than 2.0")
def test_an_older_library_has_no_relative_chunks() -> None:
    with pytest.raises(ZmapError, match="has no relative virtual chunks"):
        ncz.copy(
            write("a.nc"), "repo.icechunk#mode=icechunk,reference&reference.relative_to=ref",
            notify=ignore_notice,
        )  # fmt: skip
    assert not Path("repo.icechunk").exists()


def test_a_branch_is_replaced_by_a_new_snapshot_only() -> None:
    ncz.copy(write("a.nc"), "repo.icechunk", notify=ignore_notice)
    write("b.nc", fill=5)
    with pytest.raises(StoreExists, match="the branch main already contains a dataset"):
        ncz.copy("b.nc", "repo.icechunk", notify=ignore_notice)
    ncz.copy("b.nc", "repo.icechunk#icechunk.branch=dev", notify=ignore_notice)
    assert ncz.diff("repo.icechunk", "a.nc") == []
    assert ncz.diff("repo.icechunk#icechunk.branch=dev", "b.nc") == []
    opened("repo.icechunk").create_tag("v1", opened("repo.icechunk").lookup_branch("main"))
    ncz.copy("b.nc", "repo.icechunk", overwrite=True, notify=ignore_notice)
    assert ncz.diff("repo.icechunk", "b.nc") == []
    assert ncz.diff("repo.icechunk#icechunk.tag=v1", "a.nc") == []
    with pytest.raises(UrlError, match="a snapshot of a repository cannot be changed"):
        ncz.copy("b.nc", "repo.icechunk#icechunk.tag=v1", overwrite=True, notify=ignore_notice)


def written_with(target: str, then: Callable[[], object], **options: Any) -> None:
    """Write an array to a target, and call a function before the end."""
    with create_zmap(parse_location(target, modes=("icechunk",)), **options) as store:
        store.put("v/zarr.json", json.dumps(DOCUMENT).encode())
        then()


def fail() -> None:
    raise LossError("enough")


def test_a_failed_copy_changes_nothing() -> None:
    write("a.nc")
    with pytest.raises(LossError):
        written_with("repo.icechunk", fail)
    assert [*Path().iterdir()] == [Path("a.nc")]
    ncz.copy("a.nc", "repo.icechunk", notify=ignore_notice)
    with pytest.raises(LossError):
        written_with("repo.icechunk#icechunk.branch=dev", fail)
    assert opened("repo.icechunk").list_branches() == {"main"}
    assert ncz.diff("repo.icechunk", "a.nc") == []


DOCUMENT = {
    "zarr_format": 3, "node_type": "array", "shape": [2], "data_type": "uint8",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [1]}},
    "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
    "fill_value": 0, "codecs": [{"name": "bytes"}], "attributes": {},
}  # fmt: skip


@pytest.mark.parametrize(
    ("target", "options", "message"),
    [
        ("r.icechunk", {"resume": True}, "cannot be resumed"),
        ("r.icechunk", {"modes": ("v2",)}, "contains Zarr V3 only"),
        ("r.zip#mode=icechunk", {}, "mode=icechunk creates a Icechunk repository, but"),
    ],
)
def test_arrays_that_cannot_be_written_are_refused(
    target: str, options: dict[str, Any], message: str
) -> None:
    before = Path(write("a.nc")).read_bytes()
    with pytest.raises((UrlError, ZmapError), match=message):
        ncz.copy("a.nc", target, notify=ignore_notice, **options)
    assert [*Path().iterdir()] == [Path("a.nc")]
    assert Path("a.nc").read_bytes() == before


def test_a_repository_on_s3_is_written(s3: str) -> None:
    names = [write("m0.nc"), write("m1.nc", 4)]
    url = f"{s3}/repo#mode=s3,icechunk"
    ncz.copy(names[0], url, notify=ignore_notice, verify=True)
    ncz.copy(names[1], url, append="time", notify=ignore_notice, verify=True)
    ncz.copy(url, "all.nc", notify=ignore_notice)
    wanted = xarray.concat([xarray.open_dataset(name) for name in names], "time", data_vars=["v"])
    xarray.testing.assert_equal(xarray.open_dataset("all.nc").load(), wanted.load())
    with pytest.raises(StoreExists, match="the branch main already contains a dataset"):
        ncz.copy(names[0], url, notify=ignore_notice)
    ncz.copy(names[0], f"{s3}/x.zarr#mode=s3", notify=ignore_notice)
    with pytest.raises(StoreExists, match="already exists, and is not an Icechunk repository"):
        ncz.copy(names[0], f"{s3}/x.zarr#mode=s3,icechunk", notify=ignore_notice)


def test_a_failed_copy_leaves_no_repository_on_s3(s3: str) -> None:
    with pytest.raises(LossError):
        written_with(f"{s3}/repo#mode=s3", fail)
    with pytest.raises(ZmapError):
        open_zmap(parse_location(f"{s3}/repo#mode=s3"))


def test_virtual_chunks_on_s3(s3: str) -> None:
    from ncz.zmap.remote.opening import connect_to_write

    data = Path(write("m0.nc")).read_bytes()
    folder = connect_to_write(parse_location(f"{s3}/data#mode=s3"))
    folder.put("m0.nc", data)
    bucket = s3.rsplit("/", 2)[1]
    endpoint = s3.rsplit("/", 2)[0]
    key = f"{s3.rsplit('/', 1)[1]}/data/m0.nc"
    url = f"s3://{bucket}/{key}#aws.endpoint_url={endpoint}"
    target = f"repo.icechunk#aws.endpoint_url={endpoint}"
    ncz.copy(url, target, modes=("icechunk", "reference"), notify=ignore_notice, verify=True)
    repository = opened_with_s3("repo.icechunk")
    found = xarray.open_zarr(repository.readonly_session("main").store, consolidated=False)
    xarray.testing.assert_equal(found.load(), xarray.open_dataset("m0.nc").load())


def opened_with_s3(path: str) -> Any:
    """Return a repository whose virtual chunks are on a server of S3."""
    storage = icechunk.local_filesystem_storage(path)
    ((prefix, _),) = icechunk.Repository.open(storage).config.virtual_chunk_containers.items()
    keys = icechunk.s3_credentials(access_key_id="any", secret_access_key="thing")
    known = icechunk.containers_credentials({prefix: keys})
    return icechunk.Repository.open(storage, authorize_virtual_chunk_access=known)


KILLED = """
import icechunk, ncz
for owner, names in (
    (icechunk.IcechunkStore, ["set", "set_virtual_refs", "delete"]),
    (icechunk.Session, ["commit"]),
    (icechunk.Repository, ["save_config", "writable_session"]),
):
    for name in names:
        watch(owner, name, after=name != "set")
options = {"modes": ("reference",)} if sys.argv[2] == "new" else {"append": "time"}
ncz.copy(sys.argv[3], sys.argv[4], notify=lambda _: None, **options)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a system without SIGKILL")
@pytest.mark.long
@pytest.mark.parametrize("way", ["append", "new"])
def test_a_command_that_is_killed_leaves_the_old_state_or_the_new_one(way: str) -> None:
    write("m0.nc")
    write("m1.nc", 4)
    ncz.copy("m0.nc", "old.icechunk", modes=("reference",), notify=ignore_notice)
    states = {4} if way == "append" else {None}
    moment, ended = 0, False
    while not ended:
        moment += 1
        shutil.rmtree("repo.icechunk", ignore_errors=True)
        if way == "append":
            shutil.copytree("old.icechunk", "repo.icechunk")
        ended = ends_by_itself(KILLED, moment, way, "m1.nc", "repo.icechunk")
        if Path("repo.icechunk").exists():
            found = seen("repo.icechunk")
            length = found.sizes["time"]
            names = ["m0.nc", "m1.nc"][: 2 if length == 8 else 1] if way == "append" else ["m1.nc"]
            parts = [xarray.open_dataset(name) for name in names]
            wanted = xarray.concat(parts, "time", data_vars=["v"])
            xarray.testing.assert_equal(found, wanted.load())
            states.add(length)
    assert moment > 5
    assert states == ({4, 8} if way == "append" else {None, 4})


def test_a_notice_does_not_name_readers_of_reference_sets() -> None:
    found: list[Notice] = []
    ncz.copy(write("a.nc"), "repo.icechunk", modes=("reference",), notify=found.append)
    assert not [notice for notice in found if "kerchunk" in str(notice)]

"""Archives that ncz refers to, read by the programs of the field; and theirs, read by ncz."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.zmap import Zmap
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap
from tests.archives.gridded import Grid

xarray = pytest.importorskip("xarray")
icechunk = pytest.importorskip("icechunk")
virtualizarr = pytest.importorskip("virtualizarr")
kerchunk = pytest.importorskip("kerchunk")
if not hasattr(icechunk, "ChunkType"):
    pytest.skip("icechunk is older than 2.0", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore")

CLASSIC = "NETCDF3_64BIT_OFFSET"


@pytest.fixture(params=["NETCDF4", pytest.param(CLASSIC, marks=pytest.mark.long)])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    return Grid(lengths=[3, 3, 3], kind=request.param, time_type="i4")(tmp_path)


def joined(files: Sequence[str], target: Path, **options: Any) -> Path:
    options = {"concat": "time", "inline": 0, "notify": ignore_notice, **options}
    ncz.copy([*files], str(target), **options)
    return target


def expected(files: Sequence[str]) -> Any:
    return xarray.open_mfdataset(
        files, combine="nested", concat_dim="time", data_vars="minimal", coords="minimal",
        compat="override",
    ).load()  # fmt: skip


def same(found: Any, wanted: Any) -> None:
    """Assert that two datasets have the same coordinates and values."""
    xarray.testing.assert_equal(found.load(), wanted)


@functools.cache
def registry() -> Any:
    from obspec_utils.registry import ObjectStoreRegistry
    from obstore.store import LocalStore

    return ObjectStoreRegistry({"file://": LocalStore()})


def is_classic_file(name: str) -> bool:
    return Path(name).read_bytes()[:3] == b"CDF"


def zmap_of(target: Path) -> Zmap:
    return open_zmap(parse_location(str(target)))


def virtual(files: Sequence[str], *, is_classic: bool) -> Any:
    """Return files as VirtualiZarr joins them."""
    from virtualizarr.parsers import HDFParser, NetCDF3Parser

    return virtualizarr.open_virtual_mfdataset(
        [f"file://{name}" for name in files], registry=registry(),
        parser=NetCDF3Parser() if is_classic else HDFParser(), combine="nested",
        concat_dim="time", coords="minimal", compat="override", data_vars="minimal",
        loadable_variables=["time", "lat", "lon"],
    )  # fmt: skip


def repository_at(path: Path, folder: Path) -> Any:
    """Open or create a repository whose virtual chunks are in a folder."""
    prefix = f"file://{folder}/"
    config = icechunk.RepositoryConfig.default()
    store = icechunk.local_filesystem_store(str(folder))
    config.set_virtual_chunk_container(icechunk.VirtualChunkContainer(prefix, store))
    access = icechunk.containers_credentials({prefix: icechunk.credentials.LocalFileSystemAccess})
    storage = icechunk.local_filesystem_storage(str(path))
    if path.exists():
        return icechunk.Repository.open(storage, authorize_virtual_chunk_access=access)
    return icechunk.Repository.create(storage, config, access)


def read_repository(path: Path, folder: Path) -> Any:
    store = repository_at(path, folder).readonly_session("main").store
    return xarray.open_zarr(store, consolidated=False)


def _parsers() -> list[tuple[str, str]]:
    return [("a.json", "KerchunkJSONParser"), ("a.parq", "KerchunkParquetParser")]


@pytest.mark.parametrize(("name", "parser"), _parsers())
def test_virtualizarr_takes_sets_over(tmp_path: Path, name: str, parser: str) -> None:
    """A set that ncz wrote becomes a repository and a set of VirtualiZarr, which ncz reads.

    VirtualiZarr loses masks on the way from Zarr V2 to V3, so the set has no masks.
    """
    from virtualizarr import parsers

    files = Grid(lengths=[3, 3, 3], fill=None, time_type="i4")(tmp_path)
    target = joined(files, tmp_path / name)
    url = f"file://{target}"
    found = virtualizarr.open_virtual_dataset(
        url, registry=registry(), parser=getattr(parsers, parser)()
    )
    wanted = expected(files)
    session = repository_at(tmp_path / "of.icechunk", tmp_path).writable_session("main")
    found.vz.to_icechunk(session.store)
    session.commit("by VirtualiZarr")
    same(xarray.open_dataset(tmp_path / "of.icechunk", engine="ncz"), wanted)
    found.vz.to_kerchunk(str(tmp_path / "of.json"), format="json")
    same(xarray.open_dataset(tmp_path / "of.json", engine="ncz"), wanted)


def by_virtualizarr_in_icechunk(files: Sequence[str], folder: Path) -> Path:
    is_classic = is_classic_file(files[0])
    session = repository_at(folder / "v.icechunk", folder).writable_session("main")
    virtual(files, is_classic=is_classic).vz.to_icechunk(session.store)
    session.commit("by VirtualiZarr")
    return folder / "v.icechunk"


def by_virtualizarr_in_json(files: Sequence[str], folder: Path) -> Path:
    is_classic = is_classic_file(files[0])
    target = folder / "v.json"
    virtual(files, is_classic=is_classic).vz.to_kerchunk(str(target), format="json")
    return target


def by_virtualizarr_in_parquet(files: Sequence[str], folder: Path) -> Path:
    is_classic = is_classic_file(files[0])
    target = folder / "v.parq"
    virtual(files, is_classic=is_classic).vz.to_kerchunk(str(target), format="parquet")
    return target


def by_kerchunk(files: Sequence[str], folder: Path) -> Path:
    import json

    from kerchunk.hdf import SingleHdf5ToZarr
    from kerchunk.netCDF3 import NetCDF3ToZarr

    is_classic = is_classic_file(files[0])
    convert = NetCDF3ToZarr if is_classic else SingleHdf5ToZarr
    for number, name in enumerate(files):
        target = folder / f"k{number}.json"
        target.write_text(json.dumps(convert(name, inline_threshold=0).translate()))
    ncz.copy(
        [str(folder / f"k{number}.json") for number in range(len(files))],
        str(folder / "k.json"), concat="time", notify=ignore_notice,
    )  # fmt: skip
    return folder / "k.json"


THEIRS: list[Callable[[Sequence[str], Path], Path]] = [
    by_virtualizarr_in_icechunk, by_virtualizarr_in_json, by_virtualizarr_in_parquet, by_kerchunk,
]  # fmt: skip


@pytest.mark.parametrize("write", THEIRS)
def test_sets_of_other_programs_are_read(
    files: list[str], tmp_path: Path, write: Callable[[Sequence[str], Path], Path]
) -> None:
    target = write(files, tmp_path)
    wanted = expected(files)
    same(xarray.open_dataset(target, engine="ncz"), wanted)
    ncz.copy(str(target), str(tmp_path / "copy.zarr"), verify=True, notify=ignore_notice)
    same(xarray.open_zarr(tmp_path / "copy.zarr"), wanted)


def test_both_append_to_repositories_of_each_other(files: list[str], tmp_path: Path) -> None:
    is_classic = is_classic_file(files[0])
    wanted = expected(files)
    theirs = by_virtualizarr_in_icechunk(files[:2], tmp_path)
    ncz.copy(files[2], str(theirs), append="time", notify=ignore_notice)
    same(read_repository(theirs, tmp_path), wanted)
    ours = joined(files[:2], tmp_path / "n.icechunk", modes=("reference",))
    session = repository_at(ours, tmp_path).writable_session("main")
    virtual(files[2:], is_classic=is_classic).vz.to_icechunk(session.store, append_dim="time")
    session.commit("by VirtualiZarr")
    same(read_repository(ours, tmp_path), wanted)
    same(xarray.open_dataset(ours, engine="ncz"), wanted)


@pytest.mark.parametrize("name", ["a.json", "a.parq"])
def test_fsspec_and_kerchunk_read_sets_of_ncz(files: list[str], tmp_path: Path, name: str) -> None:
    import fsspec

    target = joined(files, tmp_path / name)
    options: dict[str, Any] = {"remote_protocol": "file"}
    same(
        xarray.open_dataset(str(target), engine="kerchunk", storage_options=options),
        expected(files),
    )
    system = fsspec.filesystem("reference", fo=str(target), **options)
    keys = [entry.key for entry in ncz.ls(str(target), "tas", kinds="chunk", long=True)]
    assert len(keys) == 9
    for key in (key.lstrip("/") for key in keys):
        assert system.cat(key) == zmap_of(target).get(key)


def test_virtualizarr_reads_a_repository_of_ncz(files: list[str], tmp_path: Path) -> None:
    from virtualizarr.parsers import IcechunkParser

    target = joined(files, tmp_path / "n.icechunk", modes=("reference",))
    session = repository_at(target, tmp_path).readonly_session("main")
    store = IcechunkParser().parse_session(
        session, registry(), native_chunks_prefix=f"file://{target}/chunks"
    )
    same(xarray.open_zarr(store, consolidated=False, zarr_format=3), expected(files))

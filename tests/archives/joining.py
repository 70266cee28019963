"""Join an archive in each form, and compare the results of unmodified programs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import ncz
from ncz.errors import ignore_notice
from ncz.record import record
from ncz.zmap.icechunk.reader import array_of
from tests.archives.archive import Archive


@record(kw_only=True)
class Bytes:
    """The sizes of the data that a form of an archive refers to, and of the data in it."""

    referred: int
    stored: int


FORMS = ("JSON", "Parquet", "Icechunk", "copy")


def expected(archive: Archive, paths: list[str]) -> Any:
    """Return the archive as xarray joins it."""
    import xarray

    options: dict[str, Any] = {
        "combine": "nested", "concat_dim": archive.dim.rpartition("/")[2], "data_vars": "minimal",
        "coords": "minimal", "compat": "override", "combine_attrs": "override",
        "group": archive.group, "engine": "netcdf4", "join": "override",
    }  # fmt: skip
    if archive.is_new:
        options |= {"data_vars": "all" if archive.dim == "member" else "minimal"}
    return archive.finish(xarray.open_mfdataset(paths, **{**options, **archive.xarray}))


def join(archive: Archive, paths: list[str], form: str, folder: Path) -> Path:
    """Join the archive; return its location."""
    name = {"JSON": "a.json", "Parquet": "a.parq", "Icechunk": "a.icechunk", "copy": "a.zarr"}
    target = folder / name[form]
    options: dict[str, Any] = {"notify": ignore_notice, **archive.ncz}
    if form == "Icechunk":
        options["modes"] = ("reference",)
    is_scalar = archive.is_new and archive.dim != "member"
    kind = "new_dimension" if archive.is_new and not is_scalar else "concat"
    options[kind] = archive.dim
    ncz.copy(paths, str(target), **options)
    return target


@contextlib.contextmanager
def opened(target: Path, form: str, group: str | None) -> Iterator[Any]:
    """Open a joined archive with unmodified xarray, and kerchunk or icechunk."""
    import xarray

    if form in ("JSON", "Parquet"):
        options: dict[str, Any] = {"storage_options": {"remote_protocol": "file"}}
        with xarray.open_dataset(str(target), engine="kerchunk", group=group, **options) as found:
            yield found
    elif form == "Icechunk":
        import icechunk
        import zarr

        storage = icechunk.local_filesystem_storage(str(target))
        config = icechunk.Repository.open(storage).config
        access = dict.fromkeys(
            config.virtual_chunk_containers or {},
            getattr(icechunk.credentials, "LocalFileSystemAccess", None),
        )
        repository = icechunk.Repository.open(
            storage, authorize_virtual_chunk_access=icechunk.containers_credentials(access)
        )
        store = repository.readonly_session("main").store
        with (
            zarr.config.set({"array.rectilinear_chunks": True}),
            xarray.open_zarr(store, consolidated=False, group=group) as found,
        ):
            yield found
    else:
        with xarray.open_zarr(target, group=group) as found:
            yield found


def differences(found: Any, wanted: Any) -> list[str]:
    """Return the differences of a joined archive from the dataset that xarray joined."""
    told = []
    for name, variable in wanted.variables.items():
        if name not in found.variables:
            told.append(f"{name} is missing")
            continue
        other = found[name]
        if other.dims != variable.dims:
            told.append(f"{name} has the dimensions {other.dims}, not {variable.dims}")
        elif not _is_equal(other.values, variable.values):
            told.append(f"{name} has other values")
    told += [f"{name} is new" for name in found.variables if name not in wanted.variables]
    if set(found.coords) != set(wanted.coords):
        told.append(f"the coordinates are {sorted(found.coords)}, not {sorted(wanted.coords)}")
    return told


def _is_equal(found: Any, wanted: Any) -> bool:
    if found.dtype.kind in "SUO" or wanted.dtype.kind in "SUO":
        return bool(found.tolist() == wanted.tolist())
    if found.dtype.kind in "mM":
        return bool(np.array_equal(found.astype("M8[ns]" if found.dtype.kind == "M" else "m8[ns]"),
                                   wanted, equal_nan=True))  # fmt: skip
    if found.dtype.kind == "f":  # numbers that are unpacked have other last digits
        largest = np.nanmax(np.abs(wanted), initial=0.0)
        return bool(np.allclose(found, wanted, rtol=0, atol=1e-6 * largest, equal_nan=True))
    return bool(np.array_equal(found, wanted))


def measured(target: Path, form: str) -> Bytes:
    """Return the bytes that a form refers to, and the bytes that it stores again."""
    entries = ncz.ls(str(target), "", recursive=True, kinds="chunk", long=True)
    if form == "Icechunk":
        is_virtual = _virtual_chunks(target)
    else:
        own = f"/{target.name}.chunks/"
        is_virtual = {e.key: e.target is not None and own not in e.target[0] for e in entries}
    referred = sum(entry.size or 0 for entry in entries if is_virtual[entry.key])
    return Bytes(referred=referred, stored=sum(entry.size or 0 for entry in entries) - referred)


def _virtual_chunks(target: Path) -> Mapping[str, bool]:
    """Return for each key of a chunk of a repository whether the chunk is virtual."""
    import icechunk

    repository = icechunk.Repository.open(icechunk.local_filesystem_storage(str(target)))
    session = repository.readonly_session("main")
    found = {}
    for entry in ncz.ls(str(target), "", recursive=True, kinds="chunk", long=True):
        array, index = array_of(entry.key.lstrip("/"))
        found[entry.key] = session.chunk_type(f"/{array}", index) is icechunk.ChunkType.virtual
    return found


def results(archive: Archive, folder: Path) -> Mapping[str, Bytes | str]:
    """Join an archive in each form; return the bytes of each correct form, or its error."""
    paths = archive.write(folder)
    found: dict[str, Bytes | str] = {}
    with contextlib.closing(expected(archive, paths)) as wanted:
        for form in FORMS:
            found[form] = _result(archive, paths, form, folder, wanted)
    return found


def _result(
    archive: Archive, paths: list[str], form: str, folder: Path, wanted: Any
) -> Bytes | str:
    target = join(archive, paths, form, folder)
    with opened(target, form, archive.group) as dataset:
        told = differences(dataset, wanted)
    return "; ".join(told) or measured(target, form)

"""Write stores with other programs, from a dataset that ncz read from CDL."""

from __future__ import annotations

import os
import subprocess
import warnings
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ncz.model.data import dtype_of
from ncz.model.filters import Filter
from ncz.model.tree import Attribute, Dataset, Group, Variable, walk
from ncz.model.types import Atomic
from tests.conftest import ROOT
from tests.interop.examples.readers import point_at_plugins
from tests.interop.examples.view import Seen, SeenAttribute, SeenVariable, plain


def write_ncgen(cdl: Path, target: str) -> None:
    """Write an old generation of NCZarr with Debian's ncgen 4.9.0, to a file or a URL."""
    environment = {k: v for k, v in os.environ.items() if k != "HDF5_PLUGIN_PATH"}
    command = ["ncgen", "-4", "-lb", "-o", target, str(cdl)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        told = " ".join(said[:3]).replace(f"{ROOT}/", "")  # the same for any place of the project
        raise RuntimeError(f"ncgen ended with {done.returncode}: {told}")


def write_netcdf4(dataset: Dataset, seen: Seen, target: Path, mode: str) -> None:
    """Write with netCDF-C 4.10 through netCDF4-python, with the filters that it has."""
    import netCDF4

    point_at_plugins()
    with netCDF4.Dataset(f"file://{target}#mode={mode},file", "w") as root:
        for fqn, group in walk(dataset.root):
            _netcdf4_group(root.createGroup(fqn) if fqn else root, group, fqn, seen)


def _netcdf4_group(handle: Any, group: Group, fqn: str, seen: Seen) -> None:
    for dimension in group.dimensions:
        handle.createDimension(dimension.name, None if dimension.unlimited else dimension.size)
    handle.setncatts({a.name: _netcdf4_value(a) for a in group.attributes})
    for variable in group.variables:
        part = seen[f"{fqn}/{variable.name}"]
        assert isinstance(part, SeenVariable)
        made = handle.createVariable(
            variable.name,
            str if variable.type is Atomic.STRING else _stored_dtype(variable),
            part.dimensions,
            fill_value=_netcdf4_fill(variable),
            endian=variable.storage.endianness or "native",
            chunksizes=variable.storage.chunks,
            **_netcdf4_filters(variable.storage.filters or ()),
        )
        made.set_auto_maskandscale(False)
        made.set_auto_chartostring(False)
        made.setncatts(
            {a.name: _netcdf4_value(a) for a in variable.attributes if a.name != "_FillValue"}
        )
        values = plain(part.values) if variable.type is Atomic.STRING else part.values
        if values.size:
            made[tuple(slice(0, n) for n in values.shape)] = values


def _netcdf4_fill(variable: Variable) -> Any:
    fill = variable.attribute("_FillValue")
    if fill is None:
        return None
    return fill.values[0] if variable.type is Atomic.STRING else _netcdf4_value(fill)


def _netcdf4_value(attribute: Attribute) -> Any:
    if attribute.type is Atomic.CHAR:
        return attribute.values[0] if attribute.values else ""
    if attribute.type is Atomic.STRING:
        return ["" if v is None else v for v in attribute.values]
    return np.array(attribute.values, dtype_of(attribute.type))


def _netcdf4_filters(filters: tuple[Filter, ...]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for codec in filters:
        match codec.id:
            case "shuffle":
                options["shuffle"] = True
            case "fletcher32":
                options["fletcher32"] = True
            case "zlib":
                options |= {"compression": "zlib", "complevel": codec.get("level")}
            case "bz2":
                options |= {"compression": "bzip2", "complevel": codec.get("level")}
            case "zstd":
                options |= {"compression": "zstd", "complevel": codec.get("level")}
    return {"shuffle": False, **options}


def write_zarr_v3(dataset: Dataset, seen: Seen, target: Path) -> None:
    """Write Zarr V3 with zarr-python 3 and its codecs, in shards of two chunks if possible."""
    import zarr

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        root = zarr.open_group(str(target), mode="w", zarr_format=3)
        for fqn, group in walk(dataset.root):
            handle = root.create_group(fqn.lstrip("/")) if fqn else root
            handle.attrs.update(_json_attributes(group.attributes))
            for variable in group.variables:
                part = seen[f"{fqn}/{variable.name}"]
                assert isinstance(part, SeenVariable)
                text = variable.type is Atomic.STRING
                chunks = variable.storage.chunks or tuple(max(1, n) for n in part.values.shape)
                made = handle.create_array(
                    variable.name,
                    shape=part.values.shape,
                    dtype=str if text else _stored_dtype(variable),
                    chunks=chunks,
                    shards=tuple(2 * n for n in chunks) if chunks and not text else None,
                    fill_value=None if text else _zarr_fill(variable),
                    dimension_names=part.dimensions,
                )
                made[...] = plain(part.values) if text else part.values
                attributes = [a for a in variable.attributes if a.name != "_FillValue"]
                made.attrs.update(_json_attributes(tuple(attributes)))


def write_zarr(dataset: Dataset, seen: Seen, target: Path) -> None:
    """Write Zarr V2 with zarr-python 3, the dataset's codecs and xarray's dimension names."""
    import numcodecs
    import zarr

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zarr-python warns of its plans for strings
        root = zarr.open_group(str(target), mode="w", zarr_format=2)
        for fqn, group in walk(dataset.root):
            handle = root.create_group(fqn.lstrip("/")) if fqn else root
            handle.attrs.update(_json_attributes(group.attributes))
            for variable in group.variables:
                part = seen[f"{fqn}/{variable.name}"]
                assert isinstance(part, SeenVariable)
                assert part.dimensions is not None
                values = part.values
                text = variable.type is Atomic.STRING
                codecs = [numcodecs.get_codec(f.to_json()) for f in variable.storage.filters or ()]
                made = handle.create_array(
                    variable.name,
                    shape=values.shape,
                    dtype=str if text else _stored_dtype(variable),
                    chunks=variable.storage.chunks or tuple(max(1, n) for n in values.shape),
                    filters="auto" if text else codecs,
                    compressors=None,
                    fill_value=_zarr_fill(variable),
                )
                made[...] = plain(values) if text else values
                made.attrs.update(
                    {"_ARRAY_DIMENSIONS": list(part.dimensions)}
                    | _json_attributes(variable.attributes)
                )


def _stored_dtype(variable: Variable) -> np.dtype[Any]:
    order: Any = {"big": ">", "little": "<"}.get(variable.storage.endianness or "", "=")
    return dtype_of(variable.type).newbyteorder(order)


def _zarr_fill(variable: Variable) -> Any:
    fill = variable.attribute("_FillValue")
    if variable.type is Atomic.CHAR:
        return b"" if fill is None else str(fill.values[0]).encode("latin-1")
    if fill is not None:
        return fill.values[0]
    assert isinstance(variable.type, Atomic)
    return variable.type.default_fill


def write_xarray(dataset: Dataset, seen: Seen, target: Path, version: Literal[2, 3] = 2) -> None:
    """Write with xarray's to_zarr, group by group, and consolidate at the end."""
    import xarray
    import zarr

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for fqn, group in walk(dataset.root):
            arrays = {}
            for variable in group.variables:
                part = seen[f"{fqn}/{variable.name}"]
                assert isinstance(part, SeenVariable)
                values = plain(part.values) if variable.type is Atomic.STRING else part.values
                arrays[variable.name] = xarray.Variable(
                    part.dimensions,
                    values.astype(str) if variable.type is Atomic.STRING else values,
                    _json_attributes(variable.attributes),
                )
            attributes = _json_attributes(group.attributes)
            made = xarray.Dataset(arrays, attrs=attributes)
            made.to_zarr(
                str(target), group=fqn or None, mode="a", zarr_format=version, consolidated=False
            )
        zarr.consolidate_metadata(str(target), zarr_format=version)


def _json_attributes(attributes: tuple[Attribute, ...]) -> dict[str, Any]:
    return {a.name: _json_value(a) for a in attributes}


def _json_value(attribute: Attribute) -> Any:
    values = list(attribute.values) or [""]
    return values[0] if len(values) == 1 else values


def as_json_tells(seen: Seen) -> dict[str, Any]:
    """Return the view without metadata that pure Zarr lacks: dimensions, narrow attribute types."""
    weak: dict[str, Any] = {}
    for path, part in seen.items():
        if isinstance(part, SeenAttribute):
            weak[path] = SeenAttribute("text" if part.type == "text" else None, part.values)
        elif isinstance(part, SeenVariable):
            text = part.type in ("char", "string")
            weak[path] = SeenVariable(None if text else part.type, part.dimensions, part.values)
    return weak

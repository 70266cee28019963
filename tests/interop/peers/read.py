"""Read stores by one library, in an environment that may have nothing else but numpy.

``python -m tests.interop.peers.read LIBRARY``: each line of standard input is a request,
``{"store": path, "format": 2, "mode": "zarr"}``, and each line of standard output the answer: for
every array its values, or why they cannot be read. With an ``address``, the values are read from
there, and the store names the arrays. netcdf-c may end the process.
"""

from __future__ import annotations

import functools
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tests.interop.plain import plain, to_json

Arrays = Iterator[tuple[str, Callable[[], Any]]]
"""Path of an array, and what reads its values."""


def _paths(store: Path, version: int) -> Iterator[str]:
    """The paths of all arrays in a directory."""
    document = ".zarray" if version == 2 else "zarr.json"
    for found in sorted(store.rglob(document)):
        if version == 3 and json.loads(found.read_text()).get("node_type") != "array":
            continue
        yield found.parent.relative_to(store).as_posix()


def _zarr(request: dict[str, Any]) -> Arrays:
    import zarr

    root = zarr.open_group(request.get("address") or request["store"], mode="r")

    def values(path: str) -> Any:
        array = root[path]
        is_old = zarr.__version__.startswith("2.")
        if is_old and array.fill_value is None and array.nchunks_initialized < array.nchunks:
            raise ValueError("missing chunks without a fill value are not defined")
        return array[...]

    for path in _paths(Path(request["store"]), request["format"]):
        yield path, functools.partial(values, path)


def _zarrs(request: dict[str, Any]) -> Arrays:
    import zarr
    import zarrs

    assert zarrs.ZarrsCodecPipeline
    zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"})
    yield from _zarr(request)


def _tensorstore(request: dict[str, Any]) -> Arrays:
    import tensorstore

    driver = "zarr" if request["format"] == 2 else "zarr3"

    def values(path: str) -> Any:
        place = {"driver": "file", "path": str(Path(request["store"]) / path)}
        if request.get("address"):
            place = {"driver": "http", "base_url": f"{request['address']}/{path}/"}
        array = tensorstore.open({"driver": driver, "kvstore": place}).result()[...]
        values = array.read().result()
        return _joined(values) if array.dtype.name == "char" else values

    for path in _paths(Path(request["store"]), request["format"]):
        yield path, functools.partial(values, path)


def _joined(characters: Any) -> Any:
    """Text of the characters along the last axis, to which numpy 2 gives a length of zero bytes."""
    rows = np.ascontiguousarray(_with_length(characters))
    return rows.view(f"S{rows.shape[-1]}")[..., 0]


def _with_length(characters: Any) -> Any:
    if characters.dtype.itemsize:
        return characters
    place = dict(characters.__array_interface__, typestr="|S1", descr=[("", "|S1")])
    place["strides"] = characters.strides
    holder = type("Holder", (), {"__array_interface__": place, "owner": characters})()
    return np.array(holder)


def _netcdf4(request: dict[str, Any]) -> Arrays:
    import netCDF4

    os.environ.setdefault("HDF5_PLUGIN_PATH", str(Path(netCDF4.__file__).parent / "plugins"))
    with netCDF4.Dataset(f"file://{request['store']}#mode={request['mode']},file") as root:
        root.set_auto_maskandscale(False)
        root.set_auto_chartostring(False)
        yield from _netcdf4_group(root, "")


def _netcdf4_group(group: Any, prefix: str) -> Arrays:
    for name, variable in group.variables.items():
        yield f"{prefix}{name}", functools.partial(_everything, variable)
    for name, child in group.groups.items():
        yield from _netcdf4_group(child, f"{prefix}{name}/")


def _everything(variable: Any) -> Any:
    return np.asarray(variable[...])


LIBRARIES = {"zarr": _zarr, "zarrs": _zarrs, "tensorstore": _tensorstore, "netcdf4": _netcdf4}


def answer(library: str, request: dict[str, Any]) -> dict[str, Any]:
    """What the library makes of one store."""
    found: dict[str, Any] = {}
    try:
        for path, values in LIBRARIES[library](request):
            try:
                found[f"/{path}"] = to_json(plain(values()))
            except Exception as error:
                found[f"/{path}"] = {"error": _told(error, request)}
    except Exception as error:
        return {"error": _told(error, request)}
    return {"arrays": found}


def _told(error: Exception, request: dict[str, Any]) -> str:
    lines = str(error).replace(request["store"], "").strip().splitlines() or [""]
    return f"{type(error).__name__}: {lines[0].partition(' [tensorstore_spec')[0]}"


def main(library: str) -> None:
    """Answer each line."""
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        told = answer(library, json.loads(line))
        sys.stdout.write(json.dumps(told, ensure_ascii=True) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])

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
import urllib.error
import urllib.parse
import urllib.request
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests.interop.plain import plain, to_json

Arrays = Iterator[tuple[str, Callable[[], Any]]]
"""Path of an array, and the function that reads its values."""


def _paths(store: Path, version: int) -> Iterator[str]:
    """The paths of all arrays in a directory."""
    document = ".zarray" if version == 2 else "zarr.json"
    for found in sorted(store.rglob(document)):
        if version == 3 and json.loads(found.read_text()).get("node_type") != "array":
            continue
        yield found.parent.relative_to(store).as_posix()


class _Served(Mapping[str, bytes]):
    """The objects at an address, without a list of them, which is a store for zarr-python 2."""

    def __init__(self, address: str) -> None:
        self.address = address

    def fetch(self, key: str, part: str = "") -> bytes | None:
        """Return an object or a part of it; None if it does not exist."""
        headers = {"Range": f"bytes={part}"} if part else {}
        request = urllib.request.Request(
            f"{self.address}/{urllib.parse.quote(key)}", headers=headers
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return bytes(answer.read())
        except urllib.error.HTTPError as error:
            if error.code in (404, 416):
                return None
            raise

    def __getitem__(self, key: str) -> bytes:
        found = self.fetch(key)
        if found is None:
            raise KeyError(key)
        return found

    def __iter__(self) -> Iterator[str]:
        raise NotImplementedError("a server has no list of keys")

    def __len__(self) -> int:
        raise NotImplementedError("a server has no list of keys")


def _served_for_3(address: str) -> Any:
    """Return a store for zarr-python 3 where fsspec and aiohttp are not installed."""
    from zarr.abc.store import OffsetByteRequest, RangeByteRequest, SuffixByteRequest
    from zarr.storage import MemoryStore

    served = _Served(address)

    class Store(MemoryStore):  # type: ignore[misc]
        supports_listing = False

        async def get(self, key: str, prototype: Any, byte_range: Any = None) -> Any:
            if isinstance(byte_range, RangeByteRequest):
                part = f"{byte_range.start}-{byte_range.end - 1}"
            elif isinstance(byte_range, OffsetByteRequest):
                part = f"{byte_range.offset}-"
            else:
                part = f"-{byte_range.suffix}" if isinstance(byte_range, SuffixByteRequest) else ""
            found = served.fetch(key, part)
            return None if found is None else prototype.buffer.from_bytes(found)

        async def exists(self, key: str) -> bool:
            return served.fetch(key) is not None

    return Store(read_only=True)


def _root(place: str) -> Any:
    import zarr

    if not place.startswith("http:"):
        return zarr.open_group(place, mode="r")
    if zarr.__version__.startswith("2."):
        return zarr.open_consolidated(zarr.storage.KVStore(_Served(place)), mode="r")
    try:
        import aiohttp  # noqa: F401
    except ImportError:
        return zarr.open_group(_served_for_3(place), mode="r")
    return zarr.open_group(place, mode="r")


def _zarr(request: dict[str, Any]) -> Arrays:
    import zarr

    root = _root(request.get("address") or request["store"])
    stored = _root(request["store"])

    def values(path: str) -> Any:
        array, known = root[path], stored[path]
        is_old = zarr.__version__.startswith("2.")
        if is_old and array.fill_value is None and known.nchunks_initialized < known.nchunks:
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
    """Text of the characters along the last axis; numpy 2 gives it a length of zero bytes."""
    rows = np.ascontiguousarray(_with_length(characters))
    return rows.view(f"S{rows.shape[-1]}")[..., 0]


def _with_length(characters: Any) -> Any:
    if characters.dtype.itemsize:
        return characters
    place = dict(characters.__array_interface__, typestr="|S1", descr=[("", "|S1")])
    place["strides"] = characters.strides
    holder = type("Holder", (), {"__array_interface__": place, "owner": characters})()
    return np.array(holder)


def _gdal(request: dict[str, Any]) -> Arrays:
    import rasterio

    place = f"/vsicurl/{request['address']}" if request.get("address") else request["store"]

    def values(path: str) -> Any:
        with rasterio.open(f'ZARR:"{place}":/{path}') as array:
            return array.read()

    for path in _paths(Path(request["store"]), request["format"]):
        yield path, functools.partial(values, path)


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


LIBRARIES = {
    "zarr": _zarr,
    "zarr-3.2": _zarr,
    "zarrs": _zarrs,
    "tensorstore": _tensorstore,
    "netcdf4": _netcdf4,
    "gdal": _gdal,
}


def answer(library: str, request: dict[str, Any]) -> dict[str, Any]:
    """Return the view that the library has of one store."""
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

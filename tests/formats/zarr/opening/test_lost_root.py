"""Places without the root of a store, and the reason."""

from __future__ import annotations

import pytest

from ncz.formats.zarr.opening.lost_root import no_store, version_of_lost_root
from ncz.zmap.key import MARK
from ncz.zmap.memory import MemoryZmap

V3_ARRAY = b'{"zarr_format": 3, "node_type": "array"}'
V3_GROUP = b'{"zarr_format": 3, "node_type": "group"}'


def zmap_of(objects: dict[str, bytes]) -> MemoryZmap:
    zmap = MemoryZmap()
    for key, value in objects.items():
        zmap.put(key, value)
    return zmap


@pytest.mark.parametrize(
    ("objects", "version"),
    [
        ({}, None),
        ({"v/.zarray": b"{}"}, 2),
        ({"v/zarr.json": V3_ARRAY}, 3),
        ({"g/zarr.json": V3_GROUP}, None),
        ({"g/zarr.json": b"{"}, None),
        ({"g/zarr.json": b"{", "v/.zarray": b"{}"}, 2),
        ({"v/.zarray": b"{}", MARK: b""}, None),
        ({"g/v/.zarray": b"{}"}, None),
    ],
)
def test_arrays_without_their_group(objects, version):
    assert version_of_lost_root(zmap_of(objects)) == version


@pytest.mark.parametrize(
    ("objects", "message", "hint"),
    [
        ({}, "no Zarr store exists here: none of", None),
        ({MARK: b""}, "a copy to this place was interrupted", "run the same copy again"),
        ({".zgroup": b"{}"}, "this is a store of Zarr V2, which the mode excludes", "use mode=v2"),
        ({"zarr.json": V3_GROUP}, "this is a store of Zarr V3", "use mode=v3"),
        ({"a.nc": b"CDF\x01" + bytes(9)}, "this zip file contains netCDF files", "unzip it"),
        ({f"{n}.nc": b"CDF\x01" for n in range(30)}, ": 0.nc, 1.nc, 10.nc and others", "unzip it"),
        ({"s/.zgroup": b"{}"}, "no Zarr store exists here", "s looks like a store; open that"),
        ({"v/.zarray": b"{}"}, "the document of the group", "run ncz check --fix to create it"),
    ],
)
def test_reasons(objects, message, hint):
    error = no_store(zmap_of(objects))
    assert message in error.message
    assert (error.hint is None) if hint is None else (hint in str(error.hint))

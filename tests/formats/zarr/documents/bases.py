"""The records of metadata documents that are not valid, and the documents that they change.

A document describes an array of four int32 in two chunks, or a group, with one change. A member
that is changed to `DROP` is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ncz.record import record

DROP = object()
"""Marks a member that a document does not have."""

Change = Mapping[str, Any]


@record(kw_only=True)
class Document:
    """A document of a node. `base` is a key of `BASES`; `attributes` is the text of `.zattrs`."""

    name: str
    base: str
    change: Change
    attributes: str | None = None

    def json(self) -> dict[str, Any]:
        """Return the members, without the dropped ones."""
        members = {**BASES[self.base], **self.change}
        return {name: value for name, value in members.items() if value is not DROP}


V3: Mapping[str, Any] = MappingProxyType(
    {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4],
        "data_type": "int32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 7,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "attributes": {},
    }
)
V2: Mapping[str, Any] = MappingProxyType(
    {
        "zarr_format": 2,
        "shape": [4],
        "chunks": [2],
        "dtype": "<i4",
        "compressor": None,
        "filters": None,
        "order": "C",
        "fill_value": 7,
    }
)
GROUP_V3: Mapping[str, Any] = MappingProxyType(
    {"zarr_format": 3, "node_type": "group", "attributes": {}}
)
GROUP_V2: Mapping[str, Any] = MappingProxyType({"zarr_format": 2})
BASES = MappingProxyType({"v3": V3, "v2": V2, "v3-group": GROUP_V3, "v2-group": GROUP_V2})

KEYS = MappingProxyType(
    {"v3": "zarr.json", "v3-group": "zarr.json", "v2": ".zarray", "v2-group": ".zgroup"}
)
"""The key of the document of each base."""

WRONG: Mapping[str, Any] = MappingProxyType(
    {"null": None, "true": True, "number": 5, "text": "x", "list": [], "object": {}}
)
"""Values of every type of JSON."""

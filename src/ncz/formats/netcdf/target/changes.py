"""What a netCDF file does not keep of how its source is stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ncz.codec.catalogue import codec_id
from ncz.codec.rewrap import can_rewrap
from ncz.errors import list_names
from ncz.formats.targets import Change, Requested
from ncz.model.chunk.encoded import EncodedSource, TargetArray
from ncz.model.chunk.layout import ChunkLayout
from ncz.model.netcdf_kind import NetcdfKind
from ncz.model.tree import Provenance


def changes_of(
    source: Provenance, kind: NetcdfKind, arrays: Sequence[TargetArray], requested: Requested
) -> Iterator[Change]:
    """Yield what a file of the kind does not keep of how the source is stored."""
    if source.zarr_format is not None:
        yield Change(f"Zarr V{source.zarr_format} becomes {kind}", True)
    elif source.kind_of_file not in (None, kind):
        yield Change(f"{source.kind_of_file} becomes {kind}", True)
    found: dict[str, list[str]] = {}
    for array in arrays:
        data = array.variable.data
        if array.encoded is None or not isinstance(data, EncodedSource):
            continue
        ours, theirs = _codecs(data.layout), _codecs(array.layout)
        if _names(ours) != _names(theirs) and not can_rewrap(ours, theirs, array.item_size):
            message = f"codecs {_names(ours)} become {_names(theirs)}"
            found.setdefault(message, []).append(array.fqn)
    for message, fqns in found.items():
        yield Change(f"{message} ({list_names(fqns)})", requested.codecs)


def _codecs(layout: ChunkLayout) -> list[dict[str, Any]]:
    codecs = layout.codecs if layout.shard is None else layout.shard.codecs
    return [codec.to_json() for codec in codecs]


def _names(codecs: Sequence[dict[str, Any]]) -> str:
    return "+".join(codec_id(codec) for codec in codecs) or "none"

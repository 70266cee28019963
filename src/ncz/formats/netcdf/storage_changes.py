"""Storage properties of the source that a copy to a netCDF file does not preserve."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ncz.codec.catalogue import codec_id, is_kind
from ncz.codec.rewrap import can_rewrap
from ncz.errors import list_names
from ncz.formats.write_plan import RequestedChanges, StorageChange
from ncz.model.chunks import ChunkLayout
from ncz.model.encoded_arrays import EncodedSource, TargetArray
from ncz.model.filters import Filter
from ncz.model.hdf5_filters import needs_plugin
from ncz.model.netcdf_kinds import NetcdfKind
from ncz.model.tree import Provenance


def changes_of(
    source: Provenance, kind: NetcdfKind, arrays: Sequence[TargetArray], requested: RequestedChanges
) -> Iterator[StorageChange]:
    """Yield the storage properties of the source that a file of the kind does not keep."""
    if source.zarr_format is not None:
        yield StorageChange(f"Zarr V{source.zarr_format} becomes {kind}", True)
    elif source.kind_of_file not in (None, kind):
        yield StorageChange(f"{source.kind_of_file} becomes {kind}", True)
    found: dict[tuple[str, bool], list[str]] = {}
    for array in arrays:
        data = array.variable.data
        if array.encoded_target is None or not isinstance(data, EncodedSource):
            continue
        ours, theirs = _codecs(data.layout), _codecs(array.layout)
        if _codec_names(ours) != _codec_names(theirs) and not can_rewrap(
            ours, theirs, array.item_size
        ):
            message = f"codecs {_codec_names(ours)} become {_codec_names(theirs)}"
            replaced = any(map(_is_replaced, data.layout.inner_codecs))
            found.setdefault((message, requested.codecs or replaced), []).append(array.fqn)
    for (message, is_requested), fqns in found.items():
        yield StorageChange(f"{message} ({list_names(fqns)})", is_requested)


def _is_replaced(codec: Filter) -> bool:
    """Return whether a copy replaces a compressor by zlib, with a separate notice."""
    return is_kind(codec.to_json(), "compressor") and needs_plugin(codec)


def _codecs(layout: ChunkLayout) -> list[dict[str, Any]]:
    return [codec.to_json() for codec in layout.inner_codecs]


def _codec_names(codecs: Sequence[dict[str, Any]]) -> str:
    return "+".join(codec_id(codec) for codec in codecs) or "none"

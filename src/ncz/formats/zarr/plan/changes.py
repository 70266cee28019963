"""What a Zarr store that a copy makes does not keep of how its source is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ncz.codec.catalogue import is_object_codec
from ncz.errors import list_names
from ncz.formats.targets import Change, Requested
from ncz.formats.zarr.plan.array import ArrayPlan, ZarrSource
from ncz.formats.zarr.plan.store import DatasetPlan
from ncz.model.chunk.encoded import EncodedSource
from ncz.model.chunk.layout import ChunkLayout, in_order
from ncz.model.filters import from_hdf5, stand_in
from ncz.model.tree import Provenance
from ncz.model.types import Atomic


def changes_of(source: Provenance, plan: DatasetPlan, requested: Requested) -> tuple[Change, ...]:
    """Return what the store does not keep of how the source is stored."""
    if source.is_netcdf_file:
        return tuple(_left_out_filters(plan, requested))
    if source.zarr_format is None:
        return ()
    return (*_whole(source, plan), *_variables(source, plan, requested))


def _whole(source: Provenance, plan: DatasetPlan) -> Iterator[Change]:
    options = plan.options
    if source.zarr_format != options.zarr_format:
        yield Change(f"Zarr V{source.zarr_format} becomes Zarr V{options.zarr_format}", True)
    if bool(source.superblock) == options.pure:
        names = ("NCZarr", "pure Zarr") if options.pure else ("pure Zarr", "NCZarr")
        yield Change(f"{names[0]} becomes {names[1]}", True)
    if source.consolidated != options.consolidated:
        what = "added" if options.consolidated else "left out"
        yield Change(f"consolidated metadata are {what}", True)


Describe = Callable[[ZarrSource, ArrayPlan], "str | None"]
"""A function that says what changes of one variable, or None."""


def _variables(source: Provenance, plan: DatasetPlan, requested: Requested) -> Iterator[Change]:
    """Yield one change for each kind, which names the variables."""
    other_format = source.zarr_format != plan.options.zarr_format
    kinds: tuple[tuple[Describe, bool], ...] = (
        (_data_type, False),
        (_shards, requested.shards),
        (_lengths_of, requested.chunks or requested.shards),
        (_order, False),
        (_codecs, requested.codecs),
        (_separator, requested.separator or other_format),
    )
    stored = [(a.source, a) for a in plan.arrays if a.source is not None]
    for describe, is_requested in kinds:
        found: dict[str, list[str]] = {}
        for data, array in stored:
            message = describe(data, array)
            if message is not None:
                found.setdefault(message, []).append(array.fqn)
        for message, fqns in found.items():
            yield _change(message, fqns, is_requested)


def _change(message: str, fqns: list[str], requested: bool) -> Change:
    return Change(f"{message} ({list_names(fqns)})", requested)


def _left_out_filters(plan: DatasetPlan, requested: Requested) -> Iterator[Change]:
    """Yield one change for each filter of HDF5 that has no codec of Zarr."""
    found: dict[str, list[str]] = {}
    for array in plan.arrays:
        for used in array.variable.storage.hdf5_filters or ():
            if from_hdf5(used, 1) is None:
                codec = stand_in(used)
                is_replaced = codec is not None and codec in array.layout.codecs
                message = f"HDF5 filter {used.description} " + (
                    f"is replaced by the codec {codec.id}"
                    if codec is not None and is_replaced
                    else "has no Zarr codec and is left out"
                )
                found.setdefault(message, []).append(array.fqn)
    for message, fqns in found.items():
        yield _change(message, fqns, requested.codecs)


def _data_type(source: ZarrSource, array: ArrayPlan) -> str | None:
    ours, theirs = source.encoding.dtype, array.encoding.dtype
    if array.encoding.type is source.encoding.type is Atomic.CHAR and theirs == "|u1":
        return None  # uint8 of NCZarr V3, which is read as |S1
    return None if ours == theirs else f"data type {_short(ours)} becomes {_short(theirs)}"


def _short(dtype: object) -> str:
    return dtype if isinstance(dtype, str) else "structure"


def _shards(source: ZarrSource, array: ArrayPlan) -> str | None:
    ours, theirs = source.layout, array.layout
    if ours.shard is None and theirs.shard is None:
        return None
    if theirs.shard is None:
        return "shards become separate chunks"
    if ours.shard is None:
        return f"chunks are stored in shards of {_lengths(theirs.chunks)}"
    if ours.chunks == theirs.chunks:
        return None
    return f"shards of {_lengths(ours.chunks)} become shards of {_lengths(theirs.chunks)}"


def _lengths_of(source: ZarrSource, array: ArrayPlan) -> str | None:
    if source.layout.lengths is None or array.layout.lengths is not None:
        return None
    what = "shards" if array.layout.shard is not None else "chunks"
    return f"chunks of different lengths become {what} of {_lengths(array.layout.chunks)}"


def _lengths(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def _order(source: EncodedSource, array: ArrayPlan) -> str | None:
    ours, theirs = source.layout, array.layout
    if ours.shard is not None or theirs.shard is not None or ours.order == theirs.order:
        return None
    if ours.order == in_order(ours.rank, "F"):
        return "axis order F becomes C"
    return "the axis order becomes C"


def _codecs(source: EncodedSource, array: ArrayPlan) -> str | None:
    ours, theirs = _codec_names(source.layout), _codec_names(array.layout)
    return None if ours == theirs else f"codecs {ours} become {theirs}"


def _codec_names(layout: ChunkLayout) -> str:
    """Return the names of codecs, without those that encode objects, which follow the data type."""
    codecs = layout.codecs if layout.shard is None else layout.shard.codecs
    return "+".join(str(c.id) for c in codecs if not is_object_codec(c.to_json())) or "none"


def _separator(source: ZarrSource, array: ArrayPlan) -> str | None:
    ours, theirs = source.keys.separator, array.keys.separator
    return None if ours == theirs else f"separator {ours} of chunk keys becomes {theirs}"

"""Codecs of planned arrays that cannot encode chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ncz.codec.catalogue import writing_fault
from ncz.codec.chain import encoding_fault
from ncz.formats.write_plan import refuse_codecs
from ncz.formats.zarr.json import Json
from ncz.formats.zarr.types.elements import disk_dtype

if TYPE_CHECKING:
    from ncz.formats.zarr.writing.array_plan import ArrayPlan


def _chains(array: ArrayPlan) -> Iterator[tuple[list[dict[str, Json]], Any, int]]:
    """The chains of codecs, those within shards too: configurations, dtype and element size."""
    layout, encoding = array.layout, array.encoding
    shard = layout.shard
    if shard is not None:
        yield [codec.to_json() for codec in layout.codecs], "u1", 1
    while shard is not None:
        yield [codec.to_json() for codec in shard.index_codecs], "u8", 8
        shard = shard.shard
    codecs = layout.inner_codecs
    if codecs:
        dtype = disk_dtype(encoding.stored_dtype)
        yield [codec.to_json() for codec in codecs], dtype, encoding.item_size


def check_codecs(arrays: Sequence[ArrayPlan]) -> None:
    """Raise `LossError` if chunks of one of the arrays cannot be encoded; it names them all.

    It is for arrays whose chunks are encoded, and not for arrays whose chunks move raw. An array
    without data may name a codec that is not installed, but not an unknown one.
    """
    refuse_codecs((array.fqn, _codec_fault(array)) for array in arrays)


def _codec_fault(array: ArrayPlan) -> str | None:
    if array.variable.data is None and not array.fills_missing:
        faults = [writing_fault(c) for chain, *_ in _chains(array) for c in chain]
    else:
        faults = [encoding_fault(*chain) for chain in _chains(array)]
    return next(filter(None, faults), None)

"""Refer to the stored chunks of an array, instead of copying them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ncz.errors import CodecError, OnError, raise_error
from ncz.model.data import Values
from ncz.model.encoded_arrays import EncodedSource, EncodedTarget, PlacedChunks
from ncz.model.grid import Index
from ncz.model.presence import Presence
from ncz.parallel.threads import ThreadPool
from ncz.record import replace
from ncz.transfer.move import MoveResult, encoded_fill, recode_chunk
from ncz.zmap import ReferringZmap
from ncz.zmap.byte_range import ByteRanges

if TYPE_CHECKING:
    from ncz.transfer.move import Report, Transfer


def refer_to_chunks(
    transfer: Transfer,
    zmap: ReferringZmap,
    pool: ThreadPool,
    report: Report,
    on_error: OnError = raise_error,
) -> None:
    """Refer to the chunks of a source that can be copied raw.

    Small chunks are copied, and so are chunks in a form that the target cannot use.

    Parameters
    ----------
    transfer
        What to refer to, with the way "raw".
    zmap
        The set to write.
    pool
        The threads that read small chunks.
    report
        Called for every chunk that is written.
    on_error
        Called with a `CodecError` for every chunk that cannot be read. If it returns, the chunk is
        left out.
    """
    source, array = transfer.source, transfer.array
    filling = encoded_fill(array) if array.fills_missing else None
    small: list[Index] = []
    indices: Iterable[Index] = transfer.indices()
    tables, others = source.places()
    if tables:
        indices = others
        for table in tables:
            small += _refer_to_table(table, array, zmap, report)
        if filling is not None:
            grid = source.layout.grid
            present = Presence(grid, source.present())
            for index in grid.indices():
                if not present.any(grid.box(index)):
                    zmap.put(array.chunk_key(index), filling)
                    report(MoveResult(1, len(filling)))
    for index in indices:
        try:
            is_referred = refer_to(source, index, zmap, array.chunk_key(index))
        except CodecError as error:
            on_error(error)
            continue
        if is_referred:
            report(MoveResult(1, 0))
        else:
            small.append(index)
    cost = array.layout.chunk_size * max(array.item_size, 1)

    def encode_batch(batch: list[Index]) -> Iterable[tuple[Index, bytes | None]]:
        if all(map(source.is_stored, batch)):
            return zip(batch, source.encoded_chunks(batch), strict=True)
        return [
            (
                i,
                source.encoded_chunk(i)
                if source.is_stored(i)
                else recode_chunk(transfer, i, zmap, on_error),
            )
            for i in batch
        ]

    cost *= 1 if source.stores_all else 4
    for chunks in pool.batches(encode_batch, iter(small), cost):
        for index, data in chunks:
            data = filling if data is None else data
            if data is not None:
                zmap.put(array.chunk_key(index), data)
                report(MoveResult(1, len(data)))


def refer_to(source: EncodedSource, index: Index, zmap: ReferringZmap, key: str) -> bool:
    """Refer to a chunk; return False if it is small, missing, or not stored on its own."""
    place = source.place(index)
    if place is not None and place.length is None and zmap.needs_lengths:
        place = replace(place, length=source.stored_size(index))
    if place is None or (place.length is not None and place.length <= zmap.inline):
        return False
    zmap.refer(key, place)
    return True


def _refer_to_table(
    table: PlacedChunks, array: EncodedTarget, zmap: ReferringZmap, report: Report
) -> list[Index]:
    """Refer to the chunks of a table, and return the indices of the small ones."""

    def keys(indices: Values) -> list[str]:
        return array.chunk_keys([*map(tuple, indices.tolist())])

    is_large = table.lengths > zmap.inline
    large = table.indices[is_large]
    if len(large):
        offsets, lengths = table.offsets[is_large], table.lengths[is_large]
        zmap.refer_all(ByteRanges(table.url, large, offsets, lengths, keys))
        report(MoveResult(len(large), 0))
    return [tuple(index) for index in table.indices[~is_large].tolist()]

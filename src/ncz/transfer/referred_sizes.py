"""The bytes that a target would refer to, and the bytes that it would contain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from ncz.model.encoded_arrays import EncodedSource
from ncz.model.grid import Index
from ncz.record import record

_MOST = 256
"""Number of chunks whose places are requested, if they are in no table."""

_LISTED = 100_000
"""Chunks that are counted; if there are more, none is taken to be missing."""


@record(kw_only=True)
class ReferredSizes:
    """The number of chunks of an array, and their bytes.

    `references` are referred to, and `held` chunks are stored again. Some of these are encoded, so
    that their bytes are not known before.
    """

    references: int = 0
    referred: int = 0
    chunks: int = 0
    held: int = 0


def sizes_of_all(source: EncodedSource, inline: int) -> ReferredSizes:
    """Return the sizes for a new array; chunks of up to `inline` bytes are in the set."""
    tables, others = source.places()
    found = _of_some([*islice(others, _LISTED)], source, inline)
    for table in tables:
        is_large = table.lengths > inline
        large, small = table.lengths[is_large], table.lengths[~is_large]
        found = ReferredSizes(
            references=found.references + len(large),
            referred=found.referred + int(large.sum()),
            chunks=found.chunks + len(small),
            held=found.held + int(small.sum()),
        )
    return found


def sizes_of(source: EncodedSource, indices: Iterable[Index], inline: int | None) -> ReferredSizes:
    """Return the sizes for some chunks of an array; without `inline`, all are in the set."""
    return _of_some([*islice(indices, _LISTED)], source, inline)


def _of_some(indices: Sequence[Index], source: EncodedSource, inline: int | None) -> ReferredSizes:
    """Return the sizes for chunks, from a sample of them if they are many."""
    count = len(indices)
    chosen = indices if count <= _MOST else [indices[count * n // _MOST] for n in range(_MOST)]
    references = referred = chunks = held = 0
    for index in chosen:
        size, is_referred = _size_of(source, index, inline)
        references, referred = references + is_referred, referred + size * is_referred
        chunks, held = chunks + (not is_referred), held + size * (not is_referred)
    share = count / len(chosen) if chosen else 0
    return ReferredSizes(
        references=round(references * share),
        referred=round(referred * share),
        chunks=round(chunks * share),
        held=round(held * share),
    )


def _size_of(source: EncodedSource, index: Index, inline: int | None) -> tuple[int, bool]:
    """Return the bytes of a chunk, and whether it is referred to; those encoded are decoded."""
    whole = source.layout.at(index).chunk_size * max(1, source.item_size)
    if not source.is_stored(index):
        return whole, False
    place = None if inline is None else source.place(index)
    size = source.stored_size(index) if place is None or place.length is None else place.length
    known = whole if size is None else size
    return known, inline is not None and place is not None and known > inline

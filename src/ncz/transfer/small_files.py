"""Copy chunks that are small files, many at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice

from ncz.model.encoded import EncodedChunks, EncodedTarget
from ncz.model.grid import Index
from ncz.zmap import WritableZmap

_LENGTH = 256
"""The number of chunks that are copied and reported together."""


def copy_batches(
    chunks: EncodedChunks,
    indices: Iterable[Index],
    zmap: WritableZmap,
    array: EncodedTarget,
    copy: Callable[[Index], None],
    report: Callable[[int, int], None],
) -> None:
    """Copy chunks raw from files to files.

    Parameters
    ----------
    chunks, indices
        The chunks, and which of them to copy.
    zmap, array
        The store and the array that take them.
    copy
        Copies and reports a chunk that is not copied together with others.
    report
        Called with the number of chunks that were copied together, and their size in bytes.
    """
    rest = iter(indices)
    while batch := list(islice(rest, _LENGTH)):
        count = size = 0
        try:
            sizes = chunks.copy_many(batch, zmap, array.chunk_keys(batch))
            for index, copied in zip(batch, sizes, strict=True):
                if copied is None:
                    copy(index)
                else:
                    count += 1
                    size += copied
        finally:  # an interrupted copy tells how many chunks there are
            if count:
                report(count, size)

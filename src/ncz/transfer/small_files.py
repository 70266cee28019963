"""Copy chunks that are small files, many at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice

from ncz.errors import CodecError
from ncz.model.encoded_arrays import EncodedChunks, EncodedTarget
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
    leave_out: Callable[[Index], None],
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
        Copies and reports a damaged chunk, or raises the error again.
    leave_out
        Called with every chunk that is missing.
    report
        Called with the number of chunks that were copied together, and their size in bytes.
    """
    rest = iter(indices)
    while batch := list(islice(rest, _LENGTH)):
        while batch:
            batch = _copy_batch(chunks, batch, zmap, array, copy, leave_out, report)


def _copy_batch(
    chunks: EncodedChunks,
    batch: list[Index],
    zmap: WritableZmap,
    array: EncodedTarget,
    copy: Callable[[Index], None],
    leave_out: Callable[[Index], None],
    report: Callable[[int, int], None],
) -> list[Index]:
    """Copy chunks up to the first damaged one, and return the rest."""
    done = count = size = 0
    try:
        for copied in chunks.copy(batch, zmap, array.chunk_keys(batch)):
            if copied is None:
                leave_out(batch[done])
            else:
                count += 1
                size += copied
            done += 1
    except CodecError:
        copy(batch[done])
        done += 1
    finally:  # an interrupted copy also reports the number of chunks
        if count:
            report(count, size)
    return batch[done:]

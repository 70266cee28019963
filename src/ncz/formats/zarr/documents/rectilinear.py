"""The lengths of chunks along one dimension of a rectilinear chunk grid, in runs of equal ones.

Source: zarr-extensions, "Rectilinear chunk grid". A list has lengths, and pairs of a length and its
number of repetitions. Instead of a list, zarr-python also writes one length for all chunks. Like
zarr-python, ncz accepts lengths whose sum exceeds the array: the last chunk then has its stated
length, and extends beyond the array.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ncz.errors import FormatError
from ncz.formats.zarr.json import Json, show_json

Run = tuple[int, int]
"""A length, and the number of successive chunks that have it."""

_LONGEST = 2**63 - 1

_MOST_CHUNKS = 10_000_000
"""Limit of the chunks along one dimension with different lengths."""


def read_lengths(value: Json, total: int, location: str) -> list[Run]:
    """Return the lengths of the chunks along a dimension of length `total`.

    Successive runs have different lengths, and chunks beyond the array are left out. Raises
    `FormatError` for lengths that are not valid, or do not cover the array.
    """
    if _is_length(value):
        return [(value, -(-total // value))] if total else []
    if not isinstance(value, list):
        raise FormatError(
            f"chunk_shapes must be lists of lengths, not {show_json(value)}", location
        )
    runs: list[Run] = []
    covered = 0
    for entry in value:
        length, count = entry if isinstance(entry, list) and len(entry) == 2 else (entry, 1)
        if not _is_length(length) or not _is_length(count):
            raise FormatError(
                f"chunk_shapes: {show_json(entry)} is not a valid length, or run of lengths",
                location,
            )
        count = min(count, -(-(total - covered) // length))
        if count <= 0:
            continue
        covered += length * count
        if runs and runs[-1][0] == length:
            count += runs.pop()[1]
        runs.append((length, count))
    if covered < total:
        raise FormatError(
            f"chunk_shapes cover {covered} of {total} elements along a dimension", location
        )
    return runs


def _is_length(value: Json) -> bool:
    return type(value) is int and 0 < value <= _LONGEST


def expand_lengths(runs: Sequence[Run], location: str) -> tuple[int, ...]:
    """Return the length of every chunk. Raises `FormatError` if there are too many."""
    if sum(count for _, count in runs) > _MOST_CHUNKS:
        raise FormatError(
            f"chunk_shapes have more than {_MOST_CHUNKS} chunks along a dimension", location
        )
    return tuple(itertools.chain.from_iterable(itertools.repeat(n, count) for n, count in runs))


def print_lengths(lengths: Sequence[int]) -> Json:
    """Return the lengths of all chunks along a dimension, in runs of equal ones."""
    printed: list[Json] = []
    for length, equal in itertools.groupby(lengths):
        count = sum(1 for _ in equal)
        printed.append([length, count] if count > 1 else length)
    return printed

"""Dataspaces of HDF5: the shapes of datasets and attributes.

Source: HDF5 File Format Specification, "The Dataspace Message" (IV.A.2.b).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ncz.formats.hdf5.metadata.datatype import MOST_AXES
from ncz.formats.hdf5.metadata.faults import DamageError, UnsupportedError
from ncz.record import record

if TYPE_CHECKING:
    from ncz.formats.hdf5.metadata.superblock import Sizes

_NULL = 2


@record
class Dataspace:
    """A shape. `largest` has the largest length of each axis, None for one without a limit.

    `is_null` means that there are no elements, not even one.
    """

    shape: tuple[int, ...]
    largest: tuple[int | None, ...]
    is_null: bool
    count: int
    """The number of elements."""


def parse_dataspace(data: bytes, sizes: Sizes) -> Dataspace:
    """Return the dataspace of a message."""
    version, rank, flags, kind = data[0], data[1], data[2], data[3]
    if version not in (1, 2):
        raise UnsupportedError(f"a dataspace has the unknown version {version}")
    if flags & ~3:
        raise UnsupportedError(f"a dataspace has the unknown flags {flags:#x}")
    if rank > MOST_AXES:
        raise DamageError("a dataspace has too many dimensions")
    at = 8 if version == 1 else 4
    shape = sizes.lengths(data, at, rank)
    largest: tuple[int | None, ...] = shape
    if flags & 1:
        at += rank * sizes.length_size
        largest = tuple([
            None if length == sizes.no_length else length
            for length in sizes.lengths(data, at, rank)
        ])  # fmt: skip
    is_null = version == 2 and kind == _NULL
    if is_null:
        shape = largest = ()
    return Dataspace(shape, largest, is_null, 0 if is_null else math.prod(shape))

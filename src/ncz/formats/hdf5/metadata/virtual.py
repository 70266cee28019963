"""The names of the files that have the data of a virtual dataset.

Source: HDF5 File Format Specification, "Disk Format: Level 1F - Global Heap Block for Virtual
Datasets", and "Dataspace Selection" of its appendix.
"""

from __future__ import annotations

from struct import Struct

from ncz.formats.hdf5.metadata.faults import PARSE_ERRORS, UnreadableError
from ncz.formats.hdf5.metadata.superblock import Sizes

_HEAD = Struct("<II").unpack_from
_NONE, _POINTS, _HYPERSLABS, _ALL = 0, 1, 2, 3
_MOST_SOURCES = 1000
"""Number of sources that are looked at."""


def source_names(data: bytes, sizes: Sizes) -> list[bytes]:
    """Return the names of the files in the list of a virtual dataset, as far as it can be read."""
    names: list[bytes] = []
    try:
        if data[0] != 0:  # version 1 of HDF5 2.0 shares names
            return names
        count = sizes.length(data, 1)
        at = 1 + sizes.length_size
        for _ in range(min(count, _MOST_SOURCES)):
            end = data.index(b"\0", at)
            names.append(data[at:end])
            at = data.index(b"\0", end + 1) + 1
            at = _after_selection(data, _after_selection(data, at))
    except (*PARSE_ERRORS, UnreadableError):
        pass
    return list(dict.fromkeys(names))


def _after_selection(data: bytes, at: int) -> int:
    """Return the end of a selection."""
    kind, version = _HEAD(data, at)
    if kind in (_NONE, _ALL):
        return at + 16
    if kind == _POINTS:
        if version == 1:
            return at + 16 + _long(data, at + 12)
        size, rank = data[at + 8], _long(data, at + 9)
        points = int.from_bytes(data[at + 13 : at + 13 + size], "little")
        return at + 13 + size + points * rank * size
    if version == 1:
        return at + 16 + _long(data, at + 12)
    if version == 2:
        return at + 13 + _long(data, at + 9)
    flags, size, rank = data[at + 8], data[at + 9], _long(data, at + 10)
    if flags & 1:
        return at + 14 + 4 * rank * size
    blocks = int.from_bytes(data[at + 14 : at + 14 + size], "little")
    return at + 14 + size + blocks * 2 * rank * size


def _long(data: bytes, at: int) -> int:
    value: int = Struct("<I").unpack_from(data, at)[0]
    return value

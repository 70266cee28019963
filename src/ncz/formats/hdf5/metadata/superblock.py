"""The superblock of an HDF5 file: its version, the sizes of its addresses, and its root.

Source: HDF5 File Format Specification, "Disk Format: Level 0A - Format Signature and Superblock".
"""

from __future__ import annotations

from struct import Struct
from typing import Any

from ncz.formats.hdf5.metadata.blocks import FileBlocks, MetadataSource
from ncz.formats.hdf5.metadata.faults import (
    DamageError,
    OpenForWritingError,
    TruncationError,
    UnsupportedError,
)
from ncz.record import record

SIGNATURE = b"\x89HDF\r\n\x1a\n"

SEVERAL_PARTS = "it is one of several parts of a file"

_CODES = {2: "H", 4: "I", 8: "Q"}

_WRITING, _SWMR = 1, 4
"""Flags of a file that a program has open for writing, and that others may read at the same
time."""


class Sizes:
    """The number of bytes of addresses and lengths in a file, and the functions that read them."""

    def __init__(self, offset_size: int, length_size: int) -> None:
        if offset_size not in _CODES or length_size not in _CODES:
            raise UnsupportedError(
                f"addresses or lengths have {offset_size} and {length_size} bytes"
            )
        self.offset_size, self.length_size = offset_size, length_size
        self.offset_code, self.length_code = _CODES[offset_size], _CODES[length_size]
        self._offset = Struct(f"<{self.offset_code}").unpack_from
        self._length = Struct(f"<{self.length_code}").unpack_from
        self._lengths = [Struct(f"<{rank}{self.length_code}").unpack_from for rank in range(33)]
        self.no_offset = (1 << 8 * offset_size) - 1
        self.no_length = (1 << 8 * length_size) - 1

    def __reduce__(self) -> tuple[Any, ...]:
        return Sizes, (self.offset_size, self.length_size)

    def offset(self, data: bytes, at: int) -> int | None:
        """Return an address; None if it is undefined."""
        value: int = self._offset(data, at)[0]
        return None if value == self.no_offset else value

    def length(self, data: bytes, at: int) -> int:
        """Return a length."""
        value: int = self._length(data, at)[0]
        return value

    def lengths(self, data: bytes, at: int, count: int) -> tuple[int, ...]:
        """Return several lengths."""
        return self._lengths[count](data, at)


@record(kw_only=True)
class Superblock:
    """The contents of a superblock. `base` is the offset of address 0 in the file."""

    version: int
    sizes: Sizes
    base: int
    root: int | None
    extension: int | None
    is_swmr: bool
    """Whether a program may be writing to the file while it is read."""


def read_superblock(blocks: FileBlocks) -> Superblock:
    """Find and read the superblock of a file.

    Raises `TruncationError` if the file is shorter than it says, `OpenForWritingError` if a program
    has it open for writing, or ended without closing it, and `UnsupportedError` if a driver of the
    library has divided it into several files.
    """
    source = MetadataSource(blocks)
    start = 0
    while source.peek(start, len(SIGNATURE)) != SIGNATURE:
        start = 2 * start or 512
        if start >= source.size:
            raise DamageError("the file has no superblock")
    data = source.peek(start, 128)
    version = data[8]
    if version <= 1:
        sizes = Sizes(data[13], data[14])
        at = 28 if version else 24
        end = sizes.offset(data, at + 2 * sizes.offset_size)
        if sizes.offset(data, at + 3 * sizes.offset_size) is not None:
            raise UnsupportedError(SEVERAL_PARTS)
        root_entry = at + 4 * sizes.offset_size
        root = sizes.offset(data, root_entry + sizes.length_size)  # as the library, not the text
        extension, flags = None, 0
    elif version <= 3:
        sizes = Sizes(data[9], data[10])
        flags = data[11] if version == 3 else 0
        at = 12
        stop = at + 4 * sizes.offset_size
        source.check(start, data[:stop], data[stop : stop + 4], "the superblock")
        source.verify()
        extension = sizes.offset(data, at + sizes.offset_size)
        end = sizes.offset(data, at + 2 * sizes.offset_size)
        root = sizes.offset(data, at + 3 * sizes.offset_size)
    else:
        raise UnsupportedError(f"the superblock has the unknown version {version}")
    base = sizes.offset(data, at) or 0  # it differs from `start` if a user block was added later
    if flags & _WRITING and not flags & _SWMR:
        raise OpenForWritingError(
            "a program has the file open for writing, or ended without closing it"
        )
    if end is not None and not flags & _SWMR and end - base > source.size - start:
        raise TruncationError(
            f"the file has {source.size} bytes, and had {end - base + start} when it was written"
        )
    return Superblock(
        version=version,
        sizes=sizes,
        base=start,
        root=root,
        extension=extension,
        is_swmr=bool(flags & _SWMR),
    )

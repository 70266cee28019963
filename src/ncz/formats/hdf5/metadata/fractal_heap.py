"""Fractal heaps, which contain the links of large groups, dense attributes and shared messages.

Source: HDF5 File Format Specification, "Disk Format: Level 1G - Fractal Heap".
"""

from __future__ import annotations

from bisect import bisect_right
from struct import Struct

from ncz.formats.hdf5.metadata.blocks import MetadataSource
from ncz.formats.hdf5.metadata.btree import HUGE_OBJECTS, read_btree2
from ncz.formats.hdf5.metadata.faults import DamageError, UnsupportedError
from ncz.formats.hdf5.metadata.superblock import Sizes

_HAS_CHECKSUMS = 2
_MOST_ROWS = 64
_LONGEST_SHORT_ID = 18
"""Bytes of the longest identifiers that give the length of their object in four bits."""


class FractalHeap:
    """A heap, whose objects are found by their identifiers."""

    def __init__(self, source: MetadataSource, sizes: Sizes, address: int | None) -> None:
        self._source, self._sizes = source, sizes
        offset, length = sizes.offset_size, sizes.length_size
        size = 26 + 12 * length + 3 * offset
        data = source.read_structure(address, size, b"FRHP", "a fractal heap")
        self.id_size, filters = Struct("<HH").unpack_from(data, 5)
        if filters:
            raise UnsupportedError("a fractal heap has filters")
        self._flags = data[9]
        largest = int.from_bytes(data[10:14], "little")
        at = 14 + length
        self._huge_tree = sizes.offset(data, at)
        at += 2 * offset + length + 8 * length
        self._columns = int.from_bytes(data[at : at + 2], "little")
        self._start = sizes.length(data, at + 2)
        most_direct = sizes.length(data, at + 2 + length)
        at += 2 + 2 * length
        bits = int.from_bytes(data[at : at + 2], "little")
        self._offset_bytes = (bits + 7) // 8
        self._root = sizes.offset(data, at + 4)
        self._rows = int.from_bytes(data[at + 4 + offset :][:2], "little")
        for number in (self._columns, self._start, most_direct):
            if not number or number & (number - 1):
                raise DamageError("a fractal heap has blocks of an impossible size")
        if bits > 64 or self._rows > _MOST_ROWS or most_direct < self._start:
            raise DamageError("a fractal heap has blocks of an impossible size")
        limit = min(most_direct, largest)
        self._length_bytes = (max(limit.bit_length(), 1) - 1) // 8 + 1
        self._direct_rows = most_direct.bit_length() - self._start.bit_length() + 2
        self._starts: list[int] | None = None
        self._blocks: list[tuple[int, int]] = []
        self._known: dict[int, bytes] = {}
        self._huge: dict[int, tuple[int | None, int]] | None = None

    def find(self, identifier: bytes) -> bytes:
        """Return an object."""
        kind = identifier[0] >> 4 & 3
        if kind == 0:
            return self._managed_object(identifier)
        if kind == 1:
            return self._huge_object(identifier)
        if kind == 2:
            return self._tiny(identifier)
        raise DamageError("an identifier of a fractal heap is of no known kind")

    def _managed_object(self, identifier: bytes) -> bytes:
        """Return an object that is in a block of the heap."""
        end = 1 + self._offset_bytes
        start = int.from_bytes(identifier[1:end], "little")
        size = int.from_bytes(identifier[end : end + self._length_bytes], "little")
        if self._starts is None:
            self._starts = self._list_blocks()
        number = bisect_right(self._starts, start) - 1
        if number < 0:
            raise DamageError("an object is not in its fractal heap")
        block = self._known.get(number)
        if block is None:
            block = self._known[number] = self._read_block(number)
        at = start - self._starts[number]
        if at + size > len(block):
            raise DamageError("an object is not in its fractal heap")
        return block[at : at + size]

    def _list_blocks(self) -> list[int]:
        """List the addresses and sizes of all direct blocks; return where each starts."""
        starts: list[int] = []
        if self._root is not None and not self._rows:
            starts.append(0)
            self._blocks.append((self._root, self._start))
        elif self._root is not None:
            self._list_below(self._root, self._rows, 0, starts, set())
            self._source.fetch([address for address, _ in self._blocks], self._start)
        return starts

    def _list_below(
        self, address: int, rows: int, start: int, starts: list[int], seen: set[int]
    ) -> None:
        if address in seen:
            raise DamageError("a fractal heap leads in a circle")
        seen.add(address)
        sizes = self._sizes
        at = 5 + sizes.offset_size + self._offset_bytes
        size = at + rows * self._columns * sizes.offset_size + 4
        data = self._source.read_structure(address, size, b"FHIB", "a block of a fractal heap")
        for row in range(rows):
            size = self._start << max(0, row - 1)
            for _ in range(self._columns):
                child = sizes.offset(data, at)
                at += sizes.offset_size
                if child is not None and row < self._direct_rows:
                    starts.append(start)
                    self._blocks.append((child, size))
                elif child is not None:
                    inner = size.bit_length() - (self._start * self._columns).bit_length() + 1
                    if not 0 < inner <= _MOST_ROWS:
                        raise DamageError("a fractal heap has blocks of an impossible size")
                    self._list_below(child, inner, start, starts, seen)
                start += size

    def _read_block(self, number: int) -> bytes:
        address, size = self._blocks[number]
        data = self._source.read(address, size)
        if data[:4] != b"FHDB":
            raise DamageError("a block of a fractal heap is not at its address")
        if self._flags & _HAS_CHECKSUMS:
            at = 5 + self._sizes.offset_size + self._offset_bytes
            without = data[:at] + b"\0\0\0\0" + data[at + 4 :]
            self._source.check(address, without, data[at : at + 4], "a block of a fractal heap")
        return data

    def _tiny(self, identifier: bytes) -> bytes:
        """Return an object that is in its identifier."""
        if self.id_size <= _LONGEST_SHORT_ID:
            return identifier[1 : 2 + (identifier[0] & 15)]
        size = ((identifier[0] & 15) << 8 | identifier[1]) + 1
        return identifier[2 : 2 + size]

    def _huge_object(self, identifier: bytes) -> bytes:
        """Return an object that is in no block of the heap, but alone in the file."""
        sizes, offset, length = self._sizes, self._sizes.offset_size, self._sizes.length_size
        if self.id_size >= 1 + offset + length:
            place = sizes.offset(identifier, 1)
            return self._source.read(place, sizes.length(identifier, 1 + offset))
        if self._huge is None:
            self._huge = {
                sizes.length(each, offset + length): (
                    sizes.offset(each, 0),
                    sizes.length(each, offset),
                )
                for each in read_btree2(self._source, sizes, self._huge_tree, HUGE_OBJECTS)
            }
        key = int.from_bytes(identifier[1 : 1 + min(length, self.id_size - 1)], "little")
        if key not in self._huge:
            raise DamageError("a huge object is not in its fractal heap")
        return self._source.read(*self._huge[key])

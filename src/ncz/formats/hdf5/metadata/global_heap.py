"""The global heap: collections of objects, which are the values of variable length.

Source: HDF5 File Format Specification, "Disk Format: Level 1E - Global Heap".
"""

from __future__ import annotations

from collections.abc import Callable

from ncz.formats.hdf5.metadata.faults import Damaged
from ncz.formats.hdf5.metadata.superblock import Sizes
from ncz.record import field, record

FIRST_READ = 4096
"""Bytes of a collection that are read at first; HDF5 makes none that are smaller."""

_MOST_KEPT = 16 << 20
"""Bytes of collections that are kept for the next values."""

ReadBytes = Callable[[int, int], bytes]
"""Returns bytes of the file from an address, fewer at its end."""


@record
class GlobalHeap:
    """The collections of a file.

    `size` is the number of bytes of the file, which is more than all values have together.
    """

    peek: ReadBytes
    sizes: Sizes
    size: int
    _collections: dict[int, dict[int, bytes]] = field(
        default_factory=dict, compare=False, repr=False
    )
    _kept: list[int] = field(default_factory=lambda: [0], compare=False, repr=False)

    def reader(self) -> HeapReader:
        """Return a reader of some values, which together cannot have more bytes than the file."""
        return HeapReader(self)

    def find(self, address: int, number: int) -> bytes:
        """Return the bytes of an object."""
        objects = self._collections.get(address)
        if objects is None:
            objects = self._keep(address, self._read(address))
        if number not in objects:
            raise Damaged("a value of variable length is not in the global heap")
        return objects[number]

    def _keep(self, address: int, data: bytes) -> dict[int, bytes]:
        if self._kept[0] + len(data) > _MOST_KEPT:
            self._collections.clear()
            self._kept[0] = 0
        self._kept[0] += len(data)
        objects = self._collections[address] = self._objects(data)
        return objects

    def _read(self, address: int) -> bytes:
        """Return the bytes of a collection, without its header."""
        head = (15 + self.sizes.length_size) // 8 * 8
        data = self.peek(address, FIRST_READ)
        if data[:4] != b"GCOL" or len(data) < head:
            raise Damaged("a collection of the global heap is not at its address")
        size = self.sizes.length(data, 8)
        if not head <= size <= self.size:
            raise Damaged("a collection of the global heap has an impossible size")
        if size > len(data):
            data += self.peek(address + len(data), size - len(data))
        if size > len(data):
            raise Damaged("a collection of the global heap is beyond the end of the file")
        return data[head:size]

    def _objects(self, data: bytes) -> dict[int, bytes]:
        """Return the objects of a collection by their number; 0 is its free space."""
        objects = {}
        at, head = 0, (15 + self.sizes.length_size) // 8 * 8
        while at + head <= len(data):
            number = data[at] | data[at + 1] << 8
            size = self.sizes.length(data, at + 8)
            if number == 0:
                break
            at += head
            if at + size > len(data):
                raise Damaged("an object of the global heap is longer than its collection")
            objects[number] = data[at : at + size]
            at += -(-size // 8) * 8
        return objects


class HeapReader:
    """Reads values of variable length, within a limit of their bytes."""

    def __init__(self, heap: GlobalHeap) -> None:
        self._heap = heap
        self._left = heap.size

    def read(self, size: int, address: int, number: int) -> bytes:
        """Return the bytes of a value, given what an element of the file says of it.

        Parameters
        ----------
        size
            The bytes of the value.
        address, number
            The address of a collection, and the number of an object.
        """
        if not size:
            return b""
        self._left -= size
        if self._left < 0:
            raise Damaged("the values of variable length have more bytes than the file")
        data = self._heap.find(address, number)
        if len(data) < size:
            raise Damaged("an object of the global heap is too short")
        return data[:size]

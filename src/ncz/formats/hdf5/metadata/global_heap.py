"""The global heap: collections of objects, which are the values of variable length.

Source: HDF5 File Format Specification, "Disk Format: Level 1E - Global Heap".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from operator import itemgetter
from struct import Struct

from ncz.formats.hdf5.metadata.faults import DamageError
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
        data = self.collection(address).get(number)
        if data is None:
            raise _missing()
        return data

    def collection(self, address: int) -> dict[int, bytes]:
        """Return the bytes of the objects of a collection, by their numbers."""
        objects = self._collections.get(address)
        return self._keep(address, self._read(address)) if objects is None else objects

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
            raise DamageError("a collection of the global heap is not at its address")
        size = self.sizes.length(data, 8)
        if not head <= size <= self.size:
            raise DamageError("a collection of the global heap has an impossible size")
        if size > len(data):
            data += self.peek(address + len(data), size - len(data))
        if size > len(data):
            raise DamageError("a collection of the global heap is beyond the end of the file")
        return data[head:size]

    def _objects(self, data: bytes) -> dict[int, bytes]:
        """Return the objects of a collection by their number; 0 is its free space."""
        objects = {}
        head = (15 + self.sizes.length_size) // 8 * 8
        read_head = Struct(f"<H6x{self.sizes.length_code}").unpack_from
        at, stop = 0, len(data)
        while at + head <= stop:
            number, size = read_head(data, at)
            if number == 0:
                break
            at += head
            if at + size > stop:
                raise DamageError("an object of the global heap is longer than its collection")
            objects[number] = data[at : at + size]
            at += size + 7 & -8
        return objects


def _missing() -> DamageError:
    return DamageError("a value of variable length is not in the global heap")


class HeapReader:
    """Reads values of variable length, within a limit of their bytes."""

    def __init__(self, heap: GlobalHeap) -> None:
        self._heap = heap
        self._left = heap.size

    def read(self, size: int, address: int, number: int) -> bytes:
        """Return the bytes of one value; see `read_all`."""
        return self.read_all(((size, address, number),))[0]

    def read_all(self, references: Iterable[tuple[int, int, int]]) -> list[bytes]:
        """Return the bytes of values, given the elements of the file that refer to them.

        Parameters
        ----------
        references
            The bytes of each value, the address of a collection, and the number of an object. A
            value without bytes has neither.
        """
        values: list[bytes] = []
        for address, group in groupby(references, itemgetter(1)):
            items = list(group)
            total = sum([size for size, _, _ in items])
            if not (total and address):
                values += [b""] * len(items)
                continue
            self._left -= total
            if self._left < 0:
                raise DamageError("the values of variable length have more bytes than the file")
            objects = self._heap.collection(address)
            found = [objects.get(number, b"")[:size] for size, _, number in items]
            if sum(map(len, found)) != total:
                if all(number in objects or not size for size, _, number in items):
                    raise DamageError("an object of the global heap is too short")
                raise _missing()
            values += found
        return values

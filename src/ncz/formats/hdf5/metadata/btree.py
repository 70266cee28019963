"""B-trees of both versions, which list the links of groups, dense attributes and chunks.

Source: HDF5 File Format Specification, "Disk Format: Level 1A1 - Version 1 B-trees" and "1A2 -
Version 2 B-trees".
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct

from ncz.formats.hdf5.metadata.blocks import MetadataSource
from ncz.formats.hdf5.metadata.faults import DamageError
from ncz.formats.hdf5.metadata.superblock import Sizes

GROUP_NODES, CHUNK_NODES = 0, 1
"""Types of the nodes of a B-tree of version 1."""

LINKS_BY_NAME, LINKS_BY_ORDER, ATTRIBUTES_BY_NAME, HUGE_OBJECTS = 5, 6, 8, 1
CHUNKS, FILTERED_CHUNKS = 10, 11
"""Types of the records of a B-tree of version 2."""

_DEEPEST = 64


def read_btree1(
    source: MetadataSource, sizes: Sizes, address: int | None, node_type: int, key_size: int
) -> Iterator[bytes]:
    """Yield the entries of each leaf of a B-tree of version 1: keys, and addresses of children.

    Parameters
    ----------
    source, sizes
        The file.
    address
        The address of the root; None for an empty tree.
    node_type
        `GROUP_NODES` or `CHUNK_NODES`.
    key_size
        The bytes of a key.

    Yields
    ------
    bytes
        The entries of a leaf one after the other, each a key and an address.
    """
    step = key_size + sizes.offset_size
    head = 8 + 2 * sizes.offset_size
    seen: set[int] = set()

    def node(address: int | None, level: int | None) -> Iterator[bytes]:
        if address is None or address in seen:
            raise DamageError("a B-tree leads in a circle, or nowhere")
        seen.add(address)
        data = source.read(address, head)
        is_level = level is None or data[5] == level
        if data[:4] != b"TREE" or data[4] != node_type or not is_level:
            raise DamageError("a B-tree is not at its address")
        depth, count = data[5], int.from_bytes(data[6:8], "little")
        if not count:
            return
        entries = source.read(address + head, count * step)
        if not depth:
            yield entries
            return
        children = [sizes.offset(entries, at + key_size) for at in range(0, len(entries), step)]
        source.fetch(children, head + len(entries))
        for child in children:
            yield from node(child, depth - 1)

    if address is not None:
        yield from node(address, None)


class BTree2:
    """The header of a B-tree of version 2.

    Attributes
    ----------
    record_size
        The bytes of a record.
    """

    def __init__(
        self, source: MetadataSource, sizes: Sizes, address: int, record_type: int
    ) -> None:
        what = "the header of a B-tree"
        size = 22 + sizes.offset_size + sizes.length_size
        data = source.read_structure(address, size, b"BTHD", what)
        if data[5] != record_type:
            raise DamageError("a B-tree has records of another type")
        node_size, self.record_size, self._depth = Struct("<IHH").unpack_from(data, 6)
        self._root = sizes.offset(data, 16)
        self._count = int.from_bytes(data[16 + sizes.offset_size :][:2], "little")
        if not self.record_size or node_size < 10 + self.record_size or self._depth > _DEEPEST:
            raise DamageError("a B-tree has nodes of an impossible size")
        self._source, self._sizes, self._type = source, sizes, record_type
        # How many records a node of each level may have, and the bytes of the number of records
        # below one of its children.
        most = (node_size - 10) // self.record_size
        self._width = _width(most)
        self._levels = [(most, 0)]
        total = most
        for _ in range(self._depth):
            pointer = sizes.offset_size + self._width + self._levels[-1][1]
            most = (node_size - 10 - pointer) // (self.record_size + pointer)
            if most < 1:
                raise DamageError("a B-tree has nodes of an impossible size")
            total = (most + 1) * total + most
            self._levels.append((most, _width(total)))
        self._seen: set[int] = set()

    def records(self) -> Iterator[bytes]:
        """Yield the records in order, all records of a leaf together."""
        if self._count:
            yield from self._node(self._root, self._count, self._depth)

    def _node(self, address: int | None, count: int, level: int) -> Iterator[bytes]:
        if address is None or address in self._seen or count > self._levels[level][0]:
            raise DamageError("a B-tree leads in a circle, or has too many records")
        self._seen.add(address)
        offset_size, width = self._sizes.offset_size, self._width
        pointer = offset_size + width + self._levels[level - 1][1] if level else 0
        end = 6 + count * self.record_size
        whole = end + (pointer * (count + 1) if level else 0) + 4
        signature = b"BTIN" if level else b"BTLF"
        data = self._source.read_structure(address, whole, signature, "a node of a B-tree")
        if data[5] != self._type:
            raise DamageError("a B-tree has records of another type")
        if not level:
            yield data[6:end]
            return
        places = range(end, whole - 4, pointer)
        children = [self._sizes.offset(data, at) for at in places]
        self._source.fetch(children, 512)
        for number, (at, child) in enumerate(zip(places, children, strict=True)):
            inner = int.from_bytes(data[at + offset_size : at + offset_size + width], "little")
            yield from self._node(child, inner, level - 1)
            if number < count:
                start = 6 + number * self.record_size
                yield data[start : start + self.record_size]


def read_btree2(
    source: MetadataSource, sizes: Sizes, address: int | None, record_type: int
) -> Iterator[bytes]:
    """Yield the records of a B-tree of version 2, in order."""
    if address is not None:
        tree = BTree2(source, sizes, address, record_type)
        for records in tree.records():
            for at in range(0, len(records), tree.record_size):
                yield records[at : at + tree.record_size]


def _width(number: int) -> int:
    """Return the bytes that a number needs."""
    return (max(number.bit_length(), 1) - 1) // 8 + 1

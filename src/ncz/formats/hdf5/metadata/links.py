"""The links of groups: hard, soft and to other files, in groups of every version.

Source: HDF5 File Format Specification, "The Link Message" (IV.A.2.g), "The Link Info Message"
(IV.A.2.c), "The Symbol Table Message" (IV.A.2.r), and "Level 1B" to "1D" of the disk format.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from typing import Literal

from ncz.formats.hdf5.metadata.blocks import MetadataSource
from ncz.formats.hdf5.metadata.btree import (
    GROUP_NODES,
    LINKS_BY_NAME,
    LINKS_BY_ORDER,
    read_btree1,
    read_btree2,
)
from ncz.formats.hdf5.metadata.faults import DamageError, UnsupportedError
from ncz.formats.hdf5.metadata.fractal_heap import FractalHeap
from ncz.formats.hdf5.metadata.superblock import Sizes

_SHORT = Struct("<H").unpack_from
_HARD, _SOFT, _EXTERNAL = 0, 1, 64
_LAST_BUILT_IN = 63
_HAS_KIND, _HAS_ORDER, _HAS_CHARACTER_SET = 8, 4, 16
_TRACKED, _INDEXED = 1, 2


class Hdf5Link:
    """A link of a group.

    Attributes
    ----------
    name
        The name, as bytes.
    kind
        Whether it leads to an object of the file, to a path, or into another file.
    address
        The address of the object that a hard link leads to.
    path
        The path of a soft link.
    order
        The sort key of links; None if the group does not track it.
    """

    __slots__ = ("address", "kind", "name", "order", "path")

    def __init__(
        self,
        name: bytes,
        kind: Literal["hard", "soft", "external"],
        address: int | None = None,
        path: bytes = b"",
        order: int | None = None,
    ) -> None:
        self.name, self.kind, self.address, self.path, self.order = name, kind, address, path, order


def parse_link(data: bytes, sizes: Sizes) -> Hdf5Link:
    """Return the link of a message."""
    version, flags = data[0], data[1]
    if version != 1:
        raise UnsupportedError(f"a link has the unknown version {version}")
    if flags & ~31:
        raise UnsupportedError(f"a link has the unknown flags {flags:#x}")
    at, kind, order = 2, _HARD, None
    if flags & _HAS_KIND:
        kind = data[2]
        at = 3
    if flags & _HAS_ORDER:
        order = int.from_bytes(data[at : at + 8], "little")
        at += 8
    if flags & _HAS_CHARACTER_SET:
        at += 1
    width = 1 << (flags & 3)
    size = int.from_bytes(data[at : at + width], "little")
    at += width
    name = data[at : at + size]
    at += size
    if not name or at > len(data):
        raise DamageError("a link has no name, or is longer than its message")
    if kind == _HARD:
        return Hdf5Link(name, "hard", sizes.offset(data, at), order=order)
    if _SOFT < kind <= _LAST_BUILT_IN:
        raise UnsupportedError(f"a link is of the unknown kind {kind}")
    (size,) = _SHORT(data, at)
    path = data[at + 2 : at + 2 + size]
    if len(path) < size:
        raise DamageError("a link is longer than its message")
    return Hdf5Link(name, "soft" if kind == _SOFT else "external", path=path, order=order)


def read_links(
    source: MetadataSource,
    sizes: Sizes,
    messages: list[bytes],
    info: bytes | None,
    symbol_table: bytes | None,
) -> list[Hdf5Link]:
    """Return the links of a group: in the order of creation if the group tracks it, or of names.

    Parameters
    ----------
    source, sizes
        The file.
    messages
        The link messages of the group.
    info, symbol_table
        Its message of that kind, if it has one.
    """
    if symbol_table is not None:
        return list(_read_old(source, sizes, symbol_table))
    links = [parse_link(message, sizes) for message in messages]
    if info is not None:
        if info[0] != 0 or info[1] & ~3:
            raise UnsupportedError("the links of a group have an unknown version or unknown flags")
        links.extend(_read_dense(source, sizes, info))
    if info is not None and info[1] & _TRACKED and all(link.order is not None for link in links):
        links.sort(key=lambda link: link.order or 0)
    else:
        links.sort(key=lambda link: link.name)
    return links


def _read_dense(source: MetadataSource, sizes: Sizes, info: bytes) -> Iterator[Hdf5Link]:
    """Yield the links that are in a fractal heap."""
    flags = info[1]
    at = 10 if flags & _TRACKED else 2
    heap_address = sizes.offset(info, at)
    tree = sizes.offset(info, at + sizes.offset_size)
    if heap_address is None or tree is None:
        return
    source.fetch([heap_address, tree], 512)
    if flags & _INDEXED:
        by_order = sizes.offset(info, at + 2 * sizes.offset_size)
        records, start = read_btree2(source, sizes, by_order, LINKS_BY_ORDER), 8
    else:
        records, start = read_btree2(source, sizes, tree, LINKS_BY_NAME), 4
    heap = FractalHeap(source, sizes, heap_address)
    for each in records:
        yield parse_link(heap.find(each[start:]), sizes)


def _read_old(source: MetadataSource, sizes: Sizes, symbol_table: bytes) -> Iterator[Hdf5Link]:
    """Yield the links of a group of the first version, in the order of names."""
    tree = sizes.offset(symbol_table, 0)
    heap = sizes.offset(symbol_table, sizes.offset_size)
    source.fetch([tree, heap], 512)
    names = read_local_heap(source, sizes, heap)
    entry = Struct(f"<{sizes.length_code}{sizes.offset_code}I4xI12x")
    step = sizes.length_size + sizes.offset_size
    for leaf in read_btree1(source, sizes, tree, GROUP_NODES, sizes.length_size):
        places = [sizes.offset(leaf, at + sizes.length_size) for at in range(0, len(leaf), step)]
        source.fetch(places, 8 + 8 * entry.size)
        for place in places:
            head = source.read(place, 8)
            if head[:4] != b"SNOD":
                raise DamageError("the links of a group are not at their address")
            count = _SHORT(head, 6)[0]
            assert place is not None  # `read` has refused it
            data = source.read(place + 8, count * entry.size)
            for start, address, kind, target in entry.iter_unpack(data):
                name = text_at(names, start)
                if kind == 2:
                    yield Hdf5Link(name, "soft", path=text_at(names, target))
                else:
                    yield Hdf5Link(name, "hard", address)


def read_local_heap(source: MetadataSource, sizes: Sizes, address: int | None) -> bytes:
    """Return the data of a local heap, which has names one after the other."""
    head = source.read(address, 8 + 2 * sizes.length_size + sizes.offset_size)
    if head[:4] != b"HEAP":
        raise DamageError("a local heap is not at its address")
    place = sizes.offset(head, 8 + 2 * sizes.length_size)
    return source.read(place, sizes.length(head, 8))


def text_at(names: bytes, start: int) -> bytes:
    """Return the name that begins at an offset of a local heap."""
    end = names.find(b"\0", start)
    if end < 0 or start > len(names):
        raise DamageError("a name is not in its local heap")
    return names[start:end]

"""The objects of an HDF5 file - groups, datasets, committed datatypes - from their messages.

Files have few different datatypes, dataspaces, filters and fill values. Each message of these kinds
is parsed once, and remembered by its bytes.

Source: HDF5 File Format Specification, "Data Object Header Messages" (IV.A.2), "The Attribute
Message" (IV.A.2.m), "Disk Format: Level 1H - Shared Object Header Message Table".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from struct import Struct
from typing import Literal, TypeVar

from ncz.formats.hdf5.metadata import header
from ncz.formats.hdf5.metadata.blocks import MetadataSource
from ncz.formats.hdf5.metadata.btree import ATTRIBUTES_BY_NAME, read_btree2
from ncz.formats.hdf5.metadata.dataspace import Dataspace, parse_dataspace
from ncz.formats.hdf5.metadata.datatype import Datatype, parse_datatype
from ncz.formats.hdf5.metadata.faults import (
    PARSE_ERRORS,
    DamageError,
    UnreadableError,
    UnsupportedError,
)
from ncz.formats.hdf5.metadata.fractal_heap import FractalHeap
from ncz.formats.hdf5.metadata.header import FIRST_READ, Message, read_header
from ncz.formats.hdf5.metadata.links import Hdf5Link, read_links, read_local_heap, text_at
from ncz.formats.hdf5.metadata.storage import (
    UNDEFINED,
    FillValue,
    Layout,
    PipelineFilter,
    parse_external,
    parse_fill,
    parse_filters,
    parse_layout,
    parse_old_fill,
)
from ncz.formats.hdf5.metadata.superblock import SEVERAL_PARTS, Superblock

_ATTRIBUTE = Struct("<BBHHHB").unpack_from
_SHARED_TYPE, _SHARED_SPACE = 1, 2
_TRACKED = 1

_TOGETHER = 4096
"""Number of objects that are read at the same time."""

_Result = TypeVar("_Result")


class Hdf5Attribute:
    """An attribute, whose elements are the bytes of `data` from `at` on."""

    __slots__ = ("at", "data", "datatype", "name", "space")

    def __init__(
        self, name: bytes, datatype: Datatype, space: Dataspace, data: bytes, at: int
    ) -> None:
        self.name, self.datatype, self.space, self.data, self.at = name, datatype, space, data, at


class Hdf5Object:
    """A group, a dataset or a committed datatype.

    Attributes
    ----------
    address
        The address of its header.
    kind
        Its kind.
    attributes
        Its attributes by name, in the order of creation if that is known.
    links
        The links of a group.
    datatype, space, layout, filters, fill
        Of a dataset; a committed datatype has the first only.
    external
        The names of the files that have the data of a dataset.
    """

    __slots__ = (
        "address", "attributes", "datatype", "external", "fill", "filters", "kind", "layout",
        "links", "space",
    )  # fmt: skip

    def __init__(self, address: int) -> None:
        self.address = address
        self.kind: Literal["group", "dataset", "datatype"] = "group"
        self.attributes: dict[bytes, Hdf5Attribute] = {}
        self.links: list[Hdf5Link] = []
        self.datatype: Datatype | None = None
        self.space: Dataspace | None = None
        self.layout: Layout | None = None
        self.filters: tuple[PipelineFilter, ...] = ()
        self.fill = UNDEFINED
        self.external: tuple[bytes, ...] | None = None


class Objects:
    """The objects of a file, which are read when they are needed.

    Parameters
    ----------
    source
        Reads the metadata.
    superblock
        The superblock of the file.
    """

    def __init__(self, source: MetadataSource, superblock: Superblock) -> None:
        self.source = source
        self.superblock = superblock
        self.sizes = superblock.sizes
        self._known: dict[int, Hdf5Object | UnreadableError] = {}
        self._headers: dict[int, list[Message]] = {}
        self._datatypes: dict[tuple[bytes, int | None], Datatype] = {}
        self._spaces: dict[bytes, Dataspace] = {}
        self._fills: dict[bytes, FillValue] = {}
        self._pipelines: dict[bytes, tuple[PipelineFilter, ...]] = {}
        self._parts: dict[tuple[int, int, bytes], tuple[Datatype, Dataspace, int]] = {}
        self._shared: list[tuple[int, int | None]] = []
        self._heaps: dict[int | None, FractalHeap] = {}
        if superblock.extension is not None:
            try:
                self._read_extension(superblock.extension)
            except PARSE_ERRORS as error:
                raise DamageError(f"the superblock cannot be parsed ({error})") from error

    @property
    def root(self) -> Hdf5Object:
        """The root group."""
        root = self.find(self.superblock.root)
        if root.kind != "group":
            raise DamageError("the root is not a group")
        return root

    def find(self, address: int | None) -> Hdf5Object:
        """Return the object at an address. Raises `UnreadableError` if it cannot be read."""
        if address is None:
            raise DamageError("the address of an object is undefined")
        known = self._known.get(address)
        if known is None:
            known = self._known[address] = self._find(address)
        if isinstance(known, UnreadableError):
            raise known
        return known

    def known_object(self, address: int) -> Hdf5Object | None:
        """Return an object that has been read; None if it could not be."""
        found = self._known.get(address)
        return found if isinstance(found, Hdf5Object) else None

    def _find(self, address: int) -> Hdf5Object | UnreadableError:
        try:
            return self._read(address)
        except UnreadableError as error:
            return error
        except PARSE_ERRORS as error:
            return DamageError(f"an object cannot be parsed ({error})")

    def prepare(self, addresses: Sequence[int | None]) -> None:
        """Read several objects at the same time, if the file is on a server."""

        def attempt(address: int) -> None:
            if address not in self._known:
                self._known[address] = self._find(address)

        for start in range(0, len(addresses), _TOGETHER):
            batch = [a for a in addresses[start : start + _TOGETHER] if a is not None]
            self.source.fetch(batch, FIRST_READ)
            self.source.together([partial(attempt, address) for address in batch])

    def _read_extension(self, address: int) -> None:
        """Read the further messages of the superblock."""
        for message in read_header(self.source, self.sizes, address):
            if message.kind == header.SHARED_TABLE:
                table = self.sizes.offset(message.data, 1)
                self._read_shared_table(table, message.data[1 + self.sizes.offset_size])
            elif message.kind == header.DRIVER:
                raise UnsupportedError(SEVERAL_PARTS)
            elif message.kind == header.CACHE_IMAGE and self.sizes.offset(message.data, 1):
                raise UnsupportedError("its metadata are in an image of HDF5's cache")

    def _read_shared_table(self, address: int | None, count: int) -> None:
        """Read the kinds of messages in each heap."""
        step = 14 + 2 * self.sizes.offset_size
        what = "the table of shared messages"
        data = self.source.read_structure(address, 8 + count * step, b"SMTB", what)
        for at in range(4, 4 + count * step, step):
            kinds = int.from_bytes(data[at + 2 : at + 4], "little")
            heap = self.sizes.offset(data, at + 14 + self.sizes.offset_size)
            self._shared.append((kinds, heap))

    def _read(self, address: int) -> Hdf5Object:
        found = Hdf5Object(address)
        attributes: list[tuple[int, Hdf5Attribute]] = []
        links: list[bytes] = []
        link_info = symbol_table = dense = None
        is_group = False
        old_fill: FillValue | None = None
        new_fill: FillValue | None = None
        for kind, flags, data, order in self._header(address):
            at = None
            if flags & header.SHARED:
                data, at = self._resolve(data, kind)
            if kind == header.ATTRIBUTE:
                attributes.append((order, self._attribute(data)))
            elif kind == header.DATASPACE:
                found.space = self._space(data)
            elif kind == header.DATATYPE:
                found.datatype = self._datatype(data, at)
            elif kind == header.FILL:
                new_fill = _remember(self._fills, data, parse_fill)
            elif kind == header.OLD_FILL:
                old_fill = parse_old_fill(data)
            elif kind == header.LAYOUT:
                found.layout = parse_layout(data, self.sizes)
            elif kind == header.FILTERS:
                found.filters = _remember(self._pipelines, data, parse_filters)
            elif kind == header.EXTERNAL:
                found.external = self._external(data)
            elif kind == header.LINK:
                is_group = True
                links.append(data)
            elif kind == header.LINK_INFO:
                is_group, link_info = True, data
            elif kind == header.SYMBOL_TABLE:
                is_group, symbol_table = True, data
            elif kind == header.ATTRIBUTE_INFO:
                dense = data
        self._add_dense_attributes(dense, attributes)
        if len(attributes) > 1:
            attributes.sort(key=lambda pair: pair[0])  # all are equal if the order is not tracked
        found.attributes = {attribute.name: attribute for _, attribute in attributes}
        if found.layout is not None and found.space is not None and found.datatype is not None:
            found.kind = "dataset"
            found.fill = new_fill or old_fill or UNDEFINED
        elif is_group:
            found.links = read_links(self.source, self.sizes, links, link_info, symbol_table)
        elif found.datatype is not None and found.space is None:
            found.kind = "datatype"
            found.datatype = self._datatype(found.datatype.encoded, address)
        else:
            raise DamageError("an object is neither a dataset nor a group nor a datatype")
        return found

    def _header(self, address: int) -> list[Message]:
        known = self._headers.pop(address, None)
        return known or read_header(self.source, self.sizes, address)

    def _resolve(self, data: bytes, kind: int) -> tuple[bytes, int | None]:
        """Return the bytes of a shared message, and the address of the object that has it."""
        version, where = data[0], data[1]
        if version == 3 and where == 1:
            return self._shared_message(data[2:10], kind), None
        if not 1 <= version <= 3:
            raise UnsupportedError(f"a shared message has the unknown version {version}")
        address = self.sizes.offset(data, 8 + self.sizes.length_size if version == 1 else 2)
        if address is None:
            raise DamageError("the address of a shared message is undefined")
        known = self._known.get(address)
        if isinstance(known, Hdf5Object) and kind == header.DATATYPE and known.datatype is not None:
            return known.datatype.encoded, address
        if address not in self._headers:
            self._headers[address] = read_header(self.source, self.sizes, address)
        for message in self._headers[address]:
            if message.kind == kind and not message.flags & header.SHARED:
                return message.data, address
        raise DamageError("a shared message is not at its address")

    def _shared_message(self, identifier: bytes, kind: int) -> bytes:
        """Return a message that is in a heap of the file."""
        for kinds, address in self._shared:
            if kinds >> kind & 1:
                if address not in self._heaps:
                    self._heaps[address] = FractalHeap(self.source, self.sizes, address)
                return self._heaps[address].find(identifier)
        raise DamageError("a shared message is in no heap of the file")

    def _datatype(self, data: bytes, address: int | None) -> Datatype:
        known = self._datatypes.get((data, address))
        if known is None:
            known = self._datatypes[data, address] = parse_datatype(data)
            known.address = address
        return known

    def _space(self, data: bytes) -> Dataspace:
        known = self._spaces.get(data)
        if known is None:
            known = self._spaces[data] = parse_dataspace(data, self.sizes)
        return known

    def _external(self, data: bytes) -> tuple[bytes, ...]:
        """Return the names of external files, without damaged names."""
        heap, starts = parse_external(data, self.sizes)
        try:
            names = read_local_heap(self.source, self.sizes, heap)
            return tuple(dict.fromkeys(text_at(names, start) for start in starts))
        except UnreadableError:
            return ()

    def _add_dense_attributes(
        self, info: bytes | None, attributes: list[tuple[int, Hdf5Attribute]]
    ) -> None:
        """Add the attributes that are in a fractal heap."""
        if info is None:
            return
        if info[0] != 0 or info[1] & ~3:
            raise UnsupportedError(
                "the attributes of an object have an unknown version or unknown flags"
            )
        at = 4 if info[1] & _TRACKED else 2
        heap_address = self.sizes.offset(info, at)
        tree = self.sizes.offset(info, at + self.sizes.offset_size)
        if heap_address is None or tree is None:
            return
        self.source.fetch([heap_address, tree], FIRST_READ)
        heap = FractalHeap(self.source, self.sizes, heap_address)
        for each in read_btree2(self.source, self.sizes, tree, ATTRIBUTES_BY_NAME):
            identifier = each[:8]
            if each[8] & header.SHARED:
                data = self._shared_message(identifier, header.ATTRIBUTE)
            else:
                data = heap.find(identifier)
            attributes.append((int.from_bytes(each[9:13], "little"), self._attribute(data)))

    def _attribute(self, data: bytes) -> Hdf5Attribute:
        version, flags, name_size, type_size, space_size, _ = _ATTRIBUTE(data, 0)
        if version == 1:
            flags = 0
            at = 8 + _round_up(name_size)
            name = data[8 : 8 + name_size]
            padded = _round_up(type_size)
            end = at + padded + _round_up(space_size)
            key = data[at : at + type_size] + data[at + padded : at + padded + space_size]
        elif version in (2, 3):
            start = 6 + version
            at = start + name_size
            name = data[start:at]
            end = at + type_size + space_size
            key = data[at:end]
        else:
            raise UnsupportedError(f"an attribute has the unknown version {version}")
        parts = self._parts.get((flags, type_size, key))
        if parts is None:
            parts = self._parts[flags, type_size, key] = self._attribute_parts(
                flags, type_size, key
            )
        datatype, space, size = parts
        if end + size > len(data):
            raise DamageError("an attribute is longer than its message")
        return Hdf5Attribute(name.partition(b"\0")[0], datatype, space, data, end)

    def _attribute_parts(
        self, flags: int, type_size: int, key: bytes
    ) -> tuple[Datatype, Dataspace, int]:
        """Return the datatype and the dataspace of an attribute, and the bytes of its elements."""
        if flags & ~(_SHARED_TYPE | _SHARED_SPACE):
            raise UnsupportedError(f"an attribute has the unknown flags {flags:#x}")
        type_data, space_data, address = key[:type_size], key[type_size:], None
        if flags & _SHARED_TYPE:
            type_data, address = self._resolve(type_data, header.DATATYPE)
        if flags & _SHARED_SPACE:
            space_data, _ = self._resolve(space_data, header.DATASPACE)
        datatype, space = self._datatype(type_data, address), self._space(space_data)
        return datatype, space, space.count * datatype.size


def _remember(
    known: dict[bytes, _Result], data: bytes, parse: Callable[[bytes], _Result]
) -> _Result:
    """Return the result of parsing the same bytes before, or parse them."""
    found = known.get(data)
    if found is None:
        found = known[data] = parse(data)
    return found


def _round_up(size: int) -> int:
    """Return a multiple of 8 bytes."""
    return -(-size // 8) * 8

"""The attributes of HDF5 objects, as netCDF-C reads them."""

from __future__ import annotations

from ncz.errors import Notice, Notify
from ncz.formats.hdf5.array_types import without_arrays
from ncz.formats.hdf5.decode import Decode, decoder, is_decodable
from ncz.formats.hdf5.metadata.datatype import Datatype, TypeClass
from ncz.formats.hdf5.metadata.faults import PARSE_ERRORS, DamageError
from ncz.formats.hdf5.metadata.global_heap import GlobalHeap, HeapReader
from ncz.formats.hdf5.metadata.objects import Hdf5Attribute, Hdf5Object
from ncz.formats.hdf5.metadata.superblock import Sizes
from ncz.formats.hdf5.names import RESERVED
from ncz.formats.hdf5.types import FileTypes, Hdf5Type, text_of, texts_of, type_name
from ncz.model.tree import Attribute
from ncz.model.types import Atomic, NcType, Value

_LARGEST = 256 << 20
"""Bytes of the largest attribute that is read."""


class AttributeReader:
    """Reads the attributes of the objects of one file."""

    def __init__(self, types: FileTypes, heap: GlobalHeap, sizes: Sizes, notify: Notify) -> None:
        self._types = types
        self._heap = heap
        self._sizes = sizes
        self._notify = notify
        self._decoders: dict[tuple[Datatype, int], Decode] = {}

    def all_of(self, found: Hdf5Object, group: str, where: str) -> tuple[Attribute, ...]:
        """Return the attributes of an object, without reserved ones.

        Parameters
        ----------
        found
            The object.
        group
            The FQN of its group, which declares the types that the file does not name.
        where
            Names the object in notices of attributes that cannot be read.
        """
        attributes = []
        for label, attribute in found.attributes.items():
            name = text_of(label)
            if name not in RESERVED:
                read = self._read(attribute, name, group, where)
                if read is not None:
                    attributes.append(read)
        return tuple(attributes)

    def integers(self, found: Hdf5Object, name: str) -> list[int] | None:
        """Return the values of an integer attribute; None if it does not exist."""
        attribute = found.attributes.get(name.encode())
        if attribute is None:
            return None
        known = self._types.plain(attribute.datatype)
        if known is None or not isinstance(known.type, Atomic) or not known.type.is_integer:
            return None
        return list(self._decode(attribute, known.type)) if attribute.space.count else []

    def text(self, found: Hdf5Object, name: str) -> str | None:
        """Return the text of an attribute; None if it does not exist, or is not a text."""
        attribute = found.attributes.get(name.encode())
        known = None if attribute is None else self._types.plain(attribute.datatype)
        if attribute is None or known is None or known.type not in (Atomic.CHAR, Atomic.STRING):
            return None
        values = self._plain(attribute, name, known).values
        return str(values[0] or "").rstrip("\0") if values else None

    def _read(
        self, attribute: Hdf5Attribute, name: str, group: str, where: str
    ) -> Attribute | None:
        """Return an attribute; None, with a notice, if it cannot be read."""
        attribute = _without_arrays(attribute)
        datatype = attribute.datatype
        known = self._types.plain(datatype)
        user_type = self._types.find_or_name(datatype, group) if known is None else None
        if (known is None and user_type is None) or not is_decodable(datatype):
            self._leave_out(name, type_name(datatype), where)
        elif attribute.space.count * datatype.size > _LARGEST:
            self._leave_out(name, "too large", where)
        elif known is not None:
            return self._plain(attribute, name, known)
        elif user_type is not None:
            values = self._decode(attribute, user_type) if attribute.space.count else []
            return Attribute(name=name, type=user_type, values=tuple(values))
        return None

    def _plain(self, attribute: Hdf5Attribute, name: str, known: Hdf5Type) -> Attribute:
        """Return an attribute of numbers or strings."""
        count, nc_type, values = attribute.space.count, known.type, ()
        length = 1 if nc_type is Atomic.CHAR else known.length
        if length is not None:  # strings of fixed length
            nc_type = Atomic.STRING if attribute.space.shape else Atomic.CHAR
            starts = range(attribute.at, attribute.at + count * length, length)
            parts = [attribute.data[start : start + length] for start in starts]
            if nc_type is Atomic.STRING:
                return Attribute(name=name, type=nc_type, values=texts_of(parts))
            return Attribute(name=name, type=nc_type, values=tuple(map(text_of, parts)))
        if count:
            values = tuple(self._decode(attribute, nc_type))
        return Attribute(name=name, type=nc_type, values=values)

    def _decode(self, attribute: Hdf5Attribute, nc_type: NcType) -> list[Value]:
        key = attribute.datatype, id(nc_type)
        decode = self._decoders.get(key)
        if decode is None:
            decode = self._decoders[key] = decoder(attribute.datatype, nc_type, self._sizes)
        reader = HeapReader(self._heap)
        try:
            return decode(attribute.data, attribute.at, attribute.space.count, reader)
        except PARSE_ERRORS as error:
            raise DamageError(f"an attribute cannot be parsed ({error})") from error

    def references(self, attribute: Hdf5Attribute) -> list[list[int]]:
        """Return the addresses that the elements of an attribute refer to, a list for each."""
        datatype = attribute.datatype
        count, size = attribute.space.count, self._sizes.offset_size
        part = attribute.data[attribute.at : attribute.at + count * datatype.size]
        if datatype.kind is TypeClass.VLEN and datatype.element.kind is TypeClass.REFERENCE:
            items = self._items(part, datatype.element.size)
        elif datatype.kind is TypeClass.REFERENCE:
            items = [part[at : at + datatype.size] for at in range(0, len(part), datatype.size)]
        else:
            raise DamageError(f"{text_of(attribute.name)} has no references")
        return [
            [int.from_bytes(each[at : at + size], "little") for at in range(0, len(each), size)]
            for each in items
        ]

    def _items(self, part: bytes, item_size: int) -> list[bytes]:
        """Return the bytes of the items of each element of variable length."""
        offset = self._sizes.offset_size
        reader = HeapReader(self._heap)
        items = []
        for at in range(0, len(part), 8 + offset):
            length = int.from_bytes(part[at : at + 4], "little")
            address = int.from_bytes(part[at + 4 : at + 4 + offset], "little")
            number = int.from_bytes(part[at + 4 + offset : at + 8 + offset], "little")
            items.append(reader.read(length * item_size, address, number) if address else b"")
        return items

    def _leave_out(self, name: str, what: str, where: str) -> None:
        """Report that an attribute is left out."""
        message = f"attribute {name} is {what}, which ncz cannot read; it is left out"
        self._notify(Notice("attribute-left-out", message, where, lost=True))


def _without_arrays(attribute: Hdf5Attribute) -> Hdf5Attribute:
    """Return an attribute whose elements are arrays with their items as elements."""
    if attribute.datatype.kind is not TypeClass.ARRAY:
        return attribute
    datatype, space = without_arrays(attribute.datatype, attribute.space)
    return Hdf5Attribute(attribute.name, datatype, space, attribute.data, attribute.at)


def collections_of(found: Hdf5Object, sizes: Sizes) -> list[int]:
    """Return the addresses in the global heap of the attributes of an object."""
    addresses = []
    step = 8 + sizes.offset_size
    for attribute in found.attributes.values():
        if attribute.datatype.kind is TypeClass.VLEN:
            end = attribute.at + attribute.space.count * step
            for at in range(attribute.at, min(end, len(attribute.data)), step):
                address = sizes.offset(attribute.data, at + 4)
                if address:
                    addresses.append(address)
    return addresses

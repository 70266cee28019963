"""Elements of HDF5 datatypes as values, without numpy where Python's own numbers suffice.

An element of variable size is the number of its items and a place in the global heap.

Source: HDF5 File Format Specification, "Variable-Length" of "The Datatype Message" (IV.A.2.d) and
"Disk Format: Level 1E - Global Heap".
"""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import itemgetter
from struct import Struct, unpack_from

from ncz.errors import CodecError
from ncz.formats.hdf5.metadata.datatype import Datatype, Padding, TypeClass
from ncz.formats.hdf5.metadata.faults import DamageError
from ncz.formats.hdf5.metadata.global_heap import HeapReader
from ncz.formats.hdf5.metadata.superblock import Sizes
from ncz.formats.hdf5.numbers import convert, number_type
from ncz.formats.hdf5.types import text_of, texts_of
from ncz.model.types import Atomic, Compound, Enumeration, NcType, Opaque, Value, Vlen

Decode = Callable[[bytes, int, int, HeapReader], list[Value]]
"""Returns a number of values from bytes at an offset. The reader reads variable lengths."""

_INTEGERS = {1: "b", 2: "h", 4: "i", 8: "q"}
_FLOATS = {2: "e", 4: "f", 8: "d"}

_LARGEST = 256 << 20
_LONGEST = 1 << 10
"""Bytes of strings that are read together: in all, or for each of them if that is more."""


def decoder(datatype: Datatype, nc_type: NcType, sizes: Sizes) -> Decode:
    """Return the function that decodes elements of a datatype, whose netCDF type is known.

    Parameters
    ----------
    datatype
        The datatype.
    nc_type
        Its type; a string of fixed length is an array of chars.
    sizes
        The bytes of the addresses of the file.
    """
    match nc_type:
        case Atomic.STRING:
            return _strings(sizes) if datatype.is_string else _fixed_strings(datatype)
        case Atomic.CHAR:
            return lambda data, at, count, _: list(data[at : at + count].decode("latin-1"))
        case Opaque(size=size):
            return lambda data, at, count, _: [
                data[start : start + size] for start in range(at, at + count * size, size)
            ]
        case Enumeration():
            return _numbers(datatype.element)
        case Atomic():
            return _numbers(datatype)
        case Vlen(base=base):
            return _sequences(datatype.element, base, sizes)
        case Compound():
            return _compounds(datatype, nc_type, sizes)


def number_code(datatype: Datatype) -> str | None:
    """Return the code of a number in Python's module struct, or None if it lacks one."""
    if datatype.is_integer and datatype.is_whole and datatype.size in _INTEGERS:
        code = _INTEGERS[datatype.size]
        return code if datatype.is_signed else code.upper()
    return _FLOATS[datatype.size] if datatype.kind is TypeClass.FLOAT and datatype.is_ieee else None


def _numbers(datatype: Datatype) -> Decode:
    code, size = number_code(datatype), datatype.size
    if code is not None:
        order = ">" if datatype.is_big else "<"
        return lambda data, at, count, _: list(unpack_from(f"{order}{count}{code}", data, at))

    def decode(data: bytes, at: int, count: int, _: HeapReader) -> list[Value]:
        return list(convert(_part(data, at, count * size), datatype).tolist())

    return decode


def _part(data: bytes, at: int, size: int) -> bytes:
    part = data[at : at + size]
    if len(part) < size:
        raise DamageError("elements are shorter than their number says")
    return part


def _fixed_strings(datatype: Datatype) -> Decode:
    """Return the decoder of strings of fixed length."""
    size = datatype.size
    ends_at_nul = datatype.padding == Padding.NULL_TERMINATED

    def decode(data: bytes, at: int, count: int, _: HeapReader) -> list[Value]:
        parts = [data[start : start + size] for start in range(at, at + count * size, size)]
        if ends_at_nul:
            return list(texts_of(parts))
        return [text_of(part.rstrip(b"\0")) for part in parts]

    return decode


def _references(sizes: Sizes) -> Struct:
    """Return the form of an element of variable size: items, address, number in the heap."""
    return Struct(f"<I{sizes.offset_code}I")


def _strings(sizes: Sizes) -> Decode:
    reference = _references(sizes)

    def decode(data: bytes, at: int, count: int, heap: HeapReader) -> list[Value]:
        part = _part(data, at, count * reference.size)
        found = list(reference.iter_unpack(part))
        total, most = sum(map(itemgetter(0), found)), max(_LARGEST, _LONGEST * count)
        if total > most:
            raise CodecError(f"the strings of a chunk have {total} bytes, and may have {most}")
        texts = texts_of(heap.read_all(found))
        if 0 in map(itemgetter(1), found):
            pairs = zip(texts, found, strict=True)
            return [text if address else None for text, (_, address, _) in pairs]
        return list(texts)

    return decode


def _sequences(element: Datatype, base: NcType, sizes: Sizes) -> Decode:
    reference, size = _references(sizes), element.size
    decode_items = decoder(element, base, sizes)

    def decode(data: bytes, at: int, count: int, heap: HeapReader) -> list[Value]:
        part = _part(data, at, count * reference.size)
        values: list[Value] = []
        for length, address, number in reference.iter_unpack(part):
            if not length or not address:
                values.append(())
                continue
            items = heap.read(length * size, address, number)
            values.append(tuple(decode_items(items, 0, length, heap)))
        return values

    return decode


def _compounds(datatype: Datatype, nc_type: Compound, sizes: Sizes) -> Decode:
    """Return the decoder of compounds, which decodes one field of all elements after the other."""
    parts = []
    for part, (_, offset, member) in zip(nc_type.fields, datatype.parts, strict=True):
        inner = member.element if member.kind is TypeClass.ARRAY else member
        decode_part = decoder(inner, part.type, sizes)
        parts.append((decode_part, offset, member.size, math.prod(part.shape), bool(part.shape)))
    size = datatype.size

    def decode(data: bytes, at: int, count: int, heap: HeapReader) -> list[Value]:
        columns = []
        for decode_part, offset, width, items, is_array in parts:
            starts = range(at + offset, at + offset + count * size, size)
            column = b"".join([data[start : start + width] for start in starts])
            values = decode_part(column, 0, count * items, heap)
            if is_array:
                values = [tuple(values[n : n + items]) for n in range(0, count * items, items)]
            columns.append(values)
        return list(zip(*columns, strict=True))

    return decode


def is_decodable(datatype: Datatype) -> bool:
    """Return whether netCDF has a type for all numbers within a datatype."""
    if datatype.is_integer or datatype.kind is TypeClass.FLOAT:
        return number_type(datatype) is not None
    if datatype.kind in (TypeClass.COMPOUND, TypeClass.COMPLEX):
        return all(is_decodable(part) for _, _, part in datatype.parts)
    return datatype.base is None or datatype.is_string or is_decodable(datatype.base)

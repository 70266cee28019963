"""Elements of HDF5 datatypes as values: in the form of a file, and in that of memory.

Values of variable size are references in both forms: a file has the number of items and a place in
the file's global heap, memory has the number of items and a pointer. h5py converts such elements
with losses and limits: its strings are never NIL, HDF5 shortens its chars to nothing, and it has no
sequences in structures within structures.

Source: HDF5 File Format Specification 3.0, "Disk Format: Level 1E - Global Heap" and "Variable-
Length Data"; the library's types hvl_t and H5T_VARIABLE.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ncz.errors import CodecError, LossError
from ncz.model.types import Atomic, Compound, Enumeration, NcType, Opaque, Value, Vlen
from ncz.model.user_types import fixed_size, pack, unpack
from ncz.record import field, record
from ncz.zmap.byte_range import RangeFile

if TYPE_CHECKING:
    from h5py.h5t import TypeID

    from ncz.model.data import Values


@record
class ReferenceDtypes:
    """The dtypes of references: to the items of a sequence, and to a text."""

    sequence: Any
    text: Any


MEMORY = ReferenceDtypes([("length", "uintp"), ("pointer", "uintp")], "uintp")


def file_form(offset_size: int) -> ReferenceDtypes:
    """Return the form of references in a file whose addresses have so many bytes."""
    reference = [("length", "<u4"), ("address", f"<u{offset_size}"), ("index", "<u4")]
    return ReferenceDtypes(reference, reference)


@record
class Layout:
    """How values of a type are laid out: the dtype of elements, and the layouts of parts.

    The parts are the fields of a compound, or the items of a sequence.
    """

    type: NcType
    dtype: np.dtype[Any]
    parts: tuple[Layout, ...] = ()


def layout_of(datatype: TypeID, nc_type: NcType, form: ReferenceDtypes) -> Layout | None:
    """Return the layout of a datatype, as h5py describes it in memory, whose netCDF type is known.

    None if it has numbers that numpy does not have.
    """
    match nc_type:
        case Atomic.STRING:
            return Layout(nc_type, np.dtype(form.text))
        case Atomic.CHAR:
            return Layout(nc_type, np.dtype("S1"))
        case Opaque(size=size):
            return Layout(nc_type, np.dtype(f"V{size}"))
        case Atomic():
            dtype = _number(datatype)
            return None if dtype is None else Layout(nc_type, dtype)
        case Enumeration():
            dtype = _number(datatype.get_super())
            return None if dtype is None else Layout(nc_type, dtype)
        case Vlen(base=base):
            part = layout_of(datatype.get_super(), base, form)
            return None if part is None else Layout(nc_type, np.dtype(form.sequence), (part,))
        case Compound():
            return _layout_of_compound(datatype, nc_type, form)


def _layout_of_compound(
    datatype: TypeID, nc_type: Compound, form: ReferenceDtypes
) -> Layout | None:
    """Return the layout of a structure; references in files and in memory differ in size."""
    from h5py import h5t

    parts, formats, growths, offsets = [], [], [], []
    for number, part in enumerate(nc_type.fields):
        member = datatype.get_member_type(number)
        inner = member.get_super() if member.get_class() == h5t.ARRAY else member
        layout = layout_of(inner, part.type, form)
        if layout is None:
            return None
        parts.append(layout)
        formats.append((layout.dtype, part.shape) if part.shape else layout.dtype)
        growths.append(np.dtype(formats[-1]).itemsize - member.get_size())
        offsets.append(datatype.get_member_offset(number))
    shifted = [
        start + sum(more for more, other in zip(growths, offsets, strict=True) if other < start)
        for start in offsets
    ]
    dtype: Any = {
        "names": [part.name for part in nc_type.fields],
        "formats": formats,
        "offsets": shifted,
        "itemsize": datatype.get_size() + sum(growths),
    }
    return Layout(nc_type, np.dtype(dtype), tuple(parts))


def _number(datatype: TypeID) -> np.dtype[Any] | None:
    """Return the dtype of numbers; None if numpy has none with the same bits."""
    from h5py import h5t

    try:
        dtype = datatype.dtype
        is_same = bool(datatype.equal(h5t.py_create(dtype)))
    except (TypeError, ValueError):
        return None
    return dtype if is_same and dtype.kind in "iuf" else None


def in_memory(datatype: TypeID) -> TypeID:
    """Return a datatype with numbers that numpy has, to which HDF5 converts the others."""
    from h5py import h5t

    kind = datatype.get_class()
    if kind in (h5t.INTEGER, h5t.FLOAT):
        return datatype if _number(datatype) is not None else h5t.py_create(datatype.dtype)
    if kind == h5t.ARRAY:
        return h5t.array_create(in_memory(datatype.get_super()), datatype.get_array_dims())
    if kind == h5t.VLEN:
        return h5t.vlen_create(in_memory(datatype.get_super()))
    if kind != h5t.COMPOUND:
        return datatype
    count = range(datatype.get_nmembers())
    members = [in_memory(datatype.get_member_type(number)) for number in count]
    datatype_in_memory = h5t.create(h5t.COMPOUND, sum(member.get_size() for member in members))
    offset = 0
    for number, member in zip(count, members, strict=True):
        datatype_in_memory.insert(datatype.get_member_name(number), offset, member)
        offset += member.get_size()
    return datatype_in_memory


# --- elements to values ---------------------------------------------------------------------------


def decode(
    stored: Values, layout: Layout, references: MemoryReferences | HeapReferences
) -> list[Value]:
    """Return the elements of an array of one dimension as values.

    `references` finds the bytes of values of variable size.
    """
    match layout.type:
        case Atomic.STRING:
            return [
                None if text is None else text.decode("utf-8", "surrogateescape")
                for text in references.texts(stored)
            ]
        case Vlen():
            (part,) = layout.parts
            return [
                tuple(decode(np.frombuffer(data, part.dtype), part, references))
                for data in references.sequences(stored, part.dtype.itemsize)
            ]
        case Compound(fields=fields) if not fixed_size(layout.type):
            columns = []
            for part_field, part in zip(fields, layout.parts, strict=True):
                values = decode(stored[part_field.name].reshape(-1), part, references)
                size = math.prod(part_field.shape)
                starts = range(0, len(values), size)
                columns.append([tuple(values[i : i + size]) for i in starts]
                               if part_field.shape else values)  # fmt: skip
            return list(zip(*columns, strict=True))
        case _:
            return unpack(stored, layout.type)


class MemoryReferences:
    """The values of variable size that HDF5 has left in the memory of this process."""

    def sequences(self, stored: Values, item_size: int) -> list[bytes]:
        """Return the bytes of the items to which the elements of an array refer."""
        pairs = zip(stored["length"].tolist(), stored["pointer"].tolist(), strict=True)
        return [
            ctypes.string_at(pointer, length * item_size) if length and pointer else b""
            for length, pointer in pairs
        ]

    def texts(self, stored: Values) -> list[bytes | None]:
        """Return the texts to which the elements of an array refer; None for NIL."""
        return [ctypes.string_at(at) if at else None for at in stored.tolist()]


_FIRST_READ = 4096
"""Bytes of a collection of the heap that are read at first; HDF5 makes none that are smaller."""

_MOST_KEPT = 16 << 20
"""Bytes of collections that are kept for the next values."""


@record
class GlobalHeap:
    """The heap of a file: collections of objects, which are the values of variable size.

    `base` is the address of the file's first byte, which is after a user block.
    """

    file: RangeFile
    base: int
    offset_size: int
    length_size: int
    where: str
    _collections: dict[int, dict[int, memoryview]] = field(
        default_factory=dict, compare=False, repr=False
    )
    _kept: list[int] = field(default_factory=lambda: [0], compare=False, repr=False)

    def reader(self) -> HeapReferences:
        """Return what reads the values of one chunk, which can have no more bytes than the file."""
        return HeapReferences(self)

    def find(self, address: int, index: int) -> memoryview:
        """Return the bytes of an object."""
        objects = self._collections.get(address)
        if objects is None:
            data = self._read(address)
            if self._kept[0] + len(data) > _MOST_KEPT:
                self._collections.clear()
                self._kept[0] = 0
            self._kept[0] += len(data)
            objects = self._collections[address] = dict(self._objects(data))
        if index not in objects:
            raise self.damaged("a value is not in the heap")
        return objects[index]

    def _read(self, address: int) -> memoryview:
        """Return the bytes of a collection, without its header."""
        start = self.base + address
        header = 8 + self.length_size
        if start + header > self.file.size:
            raise self.damaged("the heap of values is beyond the end of the file")
        data = self.file.read(start, min(_FIRST_READ, self.file.size - start))
        size = int.from_bytes(data[8:header], "little")
        if data[:4] != b"GCOL" or not header <= size <= self.file.size - start:
            raise self.damaged("the heap of values is not at its place")
        if size > len(data):
            data += self.file.read(start + len(data), size - len(data))
        return memoryview(data)[header:size]

    def _objects(self, data: memoryview) -> list[tuple[int, memoryview]]:
        """Return the objects of a collection by their number; 0 is its free space."""
        found, at, header = [], 0, 8 + self.length_size
        while at + header <= len(data):
            number = int.from_bytes(data[at : at + 2], "little")
            size = int.from_bytes(data[at + 8 : at + header], "little")
            if number == 0:
                break
            at += header
            if at + size > len(data):
                raise self.damaged("a value in the heap is too long")
            found.append((number, data[at : at + size]))
            at += -(-size // 8) * 8
        return found

    def damaged(self, reason: str) -> CodecError:
        """Return the error of a damaged file."""
        return CodecError(reason, self.where, "the file is damaged; restore it from a copy")


class HeapReferences:
    """The values of one chunk in the heap of a file."""

    def __init__(self, heap: GlobalHeap) -> None:
        self._heap = heap
        self._left = heap.file.size

    def sequences(self, stored: Values, item_size: int) -> list[bytes]:
        """Return the bytes of the items to which the elements of an array refer."""
        return [data or b"" for data in self._heap_objects(stored, item_size)]

    def texts(self, stored: Values) -> list[bytes | None]:
        """Return the texts to which elements refer. HDF5 writes no byte behind a text."""
        found = self._heap_objects(stored, 1)
        return [None if data is None else data.partition(b"\0")[0] for data in found]

    def _heap_objects(self, stored: Values, item_size: int) -> list[bytes | None]:
        columns = (stored[name].tolist() for name in ("length", "address", "index"))
        return [
            self._object(length * item_size, address, index) if address else None
            for length, address, index in zip(*columns, strict=True)
        ]

    def _object(self, size: int, address: int, index: int) -> bytes:
        if not size:
            return b""
        self._left -= size
        if self._left < 0:
            raise self._heap.damaged("the values have more bytes than the file")
        data = self._heap.find(address, index)
        if len(data) < size:
            raise self._heap.damaged("a value in the heap is too short")
        return bytes(data[:size])


# --- values to elements ---------------------------------------------------------------------------


@contextlib.contextmanager
def in_elements(values: Sequence[Value], layout: Layout, where: str) -> Iterator[Values]:
    """Yield values as elements in memory, in one dimension; references are valid in the context.

    `where` names the values in messages. Raises `LossError` for a string with a NUL.
    """
    buffers: list[Any] = []
    yield _encode(values, layout, where, buffers)
    buffers.clear()  # what is pointed to must live until HDF5 has copied it


def _encode(values: Sequence[Value], layout: Layout, where: str, buffers: list[Any]) -> Values:
    """Return values as elements. What they point to is added to `kept`."""
    match layout.type:
        case Atomic.STRING:
            return _pointers(values, where, buffers)
        case Vlen():
            (part,) = layout.parts
            items = [_encode(value, part, where, buffers) for value in values]
            buffers.append(items)
            pairs = [(len(array), array.ctypes.data if len(array) else 0) for array in items]
            return np.array(pairs, layout.dtype)
        case Compound(fields=fields) if not fixed_size(layout.type):
            records = np.zeros(len(values), layout.dtype)
            for number, (part_field, part) in enumerate(zip(fields, layout.parts, strict=True)):
                column = [value[number] for value in values]
                flat = list(itertools.chain.from_iterable(column)) if part_field.shape else column
                packed = _encode(flat, part, where, buffers)
                records[part_field.name] = packed.reshape(len(values), *part_field.shape)
            return records
        case _:
            return np.ascontiguousarray(pack(values, layout.type, layout.dtype))


def _pointers(texts: Sequence[str | None], where: str, buffers: list[Any]) -> Values:
    """Return the addresses of texts, each of which ends with a NUL; 0 for NIL."""
    encoded = [b"" if t is None else t.encode("utf-8", "surrogateescape") for t in texts]
    buffer = b"\0".join((*encoded, b""))
    if buffer.count(b"\0") != len(encoded):
        raise LossError(
            f"{where} has a string with a NUL byte, at which a stored string ends",
            hint="replace the NUL, or make it char",
        )
    buffers.append(np.frombuffer(buffer, "u1"))
    sizes = np.fromiter(map(len, encoded), np.uintp, len(encoded)) + 1
    addresses = buffers[-1].ctypes.data + np.cumsum(sizes, dtype=np.uintp) - sizes
    is_nil = np.fromiter((text is None for text in texts), bool, len(encoded))
    return np.where(is_nil, np.uintp(0), addresses).astype(np.uintp)

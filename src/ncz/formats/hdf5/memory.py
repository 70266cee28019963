"""Values of user-defined types in the memory layout of HDF5.

Values of variable size are references: the number of items and a pointer. h5py converts such values
with losses and limits: its strings are never NIL, and it has no sequences in structures within
structures.

Source: the HDF5 library's types hvl_t and H5T_VARIABLE.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ncz.errors import LossError
from ncz.model.type_sizes import fixed_size
from ncz.model.types import Atomic, Compound, Enumeration, NcType, Opaque, Value, Vlen
from ncz.model.user_types import pack
from ncz.record import record

if TYPE_CHECKING:
    from h5py.h5t import TypeID

    from ncz.model.data import Values

_SEQUENCE = [("length", "uintp"), ("pointer", "uintp")]
_TEXT = "uintp"


@record
class MemoryLayout:
    """The layout of values of a type: the dtype of elements, and the layouts of parts.

    The parts are the fields of a compound, or the items of a sequence.
    """

    type: NcType
    dtype: np.dtype[Any]
    parts: tuple[MemoryLayout, ...] = ()


def layout_of(datatype: TypeID, nc_type: NcType) -> MemoryLayout:
    """Return the layout of a datatype that was made for a netCDF type."""
    match nc_type:
        case Atomic.STRING:
            return MemoryLayout(nc_type, np.dtype(_TEXT))
        case Atomic.CHAR:
            return MemoryLayout(nc_type, np.dtype("S1"))
        case Opaque(size=size):
            return MemoryLayout(nc_type, np.dtype(f"V{size}"))
        case Atomic():
            return MemoryLayout(nc_type, datatype.dtype)
        case Enumeration():
            return MemoryLayout(nc_type, datatype.get_super().dtype)
        case Vlen(base=base):
            part = layout_of(datatype.get_super(), base)
            return MemoryLayout(nc_type, np.dtype(_SEQUENCE), (part,))
        case Compound():
            return _layout_of_compound(datatype, nc_type)


def _layout_of_compound(datatype: TypeID, nc_type: Compound) -> MemoryLayout:
    from h5py import h5t

    parts, formats = [], []
    for number, part in enumerate(nc_type.fields):
        member = datatype.get_member_type(number)
        inner = member.get_super() if member.get_class() == h5t.ARRAY else member
        layout = layout_of(inner, part.type)
        parts.append(layout)
        formats.append((layout.dtype, part.shape) if part.shape else layout.dtype)
    dtype: Any = {
        "names": [part.name for part in nc_type.fields],
        "formats": formats,
        "offsets": [datatype.get_member_offset(n) for n in range(len(nc_type.fields))],
        "itemsize": datatype.get_size(),
    }
    return MemoryLayout(nc_type, np.dtype(dtype), tuple(parts))


@contextlib.contextmanager
def in_elements(values: Sequence[Value], layout: MemoryLayout, where: str) -> Iterator[Values]:
    """Yield values as elements in memory, in one dimension; references are valid in the context.

    `where` names the values in messages. Raises `LossError` for a string with a NUL.
    """
    buffers: list[Any] = []
    yield _encode(values, layout, where, buffers)
    buffers.clear()  # the memory of pointers must live until HDF5 has copied it


def _encode(
    values: Sequence[Value], layout: MemoryLayout, where: str, buffers: list[Any]
) -> Values:
    """Return values as elements. The memory that they point to is added to `kept`."""
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
    """Return the addresses of strings that end with a NUL; 0 for NIL."""
    encoded = [b"" if t is None else t.encode("utf-8", "surrogateescape") for t in texts]
    buffer = b"\0".join((*encoded, b""))
    if buffer.count(b"\0") != len(encoded):
        raise LossError(
            f"{where} has a string with a NUL byte, which ends a stored string",
            hint="replace the NUL, or make it char",
        )
    buffers.append(np.frombuffer(buffer, "u1"))
    sizes = np.fromiter(map(len, encoded), np.uintp, len(encoded)) + 1
    addresses = buffers[-1].ctypes.data + np.cumsum(sizes, dtype=np.uintp) - sizes
    is_nil = np.fromiter((text is None for text in texts), bool, len(encoded))
    return np.where(is_nil, np.uintp(0), addresses).astype(np.uintp)

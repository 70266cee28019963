"""Write a netCDF file of a classic format: CDF-1, CDF-2 or CDF-5.

The size of the file is known before, and its place on the disk is reserved. Values are written
through a mapping of the file, so that any box of a variable can be written at any time.
"""

from __future__ import annotations

import contextlib
import errno
import math
import mmap
import os
import struct
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ncz.errors import LossError, option
from ncz.model.chunks import ChunkLayout, default_chunks, in_order
from ncz.model.data import Values, fill_array
from ncz.model.netcdf_kind import NetcdfKind
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Variable,
    dimensions_by_fqn,
    missing_fill,
    variables_by_fqn,
)
from ncz.model.types import Atomic, Value
from ncz.record import record

if TYPE_CHECKING:
    from ncz.model.grid import Box

# Where the values of each variable are in a file of a classic format, and what does not fit.

VERSIONS: dict[NetcdfKind, int] = {"classic": 1, "64-bit offset": 2, "cdf5": 5}
"""The number of the format after "CDF" at the start of a file."""

_LARGEST_OFFSET = {1: 2**31 - 1, 2: 2**63 - 1, 5: 2**63 - 1}
_LARGEST_SIZE = {1: 2**31 - 4, 2: 2**32 - 4, 5: 2**63 - 4}
"""Bytes of a variable, or of a record of it, unless it is the last of its kind."""
_LONGEST_DIMENSION = {1: 2**31 - 4, 2: 2**32 - 4, 5: 2**63 - 4}


@record(kw_only=True)
class ClassicArray:
    """How one variable is stored; a `ncz.model.encoded.TargetArray`.

    Values are big-endian, and not in chunks: `layout` has the default chunks as a unit of work.
    """

    fqn: str
    variable: Variable
    layout: ChunkLayout
    type: Atomic
    fill: Value
    is_record: bool
    encoded: None = None

    @property
    def stored_dtype(self) -> str:
        """The dtype of values in the file."""
        size = self.type.size
        return self.type.dtype if size < 2 else f">{self.type.kind}{size}"

    @property
    def item_size(self) -> int:
        """Bytes of a value."""
        return self.type.size

    @property
    def size(self) -> int:
        """Bytes of the values, or of those of one record."""
        return math.prod(self.layout.shape[self.is_record :]) * self.type.size

    @property
    def padded_size(self) -> int:
        """The size, padded to a multiple of 4 bytes."""
        return -(-self.size // 4) * 4


def plan_arrays(dataset: Dataset) -> tuple[ClassicArray, ...]:
    """Return how each variable of a dataset is stored."""
    return tuple(
        _plan_array(fqn, variable, dataset) for fqn, variable in variables_by_fqn(dataset.root)
    )


def _plan_array(fqn: str, variable: Variable, dataset: Dataset) -> ClassicArray:
    assert isinstance(variable.type, Atomic)
    known = dimensions_by_fqn(dataset.root)
    dimensions = [known[d] for d in variable.dimensions]
    shape = tuple(d.size for d in dimensions)
    fill = missing_fill(variable)
    return ClassicArray(
        fqn=fqn,
        variable=variable,
        layout=ChunkLayout(
            shape=shape,
            chunks=default_chunks(dimensions, variable.type.size),
            order=in_order(len(shape)),
        ),
        type=variable.type,
        fill=fill,
        is_record=bool(dimensions) and dimensions[0].unlimited,
    )


@record(kw_only=True)
class FileLayout:
    """The offsets of the variables, by their FQNs, and the sizes of a record and of the file."""

    begins: dict[str, int]
    record_size: int
    records: int
    size: int


def lay_out(
    dataset: Dataset, arrays: Sequence[ClassicArray], header_size: int, version: int
) -> FileLayout:
    """Return the place of every variable.

    Parameters
    ----------
    dataset
        What to write.
    arrays
        Its variables.
    header_size
        Bytes of the header, which does not depend on the places.
    version
        The number of the format: 1, 2 or 5.

    Raises
    ------
    LossError
        If a dimension, a variable or an offset is too large for the format.
    """
    found = list(_faults(dataset, arrays, version))
    fixed = [array for array in arrays if not array.is_record]
    moving = [array for array in arrays if array.is_record]
    begins: dict[str, int] = {}
    largest = _LARGEST_OFFSET[version]
    at = -(-header_size // 4) * 4
    for array in (*fixed, *moving):
        begins[array.fqn] = at
        if at > largest:
            found.append(f"variable {array.fqn}, which begins after {largest} bytes")
        at += array.padded_size
    if found:
        hint = f"use {option('kind', 'cdf5')} or {option('kind', 'netCDF-4')}"
        raise LossError(
            f"the file is too large for its kind: {'; '.join(found)}",
            hint=f"{hint} (nothing was written)",
        )
    # A single variable is not padded between records.
    record_size = moving[0].size if len(moving) == 1 else sum(a.padded_size for a in moving)
    records = next((d.size for d in dataset.root.dimensions if d.unlimited), 0)
    start = begins[moving[0].fqn] if moving else at
    return FileLayout(
        begins=begins,
        record_size=record_size,
        records=records,
        size=start + record_size * records,
    )


def _faults(dataset: Dataset, arrays: Sequence[ClassicArray], version: int) -> Iterator[str]:
    longest, largest = _LONGEST_DIMENSION[version], _LARGEST_SIZE[version]
    for dimension in dataset.root.dimensions:
        if dimension.size > longest:
            yield f"dimension {dimension.name} of length {dimension.size}"
    fixed = [array for array in arrays if not array.is_record]
    moving = [array for array in arrays if array.is_record]
    # The last variable may be of any size, because no offset follows it.
    last = (moving or fixed)[-1:]
    for array in arrays:
        if array.size > largest and array not in last:
            what = "a record of variable" if array.is_record else "variable"
            yield f"{what} {array.fqn} of {array.size} bytes, which is not the last variable"


# The header of a file of a classic format, as bytes.

_DIMENSIONS, _VARIABLES, _ATTRIBUTES = 10, 11, 12

TYPE_CODES = {
    Atomic.BYTE: 1,
    Atomic.CHAR: 2,
    Atomic.SHORT: 3,
    Atomic.INT: 4,
    Atomic.FLOAT: 5,
    Atomic.DOUBLE: 6,
    Atomic.UBYTE: 7,
    Atomic.USHORT: 8,
    Atomic.UINT: 9,
    Atomic.INT64: 10,
    Atomic.UINT64: 11,
}
"""The numbers of the types (``nc_type``)."""

_FORMATS = {
    Atomic.BYTE: "b", Atomic.SHORT: "h", Atomic.INT: "i", Atomic.FLOAT: "f", Atomic.DOUBLE: "d",
    Atomic.UBYTE: "B", Atomic.USHORT: "H", Atomic.UINT: "I", Atomic.INT64: "q",
    Atomic.UINT64: "Q",
}  # fmt: skip


class Header:
    """The parts of a header, for one version of the format: 1, 2 or 5."""

    def __init__(self, version: int) -> None:
        self.version = version
        self._number = ">q" if version == 5 else ">I"
        self._offset = ">I" if version == 1 else ">q"

    def encode(
        self,
        dataset: Dataset,
        arrays: Sequence[ClassicArray],
        begins: Mapping[str, int],
        records: int,
    ) -> bytes:
        """Return the header.

        Parameters
        ----------
        dataset
            What to write.
        arrays
            Its variables.
        begins
            The offset of the values of each variable, by its FQN.
        records
            Number of records.
        """
        root = dataset.root
        numbers = {f"/{d.name}": number for number, d in enumerate(root.dimensions)}
        return b"".join(
            [
                b"CDF" + bytes([self.version]),
                self.number(records),
                self._list(_DIMENSIONS, [self._dimension(d) for d in root.dimensions]),
                self._attributes(root.attributes),
                self._list(_VARIABLES, [self._variable(a, numbers, begins) for a in arrays]),
            ]
        )

    def number(self, value: int) -> bytes:
        """Return a number that is not negative."""
        return struct.pack(self._number, value)

    def _list(self, tag: int, parts: Sequence[bytes]) -> bytes:
        tag_of = tag if parts else 0
        return b"".join([struct.pack(">i", tag_of), self.number(len(parts)), *parts])

    def _name(self, name: str) -> bytes:
        data = name.encode("utf-8", "surrogateescape")
        return self.number(len(data)) + _padded(data)

    def _dimension(self, dimension: Dimension) -> bytes:
        return self._name(dimension.name) + self.number(
            0 if dimension.unlimited else dimension.size
        )

    def _attributes(self, attributes: Sequence[Attribute]) -> bytes:
        return self._list(_ATTRIBUTES, [self._attribute(attribute) for attribute in attributes])

    def _attribute(self, attribute: Attribute) -> bytes:
        assert isinstance(attribute.type, Atomic)
        if attribute.type is Atomic.CHAR:
            data = "".join(attribute.values).encode("utf-8", "surrogateescape")
            count = len(data)
        else:
            count = len(attribute.values)
            data = struct.pack(f">{count}{_FORMATS[attribute.type]}", *attribute.values)
        code = struct.pack(">i", TYPE_CODES[attribute.type])
        return self._name(attribute.name) + code + self.number(count) + _padded(data)

    def _variable(
        self, array: ClassicArray, numbers: Mapping[str, int], begins: Mapping[str, int]
    ) -> bytes:
        variable = array.variable
        # A size that is too large is not used by readers, who compute it.
        largest = 2**63 - 1 if self.version == 5 else 2**32 - 1
        return b"".join(
            [
                self._name(variable.name),
                self.number(len(variable.dimensions)),
                *(self.number(numbers[fqn]) for fqn in variable.dimensions),
                self._attributes(variable.attributes),
                struct.pack(">i", TYPE_CODES[array.type]),
                self.number(min(array.padded_size, largest)),
                struct.pack(self._offset, begins[array.fqn]),
            ]
        )


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)


_PIECE = 1 << 20


def plan_file(
    dataset: Dataset, arrays: Sequence[ClassicArray], version: int
) -> tuple[bytes, FileLayout]:
    """Return the header of the file, and the places of its variables.

    Raises `LossError` if the dataset is too large for the format.
    """
    header = Header(version)
    nowhere = dict.fromkeys((array.fqn for array in arrays), 0)
    size = len(header.encode(dataset, arrays, nowhere, 0))
    layout = lay_out(dataset, arrays, size, version)
    return header.encode(dataset, arrays, layout.begins, layout.records), layout


class ClassicValues:
    """The values of one variable in a file."""

    def __init__(self, values: Values, array: ClassicArray, url: str) -> None:
        self._values = values
        self._array = array
        self.url = url

    def put_values(self, box: Box, values: Values) -> None:
        """Write the values of a box, of shape ``box.shape``."""
        self._values[box.slices] = values

    def release(self) -> None:
        """Stop referring to the file."""
        del self._values

    def put_fill(self, box: Box) -> None:
        """Write the fill value to a box; nothing if it is undefined."""
        if self._array.fill is not None:
            self._values[box.slices] = fill_array((), self._array.type, self._array.fill)


@contextlib.contextmanager
def create_classic(
    path: str, header: bytes, layout: FileLayout, arrays: Sequence[ClassicArray], url: str
) -> Iterator[Mapping[str, ClassicValues]]:
    """Create a file with everything but values.

    Parameters
    ----------
    path
        A path at which nothing exists.
    header, layout
        What `plan_file` returned.
    arrays
        The variables.
    url
        The name of the file in messages.

    Yields
    ------
    Mapping[str, ClassicValues]
        What takes the values of each variable, by its FQN, until the context ends.
    """
    with open(path, "x+b") as file:
        size = max(layout.size, len(header))
        _reserve(file.fileno(), size)
        mapped = mmap.mmap(file.fileno(), size)
        mapped[: len(header)] = header
        stores = {a.fqn: ClassicValues(_view(mapped, a, layout), a, url) for a in arrays}
        try:
            yield stores
            mapped.flush()
        finally:
            for store in stores.values():
                store.release()
            with contextlib.suppress(BufferError):  # views still refer to it; freed with the last
                mapped.close()  # Windows does not rename a file that is mapped


def _view(mapped: mmap.mmap, array: ClassicArray, layout: FileLayout) -> Values:
    """Return the values of a variable as an array in the mapped file."""
    import numpy as np

    shape = array.layout.shape
    dtype = np.dtype(array.stored_dtype)
    if 0 in shape:
        return np.empty(shape, dtype)
    if array.is_record:
        inner = np.empty(shape[1:], dtype).strides
        strides = (layout.record_size, *inner)
        return np.ndarray(shape, dtype, mapped, layout.begins[array.fqn], strides)
    return np.ndarray(shape, dtype, mapped, layout.begins[array.fqn])


def _reserve(file: int, size: int) -> None:
    """Make room for the file, because a mapping of a full disk would end the process."""
    if size > sys.maxsize:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, size)
        return
    for start in range(0, size, _PIECE):
        os.write(file, bytes(min(_PIECE, size - start)))

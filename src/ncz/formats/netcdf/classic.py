"""Read a netCDF file of a classic format: CDF-1, CDF-2 or CDF-5.

Only the header is read; values are read on demand. Elements are big-endian and without codecs, so
that chunks move raw to Zarr arrays of the same byte order.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from typing import TypeVar

from ncz.errors import FormatError
from ncz.formats.netcdf.linear import (
    FindBytes,
    LinearArray,
    ReadBytes,
    linear_layout,
    stored_dtype_of,
)
from ncz.formats.netcdf.names import CLASSIC
from ncz.model.netcdf_kind import NetcdfKind
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Group,
    Provenance,
    Storage,
    Variable,
    mask_of,
)
from ncz.model.types import Atomic, Value
from ncz.record import record
from ncz.zmap.byte_range import ByteRange, RangeFile

# The header of netCDF's classic formats, parsed with bounds.
#
# A header is read in pieces, as far as it goes. Every count in it is compared with the size of the
# file before anything is allocated, so that a damaged file costs no more than its own size.
#
# Source: "The NetCDF Classic Format Specification" and "The CDF-5 File Format Specification".

_T = TypeVar("_T")

TYPES = {
    1: Atomic.BYTE, 2: Atomic.CHAR, 3: Atomic.SHORT, 4: Atomic.INT, 5: Atomic.FLOAT,
    6: Atomic.DOUBLE, 7: Atomic.UBYTE, 8: Atomic.USHORT, 9: Atomic.UINT, 10: Atomic.INT64,
    11: Atomic.UINT64,
}  # fmt: skip
_LAST_CLASSIC_TYPE = 6
_DIMENSION, _VARIABLE, _ATTRIBUTE = 0x0A, 0x0B, 0x0C
_KINDS: dict[bytes, NetcdfKind] = dict(
    zip(CLASSIC, ("classic", "64-bit offset", "cdf5"), strict=True)
)

_FIRST_PIECE = 1 << 16
"""Bytes of the header that are read first; each further piece is twice as long."""


@record
class HeaderDimension:
    """A dimension; `size` is None for the unlimited one."""

    name: str
    size: int | None


@record
class HeaderVariable:
    """A variable. `dimensions` are numbers of dimensions, `begin` is the offset of its data."""

    name: str
    dimensions: tuple[int, ...]
    attributes: tuple[Attribute, ...]
    type: Atomic
    begin: int


@record
class Header:
    """What a header says. `records` is None if the number of records was not written."""

    kind: NetcdfKind
    records: int | None
    dimensions: tuple[HeaderDimension, ...]
    attributes: tuple[Attribute, ...]
    variables: tuple[HeaderVariable, ...]


def read_header(file: RangeFile) -> Header:
    """Read the header of a classic file. Raises `FormatError` if it is damaged."""
    return _Parser(file).header()


class _Parser:
    """The parsing of one header."""

    def __init__(self, file: RangeFile) -> None:
        self._file = file
        self._data = b""
        self._at = 0
        self._magic = self._take(4)
        self._wide = self._magic == CLASSIC[2]

    def header(self) -> Header:
        """Parse all of it."""
        all_ones = 2 ** (64 if self._wide else 32) - 1
        records = self._count()
        dimensions = self._list(_DIMENSION, self._dimension, "dimensions")
        attributes = self._attributes()
        unlimited = sum(dimension.size is None for dimension in dimensions)
        if unlimited > 1:
            raise self._damaged(f"it has {unlimited} unlimited dimensions")
        variables = self._list(_VARIABLE, lambda: self._variable(len(dimensions)), "variables")
        return Header(
            _KINDS[self._magic],
            None if records == all_ones else records,
            dimensions,
            attributes,
            variables,
        )

    def _dimension(self) -> HeaderDimension:
        name, size = self._name(), self._count()
        return HeaderDimension(name, size or None)

    def _variable(self, dimensions: int) -> HeaderVariable:
        name = self._name()
        rank = self._bounded(8 if self._wide else 4, "dimensions of a variable")
        numbers = tuple(self._count() for _ in range(rank))
        if any(number >= dimensions for number in numbers):
            raise self._damaged(f"variable {name} has a dimension that does not exist")
        attributes = self._attributes()
        nc_type = self._type()
        self._count()  # vsize, which is redundant, and wrong for large variables
        begin = self._integer(4 if self._magic == CLASSIC[0] else 8)
        return HeaderVariable(name, numbers, attributes, nc_type, begin)

    def _attributes(self) -> tuple[Attribute, ...]:
        return self._list(_ATTRIBUTE, self._attribute, "attributes")

    def _attribute(self) -> Attribute:
        name, nc_type = self._name(), self._type()
        count = self._bounded(nc_type.size, "values of an attribute")
        data = self._take(count * nc_type.size, padded=True)
        values: tuple[Value, ...]
        if nc_type is Atomic.CHAR:
            values = (data.decode("utf-8", "surrogateescape"),) if data else ()
        else:
            values = struct.unpack(f">{count}{_LETTERS[nc_type]}", data)
        return Attribute(name=name, type=nc_type, values=values)

    def _list(self, tag: int, parse: Callable[[], _T], what: str) -> tuple[_T, ...]:
        """Parse a list: a tag, the number of members, and the members."""
        found, count = self._integer(4), self._bounded(_SHORTEST, what)
        if found != tag and (found or count):
            raise self._damaged(f"the list of its {what} starts with {found}")
        return tuple(parse() for _ in range(count))

    def _type(self) -> Atomic:
        number = self._integer(4)
        if number not in TYPES or (number > _LAST_CLASSIC_TYPE and not self._wide):
            raise self._damaged(f"{number} is not a type")
        return TYPES[number]

    def _name(self) -> str:
        return self._take(self._bounded(1, "bytes of a name"), padded=True).decode(
            "utf-8", "surrogateescape"
        )

    def _bounded(self, size: int, what: str) -> int:
        """Read a count of things of at least `size` bytes each, which must be in the file."""
        count = self._count()
        if count * size > self._file.size - self._at:
            raise self._damaged(f"it declares {count} {what}")
        return count

    def _count(self) -> int:
        return self._integer(8 if self._wide else 4)

    def _integer(self, size: int) -> int:
        return int.from_bytes(self._take(size), "big")

    def _take(self, count: int, *, padded: bool = False) -> bytes:
        """Read bytes, and skip the padding to four bytes after them."""
        end = self._at + count
        if end > len(self._data):
            self._load(end)
        value = self._data[self._at : end]
        self._at = end + (-count % 4 if padded else 0)
        return value

    def _load(self, end: int) -> None:
        """Read the header at least up to the offset `end`."""
        if end > self._file.size:
            raise self._damaged("it ends within its header")
        wanted = max(end, 2 * len(self._data), _FIRST_PIECE)
        start = len(self._data)
        self._data += self._file.read(start, min(wanted, self._file.size) - start)

    def _damaged(self, reason: str) -> FormatError:
        return FormatError(
            f"the netCDF file is damaged: {reason}",
            f"{self._file.url}: byte {self._at}",
            "restore it from a copy",
        )


_SHORTEST = 8
"""Least number of bytes of a dimension, an attribute or a variable."""

_LETTERS = {
    Atomic.BYTE: "b", Atomic.UBYTE: "B", Atomic.SHORT: "h", Atomic.USHORT: "H", Atomic.INT: "i",
    Atomic.UINT: "I", Atomic.INT64: "q", Atomic.UINT64: "Q", Atomic.FLOAT: "f",
    Atomic.DOUBLE: "d",
}  # fmt: skip


def read_classic(file: RangeFile, name: str) -> Dataset:
    """Read the dataset in a classic file.

    Parameters
    ----------
    file
        The file, which must stay open as long as values are read.
    name
        The name of the dataset.

    Returns
    -------
    Dataset
        The dataset.

    Raises
    ------
    FormatError
        If the header is damaged.
    """
    header = read_header(file)
    reading = _Reading(file, header, _Records.of(header, file))
    return Dataset(
        name=name,
        root=Group(
            dimensions=reading.dimensions(),
            variables=tuple(reading.variable(variable) for variable in header.variables),
            attributes=header.attributes,
        ),
        provenance=Provenance(netcdf_kind=header.kind),
    )


@record
class _Records:
    """The records of a file: their number, and the bytes from one to the next."""

    count: int
    size: int

    @staticmethod
    def of(header: Header, file: RangeFile) -> _Records:
        """Find the records of a file; their number follows from its size if it is not noted."""
        along = [v for v in header.variables if _is_record(header, v)]
        sizes = [_slab_size(header, v) for v in along]
        # The slabs of a record are padded to four bytes, except the only one.
        size = sizes[0] if len(sizes) == 1 else sum(n + -n % 4 for n in sizes)
        if header.records is not None:
            return _Records(header.records, size)
        begin = min((v.begin for v in along), default=0)
        return _Records(max(0, file.size - begin) // size if size else 0, size)


def _is_record(header: Header, variable: HeaderVariable) -> bool:
    numbers = variable.dimensions
    if any(header.dimensions[number].size is None for number in numbers[1:]):
        raise FormatError(
            f"the netCDF file is damaged: the unlimited dimension of variable {variable.name} is"
            " not its first"
        )
    return bool(numbers) and header.dimensions[numbers[0]].size is None


def _slab_size(header: Header, variable: HeaderVariable) -> int:
    """Return the bytes of a variable, or of one record of it, without padding."""
    sizes = (header.dimensions[number].size for number in variable.dimensions)
    return variable.type.size * math.prod(size for size in sizes if size is not None)


@record
class _Reading:
    """Turns the header of one file into dimensions and variables."""

    file: RangeFile
    header: Header
    records: _Records

    def dimensions(self) -> tuple[Dimension, ...]:
        """Return the dimensions."""
        return tuple(
            Dimension(name=d.name, size=self.length(d.size), unlimited=d.size is None)
            for d in self.header.dimensions
        )

    def length(self, size: int | None) -> int:
        """Return the current length of a dimension."""
        return self.records.count if size is None else size

    def variable(self, variable: HeaderVariable) -> Variable:
        """Return a variable, with its data."""
        used = [self.header.dimensions[number] for number in variable.dimensions]
        nc_type = variable.type
        shape = tuple(self.length(dimension.size) for dimension in used)
        mask = mask_of(variable.attributes, nc_type)
        fill = nc_type.default_fill if mask is None else mask
        return Variable(
            name=variable.name,
            type=nc_type,
            dimensions=tuple(f"/{dimension.name}" for dimension in used),
            attributes=variable.attributes,
            storage=Storage(endianness="big" if nc_type.size > 1 else None, fill=fill),
            data=LinearArray(
                layout=linear_layout(shape, nc_type.size),
                type=nc_type,
                stored_dtype=stored_dtype_of(nc_type, big=True),
                item_size=nc_type.size,
                fill=fill,
                read=self.reader(variable, shape),
                find=self.finder(variable),
                by_record=self.is_interleaved(variable),
                where=f"{self.file.url}: /{variable.name}",
            ),
        )

    def is_interleaved(self, variable: HeaderVariable) -> bool:
        """Return whether elements of other variables are between those of a variable."""
        is_record = _is_record(self.header, variable)
        return is_record and _slab_size(self.header, variable) != self.records.size

    def finder(self, variable: HeaderVariable) -> FindBytes:
        """Return a function that finds bytes of a variable."""
        address, begin = self.file.address, variable.begin
        slab, step = _slab_size(self.header, variable), self.records.size
        if not self.is_interleaved(variable):
            return lambda start, count: ByteRange(address, begin + start, count)

        def find(start: int, count: int) -> ByteRange | None:
            record, at = divmod(start, max(1, slab))
            is_together = at + count <= slab
            return ByteRange(address, begin + record * step + at, count) if is_together else None

        return find

    def reader(self, variable: HeaderVariable, shape: Sequence[int]) -> ReadBytes:
        """Return a function that reads bytes of a variable."""
        file, begin = self.file, variable.begin
        slab = _slab_size(self.header, variable)
        if self.is_interleaved(variable):
            return _Interleaved(file, begin, slab, self.records.size).read
        return lambda start, count: file.read(begin + start, count)


_SMALL_GAP = 1 << 18
"""Bytes between the slabs of two records that are read rather than skipped."""

_PIECE = 16 << 20
"""Bytes of the file that are read at once."""


@record
class _Interleaved:
    """A record variable: `slab` bytes in each record of `step` bytes, from `begin` on."""

    file: RangeFile
    begin: int
    slab: int
    step: int

    def read(self, start: int, count: int) -> bytes:
        """Return bytes of the variable, as if its records followed each other."""
        if not count:
            return b""
        first, last = start // self.slab, (start + count - 1) // self.slab
        at = start - first * self.slab
        if first == last:
            return self.file.read(self.begin + first * self.step + at, count)
        group = 1 if self.step - self.slab > _SMALL_GAP else max(1, _PIECE // self.step)
        slabs = b"".join(
            self._slabs(number, min(group, last + 1 - number))
            for number in range(first, last + 1, group)
        )
        return slabs[at : at + count]

    def _slabs(self, first: int, count: int) -> bytes:
        """Return the slabs of consecutive records."""
        length = (count - 1) * self.step + self.slab
        data = self.file.read(self.begin + first * self.step, length)
        if count == 1:
            return data
        import numpy as np

        records = np.frombuffer(data + bytes(self.step - self.slab), "u1").reshape(count, self.step)
        return records[:, : self.slab].tobytes()

"""The header of netCDF's classic formats, parsed with bounds.

A header is read in pieces, as far as it goes. Every count in it is compared with the size of the
file before anything is allocated, so that a damaged file costs no more than its own size.

Source: "The NetCDF Classic Format Specification" and "The CDF-5 File Format Specification".
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TypeVar

from ncz.errors import FormatError
from ncz.formats.signatures import CLASSIC
from ncz.model.netcdf_kinds import NetcdfKind
from ncz.model.tree import Attribute
from ncz.model.types import Atomic, Value
from ncz.record import record
from ncz.zmap.range_file import RangeFile

_T = TypeVar("_T")

DIMENSION, VARIABLE, ATTRIBUTE = 0x0A, 0x0B, 0x0C
"""The tags of the lists in a header."""

TYPES = {
    1: Atomic.BYTE, 2: Atomic.CHAR, 3: Atomic.SHORT, 4: Atomic.INT, 5: Atomic.FLOAT,
    6: Atomic.DOUBLE, 7: Atomic.UBYTE, 8: Atomic.USHORT, 9: Atomic.UINT, 10: Atomic.INT64,
    11: Atomic.UINT64,
}  # fmt: skip
LETTERS = {
    Atomic.BYTE: "b", Atomic.UBYTE: "B", Atomic.SHORT: "h", Atomic.USHORT: "H", Atomic.INT: "i",
    Atomic.UINT: "I", Atomic.INT64: "q", Atomic.UINT64: "Q", Atomic.FLOAT: "f",
    Atomic.DOUBLE: "d",
}  # fmt: skip
_LAST_CLASSIC_TYPE = 6
KINDS: dict[bytes, NetcdfKind] = dict(
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
    """The contents of a header. `records` is None if the number of records was not written."""

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
        dimensions = self._list(DIMENSION, self._dimension, "dimensions")
        attributes = self._attributes()
        unlimited = sum(dimension.size is None for dimension in dimensions)
        if unlimited > 1:
            raise self._damage(f"it has {unlimited} unlimited dimensions")
        variables = self._list(VARIABLE, lambda: self._variable(len(dimensions)), "variables")
        return Header(
            KINDS[self._magic],
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
        rank = self._bounded_count(8 if self._wide else 4, "dimensions of a variable")
        numbers = tuple(self._count() for _ in range(rank))
        if any(number >= dimensions for number in numbers):
            raise self._damage(f"variable {name} has a dimension that does not exist")
        attributes = self._attributes()
        nc_type = self._type()
        self._count()  # vsize, which is redundant, and wrong for large variables
        begin = self._integer(4 if self._magic == CLASSIC[0] else 8)
        return HeaderVariable(name, numbers, attributes, nc_type, begin)

    def _attributes(self) -> tuple[Attribute, ...]:
        return self._list(ATTRIBUTE, self._attribute, "attributes")

    def _attribute(self) -> Attribute:
        name, nc_type = self._name(), self._type()
        count = self._bounded_count(nc_type.size, "values of an attribute")
        data = self._take(count * nc_type.size, padded=True)
        values: tuple[Value, ...]
        if nc_type is Atomic.CHAR:
            values = (data.decode("utf-8", "surrogateescape"),) if data else ()
        else:
            values = struct.unpack(f">{count}{LETTERS[nc_type]}", data)
        return Attribute(name=name, type=nc_type, values=values)

    def _list(self, tag: int, parse: Callable[[], _T], what: str) -> tuple[_T, ...]:
        """Parse a list: a tag, the number of members, and the members."""
        found, count = self._integer(4), self._bounded_count(_SHORTEST, what)
        if found != tag and (found or count):
            raise self._damage(f"the list of its {what} starts with {found}")
        return tuple(parse() for _ in range(count))

    def _type(self) -> Atomic:
        number = self._integer(4)
        if number not in TYPES or (number > _LAST_CLASSIC_TYPE and not self._wide):
            raise self._damage(f"{number} is not a type")
        return TYPES[number]

    def _name(self) -> str:
        """Parse a name, which ends before a NUL that some old writers counted."""
        data = self._take(self._bounded_count(1, "bytes of a name"), padded=True)
        return data.partition(b"\0")[0].decode("utf-8", "surrogateescape")

    def _bounded_count(self, size: int, what: str) -> int:
        """Read a count of things of at least `size` bytes each, which must be in the file."""
        count = self._count()
        if count * size > self._file.size - self._at:
            raise self._damage(f"it declares {count} {what}")
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
            raise self._damage("it ends within its header")
        wanted = max(end, 2 * len(self._data), _FIRST_PIECE)
        start = len(self._data)
        self._data += self._file.read(start, min(wanted, self._file.size) - start)

    def _damage(self, reason: str) -> FormatError:
        return FormatError(
            f"the netCDF file is damaged: {reason}",
            f"{self._file.url}: byte {self._at}",
            "restore it from a copy",
        )


_SHORTEST = 8
"""Least number of bytes of a dimension, an attribute or a variable."""

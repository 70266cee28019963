"""Read and write netCDF files of a classic format: CDF-1, CDF-2 or CDF-5.

Only the header is read; values are read on demand. Elements are big-endian and without codecs, so
that chunks move raw to Zarr arrays of the same byte order.
"""

from __future__ import annotations

import contextlib
import errno
import math
import mmap
import os
import struct
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from ncz.errors import FormatError, LossError, Notify, ignore_notice, option
from ncz.formats.netcdf.linear import (
    FindBytes,
    LinearArray,
    ReadBytes,
    linear_layout,
    stored_dtype_of,
)
from ncz.formats.netcdf.truncated import VariableExtent, cut_off, report_truncated, whole_records
from ncz.formats.signatures import CLASSIC
from ncz.model.chunks import ChunkLayout, default_chunks, in_order
from ncz.model.data import Values, fill_array
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Group,
    NetcdfKind,
    Provenance,
    Storage,
    Variable,
    dimensions_by_fqn,
    mask_of,
    missing_fill,
    variables_by_fqn,
)
from ncz.model.types import Atomic, Value
from ncz.record import record, replace
from ncz.zmap.byte_range import ByteRange, RangeFile

if TYPE_CHECKING:
    from ncz.model.grid import Box


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
_LETTERS = {
    Atomic.BYTE: "b", Atomic.UBYTE: "B", Atomic.SHORT: "h", Atomic.USHORT: "H", Atomic.INT: "i",
    Atomic.UINT: "I", Atomic.INT64: "q", Atomic.UINT64: "Q", Atomic.FLOAT: "f",
    Atomic.DOUBLE: "d",
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
        """Parse a name, which ends before a NUL that some old writers counted."""
        data = self._take(self._bounded(1, "bytes of a name"), padded=True)
        return data.partition(b"\0")[0].decode("utf-8", "surrogateescape")

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


def read_classic(
    file: RangeFile, name: str, notify: Notify = ignore_notice, *, keep_going: bool = False
) -> Dataset:
    """Read the dataset in a classic file.

    Parameters
    ----------
    file
        The file, which must stay open as long as values are read.
    name
        The name of the dataset.
    notify
        Receives a notice if the file ends before its last value.
    keep_going
        Whether the dataset has only the whole records and variables of such a file.

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
    records = _Records.of(header, file)
    extents = [
        VariableExtent(v.name, v.begin, _slab_size(header, v), _is_record(header, v))
        for v in header.variables
    ]
    whole = whole_records(extents, records.size, file.size, records.count)
    missing = cut_off(extents, file.size)
    report_truncated(file.url, records.count, whole, missing, notify, keep_going=keep_going)
    if keep_going:
        records = replace(records, count=whole)
    reading = _Reading(file, header, records, whole)
    return Dataset(
        name=name,
        root=Group(
            dimensions=reading.dimensions(),
            variables=tuple(
                reading.variable(variable)
                for variable in header.variables
                if not (keep_going and variable.name in missing)
            ),
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
    whole: int
    """The number of records that the file has whole."""

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
                layout=self.layout(variable, shape),
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

    def layout(self, variable: HeaderVariable, shape: tuple[int, ...]) -> ChunkLayout:
        """Return the chunks in which a variable is read; whole records are not in one with others.

        Those of a truncated file can then be read.
        """
        layout = linear_layout(shape, variable.type.size)
        is_record = _is_record(self.header, variable)
        if not is_record or self.whole in (0, self.records.count):
            return layout
        length = math.gcd(self.whole, min(layout.chunks[0], self.whole))
        return replace(layout, chunks=(length, *layout.chunks[1:]))

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


# Where the values of each variable are in a new file, and what does not fit.
#
# The size of the file is known before, and its place on the disk is reserved. Values are written
# through a mapping of the file, so that any box of a variable can be written at any time.

VERSIONS: dict[NetcdfKind, int] = {kind: magic[3] for magic, kind in _KINDS.items()}
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
        return stored_dtype_of(self.type, big=True)

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


# The header of a new file, as bytes.

TYPE_CODES = {nc_type: number for number, nc_type in TYPES.items()}
"""The numbers of the types (``nc_type``)."""


class HeaderWriter:
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
                self._list(_DIMENSION, [self._dimension(d) for d in root.dimensions]),
                self._attributes(root.attributes),
                self._list(_VARIABLE, [self._variable(a, numbers, begins) for a in arrays]),
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
        return self._list(_ATTRIBUTE, [self._attribute(attribute) for attribute in attributes])

    def _attribute(self, attribute: Attribute) -> bytes:
        assert isinstance(attribute.type, Atomic)
        if attribute.type is Atomic.CHAR:
            data = "".join(attribute.values).encode("utf-8", "surrogateescape")
            count = len(data)
        else:
            count = len(attribute.values)
            data = struct.pack(f">{count}{_LETTERS[attribute.type]}", *attribute.values)
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


_RESERVED_AT_ONCE = 1 << 20


def plan_file(
    dataset: Dataset, arrays: Sequence[ClassicArray], version: int
) -> tuple[bytes, FileLayout]:
    """Return the header of the file, and the places of its variables.

    Raises `LossError` if the dataset is too large for the format.
    """
    header = HeaderWriter(version)
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
    for start in range(0, size, _RESERVED_AT_ONCE):
        os.write(file, bytes(min(_RESERVED_AT_ONCE, size - start)))

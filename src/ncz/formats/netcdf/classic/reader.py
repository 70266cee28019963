"""Read netCDF files of a classic format: CDF-1, CDF-2 or CDF-5.

Only the header is read; values are read on demand. Elements are big-endian and without codecs, so
that chunks move raw to Zarr arrays of the same byte order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ncz.errors import FormatError, Notify, ignore_notice
from ncz.formats.linear_array import (
    FindBytes,
    LinearArray,
    ReadBytes,
    linear_layout,
    stored_dtype_of,
)
from ncz.formats.netcdf.classic.header import read_header
from ncz.formats.netcdf.truncation import (
    VariableExtent,
    incomplete_variables,
    report_truncation,
    whole_records,
)
from ncz.late import numpy as np
from ncz.model.chunks import ChunkLayout
from ncz.model.tree import Dataset, Dimension, Group, Provenance, Storage, Variable, mask_of
from ncz.record import record, replace
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.range_file import RangeFile

if TYPE_CHECKING:
    from ncz.formats.netcdf.classic.header import Header, HeaderVariable


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
    missing = incomplete_variables(extents, file.size)
    report_truncation(file.url, records.count, whole, missing, notify, keep_going=keep_going)
    if keep_going:
        records = replace(records, count=whole)
    reading = _HeaderReader(file, header, records, whole)
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
class ValuePlace:
    """The place of the values of a variable: an array in memory that maps the file."""

    begin: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str


def place_of_values(file: RangeFile, header: Header, name: str) -> ValuePlace:
    """Return the place of the values of a variable in a file."""
    variable = next(each for each in header.variables if each.name == name)
    records = _Records.of(header, file)
    used = [header.dimensions[number].size for number in variable.dimensions]
    shape = tuple(records.count if size is None else size for size in used)
    strides = [variable.type.size]
    for size in reversed(shape[1:]):
        strides.insert(0, strides[0] * size)
    if _is_record(header, variable):
        strides[0] = records.size
    return ValuePlace(
        begin=variable.begin,
        shape=shape,
        strides=tuple(strides[: len(shape)]),
        dtype=stored_dtype_of(variable.type, big=True),
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
class _HeaderReader:
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
                has_all=self.has_all(variable),
                where=f"{self.file.url}: /{variable.name}",
            ),
        )

    def layout(self, variable: HeaderVariable, shape: tuple[int, ...]) -> ChunkLayout:
        """Return the chunks for reading a variable; a chunk has at most one record, or whole ones.

        The values of a truncated file can then be read.
        """
        layout = linear_layout(shape, variable.type.size)
        if self.has_all(variable):
            return layout
        length = math.gcd(self.whole, min(layout.chunks[0], self.whole))
        return replace(layout, chunks=(length, *layout.chunks[1:]))

    def has_all(self, variable: HeaderVariable) -> bool:
        """Return whether the file has all records of a variable, or does not state their number."""
        is_record = _is_record(self.header, variable)
        return not is_record or self.whole in (0, self.records.count)

    def is_interleaved(self, variable: HeaderVariable) -> bool:
        """Return whether elements of other variables are between a variable's own."""
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
            return _RecordVariable(file, begin, slab, self.records.size).read
        return lambda start, count: file.read(begin + start, count)


_SMALL_GAP = 1 << 18
"""Bytes between the slabs of two records that are read from a server rather than skipped."""

_SMALL_LOCAL_GAP = 1 << 14
"""The same for a local file."""

_PIECE = 16 << 20
"""Bytes of the file that are read in one call."""


@record
class _RecordVariable:
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
        gap = _SMALL_GAP if self.file.path is None else _SMALL_LOCAL_GAP
        group = 1 if self.step - self.slab > gap else max(1, _PIECE // self.step)
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

        records = np.frombuffer(data + bytes(self.step - self.slab), "u1").reshape(count, self.step)
        return records[:, : self.slab].tobytes()

"""The bytes of HDF5 datasets without chunks."""

from __future__ import annotations

from ncz.record import record
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.file.ranges import RangeFile


@record
class ContiguousBytes:
    """The bytes of a dataset that are together in the file, from an offset."""

    file: RangeFile
    offset: int

    def read(self, start: int, count: int) -> bytes:
        """Return bytes of the dataset; see `ncz.formats.netcdf.linear.ReadBytes`."""
        return self.file.read(self.offset + start, count)

    def find(self, start: int, count: int) -> ByteRange:
        """Return where bytes are in the file; see `ncz.formats.netcdf.linear.FindBytes`."""
        return ByteRange(self.file.address, self.offset + start, count)


@record
class CompactBytes:
    """The bytes of a dataset in whose header they are stored."""

    data: bytes

    def read(self, start: int, count: int) -> bytes:
        """Return bytes of the dataset; see `ncz.formats.netcdf.linear.ReadBytes`."""
        return self.data[start : start + count]

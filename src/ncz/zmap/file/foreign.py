"""Files that are not stores: what they are, by their first bytes, and what to do with them."""

from __future__ import annotations

from ncz.errors import ZmapError
from ncz.record import record


@record
class ForeignFormat:
    """A format of files: its name with an article, and a hint for who opens one as a store."""

    title: str
    hint: str


_TO_ZARR = "copy it to Zarr with 'ncz copy'"
_DECOMPRESS = "decompress it first, and open the result"
_HDF4 = "convert it to netCDF-4 first, for example with HDF-EOS's h4tonccf_nc4"
_GRIB = "convert it to netCDF first, for example with ecCodes' grib_to_netcdf or with CDO"
_TIFF = "convert it to Zarr with GDAL: gdal_translate -of Zarr"
_PAGE = "check the URL: it must be that of a dataset, not of a page about it"

SIGNATURES: tuple[tuple[bytes, ForeignFormat], ...] = (
    (b"CDF\x01", ForeignFormat("a netCDF classic file", _TO_ZARR)),
    (b"CDF\x02", ForeignFormat("a netCDF 64-bit offset file", _TO_ZARR)),
    (b"CDF\x05", ForeignFormat("a netCDF CDF-5 file", _TO_ZARR)),
    (b"\x89HDF\r\n\x1a\n", ForeignFormat("a netCDF-4 or HDF5 file", _TO_ZARR)),
    (b"\x0e\x03\x13\x01", ForeignFormat("an HDF4 file", _HDF4)),
    (b"GRIB", ForeignFormat("a GRIB file", _GRIB)),
    (b"BUFR", ForeignFormat("a BUFR file", "convert it to netCDF first, with ecCodes")),
    (b"II*\0", ForeignFormat("a TIFF file", _TIFF)),
    (b"MM\0*", ForeignFormat("a TIFF file", _TIFF)),
    (b"II+\0", ForeignFormat("a BigTIFF file", _TIFF)),
    (b"MM\0+", ForeignFormat("a BigTIFF file", _TIFF)),
    (b"PAR1", ForeignFormat("a Parquet table", "read it with pandas or pyarrow")),
    (b"\xcd\xf3\x00\x01", ForeignFormat("a file of NASA's CDF", "read it with cdflib")),
    (b"SIMPLE  =", ForeignFormat("a FITS file", "read it with astropy")),
    (b"\x93NUMPY", ForeignFormat("a numpy array", "read it with numpy.load")),
    (b"\x1f\x8b", ForeignFormat("a file compressed with gzip", _DECOMPRESS)),
    (b"BZh", ForeignFormat("a file compressed with bzip2", _DECOMPRESS)),
    (b"\xfd7zXZ\0", ForeignFormat("a file compressed with xz", _DECOMPRESS)),
    (b"\x28\xb5\x2f\xfd", ForeignFormat("a file compressed with zstd", _DECOMPRESS)),
    (b"<!DOCTYPE html", ForeignFormat("a web page", _PAGE)),
    (b"<!doctype html", ForeignFormat("a web page", _PAGE)),
    (b"<html", ForeignFormat("a web page", _PAGE)),
)
"""The first bytes of each format."""

LONGEST_SIGNATURE = 16
"""Bytes that are enough to recognise every format."""


class ForeignFile(ZmapError):
    """A file in a format that is not a store's. `start` has its first bytes."""

    def __init__(self, known: ForeignFormat, start: bytes, url: str) -> None:
        super().__init__(f"this is {known.title}, not a Zarr store", url, known.hint)
        self.start = start


def foreign(start: bytes) -> ForeignFormat | None:
    """Return the format of a file that starts with these bytes; None if it is unknown."""
    return next((known for magic, known in SIGNATURES if start.startswith(magic)), None)


def refuse_foreign(start: bytes, url: str) -> None:
    """Raise `ForeignFile` if a file that starts with these bytes has a known other format."""
    known = foreign(start)
    if known is not None:
        raise ForeignFile(known, start, url)

"""Files that are not stores: what they are, by their first bytes, and what to do with them."""

from __future__ import annotations

from ncz.errors import ForeignFile
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
_IMAGE = "read it with an image library, such as Pillow"
_PAGE = "check the URL: it must be that of a dataset, not of a page about it"

SIGNATURES: tuple[tuple[bytes, str, str], ...] = (
    (b"CDF\x01", "a netCDF classic file", _TO_ZARR),
    (b"CDF\x02", "a netCDF 64-bit offset file", _TO_ZARR),
    (b"CDF\x05", "a netCDF CDF-5 file", _TO_ZARR),
    (b"\x89HDF\r\n\x1a\n", "a netCDF-4 or HDF5 file", _TO_ZARR),
    (b"\x0e\x03\x13\x01", "an HDF4 file", _HDF4),
    (b"GRIB", "a GRIB file", _GRIB),
    (b"BUFR", "a BUFR file", "convert it to netCDF first, with ecCodes"),
    (b"II*\0", "a TIFF file", _TIFF),
    (b"MM\0*", "a TIFF file", _TIFF),
    (b"II+\0", "a BigTIFF file", _TIFF),
    (b"MM\0+", "a BigTIFF file", _TIFF),
    (b"PAR1", "a Parquet table", "read it with pandas or pyarrow"),
    (b"ARROW1\0\0", "an Arrow file", "read it with pandas or pyarrow"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image", _IMAGE),
    (b"\xff\xd8\xff", "a JPEG image", _IMAGE),
    (b"%PDF-", "a PDF document", "give the path of a dataset"),
    (b"SQLite format 3\0", "an SQLite database", "read it with sqlite3"),
    (b"\xcd\xf3\x00\x01", "a file of NASA's CDF", "read it with cdflib"),
    (b"SIMPLE  =", "a FITS file", "read it with astropy"),
    (b"\x93NUMPY", "a numpy array", "read it with numpy.load"),
    (b"\x1f\x8b", "a file compressed with gzip", _DECOMPRESS),
    (b"BZh", "a file compressed with bzip2", _DECOMPRESS),
    (b"\xfd7zXZ\0", "a file compressed with xz", _DECOMPRESS),
    (b"\x28\xb5\x2f\xfd", "a file compressed with zstd", _DECOMPRESS),
    (b"\x04\x22\x4d\x18", "a file compressed with lz4", _DECOMPRESS),
    (b"<!DOCTYPE html", "a web page", _PAGE),
    (b"<!doctype html", "a web page", _PAGE),
    (b"<html", "a web page", _PAGE),
)
"""The first bytes of each format, its title and its hint."""

LONGEST_SIGNATURE = 16
"""Bytes that are enough to recognise every format."""


def foreign(start: bytes) -> ForeignFormat | None:
    """Return the format of a file that starts with these bytes; None if it is unknown."""
    for magic, title, hint in SIGNATURES:
        if start.startswith(magic):
            return ForeignFormat(title, hint)
    return None


def refuse_foreign(start: bytes, url: str, *, may_be_folder: bool = False) -> None:
    """Raise `ForeignFile` if a file that starts with these bytes has a known other format.

    With `may_be_folder`, a web page is not refused, because many servers send one for a folder.
    """
    known = foreign(start)
    if known is not None and not (may_be_folder and known.hint == _PAGE):
        error = ForeignFile(f"this is {known.title}, not a Zarr store", url, known.hint)
        error.start = start
        raise error

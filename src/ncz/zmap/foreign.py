"""Files that are not stores: their kinds, by their first bytes, and hints."""

from __future__ import annotations

import shlex

from ncz.errors import ForeignFile, command, either
from ncz.record import record


@record
class ForeignFormat:
    """A format of files: its name with an article, and a hint for who opens one as a store."""

    title: str
    hint: str


TO_ZARR = f"copy it to Zarr with {command('copy')}"
"""The hint for a netCDF file."""

_TAR = "unpack it first: tar -xf {path}; a store that is one file and can be written is a zip file"
_UNPACK = "unpack it first: 7z x {path}; a store in one file must be a zip file"
_DECOMPRESS = "decompress it first: %s -dk {path}; and open the result"
_HDF4 = "convert it to netCDF-4 first: h4tonccf_nc4 {path} OUT.nc, of the HDF-EOS tools"
_GRIB = (
    "convert it to netCDF first: cdo -f nc4 copy {path} OUT.nc, or grib_to_netcdf -o OUT.nc {path}"
)
_TIFF = "convert it to Zarr with GDAL: gdal_translate -of Zarr {path} OUT.zarr"
_IMAGE = "read it with an image library, such as Pillow"
_PAGE = "check the URL: it must name a dataset, not a page about it"
_TEXT = "make a dataset of it first: " + either(
    "ncz gen {path} -o OUT.nc", "ncz.gen('{path}', 'OUT.nc')"
)
_XML = "check the path or the URL: it must name a dataset"

_HDF5 = b"\x89HDF\r\n\x1a\n"
USER_BLOCKS = tuple(512 << power for power in range(8))
"""Sizes of blocks that a user may put before the signature of HDF5."""

SIGNATURES: tuple[tuple[int, bytes, str, str], ...] = (
    (0, b"CDF\x01", "a netCDF classic file", TO_ZARR),
    (0, b"CDF\x02", "a netCDF 64-bit offset file", TO_ZARR),
    (0, b"CDF\x05", "a netCDF CDF-5 file", TO_ZARR),
    (0, _HDF5, "a netCDF-4 or HDF5 file", TO_ZARR),
    (0, b"\x0e\x03\x13\x01", "an HDF4 file", _HDF4),
    (0, b"GRIB", "a GRIB file", _GRIB),
    (0, b"BUFR", "a BUFR file", "convert it to netCDF first, with ecCodes"),
    (0, b"II*\0", "a TIFF file", _TIFF),
    (0, b"MM\0*", "a TIFF file", _TIFF),
    (0, b"II+\0", "a BigTIFF file", _TIFF),
    (0, b"MM\0+", "a BigTIFF file", _TIFF),
    (0, b"PAR1", "a Parquet table", "read it with pandas or pyarrow"),
    (0, b"ARROW1\0\0", "an Arrow file", "read it with pandas or pyarrow"),
    (0, b"\x89PNG\r\n\x1a\n", "a PNG image", _IMAGE),
    (0, b"\xff\xd8\xff", "a JPEG image", _IMAGE),
    (0, b"GIF8", "a GIF image", _IMAGE),
    (4, b"jP  \r\n\x87\n", "a JPEG 2000 image", _TIFF),
    (0, b"%PDF-", "a PDF document", "give the path of a dataset"),
    (0, b"SQLite format 3\0", "an SQLite database", "read it with sqlite3"),
    (0, b"\xcd\xf3\x00\x01", "a file of NASA's CDF", "read it with cdflib"),
    (0, b"SIMPLE  =", "a FITS file", "read it with astropy"),
    (0, b"\x93NUMPY", "a numpy array", "read it with numpy.load"),
    (0, b"\x1f\x8b", "a file compressed with gzip", _DECOMPRESS % "gzip"),
    (0, b"BZh", "a file compressed with bzip2", _DECOMPRESS % "bzip2"),
    (0, b"\xfd7zXZ\0", "a file compressed with xz", _DECOMPRESS % "xz"),
    (
        0,
        b"\x28\xb5\x2f\xfd",
        "a file compressed with zstd",
        _DECOMPRESS % "zstd",
    ),
    (0, b"\x04\x22\x4d\x18", "a file compressed with lz4", _DECOMPRESS % "lz4"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    (257, b"ustar", "a tar archive", _TAR),
    (0, b"netcdf ", "CDL text of netCDF", _TEXT),
    (0, b"<!DOCTYPE html", "a web page", _PAGE),
    (0, b"<!doctype html", "a web page", _PAGE),
    (0, b"<!DOCTYPE HTML", "a web page", _PAGE),
    (0, b"<html", "a web page", _PAGE),
    (0, b"<HTML", "a web page", _PAGE),
    (0, b"<?xml", "an XML document", _XML),
    *((size, _HDF5, "a netCDF-4 or HDF5 file", TO_ZARR) for size in USER_BLOCKS),
)
"""The signature of each format with its offset, a title and a hint."""

LONGEST_SIGNATURE = max(offset + len(magic) for offset, magic, _, _ in SIGNATURES)
"""Bytes that are enough to recognise every format."""


def foreign(start: bytes) -> ForeignFormat | None:
    """Return the format of a file that starts with these bytes; None if it is unknown."""
    for offset, magic, title, hint in SIGNATURES:
        if start.startswith(magic, offset):
            return ForeignFormat(title, hint)
    return None


def refuse_foreign(start: bytes, url: str, *, may_be_folder: bool = False) -> None:
    """Raise `ForeignFile` if a file that starts with these bytes has a known other format.

    With `may_be_folder`, web pages and XML are not refused: many servers send them for a folder.
    """
    known = foreign(start)
    if known is not None and not (may_be_folder and known.hint in (_PAGE, _XML)):
        name = "FILE" if "://" in url else url
        hint = known.hint.replace("'{path}'", repr(name)).replace("{path}", shlex.quote(name))
        error = ForeignFile(f"this is {known.title}, not a Zarr store", url, hint)
        error.start = start
        raise error

"""The limits of readers and formats, and a cell that shows each: it differs, with a notice.

A limit is real as long as its witness differs. A test asserts this, so that a corrected limit must
be removed from this list.
"""

from __future__ import annotations

from collections.abc import Mapping

from ncz.record import record
from tests.interop.contents.writing import Version


@record(kw_only=True)
class Limit:
    """A limit, its `notice` by code, and the `witness`: a reader, and the place of a cell.

    `shows` is looked for in the differences of that cell.
    """

    name: str
    statement: str
    notice: str
    shows: str
    witness: tuple[str, str, Version, str]


LIMITS: tuple[Limit, ...] = (
    Limit(
        name="zip-folder",
        statement="an NCZarr zip has its keys below a folder, where zarr-python looks for none",
        notice="reader-excluded",
        shows=r"GroupNotFound|FileNotFound|No group found",
        witness=("xarray", "floats", 2, "zip-nczarr-v2"),
    ),
    Limit(
        name="scalars",
        statement="NCZarr V2 stores scalars as arrays of shape [1], as netCDF-C needs them",
        notice="scalar-shape",
        shows=r"dimensions \(\) became",
        witness=("xarray", "scalars", 2, "nczarr-v2"),
    ),
    Limit(
        name="digits",
        statement="CDL has 15 digits of a double and 7 of a float, as ncdump prints them",
        notice="digits-left-out",
        shows=r"0\.30000000000000004.* became",
        witness=("xarray", "doubles", 2, "cdl-zarr-v2"),
    ),
    Limit(
        name="bytes",
        statement="CDL has no arrays of one-byte texts, which xarray joins",
        notice="bytes-as-string",
        shows=r"/code dimensions \('x',\) became \('x', 'length'\)",
        witness=("xarray", "characters", 2, "cdl-zarr-v2"),
    ),
    Limit(
        name="null-attributes",
        statement="netCDF has no attributes that are null, objects, or empty or nested lists",
        notice="attribute-as-text",
        shows=r"None became 'null'",
        witness=("xarray", "attributes-nested", 2, "cdl-nczarr-v2"),
    ),
    Limit(
        name="numbers-as-text",
        statement="NCZarr V3 has NaN and infinities in attributes as text, which is valid JSON",
        notice="attribute-not-finite",
        shows=r"nan became 'NaN'",
        witness=("xarray", "attributes", 2, "nczarr-v3"),
    ),
    Limit(
        name="bare-words",
        statement="tensorstore and zarrita.js open no array of Zarr V3 with NaN as a bare word",
        notice="attribute-not-finite",
        shows=r"cannot be read: .*JSON",
        witness=("tensorstore", "attributes", 2, "zarr-v3"),
    ),
    Limit(
        name="checksums-in-v2",
        statement="Zarr V3's crc32c becomes a filter of numcodecs in V2, which few readers know",
        notice="codec-not-widespread",
        shows=r"/crc cannot be read",
        witness=("zarrita", "codecs", 3, "zarr-v2"),
    ),
    Limit(
        name="checksum-of-zstd",
        statement="tensorstore accepts no checksum of zstd in Zarr V2",
        notice="codec-not-widespread",
        shows=r"/zstd cannot be read: .*checksum",
        witness=("tensorstore", "codecs", 3, "json-zarr-v2"),
    ),
    Limit(
        name="plugins-of-netcdf-c",
        statement="netCDF-C has no plugin of NCZarr for the filters lz4 and delta of numcodecs",
        notice="codec-not-widespread",
        shows=r"/lz4 cannot be read: .*undefined filter",
        witness=("netcdf-c", "codecs", 2, "nczarr-v2"),
    ),
    Limit(
        name="bytes-of-tensorstore",
        statement="tensorstore has no data type of Zarr V3 for strings or bytes of a fixed length",
        notice="reader-excluded",
        shows=r"/code cannot be read: .*data_type",
        witness=("tensorstore", "bytes-fixed", 2, "cdl-nczarr-v3"),
    ),
    Limit(
        name="byte-order-of-zarrs",
        statement="zarrs reads big-endian arrays in Zarr V3, and not in Zarr V2",
        notice="codec-not-widespread",
        shows=r"/big cannot be read: .*byte order",
        witness=("zarrs", "axis-order", 3, "nczarr-v2"),
    ),
    Limit(
        name="axis-order-of-zarrs",
        statement="zarrs reads transposed arrays in Zarr V3, and not order F of Zarr V2",
        notice="codec-not-widespread",
        shows=r"/turned cannot be read: .*C contiguous",
        witness=("zarrs", "axis-order", 3, "zarr-v2"),
    ),
)

BY_NAME: Mapping[str, Limit] = {limit.name: limit for limit in LIMITS}

"""The known faults: what lies behind each cell that differs, and a cell that shows it.

A cause is real as long as its witness differs; a test asserts that, so whoever mends a cause takes
it from this list. A fault that fits no cause fails a test too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ncz.record import record
from tests.interop.contents.writing import Version
from tests.interop.matrix import Place


@record(kw_only=True)
class Cause:
    """One cause of many differences.

    `where` is the function of ncz that has today's rule; "" if the reader is the one that cannot.
    `matches` is looked for in lines such as
    ``xarray: strings-v3 > nczarr-v2: /name 1 of 5 values: '' became None``. `witness` is the
    reader, and the place of a cell that differs by this cause.
    """

    name: str
    where: str
    today: str
    rule: str
    matches: str
    witness: tuple[str, str, Version, str]


CAUSES: tuple[Cause, ...] = (
    Cause(
        name="zip-folder",
        where="ncz/zmap/opening.py, ncz/zmap/local/zip.py",
        today="an NCZarr zip has its keys below a folder, where zarr-python looks for none",
        rule="put the keys at the root for readers of Zarr, or say in a notice who cannot open it",
        matches=r"> zip-nczarr-v2: .*(GroupNotFound|FileNotFound|No group found)",
        witness=("xarray", "floats", 2, "zip-nczarr-v2"),
    ),
    Cause(
        name="digits",
        where="ncz/text/format_numbers.py, ncz/cdl/print (float and double precision)",
        today="CDL has 15 digits of a double, as ncdump",
        rule="a limit of CDL (docs/differences.md); dump -p 9,17 and --json keep all",
        matches=r"doubles-v\d > cdl-",
        witness=("xarray", "doubles", 2, "cdl-zarr-v2"),
    ),
    Cause(
        name="bytes-fill",
        where="",
        today="netCDF-C reads the fill of bytes of any length as text, zarr-python as base64",
        rule="the limit of the reader, because pure Zarr V2 is for zarr-python",
        matches=r"netcdf-c: native-bytes-v\d > json-zarr-v2",
        witness=("netcdf-c", "native-bytes", 2, "json-zarr-v2"),
    ),
    Cause(
        name="chars",
        where="ncz/formats/zarr/element/encoding.py: encoding_for; writer_v3.py (alias)",
        today="an array of one-byte texts becomes strings or numbers, which xarray does not join",
        rule="|S1 stays |S1, or null_terminated_bytes of length 1, wherever readers have it",
        matches=r"/code dimensions \('x',\) became \('x', 'length'\)|: characters-v\d > ",
        witness=("xarray", "characters", 2, "nczarr-v3"),
    ),
    Cause(
        name="crc32c",
        where="ncz/codec, ncz/formats/zarr/document/v3_codecs.py",
        today="V3's crc32c becomes a filter of numcodecs in V2, which few readers know",
        rule="leave the checksum out, or say in a notice who cannot read it",
        matches=r": codecs-v3 > \S+-v2: /crc cannot be read",
        witness=("zarrita", "codecs", 3, "zarr-v2"),
    ),
    Cause(
        name="plugins-of-netcdf-c",
        where="",
        today="netcdf-c has no plugin of NCZarr for the filters lz4 and delta of numcodecs",
        rule="--for netcdf-c refuses these filters",
        matches=r"^netcdf-c: codecs-v\d > \S+: /\w+ cannot be read: .*undefined filter",
        witness=("netcdf-c", "codecs", 2, "nczarr-v2"),
    ),
    Cause(
        name="checksum-of-zstd",
        where="",
        today="tensorstore accepts no checksum of zstd in Zarr V2, not even false as V3 has it",
        rule="leave it out if it is false",
        matches=r"^tensorstore: codecs-v3 > \S+-v2: /zstd cannot be read: .*checksum",
        witness=("tensorstore", "codecs", 3, "json-zarr-v2"),
    ),
    Cause(
        name="bytes-of-tensorstore",
        where="",
        today="tensorstore has no data type of Zarr V3 for bytes of a fixed length",
        rule="--for tensorstore refuses them",
        matches=r"^tensorstore: bytes-fixed-v\d > \S+-v3: /code cannot be read: .*data_type",
        witness=("tensorstore", "bytes-fixed", 2, "cdl-nczarr-v3"),
    ),
    Cause(
        name="byte-order-of-zarrs",
        where="",
        today="zarrs reads big-endian arrays in Zarr V3, by the codec bytes, and not in Zarr V2",
        rule="a notice",
        matches=r"^zarrs: axis-order-v\d > \S+-v2: /big cannot be read: .*byte order",
        witness=("zarrs", "axis-order", 3, "nczarr-v2"),
    ),
    Cause(
        name="axis-order-of-zarrs",
        where="",
        today="zarrs reads transposed arrays in Zarr V3, and not order F of Zarr V2",
        rule="a notice",
        matches=r"^zarrs: axis-order-v\d > \S+-v2: /turned cannot be read: .*C contiguous",
        witness=("zarrs", "axis-order", 3, "zarr-v2"),
    ),
)

BY_NAME: Mapping[str, Cause] = {cause.name: cause for cause in CAUSES}


def line(reader: str, place: Place, difference: str) -> str:
    """A difference as `Cause.matches` sees it."""
    return f"{reader}: {place.source} > {place.target}: {difference}"


def cause_of(reader: str, place: Place, difference: str) -> Cause | None:
    """The first cause that fits a difference."""
    text = line(reader, place, difference)
    return next((cause for cause in CAUSES if re.search(cause.matches, text)), None)


def causes_of(
    reader: str, place: Place, differences: Mapping[str, str]
) -> Iterator[tuple[str, Cause | None]]:
    """Each difference of a cell, with its cause."""
    for path, reason in differences.items():
        told = f"{path} {reason}".strip()
        yield told, cause_of(reader, place, told)

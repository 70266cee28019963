"""Change texts that have a grammar: CDL and locations."""

from __future__ import annotations

import re
from random import Random

from tests.fuzz import binary

_TOKEN = re.compile(rb'"(?:\\.|[^"\\])*"|[A-Za-z_0-9.+-]+|\s+|.', re.DOTALL)

CDL = [
    b"netcdf", b"dimensions:", b"variables:", b"data:", b"group:", b"types:", b"{", b"}", b"(",
    b")",
    b";", b",", b"=", b":", b"*", b"|", b"byte", b"ubyte", b"char", b"short", b"ushort", b"int",
    b"uint", b"int64", b"uint64", b"float", b"double", b"string", b"compound", b"enum", b"opaque",
    b"_", b"NIL", b"NaN", b"-Infinity", b"NaNf", b"UNLIMITED", b"unlimited", b"0", b"1", b"-1",
    b"2147483648", b"4294967296", b"9223372036854775808", b"18446744073709551616", b"1e400",
    b"1e-400",
    b"0x1p3", b"0xFFFFFFFFFFFFFFFFFF", b"077", b"1b", b"1ub", b"1s", b"1us", b"1ul", b"1ll",
    b"1ull",
    b"1f", b"1.d", b"'a'", b"'\\x00'", b'""', b'"a"', b'"\\777"', b'"\\', b'"\\u0000"', b"\\", b"/",
    b"//", b"\x00", b"\xff", b"\xe2\x80\xae", b"_FillValue", b"_ChunkSizes", b"_DeflateLevel",
    b"_Shuffle", b"_Filter", b"_Fletcher32", b"_Storage", b"_Endianness", b"_Codecs", b"_NoFill",
    b"_NCProperties", b"_Format", b"_QuantizeBitGroomNumberOfSignificantDigits", b"0xFE",
    b'"307,9"', b'"32015,3|2,4"', b'"chunked"', b'"little"',
]  # fmt: skip

URLS = [
    "#", "&", "=", ",", "mode=", "mode=zarr", "mode=nczarr", "mode=v3", "mode=zip", "mode=file",
    "mode=s3", "mode=consolidated", "mode=noxarray", "mode=follow-links", "mode=bytes", "file://",
    "file:", "http://", "https://", "s3://", "gs://", "az://", "memory://", "reference://", "zip::",
    "simplecache::", "[::1", "[::1]:80", "@", "user:pass@", ":99999", ":", "?", "?versionId=1",
    "%00",
    "%2e%2e", "%", "%zz", "..", "/", "//", "\\", " ", "\0", "\n", "é", "\udc80", "aws.profile=x",
    "timeout=0", "timeout=1e9", "timeout=nan", "fsspec.a=", "[", "]", "{", "~", "$HOME", "-", "*",
    ".zip", ".nc", ".json", ".zarr", "bucket/key", "#mode=zarr#mode=v3", "store.zarr", "store.zip",
]  # fmt: skip


def change_cdl(data: bytes, random: Random) -> bytes:
    """Return CDL with tokens removed, repeated, replaced or exchanged."""
    if random.random() < 0.1:
        return binary.change(data, random)
    tokens = _TOKEN.findall(data) or [b" "]
    for _ in range(random.choice((1, 1, 2, 3, 6))):
        at = random.randrange(len(tokens))
        what = random.randrange(6)
        if what == 0:
            del tokens[at]
        elif what == 1:
            tokens.insert(at, random.choice(CDL))
        elif what == 2:
            tokens[at] = random.choice(CDL)
        elif what == 3:
            tokens[at] = random.choice(tokens)
        elif what == 4:
            tokens[at:at] = tokens[at : at + random.choice((1, 4, 20))] * random.choice((1, 1, 50))
        else:
            del tokens[at : at + random.choice((2, 5, 20))]
        tokens = tokens or [b" "]
    return b"".join(tokens)


def change_location(location: str, random: Random) -> str:
    """Return a location with parts inserted, removed or repeated."""
    for _ in range(random.choice((1, 2, 3, 5))):
        at = random.randrange(len(location) + 1)
        what = random.randrange(4)
        if what < 2:
            location = location[:at] + random.choice(URLS) + location[at:]
        elif what == 2:
            location = location[:at] + location[at + random.choice((1, 3)) :]
        else:
            location = location[:at] + random.choice(URLS)
    return location

"""The inputs to begin with: small datasets of every kind, made by ncz and numcodecs."""

from __future__ import annotations

import base64
import contextlib
import json
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tests.conftest import EXAMPLES
from tests.fuzz import chains, changes
from tests.fuzz.case import Case, read
from tests.fuzz.commands import run_ncz

CDL = rb"""netcdf x {
dimensions:
 time = UNLIMITED ; // (3 currently)
 lat = 2 ;
 lon = 4 ;
variables:
 double time(time) ;
  time:units = "days since 2000-01-01" ;
 float field(time, lat, lon) ;
  field:_FillValue = -9.f ;
  field:_ChunkSizes = 2, 2, 2 ;
  field:_DeflateLevel = 1 ;
  field:_Shuffle = "true" ;
 short packed(lat, lon) ;
  packed:scale_factor = 0.1 ;
  packed:valid_range = -100s, 100s ;
 char letters(lon) ;
 string names(lat) ;
  names:_FillValue = "none" ;
 uint64 scalar ;
 ubyte empty(lat) ;
// global attributes:
 :title = "fuzz\n\"x\"" ;
 :numbers = 1, 2, 3 ;
 :wide = 18446744073709551615ull ;
data:
 time = 0, 1, 2 ;
 field = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, _, 18, 19, 20, NaN, 22, 23, 24 ;
 packed = -1, 0, 1, 2, 3, 4, 5, 6 ;
 letters = "abcd" ;
 names = "east", "w\303\251st" ;
 scalar = 7 ;
group: inner {
 dimensions:
  depth = 2 ;
 variables:
  int below(depth, lon) ;
   below:_FillValue = -1 ;
 data:
  below = 1, 2, 3, 4, 5, 6, 7, 8 ;
 }
}
"""

CLASSIC = rb"""netcdf x {
dimensions:
 time = UNLIMITED ;
 lat = 3 ;
variables:
 double time(time) ;
 short field(time, lat) ;
  field:units = "K" ;
 byte odd(time) ;
 char letters(lat) ;
 int scalar ;
 :title = "classic" ;
data:
 time = 0, 1 ;
 field = 1, 2, 3, 4, 5, 6 ;
 odd = 1, 2 ;
 letters = "abc" ;
 scalar = 7 ;
}
"""

USER_TYPES = rb"""netcdf x {
types:
 ubyte enum sky_t {clear = 1, cloudy = 2, none = 255} ; opaque(3) key_t ;
 char(*) text_t ; text_t(*) texts_t ; string(*) words_t ;
 compound place_t { double lat ; char name(4) ; } ;
 compound station_t {
  int id ; place_t where(2) ; string title ; texts_t notes ; sky_t sky ; words_t words ;
 } ;
 station_t(*) stations_t ;
dimensions:
 n = 3 ;
 time = UNLIMITED ;
variables:
 sky_t sky(time) ;
  sky_t sky:_FillValue = none ;
  sky:_ChunkSizes = 2 ;
 key_t key(n) ;
 text_t text(n) ;
  text_t text:_FillValue = {"q"} ;
 place_t place(n) ;
  place:_DeflateLevel = 1 ;
 station_t station(n) ;
  station:_ChunkSizes = 2 ;
 stations_t all ;
 string names(n) ;
 station_t :first = {1, {{1.5, {"ab"}}, {2.5, {"wxyz"}}}, "one", {{"a"}, {}}, clear, {"x", NIL}} ;
 text_t :texts = {"abc"}, {} ;
data:
 sky = clear, cloudy, none ;
 key = 0x010203, 0x040506, 0x070809 ;
 text = {"abc"}, {"d"} ;
 place = {1, {"a"}}, {2, {"bc"}}, {3, {"wxyz"}} ;
 station =
  {1, {{1.5, {"ab"}}, {2.5, {"wxyz"}}}, "one", {{"a"}, {}}, clear, {"x", NIL}},
  {2, {{3.5, {"c"}}, {4.5, {"d"}}}, NIL, {}, cloudy, {}},
  {3, {{5.5, {"e"}}, {6.5, {"f"}}}, "", {{"bcd"}}, none, {""}} ;
 all = {{7, {{7.5, {"g"}}, {8.5, {"h"}}}, "in", {{"e"}}, clear, {"y"}}} ;
 names = "one", NIL, "" ;
}
"""

MODES = ["nczarr", "zarr", "zarr,consolidated", "nczarr,v3", "zarr,v3", "zarr,v3,consolidated"]


@cache
def seeds(subject: str) -> tuple[Case, ...]:
    """Return the first cases; ncz reads all of them without an error."""
    return tuple(SUBJECTS[subject]())


def _documents() -> Iterator[Case]:
    for mode in MODES:
        yield _made("documents", "store.zarr", ("gen", "-o", f"store.zarr#mode={mode}", "x.cdl"))


def _chunks() -> Iterator[Case]:
    for array in _encoded_arrays():
        yield Case(
            "chunks", "store.zarr", {f"store.zarr/{key}": data for key, data in array.items()}
        )
    for spec in ("zlib:1", "blosc:zstd:5", "zstd:1", "shuffle+gzip:1", "none"):
        yield _made(
            "chunks", "store.zarr", ("gen", "-o", "made.zarr", "x.cdl"),
            ("copy", "made.zarr", "store.zarr", "--mode", "nczarr,v3", "--codec", spec),
        )  # fmt: skip


def _typed() -> Iterator[Case]:
    for files in chains.stores():
        named = {f"store.zarr/{key}": data for key, data in files.items()}
        yield Case("typed", "store.zarr", named)


def _encoded_arrays() -> Iterator[dict[str, bytes]]:
    """Yield stores of one array of Zarr V2, encoded by each codec of numcodecs."""
    import numcodecs
    import numpy as np

    numbers = np.arange(24, dtype="<i4").reshape(4, 6)
    words = np.array(["a", "", "wörd", "x" * 40], dtype=object)
    arrays = np.empty(2, dtype=object)
    arrays[:] = [np.arange(2, dtype="<i4"), np.arange(3, dtype="<i4")]
    kinds: list[tuple[Any, list[dict[str, Any]]]] = [
        (numbers, [{"id": name}])
        for name in ("zlib", "gzip", "bz2", "lzma", "zstd", "lz4", "shuffle", "fletcher32", "crc32",
                     "crc32c", "adler32", "jenkins_lookup3")
    ]  # fmt: skip
    kinds += [
        (numbers, [{"id": "blosc", "cname": name, "shuffle": shuffle}])
        for name in ("lz4", "blosclz", "zlib", "zstd") for shuffle in (0, 1, 2)
    ]  # fmt: skip
    kinds += [
        (numbers, [{"id": "delta", "dtype": "<i4"}, {"id": "zlib"}]),
        (numbers, [{"id": "shuffle", "elementsize": 4}, {"id": "zlib"}, {"id": "fletcher32"}]),
        (numbers, [{"id": "fixedscaleoffset", "scale": 10, "offset": 1, "dtype": "<i4",
        "astype": "<i2"}]),
        (numbers, [{"id": "astype", "encode_dtype": "<i8", "decode_dtype": "<i4"}, {"id": "lz4"}]),
        (numbers.astype("<f8"), [{"id": "quantize", "digits": 2, "dtype": "<f8"}, {"id": "zstd"}]),
        (numbers.astype("<f4"), [{"id": "bitround", "keepbits": 4}, {"id": "bz2"}]),
        (numbers.astype("?"), [{"id": "packbits"}]),
        (words, [{"id": "vlen-utf8"}, {"id": "zstd"}]),
        (words, [{"id": "vlen-utf8"}]),
        (words, [{"id": "json2"}, {"id": "zlib"}]),
        (words, [{"id": "msgpack2"}]),
        (words, [{"id": "categorize", "labels": ["a", "", "wörd"], "dtype": "|O",
        "astype": "|u1"}]),
        (np.array([b"a", b"", b"xyz"], dtype=object), [{"id": "vlen-bytes"}, {"id": "blosc"}]),
        (arrays, [{"id": "vlen-array", "dtype": "<i4"}]),
    ]  # fmt: skip
    for values, chain in kinds:
        encoded: Any = values
        with contextlib.suppress(ImportError, ValueError):
            for configuration in chain:
                encoded = numcodecs.get_codec(dict(configuration)).encode(encoded)
            yield _store(values, chain, bytes(np.ascontiguousarray(encoded).data))


def _store(values: Any, chain: list[dict[str, Any]], chunk: bytes) -> dict[str, bytes]:
    array = {
        "zarr_format": 2, "shape": list(values.shape), "chunks": list(values.shape), "order": "C",
        "dtype": values.dtype.str, "fill_value": 0 if values.dtype != object else None,
        "filters": chain, "compressor": None,
    }  # fmt: skip
    dimensions = {"_ARRAY_DIMENSIONS": ["y", "x"][: values.ndim]}
    return {
        ".zgroup": b'{"zarr_format": 2}',
        "values/.zarray": json.dumps(array).encode(),
        "values/.zattrs": json.dumps(dimensions).encode(),
        "values/" + ".".join("0" * values.ndim): chunk,
    }


def _shards() -> Iterator[Case]:
    for spec in ("none", "zlib:1", "blosc:lz4:5"):
        yield _made(
            "shards", "store.zarr", ("gen", "-o", "made.zarr", "x.cdl"),
            ("copy", "made.zarr", "store.zarr", "--mode", "nczarr,v3", "--codec", spec,
            "--shards", "/",
             "-c", "time/1,lat/1,lon/2"),
        )  # fmt: skip


def _zips() -> Iterator[Case]:
    for mode in ("nczarr,zip", "zarr,v3,zip"):
        yield _made("zips", "store.zip", ("gen", "-o", f"store.zip#mode={mode}", "x.cdl"))
    with _folder():
        run_ncz("gen", "-o", "store.zarr#mode=zarr", "x.cdl")
        with zipfile.ZipFile("store.zip", "w", zipfile.ZIP_DEFLATED) as file:
            file.comment = b"a comment"
            for key, data in read("", "", Path("store.zarr")).files.items():
                with file.open(key, "w", force_zip64=True) as member:
                    member.write(data)
        yield Case("zips", "store.zip", {"store.zip": Path("store.zip").read_bytes()})


def _texts() -> Iterator[Case]:
    for path in EXAMPLES:
        if path.stat().st_size < 10_000:
            yield Case("cdl", "x.cdl", {"x.cdl": path.read_bytes()})
    yield Case("cdl", "x.cdl", {"x.cdl": CDL})


def _json() -> Iterator[Case]:
    for text in (
        CDL,
        CLASSIC,
        *(path.read_bytes() for path in EXAMPLES if "ocean" not in path.name),
    ):
        with _folder(text):
            run_ncz("gen", "-o", "made.zarr", "x.cdl")
            done = run_ncz("dump", "-j", "1", "--json", "made.zarr")
            if done.code == 0:
                yield Case("json", "x.json", {"x.json": done.out})


def _urls() -> Iterator[Case]:
    for location in (
        "store.zarr", "store.zarr#mode=zarr", "store.zarr#mode=nczarr,v3",
        "store.zip#mode=zip,zarr",
        "file:///store.zarr#mode=zarr", "s3://bucket/key#mode=zarr&aws.profile=x", "memory://a/b",
        "https://user:secret@host:80/a/b?X-Amz-Signature=1#mode=bytes", "reference://::refs.json",
        "https://bucket.s3.eu-west-1.amazonaws.com/key#mode=s3,zarr", "[mode=zarr]store.zarr",
        "zip::https://host/a.zip", "gs://bucket/key#fsspec.token=anon&timeout=5",
    ):  # fmt: skip
        yield Case("urls", location, {"store.zarr/.zgroup": b'{"zarr_format": 2}'})


def _references() -> Iterator[Case]:
    with _folder():
        run_ncz("gen", "-o", "store.zarr#mode=zarr", "x.cdl")
        files = read("", "", Path("store.zarr")).files
    refs: dict[str, Any] = {}
    whole = b""
    for key, data in files.items():
        if key.rpartition("/")[2].startswith("."):
            refs[key] = data.decode()
        elif len(refs) % 2:
            refs[key] = "base64:" + base64.b64encode(data).decode()
        else:
            refs[key] = ["{{t}}", len(whole), len(data)]
            whole += data
    for members in (
        {"version": 1, "templates": {"t": "data.bin"}, "refs": refs},
        {key: ["data.bin", *ref[1:]] if isinstance(ref, list) else ref for key,
        ref in refs.items()},
        {"version": 1, "templates": {"t": "data.bin"}, "refs": refs | {"many/.zarray": _MANY},
         "gen": [{"key": "many/{{i}}", "url": "{{t}}", "offset": "{{i * 4}}", "length": "4",
                  "dimensions": {"i": {"stop": 3}}}]},
    ):  # fmt: skip
        text = json.dumps(members).encode()
        yield Case("references", "refs.json", {"refs.json": text, "data.bin": whole})


_MANY = json.dumps({
    "zarr_format": 2, "shape": [3], "chunks": [1], "dtype": "<i4", "fill_value": None, "order": "C",
    "compressor": None, "filters": None,
})  # fmt: skip


def _netcdf() -> Iterator[Case]:
    for kind in ("nc3", "nc6", "nc5"):
        yield _made("netcdf", "x.nc", ("gen", "-k", kind, "-o", "x.nc", "x.cdl"), text=CLASSIC)


def _hdf5() -> Iterator[Case]:
    with contextlib.suppress(ImportError):
        import h5py  # noqa: F401 - without it there is nothing to fuzz

        yield _made("hdf5", "x.nc", ("gen", "-k", "nc4", "-o", "x.nc", "x.cdl"))
        for version in ("earliest", "latest"):
            with _folder():
                _write_hdf5("x.nc", version)
                yield Case("hdf5", "x.nc", {"x.nc": Path("x.nc").read_bytes()})


def _write_hdf5(path: str, version: str) -> None:
    """Write a file with each index of chunks, many attributes, and values of variable length."""
    import h5py
    import numpy as np

    values = np.arange(48, dtype="f4").reshape(6, 8)
    with h5py.File(path, "w", libver=version) as file:
        for name, most in (
            ("fixed", (6, 8)), ("grows", (6, None)), ("tree", (None, None)), ("first", (None, 8)),
        ):  # fmt: skip
            file.create_dataset(
                name, data=values, chunks=(2, 3), maxshape=most, compression="gzip", shuffle=True
            )
        file.create_dataset("single", data=values, chunks=(6, 8), fletcher32=True)
        file.create_dataset("lzf", data=values, chunks=(6, 8), compression="lzf")
        file["inner/words"] = np.array(["a", "", "word"], h5py.string_dtype())
        for number in range(12):
            file["inner"].attrs[f"a{number}"] = np.arange(number)
        file["fixed"].dims[0].label = "y"
        file["soft"] = h5py.SoftLink("/inner/words")


def _config() -> Iterator[Case]:
    """Yield the files of settings of S3netCDF4, ncz and netCDF-C."""
    hosts = {
        "hosts": {
            "one": {
                "alias": "one", "url": "http://127.0.0.1:9", "backend": "b", "api": "S3v4",
                "credentials": {"accessKey": "KEY", "secretKey": "SECRET-of-s3nc"},
            }
        },
        "backends": {
            "b": {"maximum_part_size": "50MB", "maximum_parts": 8, "connect_timeout": 1.5,
                  "read_timeout": 3, "enable_multipart_upload": 1}
        },
        "cache_location": "/tmp", "resource_allocation": {"memory": "1GB", "filehandles": 20},
    }  # fmt: skip
    config = (
        b'[alias.two]\nendpoint = "http://127.0.0.1:9"\naccess_key = "KEY"\n'
        b'secret_key = "SECRET-of-config"\n'
        b"anonymous = false\nread_timeout = 2.5\nrequests = 4\nahead = 1000\n"
    )
    rc = (
        b"AWS.REGION=eu-west-1\n[http://127.0.0.1:9]AWS.SECRET_ACCESS_KEY=SECRET-of-home\n"
        b"NCZ.ALIAS.three=http://127.0.0.1:9\nHTTP.TIMEOUT=3\n# x\n"
    )
    files = {
        "home/.s3nc.json": json.dumps(hosts, indent=1).encode(),
        "home/.config/ncz/config.toml": config, "home/.ncrc": rc,
        ".dodsrc": rc.replace(b"of-home", b"of-folder"),
    }  # fmt: skip
    for alias in ("one", "two", "three"):
        yield Case("config", f"s3://{alias}/bucket/key", files)


def _user_types() -> Iterator[Case]:
    with contextlib.suppress(ImportError):
        import h5py
        import numpy as np

        yield _made("types", "x.nc", ("gen", "-k", "nc4", "-o", "x.nc", "x.cdl"), text=USER_TYPES)
        with _folder():
            record = np.dtype([("i", "i4"), ("s", "S5"), ("n", [("x", "i2"), ("y", "f4")])])
            with h5py.File("x.h5", "w") as file:  # of types without names
                file["record"] = np.array([(1, b"abc", (2, 3.5)), (4, b"", (5, 6.5))], record)
                file["yes"] = np.array([True, False])
                file["yes"].attrs["flag"] = True
                text = np.dtype([("i", "i4"), ("s", h5py.string_dtype())])
                file["text"] = np.array([(1, "one"), (2, "")], text)
                rows = file.create_dataset("rows", (2,), h5py.vlen_dtype("i4"), chunks=(1,))
                rows[0] = [1, 2, 3]
            yield Case("types", "x.h5", {"x.h5": Path("x.h5").read_bytes()})


def _changes() -> Iterator[Case]:
    with _folder(changes.CDL):
        for name in ("store.zarr", "more.zarr"):
            assert run_ncz("gen", "-o", name, "x.cdl").code == 0
        array = Path("store.zarr/b/.zarray")  # errors that check --fix repairs
        array.write_bytes(array.read_bytes().replace(b"|i1", b"<i1"))
        files = read("changes", "store.zarr", Path()).files
        for names in ("set rename 20", "append remove 40", "fix replace 10"):
            yield Case("changes", "store.zarr", {**files, changes.MEANWHILE: names.encode()})


SUBJECTS: dict[str, Callable[[], Iterator[Case]]] = {
    "documents": _documents, "chunks": _chunks, "typed": _typed, "shards": _shards, "zips": _zips,
    "cdl": _texts, "json": _json, "urls": _urls, "references": _references, "netcdf": _netcdf,
    "hdf5": _hdf5, "types": _user_types, "changes": _changes, "config": _config,
}  # fmt: skip
"""The subjects, each with the function that makes its cases."""


def _made(subject: str, source: str, *commands: tuple[str, ...], text: bytes = CDL) -> Case:
    """Return the case that commands create from ``x.cdl``."""
    with _folder(text):
        for command in commands:
            done = run_ncz(*command)
            assert done.code == 0, done
        files = read(subject, source, Path()).files
        kept = {key: data for key, data in files.items() if key.partition("/")[0] == source}
        return Case(subject, source, kept)


@contextlib.contextmanager
def _folder(text: bytes = CDL) -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="ncz-fuzz-") as folder, contextlib.chdir(folder):
        Path("x.cdl").write_bytes(text)
        yield

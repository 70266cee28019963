"""The row of GDAL in the table of readers is true, as far as rasterio, which brings GDAL, can show.

rasterio reads arrays of numbers. It runs in another process, as it brings libraries that others in
this process bring, too. ``NCZ_PEERS_GDAL`` is a Python with rasterio 1.5 or later, which needs
Python 3.12; without it, the folder of ``make interop`` is used.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ncz.formats.zarr.readers.programs import READERS
from tests.interop.peers.peers import HERE
from tests.interop.targets import run_ncz

PYTHON = os.environ.get("NCZ_PEERS_GDAL") or str(HERE / "zarr3" / "bin" / "python")
READ = """
import json, sys, warnings
import rasterio, rasterio.errors
warnings.simplefilter("ignore")
for path in sys.argv[1:]:
    prefix = "/vsizip/" if path.endswith(".zip") else ""
    try:
        with rasterio.open(f'ZARR:"{prefix}{path}":/a') as array:
            print(json.dumps(array.read(1).tolist()))
    except rasterio.errors.RasterioIOError:
        print("null")
"""
VALUES = [[1, 2, 3], [4, 5, 6]]
NUMBERS = "int a(n, m) ;{more} data: a = 1, 2, 3, 4, 5, 6 ;"
GDAL = READERS["gdal"]

FORMS = {
    ("format", "nczarr-v2"): (NUMBERS, ("--zarr-format", "2")),
    ("format", "nczarr-v3"): (NUMBERS, ("--zarr-format", "3")),
    ("format", "zarr-v2"): (NUMBERS, ("--zarr-format", "2", "--mode", "zarr")),
    ("format", "zarr-v3"): (NUMBERS, ("--zarr-format", "3", "--mode", "zarr")),
    ("zip", "root"): (NUMBERS, ("--mode", "zarr")),
    ("zip", "folder"): (NUMBERS, ()),
    ("number", "bare-v2"): (NUMBERS.format(more="a:b = 0., NaN ;"), ("--zarr-format", "2")),
    ("number", "bare-v3"): (
        NUMBERS.format(more="a:b = 0., NaN ;"),
        ("--zarr-format", "3", "--mode", "zarr"),
    ),
    ("char", ">S1"): ('char a(n, m) ; data: a = "xyz", "abc" ;', ("--zarr-format", "2")),
    ("char", "bytes"): (
        'char a(n, m) ; data: a = "xyz", "abc" ;',
        ("--zarr-format", "3", "--mode", "zarr"),
    ),
    ("string", "string"): (
        'string a(n, m) ; data: a = "x", "y", "z", "a", "b", "c" ;',
        ("--zarr-format", "3"),
    ),
}
"""Feature -> CDL without its dimensions, and options of gen."""

CODECS = {
    2: ("blosc", "zlib", "gzip", "lzma", "zstd", "shuffle", "bz2", "crc32", "fletcher32"),
    3: ("blosc", "gzip", "zstd", "lzma", "bz2", "shuffle", "crc32c", "fletcher32"),
}


@functools.cache
def gdal() -> tuple[int, ...]:
    """Return the version of GDAL, or nothing if rasterio is not installed."""
    if shutil.which(PYTHON) is None:
        return ()
    command = [PYTHON, "-c", "import rasterio; print(rasterio.__gdal_version__)"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return () if done.returncode else tuple(map(int, done.stdout.strip().split(".")))


@pytest.fixture(autouse=True)
def requires_gdal() -> None:
    if gdal() < (3, 12):
        pytest.skip("rasterio with GDAL 3.12 is not installed; 'make interop' installs it")


def gen(folder: Path, number: int, text: str, options: tuple[str, ...], suffix: str) -> str:
    source, store = folder / "x.cdl", folder / f"{number}.{suffix}"
    source.write_text(f"netcdf x {{ dimensions: n = 2 ; m = 3 ; variables: {text} }}")
    done, _ = run_ncz("gen", str(source), "-o", str(store), *options)
    assert done.code == 0, done.error
    return str(store)


def seen(stores: list[str]) -> list[Any]:
    """The values of the array ``a`` of each store; None if it is not read."""
    command = [PYTHON, "-c", READ, *stores]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_forms(tmp_path):
    stores = [
        gen(tmp_path, n, text.replace("{more}", ""), options, "zip" if "zip" in feature else "zarr")
        for n, (feature, (text, options)) in enumerate(FORMS.items())
    ]
    found = dict(zip(FORMS, seen(stores), strict=True))
    assert found == {each: None if each in GDAL.unread else VALUES for each in FORMS}


@pytest.mark.parametrize(("zarr_format", "known"), [(2, GDAL.codecs_v2), (3, GDAL.codecs_v3)])
def test_codecs(tmp_path, zarr_format, known):
    assert known is not None
    names = CODECS[zarr_format]
    stores = []
    for n, name in enumerate(names):
        codecs = json.dumps([{"id": name, **({"elementsize": 4} if name == "shuffle" else {})}])
        text = NUMBERS.format(more=f"a:_Codecs = {json.dumps(codecs)} ;")
        stores.append(gen(tmp_path, n, text, ("--zarr-format", str(zarr_format)), "zarr"))
    found = dict(zip(names, seen(stores), strict=True))
    assert found == {name: VALUES if name in known else None for name in names}


def test_a_store_for_it_is_read_by_it(tmp_path):
    more = 'a:_DeflateLevel = 5 ; a:_Shuffle = "true" ;'
    stores = [
        gen(tmp_path, n, NUMBERS.format(more=more), ("--for", "gdal", *options), "zarr")
        for n, options in enumerate([(), ("--zarr-format", "3")])
    ]
    assert seen(stores) == [VALUES, VALUES]

"""netCDF files on web servers and S3: read by ranges, with few requests."""

from __future__ import annotations

import contextlib
import gzip

import numpy as np
import pytest

from ncz.zmap.location import parse_location
from ncz.zmap.remote.opening import connect
from ncz.zmap.remote.retry_policy import RetryPolicy

netCDF4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")


def make_file(folder, groups, width):
    """Return a netCDF-4 file with groups, attributes, chunks and strings."""
    random = np.random.default_rng(0)
    with netCDF4.Dataset(folder / "made.nc", "w") as root:
        for number in range(groups):
            group = root.createGroup(f"g{number}")
            group.createDimension("y", 60)
            group.createDimension("x", width)
            made = group.createVariable("v", "i8", ("y", "x"), chunksizes=(20, width // 2))
            made.units = "m"
        for number in range(groups):
            root[f"g{number}/v"][:] = random.integers(0, 1000, (60, width))
        root.createDimension("n", 15)
        names = root.createVariable("names", str, ("n",), chunksizes=(4,), zlib=True)
        names[:] = np.array(["one", "", "three"] * 5, dtype=object)
    return (folder / "made.nc").read_bytes()


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A file of 10 MB."""
    return make_file(tmp_path_factory.mktemp("large"), 20, 1000)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A file of some 100 kB."""
    return make_file(tmp_path_factory.mktemp("small"), 3, 50)


@pytest.mark.parametrize("name", ["data/x.nc", "data/without-suffix"])
def test_a_header_needs_few_requests_and_little_of_the_file(web, run, large, name):
    web.objects = {name: large}
    ran = run("dump", "-h", f"{web.endpoint}/{name}")
    assert (ran.code, ran.stderr) == (0, "")
    assert ran.text.count("g19") == 2
    assert web.asked(name) <= (3 if name.endswith(".nc") else 6)
    # Not every server answers a request for the last bytes of a file.
    assert not any(headers.get("Range", "").startswith("bytes=-") for headers in web.headers)
    spans = [headers["Range"].removeprefix("bytes=").split("-") for headers in web.headers
             if "Range" in headers]  # fmt: skip
    assert sum(int(last) - int(first) + 1 for first, last in spans) < len(large) // 2


@pytest.mark.parametrize("library", ["obstore", "s3fs"])
@pytest.mark.parametrize("name", ["b/x.nc", "b/without-suffix"])
def test_a_header_on_s3_needs_few_requests(web, run, large, monkeypatch, library, name):
    pytest.importorskip(library, reason=f"{library} is not installed (ncz[s3])")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "thing")
    monkeypatch.setenv("NCZ_S3", library)
    web.objects = {name: large}
    ran = run("dump", "-h", f"{web.endpoint}/{name}#mode=s3")
    assert (ran.code, ran.stderr) == (0, "")
    assert len(web.requests) <= (4 if name.endswith(".nc") else 7)


@pytest.mark.parametrize(("name", "most"), [("x.nc", 4), ("without-suffix", 6)])
@pytest.mark.parametrize("size", [512, 65536])
def test_a_user_block_is_recognised(web, run, tmp_path, name, most, size):
    import h5py

    with h5py.File(tmp_path / "x.h5", "w", userblock_size=size) as file:
        file["v"] = np.arange(3)
    web.objects = {name: b"#!/bin/sh\n" + (tmp_path / "x.h5").read_bytes()[10:]}
    ran = run("dump", "-v", "v", f"{web.endpoint}/{name}")
    assert (ran.code, ran.stderr) == (0, "")
    assert " v = 0, 1, 2 ;" in ran.text
    assert web.asked(name) <= most + 1  # and the values


def test_values_are_read_by_ranges(web, run, small, tmp_path):
    web.objects = {"x.nc": small}
    (tmp_path / "x.nc").write_bytes(small)
    assert run("dump", f"{web.endpoint}/x.nc").text == run("dump", tmp_path / "x.nc").text
    ran = run("copy", "--verify", f"{web.endpoint}/x.nc", tmp_path / "x.zarr")
    assert ran.code == 0, ran.stderr
    assert all("Range" in headers for headers in web.headers)


def test_classic_files_are_read_by_ranges(web, run, tmp_path):
    from tests.formats.netcdf.classic.test_reader import make, numbers_of

    variables = [("f", 4, (1, 2), numbers_of(4, (3, 2))), ("r", 6, (0, 1), numbers_of(6, (5, 3)))]
    web.objects = {"x.nc": make(2, [*variables, ("q", 3, (0,), numbers_of(3, (5,)))], 5)}
    (tmp_path / "x.nc").write_bytes(web.objects["x.nc"])
    assert run("dump", f"{web.endpoint}/x.nc").text == run("dump", tmp_path / "x.nc").text
    assert all("Range" in headers for headers in web.headers)


def test_a_server_without_ranges_is_refused(web, run, small):
    web.objects = {"x.nc": small}
    web.ranges = False
    ran = run("dump", f"{web.endpoint}/x.nc")
    assert ran.code == 1
    assert "this server does not support range requests" in ran.stderr


def test_a_failed_request_is_repeated(web, run, small):
    web.objects = {"x.nc": small}
    web.faults.extend([None, None, "503", None, "reset"])
    assert run("dump", "-h", f"{web.endpoint}/x.nc").code == 0


def test_a_file_that_is_not_there(web, run):
    ran = run("dump", f"{web.endpoint}/x.nc")
    assert ran.code == 1
    assert "no file or store exists at this URL" in ran.stderr


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"GRIB" + bytes(100), "this is a GRIB file"),
        (b"\x0e\x03\x13\x01" + bytes(100), "this is an HDF4 file"),
        (b"II*\0" + bytes(100), "this is a TIFF file"),
        (b"PAR1" + bytes(100), "this is a Parquet table"),
        (gzip.compress(b"GRIB" + bytes(100), mtime=0), "this is a GRIB file"),
        (b"<!DOCTYPE html>" + bytes(100), "this is a web page"),
    ],
)
@pytest.mark.parametrize("name", ["x.nc", "x"])
def test_other_files_are_named(web, run, content, says, name):
    web.objects = {name: content}
    ran = run("dump", f"{web.endpoint}/{name}")
    assert ran.code == 1
    assert says in ran.stderr


@pytest.mark.parametrize("name", ["x.nc", "x"])
def test_s3(s3, run, small, tmp_path, name):
    url = f"{s3}/{name}#mode=s3"
    put(url, small)
    (tmp_path / "x").write_bytes(small)
    assert run("dump", url).text == run("dump", tmp_path / "x").text
    assert run("copy", "--verify", url, tmp_path / "x.zarr").code == 0
    put(url, b"GRIB" + bytes(100))
    assert "this is a GRIB file" in run("dump", url).stderr


def put(url, data):
    """Put an object at a URL."""
    objects, root, _ = connect(parse_location(url), RetryPolicy())
    with contextlib.closing(objects):
        objects.put(root, data)

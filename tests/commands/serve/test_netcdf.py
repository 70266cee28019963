"""``ncz serve --netcdf``: requests for a netCDF file, and programs that read it over HTTP."""

from __future__ import annotations

import contextlib
import http.client
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest

import ncz
from ncz.errors import LossError, Notice, ignore_notice
from tests.commands.serve.test_requests import ask, send
from tests.conftest import ROOT

pytest.importorskip("tornado", reason="tornado is not installed")
h5py = pytest.importorskip("h5py", reason="h5py is not installed")
xarray = pytest.importorskip("xarray", reason="xarray is not installed")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("serve") / "weather.zarr"
    ncz.copy(ROOT / "cdl_examples/weather.cdl", target, codecs="zlib", notify=ignore_notice)
    return target


@pytest.fixture(scope="module")
def server(store: Path) -> Iterator[ncz.Server]:
    with ncz.serve(store, netcdf=True, notify=ignore_notice) as server:
        yield server


@pytest.fixture(scope="module")
def whole(server: ncz.Server) -> bytes:
    return ask(server, "weather.nc").body


def test_the_file_contains_the_same_as_the_store(server, store, whole, tmp_path):
    assert set(server.addresses) == {"weather", "weather.nc"}
    (tmp_path / "weather.nc").write_bytes(whole)
    assert ncz.diff(store, tmp_path / "weather.nc", notify=ignore_notice) == []
    assert ncz.diff(store, server.addresses["weather"], data_only=True) == []


def test_head_has_the_headers_of_get(server, whole):
    head = ask(server, "weather.nc", "HEAD")
    assert (head.status, head.body) == (200, b"")
    assert head.headers["content-length"] == str(len(whole))
    assert head.headers["accept-ranges"] == "bytes"
    assert head.headers["content-type"] == "application/x-netcdf"
    assert ask(server, "weather.nc", "HEAD", Range="bytes=1-3").headers["content-length"] == "3"


def test_200_ranges(server, whole):
    """Odd, overlapping and past the end."""
    size, rng = len(whole), random.Random(1)
    for _ in range(200):
        first = rng.randrange(size + 20)
        last = first + rng.choice([0, 1, 7, 512, size])
        asked, part = rng.choice(
            [
                (f"bytes={first}-{last}", whole[first : last + 1]),
                (f"bytes={first}-", whole[first:]),
                (f"bytes=-{last + 1}", whole[-last - 1 :]),
            ]
        )
        answer = ask(server, "weather.nc", Range=asked)
        if not part:
            assert (answer.status, answer.headers["content-range"]) == (416, f"bytes */{size}")
            continue
        assert (answer.status, answer.body) == (206, part), asked
        start = int(answer.headers["content-range"].split()[1].partition("-")[0])
        assert whole[start : start + len(part)] == part


def _mutated(request: bytes, rng: random.Random) -> bytes:
    """Change, lose, add or repeat bytes of a request."""
    data = bytearray(request)
    for _ in range(rng.choice([1, 1, 2, 5])):
        at, kind = rng.randrange(len(data)), rng.randrange(4)
        if kind == 0:
            data[at] = rng.randrange(256)
        elif kind == 1:
            del data[at : at + rng.choice([1, 4])]
        elif kind == 2:
            data[at:at] = rng.choice([b"\r\n", b"\0", b"-", b"9" * 30, b"bytes=", b"%2e%2e/"])
        else:
            data[at:at] = data[at : at + 20]
    return bytes(data)


def test_200_mutations_of_requests(server, whole):
    """Each gets the requested bytes, an error, or no response."""
    rng, tag = random.Random(2), ask(server, "weather.nc", "HEAD").headers["etag"]
    known = {b"HTTP/1.1 " + str(n).encode() for n in (200, 206, 304, 400, 403, 404, 405, 412, 416)}
    known |= {b"HTTP/1.1 421", b"HTTP/1.1 431", b""}
    host = urlsplit(server.address).netloc
    request = (
        f"GET /weather.nc HTTP/1.1\r\nHost: {host}\r\nRange: bytes=100-299\r\n"
        f"If-Range: {tag}\r\nConnection: close\r\n\r\n"
    ).encode()
    assert send(server, request).endswith(whole[100:300])
    for _ in range(200):
        answer = b""
        with contextlib.suppress(ConnectionError):  # the server must not read all of it
            answer = send(server, _mutated(request, rng) + b"\r\n\r\n")
        assert answer[:12] in known, answer[:100]
        head, _, body = answer.partition(b"\r\n\r\n")
        if head.startswith(b"HTTP/1.1 206"):
            place = next(h for h in head.split(b"\r\n") if h.lower().startswith(b"content-range"))
            first, last = place.split()[2].partition(b"/")[0].split(b"-")
            assert body.startswith(whole[int(first) : int(last) + 1])
    assert ask(server, "weather.nc").body == whole


@pytest.mark.parametrize(
    "asked",
    [
        "bytes=5-2",
        "bytes=a-b",
        "bytes=--3",
        "bytes=",
        "bits=0-1",
        "bytes=0-1,4-5",
        "0-1",
        "bytes=-",
    ],
)
def test_ranges_that_mean_nothing_get_all(server, whole, asked):
    answer = ask(server, "weather.nc", Range=asked)
    assert (answer.status, answer.body) == (200, whole)


def test_no_bytes_at_the_end_are_no_range(server):
    assert ask(server, "weather.nc", Range="bytes=-0").status == 416


def test_requests_with_conditions(server, whole):
    tag = ask(server, "weather.nc", "HEAD").headers["etag"]
    assert ask(server, "weather.nc", If_None_Match=tag).status == 304
    assert ask(server, "weather.nc", If_Match=tag).status == 200
    assert ask(server, "weather.nc", If_Match='"another"').status == 412
    answer = ask(server, "weather.nc", Range="bytes=0-3", If_Range=tag)
    assert (answer.status, answer.body) == (206, whole[:4])
    answer = ask(server, "weather.nc", Range="bytes=0-3", If_Range='"another"')
    assert (answer.status, answer.body) == (200, whole)


def test_the_tag_lasts_as_long_as_the_source(server, store):
    tag = ask(server, "weather.nc", "HEAD").headers["etag"]
    with ncz.serve(store, netcdf=True, notify=ignore_notice) as again:
        assert ask(again, "weather.nc", "HEAD").headers["etag"] == tag


def test_another_source_has_another_tag(store, tmp_path):
    copy = tmp_path / "weather.zarr"
    ncz.copy(store, copy, notify=ignore_notice)
    tags = []
    for _ in range(2):
        with ncz.serve(copy, netcdf=True, notify=ignore_notice) as server:
            tags.append(ask(server, "weather.nc", "HEAD").headers["etag"])
        chunk = copy / "temperature/0.0.0"
        chunk.write_bytes(chunk.read_bytes())  # of the same size
        os.utime(chunk, ns=(1, 2**62))
    assert tags[0] != tags[1]


@pytest.mark.usefixtures("every_request_checks")
def test_a_source_that_changes_is_refused(store, tmp_path):
    copy = tmp_path / "weather.zarr"
    ncz.copy(store, copy, notify=ignore_notice)
    told: list[Notice] = []
    with ncz.serve(copy, netcdf=True, notify=told.append) as server:
        first = ask(server, "weather.nc")
        assert first.status == 200
        for chunk in copy.glob("temperature/0*"):
            chunk.write_bytes(chunk.read_bytes()[::-1])
        answers = [ask(server, "weather.nc", Range=f"bytes={n}-{n}") for n in range(0, 27000, 3000)]
        answers.append(ask(server, "weather.nc"))
        assert answers[-1].status == 412
        for answer, n in zip(answers, range(0, 27000, 3000), strict=False):
            assert answer.status == 412 or answer.body == first.body[n : n + 1]
        assert ask(server, "weather.nc", "HEAD").status == 412
    assert any("changed" in notice.message for notice in told)


def test_without_the_option_there_is_no_file(store):
    with ncz.serve(store, notify=ignore_notice) as server:
        assert set(server.addresses) == {"weather"}
        assert ask(server, "weather.nc").headers["content-type"].startswith("text/html")


def test_the_first_page_lists_the_file(server):
    assert f'href="weather.nc">weather.nc</a> <code>{server.addresses["weather.nc"]}<' in (
        ask(server, "").body.decode()
    )


def test_datasets_that_netcdf_cannot_represent_are_refused(tmp_path):
    made = xarray.Dataset({"v": ("x", [1, 2], {"a/b": 1})})
    made.to_zarr(tmp_path / "x.zarr", zarr_format=2)
    with pytest.raises(LossError, match="netCDF"):
        ncz.serve(tmp_path / "x.zarr", netcdf=True, notify=ignore_notice)
    with ncz.serve(
        tmp_path / "x.zarr", netcdf=True, allow_loss=True, notify=ignore_notice
    ) as server:
        assert ask(server, "x.nc").status == 200


def test_xarray_reads_it_through_fsspec(server, store):
    fsspec = pytest.importorskip("fsspec")
    for needed in ("aiohttp", "h5netcdf"):
        pytest.importorskip(needed, reason=f"{needed} is not installed")
    with (
        fsspec.open(server.addresses["weather.nc"], block_size=1 << 12) as file,
        xarray.open_dataset(file, engine="h5netcdf") as found,
        xarray.open_dataset(store, engine="ncz") as expected,
    ):
        for name, variable in expected.variables.items():
            assert found[name].variable.equals(variable), name


def test_h5py_reads_it(server, whole):
    fsspec = pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp", reason="aiohttp is not installed")
    with fsspec.open(server.addresses["weather.nc"]) as opened, h5py.File(opened) as file:
        assert file["temperature"].shape == file["temperature"][()].shape == (4, 3, 5)


def test_ncdump_reads_it(server, store):
    """netCDF-C reads files over HTTP if it was built for that."""
    netcdf4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
    address = server.addresses["weather.nc"] + "#mode=bytes"
    try:
        found = netcdf4.Dataset(address)
    except OSError:
        pytest.skip("this netCDF library does not read ranges over HTTP")
    with found, ncz.open(store) as expected:
        assert np.array_equal(found["lat"][:].data, expected["lat"][:])
        assert found["temperature"][:].shape == (4, 3, 5)


def test_curl_writes_it(server, whole, tmp_path):
    try:
        subprocess.run(
            ["curl", "-sSO", server.addresses["weather.nc"]], cwd=tmp_path, timeout=60, check=True
        )
    except FileNotFoundError:
        pytest.skip("curl is not installed")
    assert (tmp_path / "weather.nc").read_bytes() == whole


def test_the_command_prints_both_addresses(store):
    command = [sys.executable, "-m", "ncz", "serve", "--netcdf", str(store)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline().decode().strip() for _ in range(2)]
        process.terminate()
    assert [urlsplit(line).path for line in lines] == ["/weather", "/weather.nc"]


VAST = """
import sys
import ncz
from ncz.errors import ignore_notice

with ncz.serve(sys.argv[1], netcdf=True, memory=64 << 20, notify=ignore_notice) as server:
    print(server.addresses["vast.nc"], flush=True)
    sys.stdin.readline()
with open("/proc/self/status") as status:
    print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""

MEMORY = 100_000
"""Kilobytes that the process of a server may take at most, with Python and its packages."""


def _vast(folder: Path, count: int) -> Path:
    """Write a store of chunks of 16 MiB that take no place on the disk."""
    store = folder / "vast.zarr"
    length = 1 << 22
    text = (
        f"netcdf vast {{ dimensions: t = {count} ; x = {length} ; variables: float v(t, x) ;"
        f" v:_ChunkSizes = 1, {length} ; }}"
    )
    (folder / "vast.cdl").write_text(text)
    ncz.gen(folder / "vast.cdl", store, modes="zarr", allow_loss=True, notify=ignore_notice)
    for number in range(count):
        with open(store / f"v/{number}.0", "wb") as chunk:
            chunk.truncate(4 * length)
            chunk.seek(4 * number)
            chunk.write(np.float32(number + 1).tobytes())
    return store


def _asked(address: str, method: str, **headers: str) -> tuple[int, int]:
    """Return the length that an answer has by its header, and the bytes that arrive."""
    place, size = urlsplit(address), 0
    connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=60)
    with contextlib.closing(connection):
        connection.request(method, place.path, headers=headers)
        with connection.getresponse() as answer:
            while piece := answer.read(1 << 20):
                size += len(piece)
            return int(answer.headers["Content-Length"]), size


@pytest.mark.parametrize("count", [64, pytest.param(3_200, marks=pytest.mark.long)])
def test_a_store_of_50_gb_takes_little_memory(tmp_path, count):
    """1 GB, and 50 GB; every chunk is read in part, and some of them whole."""
    fsspec = pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp", reason="aiohttp is not installed")
    if not os.path.exists("/proc/self/status"):
        pytest.skip("this system does not report the memory of a process")
    store = _vast(tmp_path, count)
    with subprocess.Popen(
        [sys.executable, "-c", VAST, str(store)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        address = process.stdout.readline().decode().strip()
        assert _asked(address, "HEAD")[0] > count * (1 << 24)
        with (
            fsspec.open(address, block_size=1 << 16, cache_type="none") as opened,
            h5py.File(opened, rdcc_nbytes=1 << 20) as file,
        ):
            for number in range(0, count, max(1, count // 60)):
                assert file["v"][number, number] == number + 1
                assert file["v"][number, -3:].tolist() == [0, 0, 0]
        expected = (200 << 20) - 1_000_000 + 1
        found = _asked(address, "GET", Range=f"bytes=1000000-{200 << 20}")
        assert found == (expected, expected)
        process.stdin.write(b"\n")
        process.stdin.flush()
        taken = int(process.stdout.readline())
    assert taken < MEMORY

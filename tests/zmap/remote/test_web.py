"""Stores on a web server: read-only, and never listed."""

from __future__ import annotations

import contextlib
import threading
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from ncz.errors import StoreMissing, ZmapError
from ncz.zmap.location import parse_location
from ncz.zmap.opening import create_zmap, open_zmap
from ncz.zmap.remote.opening import connect
from ncz.zmap.remote.requests import Requests

STORE = {".zgroup": b"{}", "g/.zgroup": b"{}", "g/v 1/0": b"0123456789", "g/%2F": b"odd"}


@pytest.fixture
def store(web):
    web.objects = {f"data/x.zarr/{key}": value for key, value in STORE.items()}
    return f"{web.endpoint}/data/x.zarr"


def test_objects_are_read(store, closing):
    zmap = closing(open_zmap(parse_location(store)))
    assert {key: zmap.get(key) for key in STORE} == STORE
    assert zmap.get("gone") is None
    assert zmap.size("g/v 1/0") == 10
    assert zmap.size("gone") is None
    assert zmap.get_range("g/v 1/0", 2, 3) == b"234"


@pytest.mark.parametrize("total", ["²", "9" * 5000, "-1", "*", ""])
def test_a_size_that_is_no_number_is_unknown(store, web, closing, total):
    zmap = closing(open_zmap(parse_location(store)))
    web.extra = {"Content_Range": f"bytes 2-4/{total}"}
    assert zmap.get_range("g/v 1/0", 2, 3) == b"234"


def test_keys_cannot_be_listed_and_the_error_says_so(store, closing):
    zmap = closing(open_zmap(parse_location(store)))
    for call in (lambda: zmap.search(""), lambda: list(zmap.walk("g"))):
        with pytest.raises(ZmapError, match="cannot list its keys") as caught:
            call()
        assert "consolidated metadata" in str(caught.value)


def test_it_is_read_only(store):
    with pytest.raises(ZmapError, match="a web server is read-only; for S3 add #mode=s3"):
        open_zmap(parse_location(store), write=True)
    with pytest.raises(ZmapError, match="is read-only"), create_zmap(parse_location(store)):
        pass


def test_nothing_there(web):
    with pytest.raises(StoreMissing, match="no file or store exists at this URL; check the URL"):
        open_zmap(parse_location(f"{web.endpoint}/gone"))


def test_a_query_goes_with_every_request_and_into_no_message(web, store, closing):
    zmap = closing(open_zmap(parse_location(f"{store}?sig=abc%3D&se=1")))
    zmap.get("g/v 1/0")
    assert web.requests[-1] == "GET /data/x.zarr/g/v 1/0?sig=abc=&se=1"
    assert zmap.url == store
    web.always = "403"
    with pytest.raises(ZmapError, match=r"denied access \(403\)") as caught:
        zmap.get("g/v 1/0")
    assert "abc" not in str(caught.value)


def test_a_server_that_denies_missing_objects(web, store, closing):
    web.absent = 403
    zmap = closing(open_zmap(parse_location(store)))
    assert zmap.get(".nczarr") is None
    with pytest.raises(ZmapError, match="403"):
        zmap.get("g/v 1/1")


def test_no_encoding_is_requested(web, store, closing):
    zmap = closing(open_zmap(parse_location(store)))
    zmap.get(".zgroup")
    assert web.headers[-1]["Accept-Encoding"] == "identity"


@pytest.mark.parametrize("ranges", [True, False])
def test_a_zip(web, tmp_path, ranges, closing):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for key, value in STORE.items():
            archive.writestr(key, value)
    web.objects["x.zip"] = path.read_bytes()
    web.ranges = ranges
    location = parse_location(f"{web.endpoint}/x.zip")
    if ranges:
        zmap = closing(open_zmap(location))
        assert {key: zmap.get(key) for key in zmap.walk()} == STORE
    else:
        with pytest.raises(ZmapError, match="does not support range requests; download the file"):
            open_zmap(location)


@pytest.fixture
def folder(tmp_path):
    """A folder, and its URL on Python's own web server."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    server.daemon_threads = True
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    )
    thread.start()
    with contextlib.ExitStack() as stack:
        stack.callback(server.server_close)
        stack.callback(thread.join)
        stack.callback(server.shutdown)
        yield tmp_path, f"http://127.0.0.1:{server.server_port}"


def test_a_folder_of_a_server_that_has_pages_for_folders(folder, closing):
    path, url = folder
    (path / "x.zarr" / "v").mkdir(parents=True)
    (path / "x.zarr" / ".zgroup").write_bytes(b"{}")
    (path / "x.zarr" / "v" / "0").write_bytes(b"0123456789")
    zmap = closing(open_zmap(parse_location(f"{url}/x.zarr")))
    assert zmap.get("v") is None
    assert zmap.size("v") is None
    assert zmap.get("v/0") == b"0123456789"
    assert zmap.get_range("v/0", 3, 4) == b"3456"  # it knows no ranges
    assert zmap.size("v/0") == 10


def test_32_requests_run_in_parallel():
    objects, _, url = connect(parse_location("https://host/x.zarr"))
    barrier = threading.Barrier(32)  # which waits until all have arrived
    requests = Requests(objects, url)
    try:
        waited = requests.in_order(lambda _: barrier.wait(60), range(32))
        assert sorted(waited) == list(range(32))
    finally:
        requests.close(wait=True)


def test_a_header_takes_two_requests_for_each_variable(web, run, tmp_path):
    names = [f"v{n}" for n in range(20)]
    variables = " ".join(f'int {name}; {name}:units = "m";' for name in names)
    text = f"netcdf x {{ variables: {variables} }}"
    path = tmp_path / "x.zarr"
    target = f"{path}#mode=nczarr"
    assert run("gen", "-", "-o", target, stdin=text.encode()).code == 0
    files = [file for file in path.rglob("*") if file.is_file()]
    web.objects = {f"x.zarr/{f.relative_to(path)}": f.read_bytes() for f in files}
    ran = run("dump", "-h", f"{web.endpoint}/x.zarr")
    assert (ran.code, ran.text.count("units")) == (0, 20)
    assert len(web.requests) == 2 * 20 + 5

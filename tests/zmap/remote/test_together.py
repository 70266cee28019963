"""A store far away is read in few rounds: the server answers after eight requests."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from ncz.zmap.remote.obstore_limits import LIBRARY
from tests.forked import forked, run_ncz_with_stderr

pytest.importorskip("s3fs", reason="s3fs is not installed")

VARIABLES = "".join(
    f'\tint v{n:02}(x) ;\n\t\tv{n:02}:units = "m" ;\n\t\tv{n:02}:_ChunkSizes = 2 ;\n'
    for n in range(16)
)
TEXT = f"""netcdf far {{
dimensions:
	x = 2 ;
	y = 32 ;
variables:
{VARIABLES}	int big(x, y) ;
		big:_ChunkSizes = 2, 2 ;
data:
{"".join(f" v{n:02} = {n}, {n + 1} ;" for n in range(16))}
 big = {", ".join(str(n) for n in range(64))} ;
}}
"""

WAYS = [
    ("nczarr", "http"),
    ("nczarr,v3", "http"),
    ("zarr", "s3fs"),
    ("zarr", "obstore"),
    ("zarr,v3", "s3fs"),
    ("zarr,v3", "obstore"),
]
"""Forms of a store, and the protocol or the library of S3 that reads it."""


@pytest.fixture(params=WAYS, ids="-".join)
def far(request, web, run, monkeypatch, tmp_path):
    """The URL of a store on the server, and the local store."""
    mode, way = request.param
    if way != "http":
        pytest.importorskip(way, reason=f"{way} is not installed")
        monkeypatch.setenv(LIBRARY, way)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "thing")
    local = tmp_path / "far.zarr"
    plain = () if "nczarr" in mode else ("--no-consolidated", "--allow-loss")
    made = run("gen", "-", "-o", f"file://{local}#mode={mode},file", *plain, stdin=TEXT.encode())
    assert made.code == 0, made.stderr
    publish(web, local)
    return f"{web.endpoint}/b/far.zarr{'' if way == 'http' else '#mode=s3'}", local


def publish(web, local):
    """Put a local store on the server."""
    for folder, _, names in os.walk(local):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                web.objects[f"b/far.zarr/{os.path.relpath(path, local)}"] = file.read()


def test_documents(far, web, run):
    url, local = far
    web.only, web.together = "/v", threading.Barrier(8)
    ran = run("dump", "-h", url)
    assert ran.code == 0, ran.stderr
    assert ran.stdout == run("dump", "-h", local).stdout


def test_chunks_of_one_variable(far, web, run):
    url, local = far
    web.only = "/big/c/" if (local / "zarr.json").exists() else "/big/0."
    web.together = threading.Barrier(8)
    ran = run("dump", "-v", "big", url)
    assert ran.code == 0, ran.stderr
    assert ran.stdout == run("dump", "-v", "big", local).stdout
    assert web.asked(web.only) == 16


@pytest.mark.parametrize("options", [[], ["--json"]], ids=str)
def test_chunks_of_many_variables(far, web, run, options):
    url, local = far
    web.only = "/c/0" if (local / "zarr.json").exists() else "/0"
    web.together = threading.Barrier(8)
    ran = run("dump", *options, url)
    assert ran.code == 0, ran.stderr
    assert ran.stdout == run("dump", *options, local).stdout


def test_shards_are_fetched_whole_and_once(web, run, tmp_path):
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    local = tmp_path / "sharded.zarr"
    array = zarr.create_array(local, shape=(16, 32), chunks=(1, 2), shards=(4, 16), dtype="i4")
    array[:] = [[n * m for n in range(32)] for m in range(16)]
    publish(web, local)
    web.only, web.together = "/c/", threading.Barrier(8)
    ran = run("dump", f"{web.endpoint}/b/far.zarr")
    assert ran.code == 0, ran.stderr
    assert ran.stdout == run("dump", local).stdout.replace(b"sharded", b"far")
    assert web.asked("/c/") == 8


@pytest.mark.skipif(os.name != "posix", reason="there is no SIGINT to send")
def test_an_interrupt_does_not_wait_for_a_server_that_does_not_answer(far, web, tmp_path):
    url, _ = far
    web.only, web.always = "/v", "hang"
    error = tmp_path / "error"
    with forked(run_ncz_with_stderr, str(error), "dump", "-h", url) as process:
        assert web.hanging.wait(60)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGINT)
        process.join()  # the server answers only after the test
        assert process.exitcode == 130
    assert error.read_text() == "ncz: interrupted; the text is incomplete\n"

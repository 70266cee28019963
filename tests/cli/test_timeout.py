"""A server that does not answer is given up after ``--timeout``, in every command.

Only the first cases are part of ``make test``, because each waits.
"""

from __future__ import annotations

import re

import pytest

from ncz.zmap.location import parse_location
from ncz.zmap.remote.obstore_limits import LIBRARY
from tests.conftest import Run
from tests.sampled import sampled

pytest.importorskip("s3fs", reason="s3fs is not installed")

ARRAY = b'{"zarr_format": 2, "shape": [500], "chunks": [500], "dtype": "|u1", "compressor": null,'
ARRAY += b' "fill_value": 0, "order": "C", "filters": null}'
NAMES = b'{"_ARRAY_DIMENSIONS": ["x"]}'


@pytest.fixture
def store(web, monkeypatch, tmp_path):
    """The URL of a store on the server that can hang, without the protocol."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "thing")
    web.objects = {
        "b/k/.zgroup": b'{"zarr_format": 2}',
        "b/k/v/.zarray": ARRAY,
        "b/k/v/.zattrs": NAMES,
        "b/k/v/0": bytes(500),
        "b/k/.zmetadata": b'{"zarr_consolidated_format": 1, "metadata": {".zgroup":'
        b' {"zarr_format": 2}, "v/.zarray": ' + ARRAY + b', "v/.zattrs": ' + NAMES + b"}}",
    }
    return f"{web.endpoint}/b/k"


@pytest.mark.parametrize(
    ("library", "mode", "fault"),
    sampled(
        [
            ("obstore", "#mode=s3", "hang"),
            ("obstore", "#mode=s3", "stall"),
            ("s3fs", "#mode=s3", "hang"),
            ("s3fs", "", "stall"),
            ("s3fs", "", "hang"),
            ("s3fs", "#mode=s3", "stall"),
        ],
        3,
    ),
)
def test_a_read_that_hangs(run: Run, web, store, monkeypatch, mode, fault, library):
    monkeypatch.setenv(LIBRARY, library)
    if library == "obstore":
        pytest.importorskip("obstore", reason="obstore is not installed")
    web.only, web.always = "/v/0", fault
    ran = run("dump", f"{store}{mode}", "--timeout", "3")
    assert ran.code == 1
    assert ran.stderr.count("\n") == 1
    assert f"{store}: /v/0: " in ran.stderr
    assert f"cannot read: {web.endpoint} did not answer within 1.05 s" in ran.stderr
    assert re.search(r"\((1 attempt|2 attempts)\)", ran.stderr)  # a busy machine has time for one


@pytest.mark.parametrize(
    ("command", "only", "says"),
    sampled(
        [
            (["ls", "{}#mode=s3"], "list-type", "k: cannot list"),
            (["copy", "{}", "b.zarr"], "v/0", "/v/0: cannot read"),
            (["copy", "{}#mode=s3", "b.zip"], "v/0", "/v/0: cannot read"),
            (["copy", "a.zarr", "{}/new#mode=s3"], "new/v/0", "/v/0: cannot write"),
            (["gen", "a.cdl", "-o", "{}/new#mode=s3"], "new/v/0", "/v/0: cannot write"),
            (["consolidate", "{}#mode=s3"], ".zmetadata", "/.zmetadata: cannot"),
            (["copy", "--append", "x", "a.zarr", "{}#mode=s3"], "v/.zarray", "/v/.zarray: cannot"),
            (["copy", "{}/in.nc#mode=s3", "b.zarr"], "in.nc", "k/in.nc: cannot read"),
            (["dump", "{}"], "v/0", "/v/0: data of /v: cannot read"),
            (["info", "--stats", "{}#mode=s3"], "v/0", "/v/0: cannot read"),
            (["diff", "a.zarr", "{}#mode=s3"], ".z", "k: cannot read"),
            (["check", "--data", "{}#mode=s3"], "v/0", "/v/0: cannot read"),
            (["check", "--fix", "{}#mode=s3"], ".z", "cannot read"),
            (["aggregate", "b.zarr", "{0}#mode=s3", "{0}", "--axis", "x"], ".z", "cannot read"),
            (["edit", "{}#mode=s3", "--set", ":a = 1"], ".zattrs", "/.zattrs: cannot read"),
            (["clean", "{}#mode=s3"], "", "/.ncz-edit: cannot read"),
        ],
        8,
    ),
    ids=str,
)
def test_every_command_ends(run: Run, web, store, tmp_path, monkeypatch, command, only, says):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.cdl").write_text(
        "netcdf a { dimensions: x = 2 ; variables: byte v(x) ; data: v = 1, 2 ; }"
    )
    assert run("gen", "a.cdl", "-o", "a.zarr").code == 0
    before = sorted(path.name for path in tmp_path.iterdir())
    web.only, web.always = only, "hang"
    ran = run(*(part.format(store) for part in command), "--timeout", "3")
    assert ran.code == (2 if command[0] == "diff" else 1)
    told = ran.text if command[0] == "check" and not ran.stderr else ran.stderr
    assert told.count("\n") == (1 if ran.stderr else 2)  # and the number of findings
    assert says in told
    assert "did not answer within 1.05 s" in told
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.parametrize("value", ["0", "-1", "x", "0.0", "1e9", ""])
def test_a_timeout_that_is_not_valid(run: Run, value):
    assert run("dump", f"http://localhost/x#timeout={value}").code == 1
    assert run("dump", "http://localhost/x", "--timeout", value).code == 2


def test_the_timeout_is_part_of_remote_locations_only(tmp_path):
    assert parse_location("s3://b/k", options={"timeout": "5"}).options["timeout"] == "5"
    assert parse_location("http://h/k", options={"timeout": "5"}).options["timeout"] == "5"
    assert "timeout" not in parse_location(str(tmp_path), options={"timeout": "5"}).options


def test_a_file_system_that_hangs(run: Run):
    """fsspec has no timeout; a whole request has to end in time."""
    import threading

    import fsspec
    from fsspec.implementations.memory import MemoryFileSystem

    over = threading.Event()

    class Hanging(MemoryFileSystem):  # type: ignore[misc]
        protocol = "hanging"

        def cat_file(self, path, start=None, end=None, **options):
            over.wait()

    fsspec.register_implementation("hanging", Hanging, clobber=True)
    try:
        ran = run("dump", "hanging://x/a.zarr", "--timeout", "0.3")
    finally:
        over.set()
    assert ran.code == 1
    assert "hanging://x/a.zarr" in ran.stderr
    assert "did not answer" in ran.stderr
    assert ran.stderr.count("\n") == 1

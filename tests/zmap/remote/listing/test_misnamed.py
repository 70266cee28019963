"""Objects on S3 whose names are not keys: each command that lists them reports them as lost."""

from __future__ import annotations

import pytest

from ncz.zmap.location import parse_location
from ncz.zmap.remote.opening import connect
from ncz.zmap.remote.retry_policy import RetryPolicy
from tests.servers.processes import BUCKET

pytest.importorskip("s3fs", reason="s3fs is not installed")

CDL = (
    b"netcdf x { dimensions: t = 40; variables: int v(t); v:_ChunkSizes = 1; int w;\ndata: v = 1; }"
)


@pytest.fixture
def store(run, s3):
    """A store with consolidated metadata, so that no group is listed, and 40 chunks."""
    url = f"{s3}/x.zarr#mode=zarr,consolidated,s3"
    assert run("gen", "-", "-o", url, stdin=CDL).code == 0
    return url


@pytest.fixture
def put(store):
    """A function that puts an object of any name into the store."""
    place = store.partition("#")[0]
    objects = connect(parse_location(f"{place}#mode=s3"), RetryPolicy())[0]
    prefix = place.partition(f"{BUCKET}/")[2]
    yield lambda name: objects.put(f"{prefix}/{name}", b"{}")
    objects.close()


def told(name):
    return f"documents or chunks whose names are not keys: '{name}'; left out"


@pytest.mark.parametrize("name", ["v//0", "v/./.zarray"])
def test_a_copy_that_lists_chunks_writes_nothing(run, store, put, tmp_path, name):
    put(name)
    target = tmp_path / "t.zarr"
    ran = run("copy", store, target)
    assert (ran.code, told(name) in ran.stderr) == (1, True), ran.stderr
    assert "use --allow-loss" in ran.stderr
    assert not any(tmp_path.iterdir())
    ran = run("copy", "--allow-loss", store, target)
    assert (ran.code, ran.stderr.count(told(name))) == (0, 1), ran.stderr
    assert run("dump", target).code == 0


def test_a_list_of_all_keys_reports_them(run, store, put):
    put("a//b/.zarray")
    for arguments in (["-r", store], ["-l", "-r", store], ["--totals", store]):
        ran = run("ls", *arguments)
        assert (ran.code, ran.stderr.count(told("a//b/.zarray"))) == (1, 1), (arguments, ran.stderr)
    assert run("ls", "--allow-loss", "-r", store).code == 0
    ran = run("ls", "-r", store, "/v")
    assert (ran.code, ran.stderr) == (0, "")
    assert run("dump", store).code == 0  # it lists nothing

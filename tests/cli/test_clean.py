"""``ncz clean``: it removes the remains of an unfinished gen or copy, and nothing else."""

from __future__ import annotations

import io
import json
import os

import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.zmap.claim import Claim
from ncz.zmap.key import MARK
from ncz.zmap.local import placement
from ncz.zmap.location import parse_location
from ncz.zmap.opening import create_zmap
from tests.conftest import Run
from tests.forked import forked

TEXT = b"netcdf a { dimensions: x = 3 ; variables: int v(x) ; data: v = 1, 2, 3 ; }"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ncz.gen(io.BytesIO(TEXT), "a.zarr", notify=ignore_notice)
    (tmp_path / "note.txt").write_text("mine")
    (tmp_path / ".ncz-other.partial").write_text("of nobody that is known")
    return tmp_path


def write_some(target, claim, connection=None):
    """Write a part of a store, and end without leaving the block, as a killed process does."""
    with create_zmap(parse_location(target), claim=claim) as zmap:
        zmap.put("v/0", b"12")
        zmap.put(".zgroup", b"{}")
        os._exit(9)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("claim", [None, Claim("f"), Claim("f", resume=True)], ids=str)
@pytest.mark.parametrize("target", ["b.zarr", "b.zip"])
def test_the_files_of_a_killed_process(run: Run, here, target, claim):
    before = names(here)
    with forked(write_some, target, claim):
        pass
    left = [name for name in names(here) if name not in before]
    assert len(left) == (1 if claim is None else 2)
    shown = run("clean", target, "--dry-run", "--json")
    assert shown.code == 0
    found = json.loads(shown.text)
    assert found["dry_run"] is True
    assert sorted(os.path.basename(f["place"]) for f in found["found"]) == sorted(left)
    assert set(names(here)) == {*before, *left}
    ran = run("clean", target)
    assert ran.code == 0
    assert sorted(line.partition(" (")[0] for line in ran.text.splitlines()) == sorted(
        f"removed {here}/{name}" for name in left
    )
    assert names(here) == before
    again = run("clean", target)
    assert (again.code, again.text, again.stderr) == (0, "", "")


@pytest.mark.parametrize("claim", [None, Claim("f")], ids=str)
@pytest.mark.parametrize("target", ["b.zarr", "b.zip"])
def test_a_store_being_written_is_left_alone(run: Run, here, target, claim):
    with create_zmap(parse_location(target), claim=claim) as zmap:
        zmap.put("v/0", b"1")
        ran = run("clean", target)
        assert ran.code == 1
        assert ran.stderr == (
            f"ncz: {target}: another process is writing this store; wait until it has finished\n"
        )
        zmap.put(".zgroup", b'{"zarr_format": 2}')
    assert run("ls", target).code == 0


def replace_halfway(source, target):
    """Replace a store where names cannot be exchanged, and end between the two renames."""
    real = os.rename

    def rename(old: str, new: str) -> None:
        real(old, new)
        if old.endswith(target):
            os._exit(9)

    os.rename = rename  # type: ignore[assignment]
    placement._exchange = lambda *_: False
    ncz.copy(source, target, overwrite=True)


def test_an_old_store_that_was_moved_aside_gets_its_name_back(run: Run, here):
    ncz.copy("a.zarr", "b.zarr")
    before = names(here)
    with forked(replace_halfway, "a.zarr", "b.zarr"):
        pass
    assert run("dump", "b.zarr").code == 1
    ran = run("clean", "b.zarr")
    assert ran.code == 0
    assert "restored " in ran.text
    assert names(here) == before
    assert "v = 1, 2, 3" in run("dump", "b.zarr").text


def test_an_object_that_was_being_replaced(run: Run, here):
    left = [here / "a.zarr/.ncz-0123abcd.partial", here / "a.zarr/v/.ncz-0123abcd.partial"]
    for path in left:
        path.write_text("{")
    (here / "a.zarr/v/.ncz-of-others.partial").write_text("not a name that ncz gives")
    (here / "a.zarr/w").symlink_to(here / "a.zarr/v")
    removed = [f"removed {path} (1 object)\n" for path in left]
    assert run("clean", "a.zarr").text == "".join(removed)
    assert not any(path.exists() for path in left)
    assert (here / "a.zarr/v/.ncz-of-others.partial").exists()
    (here / "a.zarr/w").unlink()
    assert "v = 1, 2, 3" in run("dump", "a.zarr").text


def test_a_link_is_removed_and_not_its_target(run: Run, here):
    with forked(write_some, "b.zarr", None):
        pass
    (left,) = here.glob(".ncz-????????????????-*.partial")
    os.rename(left, here / "precious")
    os.symlink(here / "precious", left)
    assert run("clean", "b.zarr").code == 0
    assert not left.is_symlink()
    assert (here / "precious/v/0").read_bytes() == b"12"


@pytest.fixture
def server(web, monkeypatch, here):
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    monkeypatch.setenv("HOME", str(here))
    monkeypatch.setenv("NCZ_S3", "s3fs")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "thing")
    return web


def marked(server, who, *roots):
    objects = {f"b/k/{key}": b"{}" for key in ("v/.zarray", "v/0", *roots)}
    server.objects = {**objects, f"b/k/{MARK}": who, "b/other/.zgroup": b"{}"}


def here_and(number):
    import platform

    return f"fingerprint\n{platform.node()} {number}".encode()


def ended_process():
    pid = os.fork()
    if not pid:
        os._exit(0)
    os.waitpid(pid, 0)
    return pid


def test_on_a_server(run: Run, server):
    url = f"{server.endpoint}/b/k#mode=s3"
    marked(server, here_and(ended_process()))
    assert "would remove" in run("clean", url, "--dry-run").text
    assert len(server.objects) == 4
    ran = run("clean", url)
    assert ran.code == 0, ran.stderr
    assert ran.text == f"removed {server.endpoint}/b/k (3 objects)\n"
    assert list(server.objects) == ["b/other/.zgroup"]
    assert run("clean", url).text == ""


def test_on_a_server_a_complete_store_stays(run: Run, server):
    marked(server, here_and(ended_process()), ".zgroup")
    assert run("clean", f"{server.endpoint}/b/k#mode=s3").code == 0
    assert sorted(server.objects) == ["b/k/.zgroup", "b/k/v/.zarray", "b/k/v/0", "b/other/.zgroup"]


@pytest.mark.parametrize("who", [b"f\nelsewhere 12", b"", b"fingerprint"])
def test_on_a_server_stores_of_others_need_force(run: Run, server, who):
    url = f"{server.endpoint}/b/k#mode=s3"
    marked(server, who)
    ran = run("clean", url)
    assert ran.code == 1
    assert "use --force" in ran.stderr
    assert len(server.objects) == 4
    assert run("clean", url, "--force").code == 0
    assert list(server.objects) == ["b/other/.zgroup"]


def test_on_a_server_a_store_being_written_is_left_alone(run: Run, server):
    marked(server, here_and(os.getppid()))
    ran = run("clean", f"{server.endpoint}/b/k#mode=s3", "--force")
    assert ran.code == 1
    assert f"process {os.getppid()} is writing this store" in ran.stderr
    assert len(server.objects) == 4


def test_a_web_server_cannot_be_cleaned(run: Run, server):
    ran = run("clean", f"{server.endpoint}/b/k")
    assert ran.code == 1
    assert "read-only" in ran.stderr

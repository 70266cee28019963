"""Sources that change while they are read: an error that names them, and no target."""

from __future__ import annotations

import os
import shutil

import pytest

import ncz
from ncz.errors import ZmapError, ignore_notice
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap
from tests.conftest import Run

CHANGED = "it changed while it was read"


def text(factor: int) -> bytes:
    values = ", ".join(str(factor * n) for n in range(600))
    return (
        "netcdf d { dimensions: x = 600 ; variables: int v(x) ; v:_ChunkSizes = 200 ;"
        f" data: v = {values} ; }}"
    ).encode()


@pytest.fixture
def stores(run: Run, tmp_path):
    """Return a function that writes the same dataset twice, with other values, to two paths."""

    def write(name: str, mode: str = "", *options: str):
        for factor, folder in ((1, "old"), (2, "new")):
            (tmp_path / folder).mkdir(exist_ok=True)
            target = tmp_path / folder / name
            ran = run("gen", "-", "-o", f"{target}{mode}", *options, stdin=text(factor))
            assert ran.code == 0, ran.stderr
        return tmp_path / "old" / name, tmp_path / "new" / name

    return write


def objects(root, prefix="b/s"):
    if root.is_file():
        return {prefix: root.read_bytes()}
    return {
        f"{prefix}/{path.relative_to(root).as_posix()}": path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }


def rewrite(old, new):
    """Write the bytes of a file into another, as a program does that replaces its content."""
    data = new.read_bytes()
    with open(old, "r+b") as file:
        file.write(data)
        file.truncate(len(data))
    status = old.stat()
    os.utime(old, ns=(status.st_atime_ns, status.st_mtime_ns + 10**9))


def test_a_shard_that_is_replaced_between_its_index_and_a_chunk(stores):
    old, new = stores("s.zarr", "#mode=v3", "--shards", "x/600")
    zmap = open_zmap(parse_location(str(old)))
    (shard,) = (path.relative_to(old).as_posix() for path in old.rglob("c/0"))
    assert zmap.get_range(shard, -20, 20) is not None
    rewrite(old / shard, new / shard)
    with pytest.raises(ZmapError, match=f"/{shard}: {CHANGED}"):
        zmap.get_range(shard, 0, 8)
    assert zmap.get(shard) == (new / shard).read_bytes()


def test_a_zip_file_that_is_rewritten(stores):
    old, new = stores("s.zip")
    zmap = open_zmap(parse_location(str(old)))
    assert zmap.get("v/0") is not None
    rewrite(old, new)
    with pytest.raises(ZmapError, match=CHANGED):
        zmap.get_range("v/1", 0, 4)


def test_a_zip_file_that_is_renamed_away_is_still_the_same(stores):
    old, new = stores("s.zip")
    expected = ncz.dump(str(old), notify=ignore_notice)
    with ncz.open(old, notify=ignore_notice) as opened:
        os.replace(new, old)
        assert list(opened["v"][:3]) == [0, 1, 2]
    assert ncz.dump(str(old), notify=ignore_notice) != expected


@pytest.mark.parametrize("kind", ["classic", "netCDF-4"])
def test_a_netcdf_file_that_is_rewritten(stores, kind):
    old, new = stores("s.nc", "", "--kind", kind)
    with ncz.open(old, notify=ignore_notice) as opened:
        assert opened["v"][0] == 0
        rewrite(old, new)
        with pytest.raises(ZmapError, match=rf"s\.nc: .*{CHANGED}"):
            opened["v"][200:]


@pytest.mark.parametrize("library", ["s3fs", "obstore", "http"])
@pytest.mark.parametrize("form", ["shard", "zip"])
def test_an_object_on_a_server_that_is_replaced_between_two_ranges(
    stores, web, monkeypatch, tmp_path, library, form
):
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "thing")
    monkeypatch.setenv("NCZ_S3", library)
    web.states_md5 = True
    if form == "zip":
        old, new = stores("s.zip")
        name, key = "b/s.zip", "v/0"
    else:
        old, new = stores("s.zarr", "#mode=v3,consolidated", "--shards", "x/600")
        name, key = "b/s", next(old.rglob("c/0")).relative_to(old).as_posix()
    web.objects = objects(old, name)
    zmap = open_zmap(
        parse_location(f"{web.endpoint}/{name}{'' if library == 'http' else '#mode=s3'}")
    )
    assert zmap.get_range(key, 0, 4) is not None
    web.objects = objects(new, name)
    with pytest.raises(ZmapError, match=CHANGED) as caught:
        zmap.get_range(key, 4, 4)
    assert name.removeprefix("b/") in str(caught.value)
    zmap.close()


@pytest.mark.parametrize("target", ["t.zarr", "t.zip", "t.nc", "t.cdl"])
@pytest.mark.parametrize("how", ["document", "replaced"])
def test_a_directory_that_changes_while_it_is_copied(
    run: Run, stores, tmp_path, monkeypatch, target, how
):
    """The source is changed when its first chunk is read."""
    from ncz.zmap.local.tree import AnchoredTree

    old, new = stores("s.zarr")
    changes: list[str] = []
    opened = AnchoredTree.open

    def change(key: str) -> None:
        if key == "v/1" and not changes:
            changes.append(key)
            if how == "document":
                (old / "v/.zattrs").write_text("{}")
            else:
                old.rename(tmp_path / "aside")
                shutil.copytree(new, old)

    def open_one(tree: AnchoredTree, key: str, flags: int) -> int:
        change(key)
        return opened(tree, key, flags)

    monkeypatch.setattr(AnchoredTree, "open", open_one)
    ran = run("copy", old, tmp_path / target)
    assert changes
    assert ran.code == 1
    assert CHANGED in ran.stderr
    assert ran.stderr.count("\n") == 1
    assert not (tmp_path / target).exists()
    assert not list(tmp_path.glob(".ncz-*"))


def test_a_document_on_a_server_that_changes_while_the_store_is_copied(
    run: Run, stores, web, tmp_path
):
    web.states_md5 = True
    old, new = stores("s.zarr", "#mode=v3,consolidated")
    web.objects = objects(old)

    def change(_: int) -> None:
        if "c/1" in web.requests[-1]:
            web.objects = {**objects(new), "b/s/zarr.json": b"{}"}

    web.changes = change
    ran = run("copy", f"{web.endpoint}/b/s", tmp_path / "t.zarr")
    assert ran.code == 1
    assert f"/zarr.json: {CHANGED}" in ran.stderr
    assert not (tmp_path / "t.zarr").exists()
    web.changes = lambda _: None
    web.objects = objects(old)
    assert run("copy", f"{web.endpoint}/b/s", tmp_path / "t.zarr").code == 0


def test_etags_of_a_server_that_mean_nothing_can_be_left_alone(stores, web):
    old, new = stores("s.zip")
    web.states_md5 = True
    web.objects = objects(old, "b/s.zip")
    zmap = open_zmap(parse_location(f"{web.endpoint}/b/s.zip#checksums=off"))
    assert zmap.get_range("v/0", 0, 4) is not None
    web.objects = objects(new, "b/s.zip")
    assert zmap.get_range("v/0", 4, 4) is not None
    zmap.close()

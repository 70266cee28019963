"""Repositories on the disk and on S3: the snapshot that is read, and its contents."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import ncz
from ncz.errors import StoreMissing, UrlError, ZmapError, ignore_notice
from ncz.zmap.kinds import recognise_kind
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap
from ncz.zmap.remote.retry_policy import RetryPolicy
from ncz.zmap.remote.waits import result_within
from tests.zmap.icechunk.repositories import FIRST, SECOND, write_versions

icechunk = pytest.importorskip("icechunk", reason="icechunk is not installed (make setup)")


@pytest.fixture
def repository(versions, closing):
    """The newest snapshot as a zmap."""
    return closing(open_zmap(parse_location(str(versions[0]))))


def test_content_decides(versions, tmp_path):
    assert recognise_kind(str(versions[0]), None) == "icechunk"
    (tmp_path / "refs").mkdir()
    assert recognise_kind(str(tmp_path), None) == "directory"


def test_the_objects_of_a_snapshot(repository):
    assert repository.search("") == ["g", "t", "zarr.json"]
    assert repository.search("t/c") == ["0", "1"]
    assert repository.search("t/c/0") == ["0", "1"]
    assert list(repository.walk("g")) == ["g/u/c/0", "g/u/zarr.json", "g/zarr.json"]
    assert list(repository.walk("t/c/0/1")) == ["t/c/0/1"]
    assert len(list(repository.walk())) == 9
    assert b"zarr_format" in bytes(repository.get("zarr.json"))
    assert not repository.survives_fork


def test_parts_of_objects(repository):
    whole = repository.get("t/c/0/0")
    size = len(whole)
    assert repository.size("t/c/0/0") == size
    assert repository.get_range("t/c/0/0", 4, 8) == whole[4:12]
    assert repository.get_range("t/c/0/0", -4, 100) == whole[-4:]
    assert repository.get_range("t/c/0/0", size, 4) == b""
    with pytest.raises(ZmapError, match="is larger than the 8 bytes"):
        repository.get("t/c/0/0", 8)


@pytest.mark.parametrize(
    "key", ["t/c/9/9", "g/u/c/2", "t/c", "c/0", "none/c/0", "none/zarr.json", ".zgroup", "t", "t/x"]
)
def test_objects_that_do_not_exist(repository, key):
    assert repository.get(key) is None
    assert repository.size(key) is None
    assert repository.get_range(key, 0, 1) is None


def test_announced_objects_are_read_ahead(repository):
    repository.expect([("t/c/0/0", 24), ("t/c/9/9", 24), ("t/zarr.json", 1000)])
    assert repository.get("t/c/9/9") is None
    assert repository.get("t/c/0/0") == repository.get_range("t/c/0/0", 0, 1000)
    assert b"float32" in repository.get("t/zarr.json")


def test_a_closed_store_is_not_read(versions):
    zmap = open_zmap(parse_location(str(versions[0])))
    zmap.close()
    with pytest.raises(ZmapError, match="the store is closed"):
        zmap.get("zarr.json")


@pytest.mark.parametrize(
    ("fragment", "wanted"),
    [
        ("", SECOND),
        ("#mode=icechunk", SECOND),
        ("#icechunk.branch=main", SECOND),
        ("#icechunk.branch=old", FIRST),
        ("#icechunk.tag=v1", FIRST),
        ("#icechunk.snapshot={first}", FIRST),
        ("#icechunk.snapshot={second}", SECOND),
    ],
)
def test_a_fragment_chooses_the_snapshot(versions, fragment, wanted):
    path, names = versions
    with ncz.open(f"{path}{fragment.format(**names)}") as dataset:
        np.testing.assert_array_equal(dataset["t"][...], wanted)
        assert ("g" in dataset.groups) == (wanted is SECOND)


@pytest.mark.parametrize(
    ("fragment", "message"),
    [
        ("icechunk.branch=none", "the repository has no branch none; it has main, old"),
        ("icechunk.tag=none", "the repository has no tag none; it has v1"),
        ("icechunk.snapshot=none", "Icechunk cannot read this: invalid snapshot id: `none`"),
        ("icechunk.tag=v1&icechunk.branch=old", "the URL names more than one snapshot"),
        ("icechunk.tag=", "the name of the snapshot is empty"),
        ("mode=zip", "has mode=zip, but this is a Icechunk repository"),
    ],
)
def test_a_fragment_that_fits_no_snapshot(versions, fragment, message):
    with pytest.raises((ZmapError, UrlError), match=message):
        open_zmap(parse_location(f"{versions[0]}#{fragment}"))


def test_a_fragment_of_icechunk_on_another_store(tmp_path):
    with pytest.raises(UrlError, match="this is a directory"):
        open_zmap(parse_location(f"{tmp_path}#icechunk.tag=v1"))
    with pytest.raises(StoreMissing):
        open_zmap(parse_location(f"{tmp_path}/none#icechunk.tag=v1"))
    assert not (tmp_path / "none").exists()


def test_a_damaged_chunk_is_an_error_in_one_line(broken):
    for path in (broken / "snapshots").iterdir():
        path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(ZmapError, match="Icechunk cannot read this: ") as caught:
        open_zmap(parse_location(str(broken))).get("zarr.json")
    assert "\n" not in str(caught.value)


def test_the_message_without_icechunk_names_the_extra(versions, monkeypatch):
    monkeypatch.setitem(sys.modules, "icechunk", None)
    with pytest.raises(ZmapError, match=r"pip install 'ncz\[icechunk\]'"):
        open_zmap(parse_location(str(versions[0])))


def test_a_repository_on_s3(s3, tmp_path):
    import icechunk

    endpoint, bucket, prefix = s3.rsplit("/", 2)
    storage = icechunk.s3_storage(
        bucket=bucket, prefix=prefix, endpoint_url=endpoint, region="us-east-1",
        allow_http=True, force_path_style=True, access_key_id="any", secret_access_key="thing",
    )  # fmt: skip
    write_versions(storage)
    url = f"{s3}#mode=s3"
    for text, wanted in ((url, SECOND), (f"{url}&icechunk.tag=v1", FIRST)):
        with ncz.open(text) as dataset:
            np.testing.assert_array_equal(dataset["t"][...], wanted)
    ncz.copy(url, tmp_path / "out.zarr")
    assert ncz.diff(url, tmp_path / "out.zarr") == []
    with pytest.raises(ZmapError, match="no branch none; it has main, old"):
        ncz.open(f"{url}&icechunk.branch=none")


def objects_of(path, prefix):
    """The files of a repository, by their paths on a server."""
    return {
        f"{prefix}/{file.relative_to(path)}": file.read_bytes()
        for file in path.rglob("*")
        if file.is_file()
    }


@pytest.mark.skipif(not hasattr(icechunk, "http_storage"), reason="icechunk is older than 2.0")
def test_a_repository_on_a_web_server(web, versions, tmp_path):
    web.objects = objects_of(versions[0], "repo")
    url = f"{web.endpoint}/repo"
    for text, wanted in ((url, SECOND), (f"{url}#icechunk.tag=v1", FIRST)):
        with ncz.open(text) as dataset:
            np.testing.assert_array_equal(dataset["t"][...], wanted)
    ncz.copy(url, tmp_path / "out.zarr")
    assert ncz.diff(url, tmp_path / "out.zarr") == []
    with pytest.raises(StoreMissing):
        ncz.open(f"{web.endpoint}/none")


@pytest.mark.skipif(hasattr(icechunk, "http_storage"), reason="icechunk is not older than 2.0")
def test_the_message_of_an_older_library_names_the_needed_version(web, tmp_path):
    (tmp_path / "repo").write_bytes(b"ICE")
    (tmp_path / "snapshots").mkdir()
    with pytest.raises(ZmapError, match=r"cannot read a repository of format 2; .*icechunk 2"):
        open_zmap(parse_location(str(tmp_path)))
    web.objects = {"repo/refs/branch.main/ref.json": b'{"snapshot": "92NQAD0YT9NTG7JHTFYG"}'}
    with pytest.raises(ZmapError, match=r"cannot read a repository on a web server; .*icechunk 2"):
        open_zmap(parse_location(f"{web.endpoint}/repo"))


@pytest.mark.parametrize("protocol", ["gs", "az"])
def test_a_repository_on_google_and_azure(cloud, versions, protocol):
    cloud.objects = objects_of(versions[0], "bucket/repo")
    with ncz.open(f"{protocol}://bucket/repo#icechunk.tag=v1") as dataset:
        np.testing.assert_array_equal(dataset["t"][...], FIRST)


def test_the_commands(run, versions, tmp_path):
    path = str(versions[0])
    dumped = run("dump", f"{path}#icechunk.tag=v1")
    assert dumped.code == 0
    assert "float t(y, x)" in dumped.text
    assert "t =\n  0, 1, 2, 3, 4, 5," in dumped.text
    assert run("ls", path).text == "/g\n/t\n/zarr.json\n"
    assert "2 variables in 2 groups" in run("info", path).text
    assert run("check", path).code == 0
    assert run("copy", path, tmp_path / "out.zarr").code == 0
    assert run("diff", path, tmp_path / "out.zarr").code == 0
    changed = run("diff", f"{path}#icechunk.tag=v1", path)
    assert changed.code == 1
    assert "/t" in changed.text


@pytest.mark.parametrize("call", ["open", "lookup_snapshot"])
def test_a_library_that_does_not_end_is_an_error(versions, monkeypatch, call):
    """Only the call that does not end has a short limit, which a busy machine cannot exceed."""
    from icechunk import Repository

    from ncz.zmap.icechunk import snapshot

    ended = threading.Event()
    monkeypatch.setattr(Repository, call, lambda *_: ended.wait())
    late = {"open": "_open", "lookup_snapshot": "_read"}[call]

    def limited(seconds, function):
        return result_within(seconds if function.__name__ == late else 60, function)

    monkeypatch.setattr(snapshot, "policy_of", lambda _: RetryPolicy(timeout=0.1))
    monkeypatch.setattr(snapshot, "result_within", limited)
    with pytest.raises(ZmapError, match=r"gives no answer within 0\.2 s; the repository may be"):
        open_zmap(parse_location(str(versions[0])))
    ended.set()


def test_a_read_that_does_not_end_is_an_error(repository, monkeypatch):
    async def never(*_: object) -> None:
        await asyncio.Event().wait()

    opened = vars(repository)["_snapshot"]
    monkeypatch.setattr(opened.store, "get", never)
    monkeypatch.setattr(opened, "limit", 0.2)
    for read in (repository.get, lambda key: repository.get_range(key, 0, 4)):
        with pytest.raises(ZmapError, match="/t/c/0/0: Icechunk gives no answer within"):
            read("t/c/0/0")


def test_missing_objects_are_not_listed(tmp_path: Path) -> None:
    target = str(tmp_path / "repo.icechunk")
    (tmp_path / "a.cdl").write_text(
        "netcdf a { dimensions: x = 3 ; variables: int v(x) ; data: v = 1, 2, 3 ; }"
    )
    ncz.gen(tmp_path / "a.cdl", target, notify=ignore_notice)
    with contextlib.closing(open_zmap(parse_location(target))) as zmap:
        for prefix in ("v/*", "w", "v/c/7", "v/x/y", "*"):
            assert zmap.search(prefix) == []
            assert [*zmap.walk(prefix)] == []
        assert zmap.search("v") == ["c", "zarr.json"]
        assert [*zmap.walk("v/c")] == ["v/c/0"]
    assert ncz.ls(target, "v/*", kinds="chunk") == ["/v/c"]

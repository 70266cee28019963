"""Google Cloud Storage and Azure through obstore: the contract of every zmap, and errors."""

from __future__ import annotations

import pytest

from ncz.errors import StoreMissing, ZmapError
from ncz.zmap.location import parse_location
from ncz.zmap.opening import create_zmap, open_zmap
from ncz.zmap.remote.obstore import ObstoreObjects
from ncz.zmap.remote.opening import connect, open_remote, open_remote_to_write
from ncz.zmap.remote.retry_policy import RetryPolicy
from ncz.zmap.remote.store import RemoteZmap, WritableRemoteZmap
from ncz.zmap.remote.versions import Versions
from tests.conftest import ROOT
from tests.zmap.contract import TREE, WritableZmapContract, in_order

pytest.importorskip("obstore", reason="obstore is not installed")


@pytest.fixture(autouse=True)
def no_credentials(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_SERVICE_ACCOUNT", "GOOGLE_BEARER_TOKEN"):
        monkeypatch.delenv(name, raising=False)


class TestContract(WritableZmapContract):
    """The contract, in the memory of obstore."""

    longest = 1024

    @pytest.fixture
    def objects(self, monkeypatch):
        from obstore.store import MemoryStore

        objects = ObstoreObjects(MemoryStore(), "memory://x", RetryPolicy(), Versions())
        monkeypatch.setattr(objects, "close", lambda: None)  # many zmaps have it
        return objects

    @pytest.fixture
    def store(self, objects):
        def stored(content):
            writing = WritableRemoteZmap(objects, "", "memory://x")
            for key in list(writing.walk()):
                writing.delete(key)
            for key, value in content.items():
                writing.put(key, value)
            return RemoteZmap(objects, "", "memory://x")

        return stored

    @pytest.fixture
    def empty(self, objects):
        return WritableRemoteZmap(objects, "new", "memory://x")


@pytest.mark.parametrize("url", ["az://box/a/x", "abfs://box/a/x", "gs://box/a/x"])
def test_a_store_on_a_server(cloud, url, closing):
    with create_zmap(parse_location(url)) as writing:
        for key, value in TREE.items():
            writing.put(key, value)
    zmap = closing(open_remote(parse_location(url)))
    assert isinstance(zmap._objects, ObstoreObjects)
    assert list(zmap.walk()) == in_order(TREE)
    assert zmap.search("g") == [".zgroup", "v"]
    assert zmap.get_range("g/v/0", -3, 2) == b"\7\x08"
    assert zmap.get_range("g/v/0", 10, 2) == b""
    assert zmap.get("gone") is zmap.get_range("gone", -3, 2) is zmap.size("gone") is None
    assert "box/a/x/.zgroup" in cloud.objects


@pytest.mark.parametrize("scheme", ["gs", "az"])
def test_a_lock_is_created_once(cloud, closing, scheme):
    cloud.objects["box/x/.zgroup"] = b"{}"
    zmap = closing(open_remote_to_write(parse_location(f"{scheme}://box/x")))
    assert zmap.put_new("lock", b"1")
    assert not zmap.put_new("lock", b"2")
    assert cloud.objects["box/x/lock"] == b"1"


@pytest.mark.parametrize("scheme", ["gs", "az"])
def test_a_dataset_there_and_back(cloud, run, tmp_path, scheme):
    text, local, remote = (
        ROOT / "cdl_examples/weather.cdl",
        tmp_path / "x.zarr",
        f"{scheme}://b/x.zarr",
    )
    for target in (local, remote, remote):
        assert run("gen", text, "-o", target, "--overwrite").code == 0
    assert run("dump", local).stdout == run("dump", remote).stdout
    assert open_zmap(parse_location(f"{scheme}://b")).search("") == ["x.zarr"]


@pytest.mark.parametrize("scheme", ["gs", "az"])
def test_missing_objects_do_not_end_a_deletion(cloud, closing, scheme):
    cloud.objects |= {f"box/x/{number}": b"1" for number in range(40)}
    zmap = closing(open_remote_to_write(parse_location(f"{scheme}://box/x")))
    zmap.delete_many(["a", *map(str, range(20)), "b", *map(str, range(20, 40)), "c"])
    assert not cloud.objects


def test_an_empty_object_that_represents_a_folder_is_no_key(cloud, closing):
    cloud.objects |= {"b/x/.zgroup": b"{}", "b/x/a/": b"", "b/x/a/0": b"1", "b/x/c": b""}
    zmap = closing(open_remote(parse_location("gs://b/x")))
    assert list(zmap.walk()) == [".zgroup", "a/0", "c"]


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("503", r"az://box answered 503 \(2 attempts\)"),
        ("reset", r"az://box closed the connection \(2 attempts\)"),
        ("hang", r"az://box did not answer within 0\.5 s"),
        ("403", r"az://box denied access \(403\); set the variables for credentials of az:"),
        ("418", "az://box answered 418"),
    ],
)
def test_a_lasting_fault_is_named(cloud, closing, fault, says):
    """Only a server that never answers is given a time that a busy one could exceed."""
    read = 0.5 if fault == "hang" else 60
    policy = RetryPolicy(connect=60, read=read, attempts=2, first_wait=0, parallel=4)
    cloud.always = fault
    zmap = closing(RemoteZmap(*connect(parse_location("az://box/x"), policy)))
    with pytest.raises(ZmapError, match=f"az://box/x: /0: cannot read: {says}"):
        zmap.get("0")


def test_a_signature_is_never_shown(cloud, monkeypatch):
    monkeypatch.setenv("AZURE_STORAGE_SAS_TOKEN", "sv=1&sig=very-secret")
    cloud.always = "400"
    with pytest.raises(ZmapError) as caught:
        open_zmap(parse_location("az://box/x"))
    assert "sig=very-secret" in cloud.requests[-1]
    assert "very-secret" not in str(caught.value)


def test_a_store_that_is_not_there(cloud):
    with pytest.raises(StoreMissing, match="no file or store exists"):
        open_zmap(parse_location("az://box/gone"))


@pytest.mark.parametrize("scheme", ["gs", "az"])
def test_without_credentials_no_metadata_service_is_asked(cloud, monkeypatch, closing, scheme):
    monkeypatch.delenv("GOOGLE_BEARER_TOKEN")
    cloud.objects["box/x/.zgroup"] = b"{}"
    zmap = closing(open_remote(parse_location(f"{scheme}://box/x")))
    assert list(zmap.walk()) == [".zgroup"]
    assert not any("Authorization" in headers for headers in cloud.headers)


def test_an_account_that_is_missing_is_named(monkeypatch):
    monkeypatch.delenv("AZURE_STORAGE_ACCOUNT_NAME", raising=False)
    with pytest.raises(ZmapError) as caught:
        connect(parse_location("az://box/x"), RetryPolicy())
    assert caught.value.hint == "set AZURE_STORAGE_ACCOUNT_NAME, or pip install adlfs"

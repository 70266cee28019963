"""The remote zmap: the contract of every zmap on S3 and on fsspec, and its remote features."""

from __future__ import annotations

import sys
import uuid

import pytest

from ncz.errors import StoreMissing, UrlError, ZmapError
from ncz.zmap.location import parse_location
from ncz.zmap.opening import create_zmap, open_zmap
from ncz.zmap.remote.creation import RemoteCreation
from ncz.zmap.remote.opening import connect
from ncz.zmap.remote.store import RemoteZmap, WritableRemoteZmap
from tests.servers.processes import BUCKET
from tests.zmap.contract import TREE, WritableZmapContract, in_order

pytest.importorskip("s3fs", reason="s3fs is not installed")


def at(url):
    """The location of an S3 URL."""
    return parse_location(url if "fsspec+" in url else f"{url}#mode=s3")


def made(kind, url, retry_policy=None):
    return kind(*connect(at(url), retry_policy))


def fill(url, objects):
    zmap = made(WritableRemoteZmap, url)
    for _ in zmap._requests.in_order(lambda item: zmap.put(*item), objects.items()):
        pass
    zmap.close()


def read(url):
    zmap = made(RemoteZmap, url)
    keys = list(zmap.walk())
    zmap.expect((key, 0) for key in keys)
    found = {key: zmap.get(key) for key in keys}
    zmap.close()
    return found


class Remote(WritableZmapContract):
    """The contract; a subclass has the fixture `place`, the URL of an empty prefix."""

    longest = 1024

    @pytest.fixture
    def store(self, place, closing):
        def stored(objects):
            url = f"{place}/{uuid.uuid4().hex[:8]}"
            fill(url, objects)
            return closing(made(RemoteZmap, url))

        return stored

    @pytest.fixture
    def empty(self, place, closing):
        return closing(made(WritableRemoteZmap, f"{place}/new"))

    def test_a_key_of_1024_bytes(self, store):
        zmap = store({})
        longest = 1024 - len(f"{zmap._root}/".encode())
        key = "/".join(["é" * 63 + "x"] * 7) + "/"
        key += "y" * (longest - len(key.encode()))
        writing = WritableRemoteZmap(zmap._objects, zmap._root, zmap.url)
        writing.put(key, b"deep")
        assert zmap.get(key) == b"deep"
        assert list(zmap.walk()) == [key]
        with pytest.raises(ZmapError, match="the key has 1025 bytes, and S3 allows 1024"):
            writing.put(key + "y", b"too deep")


class TestS3(Remote):
    @pytest.fixture
    def place(self, s3, moto, monkeypatch):
        def connect(location, retry_policy):
            return moto.objects, location.path.partition(f"{BUCKET}/")[2], location.path

        monkeypatch.setattr(sys.modules[__name__], "connect", connect)
        return s3


class TestFsspecsMemory(Remote):
    @pytest.fixture
    def place(self):
        return f"fsspec+memory://{uuid.uuid4().hex}/x"


class TestCreation(WritableZmapContract):
    """The contract while a store is being made."""

    longest = 1024

    @pytest.fixture
    def place(self):
        return f"fsspec+memory://{uuid.uuid4().hex}/x"

    @pytest.fixture
    def store(self, place, closing):
        def stored(objects):
            zmap = closing(made(RemoteCreation, f"{place}/{uuid.uuid4().hex[:8]}"))
            for key, value in objects.items():
                zmap.put(key, value)
            return zmap

        return stored

    @pytest.fixture
    def empty(self, store):
        return store({})

    def test_a_key_of_1024_bytes(self, empty):
        key = "x" * (1024 - len(f"{empty._root}/"))
        empty.put(key, b"deep")
        assert empty.get(key) == b"deep"
        with pytest.raises(ZmapError, match="the key has 1025 bytes"):
            empty.put(key + "y", b"too deep")


def test_a_store_on_each_server(server):
    with create_zmap(at(server)) as new:
        for key, value in TREE.items():
            new.put(key, value)
    zmap = open_zmap(at(server))
    assert list(zmap.walk()) == in_order(TREE)
    assert {key: zmap.get(key) for key in TREE} == TREE
    assert zmap.get_range("g/v/0", -3, 2) == b"\7\x08"
    assert zmap.get_range("g/v/0", 8, 100) == b"\x08\x09"
    assert zmap.get_range("g/v/10", 0, 5) == b""
    zmap.close()
    with create_zmap(at(server), overwrite=True) as new:
        new.put(".zgroup", b"new")
    assert read(server) == {".zgroup": b"new"}


@pytest.mark.parametrize(("key", "secret"), [("AK1", "wrong"), ("nobody", "SK1")])
def test_a_wrong_key_is_refused_and_said_so(strict_s3, monkeypatch, key, secret):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", secret)
    endpoint = strict_s3.rpartition(f"/{BUCKET}/")[0]
    for attempt in (open_zmap, lambda location: create_zmap(location).__enter__()):
        with pytest.raises(ZmapError) as caught:
            attempt(at(strict_s3))
        assert str(caught.value) == (
            f"{strict_s3}: {endpoint} rejected the credentials; check the environment"
        )


def test_no_key_is_refused_too(strict_s3, monkeypatch):
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    with pytest.raises(ZmapError, match="denied access without credentials"):
        open_zmap(at(strict_s3))


def test_keys_in_the_fragment(strict_s3, monkeypatch):
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    keys = "&aws.access_key_id=AK1&aws.secret_access_key=SK1"
    with create_zmap(parse_location(f"{strict_s3}#mode=s3{keys}")) as zmap:
        zmap.put(".zgroup", b"{}")
        assert "SK1" not in repr(zmap) + zmap.url
    location = parse_location(f"{strict_s3}#mode=s3{keys.replace('SK1', 'wrong-one')}")
    with pytest.raises(ZmapError, match="check the keys of the URL") as caught:
        open_zmap(location)
    assert "wrong-one" not in str(caught.value)


def test_an_alias(strict_s3, monkeypatch, tmp_path):
    endpoint, _, key = strict_s3.rpartition(f"/{BUCKET}/")
    config = tmp_path / "config.toml"
    config.write_text(
        f'[alias.lab]\nendpoint = "{endpoint}"\naccess_key = "AK1"\nsecret_key = "SK1"\n'
    )
    monkeypatch.setenv("NCZ_CONFIG", str(config))
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    location = parse_location(f"s3://lab/{BUCKET}/{key}")
    with create_zmap(location) as zmap:
        zmap.put(".zgroup", b"{}")
    assert open_zmap(location).url == f"s3://lab/{BUCKET}/{key}"


def test_an_endpoint_in_the_environment(s3, monkeypatch):
    endpoint, _, key = s3.rpartition(f"/{BUCKET}/")
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    fill(s3, {".zgroup": b"{}"})
    assert open_zmap(parse_location(f"s3://{BUCKET}/{key}")).search("") == [".zgroup"]


def test_a_missing_bucket(s3):
    gone = at(s3.replace(BUCKET, "no-such-bucket"))
    with pytest.raises(StoreMissing, match="the bucket no-such-bucket does not exist at http"):
        open_zmap(gone)
    with pytest.raises(StoreMissing, match="create the bucket first"), create_zmap(gone):
        pass


def test_more_keys_than_two_pages_list(s3):
    """A page of this server has a hundred keys, and a request to delete has a thousand."""
    keys = [f"v/{n // 70}.{n % 70}" for n in range(250)]
    with create_zmap(at(s3)) as zmap:
        for key in keys:
            zmap.put(key, b"")
        zmap.put(".zgroup", b"{}")
    zmap = made(WritableRemoteZmap, s3)
    assert zmap.search("") == [".zgroup", "v"]
    assert zmap.search("v") == sorted(key[2:] for key in keys)
    assert list(zmap.walk()) == in_order([".zgroup", *keys])
    zmap.delete_many([*(f"w/{n}" for n in range(2500)), *keys])
    assert list(zmap.walk()) == [".zgroup"]
    zmap.close()


def test_objects_of_other_writers_are_seen_immediately(s3):
    fill(s3, {".zgroup": b"{}"})
    zmap = made(RemoteZmap, s3)
    assert zmap.search("v") == []
    assert zmap.get("v/0") is None
    fill(s3, {"v/0": b"0"})
    assert zmap.search("v") == ["0"]
    assert zmap.get("v/0") == b"0"
    assert list(zmap.walk()) == [".zgroup", "v/0"]
    zmap.close()


def test_an_object_may_stand_above_others(s3):
    objects = made(WritableRemoteZmap, s3)._objects
    prefix = s3.partition(f"{BUCKET}/")[2]
    for path in ("a", "a/b", "folder/", "folder/x"):
        objects.put(f"{prefix}/{path}", b"content")
    assert read(s3) == {"a": b"content", "a/b": b"content", "folder/x": b"content"}
    assert made(RemoteZmap, s3).search("folder") == ["x"]


@pytest.mark.long
def test_documents_whose_names_are_not_keys_are_reported(run, s3, tmp_path):
    objects = made(WritableRemoteZmap, s3)._objects
    prefix = s3.partition(f"{BUCKET}/")[2]
    for store, name in (("root", "/b"), ("below", "g//b"), ("above", "../b")):
        for path in (".zgroup", "g/.zgroup", f"{name}/.zgroup"):
            objects.put(f"{prefix}/{store}/{path}", b'{"zarr_format": 2}')
        told = f"documents or chunks whose names are not keys: '{name}/.zgroup'; left out"
        for command in ("dump", "info", "check", "copy"):
            target = [tmp_path / "t.zarr"] if command == "copy" else []
            ran = run(command, f"{s3}/{store}#mode=s3", *target)
            assert (ran.code, told in ran.stderr + ran.text) == (1, True), (command, ran.stderr)
    assert not (tmp_path / "t.zarr").exists()
    for path in (".zgroup", "g/.zgroup", "g//", "g//notes", "//"):
        objects.put(f"{prefix}/whole/{path}", b'{"zarr_format": 2}')
    assert run("copy", "-q", f"{s3}/whole#mode=s3", tmp_path / "t.zarr").code == 0


@pytest.mark.parametrize("name", ["x.zip", "x"])
def test_a_zip_is_read_in_place(s3, name, tmp_path):
    import zipfile

    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for key, value in TREE.items():
            archive.writestr(key, value)
    fill(s3, {name: path.read_bytes()})
    zmap = open_zmap(at(f"{s3}/{name}"))
    assert {key: zmap.get(key) for key in zmap.walk()} == TREE
    assert zmap.get_range("g/v/0", 2, 3) == b"\2\3\4"
    zmap.close()
    with pytest.raises(ZmapError, match="a zip file cannot be changed in place"):
        open_zmap(at(f"{s3}/{name}"), write=True)


def test_a_zip_that_is_not_there(s3):
    with pytest.raises(StoreMissing, match="no file or store exists"):
        open_zmap(at(f"{s3}/x.zip"))


def test_a_store_whose_name_ends_in_zip_can_be_distinguished(s3):
    fill(s3, {"x.zip": b"no zip at all"})
    with pytest.raises(ZmapError, match="this is a single object, but not a zip file"):
        open_zmap(at(f"{s3}/x.zip"))


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("fsspec+gs://bucket/x", "the package gcsfs is required; pip install gcsfs"),
        ("fsspec+abfs://box@account/x", "the package adlfs is required; pip install adlfs"),
        ("sftp://host/x", "the package paramiko is required; pip install paramiko"),
    ],
)
def test_a_package_that_is_missing_is_named(url, says):
    with pytest.raises(ZmapError) as caught:
        open_zmap(parse_location(url))
    assert str(caught.value) == f"{url}: {says}"


def test_s3fs_may_be_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(ZmapError, match="the package s3fs is required; pip install s3fs"):
        open_zmap(parse_location("https://127.0.0.1/b/k#mode=s3"))


def test_names_that_are_not_unicode(s3):
    zmap = made(WritableRemoteZmap, s3)
    assert zmap.get("\udcff") is None
    assert zmap.search("\udcff") == []
    with pytest.raises(ZmapError, match="names in a remote store must be UTF-8"):
        zmap.put("\udcff", b"")
    zmap.close()


def test_a_query_is_no_part_of_an_s3_url():
    with pytest.raises(UrlError, match=r"an S3 URL cannot have a \?query"):
        open_zmap(parse_location("https://127.0.0.1/b/k?token=12345#mode=s3"))


def test_a_file_system_with_real_folders(tmp_path):
    location = parse_location(f"fsspec+local://{tmp_path}/a/x")
    with create_zmap(location) as zmap:
        for key, value in TREE.items():
            zmap.put(key, value)
    assert (tmp_path / "a/x/g/v/0").read_bytes() == TREE["g/v/0"]
    assert list(open_zmap(location).walk()) == in_order(TREE)

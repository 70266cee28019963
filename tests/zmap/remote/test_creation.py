"""Making a remote store, whole or not at all."""

from __future__ import annotations

import contextlib
import io
import zipfile

import pytest

from ncz.errors import StoreExists, StoreMissing, ZmapError
from ncz.record import replace
from ncz.zmap.key import MARK
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap
from ncz.zmap.remote.opening import create_remote, open_remote
from ncz.zmap.remote.retry_policy import RetryPolicy

pytest.importorskip("s3fs", reason="s3fs is not installed")

QUICK = RetryPolicy(timeout=300, connect=60, read=60, attempts=2, first_wait=0, parallel=4)
STORE = {".zgroup": b"{}", ".zattrs": b"{}", "v/.zarray": b"[]", "v/0": b"0", "v/1": b"1"}


@pytest.fixture
def target(web, monkeypatch, tmp_path):
    """A location on a server whose objects and requests can be looked at."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "thing")
    return parse_location(f"{web.endpoint}/b/k#mode=s3")


def create(location, objects, **options):
    with create_remote(location, retry_policy=QUICK, **options) as zmap:
        for key, value in objects.items():
            zmap.put(key, value)


def stored(web):
    return {key.removeprefix("b/k/"): value for key, value in web.objects.items()}


def test_all_is_there_and_nothing_else(web, target):
    create(target, STORE)
    assert stored(web) == STORE


def test_no_leave_is_asked_before_a_body_is_sent(web, target):
    create(target, STORE)
    assert not any("Expect" in headers for headers in web.headers)


def test_the_mark_is_first_and_the_roots_documents_are_last(web, target):
    create(target, STORE)
    puts = [request for request in web.requests if request.startswith("PUT")]
    assert puts[0] == f"PUT /b/k/{MARK}"
    assert puts[-2:] == ["PUT /b/k/.zattrs", "PUT /b/k/.zgroup"]
    assert web.requests[-1].startswith("POST")  # the mark is removed at the end


def test_an_error_leaves_nothing(web, target):
    def failing():
        with create_remote(target, retry_policy=QUICK) as zmap:
            for key, value in STORE.items():
                zmap.put(key, value)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        failing()
    assert stored(web) == {}


def test_an_error_of_the_server_comes_out_and_leaves_nothing(web, target):
    web.only, web.always, web.code = "v/1", "403", "AccessDenied"
    with pytest.raises(ZmapError, match=r"/v/1: cannot write: .* denied access") as caught:
        create(target, STORE)
    assert "check the environment" in str(caught.value)
    assert stored(web) == {}


def test_an_error_at_the_very_end_leaves_no_dataset(web, target):
    web.only, web.always, web.code = ".zgroup", "403", "AccessDenied"
    with pytest.raises(ZmapError, match=r"/\.zgroup: cannot write"):
        create(target, STORE)
    assert stored(web) == {}


def test_a_killed_writer_leaves_no_dataset_and_can_be_overwritten(web, target):
    web.objects.update({f"b/k/{MARK}": b"", "b/k/v/.zarray": b"[]", "b/k/v/7": b"7"})
    with pytest.raises(StoreExists, match="--overwrite"):
        create(target, STORE)
    create(target, STORE, overwrite=True)
    assert stored(web) == STORE


def test_existing_files_are_not_overwritten(web, target):
    web.objects["b/k/.zgroup"] = b"{}"
    with pytest.raises(StoreExists, match="already exists; use --overwrite"):
        create(target, STORE)
    assert stored(web) == {".zgroup": b"{}"}


def test_other_things_are_never_overwritten(web, target):
    web.objects["b/k/thesis.tex"] = b"years"
    with pytest.raises(StoreExists, match=r"it holds /thesis\.tex, which is not part of a store"):
        create(target, STORE, overwrite=True)
    assert stored(web) == {"thesis.tex": b"years"}


def test_neighbours_with_a_like_name_are_left_alone(web, target):
    neighbours = {"b/kk/.zgroup": b"1", "b/k.zarr/v": b"2"}
    web.objects.update(neighbours)
    create(target, STORE)
    create(target, {".zgroup": b"new"}, overwrite=True)
    assert web.objects == {**neighbours, "b/k/.zgroup": b"new"}


def test_an_overwritten_store_leaves_no_chunk_behind(web, target):
    create(target, STORE)
    web.requests.clear()
    create(target, {".zgroup": b"new", "v/0": b"new"}, overwrite=True)
    assert stored(web) == {".zgroup": b"new", "v/0": b"new"}
    changes = [request for request in web.requests if request.startswith(("PUT", "POST"))]
    assert changes[0] == f"PUT /b/k/{MARK}"
    assert changes[1].startswith("POST")  # the old root goes before anything is replaced
    assert changes[2] == "PUT /b/k/v/0"


def test_an_early_error_leaves_the_old_store_alone(web, target):
    create(target, STORE)

    def failing():
        with create_remote(target, overwrite=True, retry_policy=QUICK) as zmap:
            zmap.put(".zgroup", b"new")
            raise ValueError("early")

    with pytest.raises(ValueError, match="early"):
        failing()
    assert stored(web) == STORE


def test_a_late_error_leaves_nothing_of_either(web, target):
    create(target, STORE)
    web.only, web.always, web.code = "w/0", "403", "AccessDenied"
    with pytest.raises(ZmapError):
        create(target, {".zgroup": b"new", "v/0": b"new", "w/0": b"new"}, overwrite=True)
    assert stored(web) == {}


def test_new_objects_are_read_back_before_the_store_is_complete(target):
    with create_remote(target, retry_policy=QUICK) as zmap:
        for key, value in STORE.items():
            zmap.put(key, value)
        assert {key: zmap.get(key) for key in STORE} == STORE
        assert zmap.get("v/2") is None
        assert zmap.size(".zattrs") == 2
        assert zmap.search("") == [".zattrs", ".zgroup", "v"]
        zmap.put("v/0", b"replaced")
        assert zmap.get("v/0") == b"replaced"
        assert zmap.delete("v/0")
        assert not zmap.delete("v/0")


def test_many_objects_are_bounded_in_memory(web, target, monkeypatch):
    import ncz.zmap.remote.uploads as remote

    monkeypatch.setattr(remote, "UNDER_WAY", 100)
    waiting = []
    with create_remote(target, retry_policy=QUICK) as zmap:
        for number in range(200):
            zmap.put(f"v/{number}", b"x" * 60)
            waiting.append(vars(zmap)["_uploads"].pending_bytes)
    assert max(waiting) <= 100
    assert len(stored(web)) == 200


def test_an_object_in_the_way(web, target):
    web.objects["b/k"] = b"an object"
    with pytest.raises(StoreExists, match="a single object exists here"):
        create(target, STORE, overwrite=True)
    with pytest.raises(ZmapError, match="this is a single object, but not a zip file"):
        open_zmap(target)


def test_a_store_in_place(web, target):
    create(target, STORE)
    zmap = open_zmap(target, write=True)
    zmap.put(".zmetadata", b"{}")
    assert zmap.delete("v/1")
    zmap.close()
    assert stored(web).keys() == STORE.keys() - {"v/1"} | {".zmetadata"}


def test_nothing_there(web, target):
    web.objects["b/k/"] = b""  # the object that a console creates for a folder
    with pytest.raises(StoreMissing, match="no file or store exists at this URL; check the URL"):
        open_remote(target, retry_policy=QUICK)
    create(target, STORE)


@pytest.mark.parametrize("old", [b"PK\5\6" + bytes(18), b""], ids=["no entry", "empty"])
def test_a_zip_file_without_an_entry_is_overwritten_on_demand(web, target, old):
    location = replace(target, path=f"{target.path}.zip")
    web.objects["b/k.zip"] = old
    with pytest.raises(StoreExists, match="already exists; use --overwrite to replace it"):
        create(location, STORE)
    assert web.objects == {"b/k.zip": old}
    create(location, STORE, overwrite=True)
    with contextlib.closing(open_zmap(location)) as made:
        assert {key: made.get(key) for key in made.walk()} == STORE
    assert list(web.objects) == ["b/k.zip"]


def zipped(*names):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, "years")
    return file.getvalue()


@pytest.mark.parametrize(
    ("old", "reason"),
    [
        (b"thesis", "it is an object, but not a zip file"),
        (b"PK\3\4 broken off", "it cannot be read: the zip file is truncated or damaged"),
        (zipped("word/document.xml"), "the zip file has no document of a store"),
        (zipped(".zgroup", "thesis.tex"), "it holds /thesis.tex, which is not part of a store"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_store_is_never_overwritten(web, target, old, reason):
    web.objects["b/k.zip"] = old
    with pytest.raises(StoreExists, match=reason):
        create(replace(target, path=f"{target.path}.zip"), STORE, overwrite=True)
    assert web.objects == {"b/k.zip": old}


def test_a_part_of_a_store_is_never_overwritten(web, target):
    objects = {"b/k/.zgroup": b"{}", "b/k/g/.zgroup": b"{}"}
    web.objects.update(objects)
    with pytest.raises(StoreExists, match="it is part of the store"):
        create(replace(target, path=f"{target.path}/g"), STORE, overwrite=True)
    assert web.objects == objects

"""Names that change in a store on a server: readers see the old store, the new one, or none.

``make test`` takes one form, and one of the steps where an edit fails or is killed.
"""

from __future__ import annotations

import io
from typing import Any

import pytest

import ncz
from ncz.errors import Notice, ZmapError
from ncz.zmap.key import JOURNAL
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap
from ncz.zmap.remote.store import WritableRemoteZmap
from tests.formats.zarr.edit.test_structure import CDL, quiet
from tests.sampled import sampled

pytest.importorskip("s3fs", reason="s3fs is not installed")

EDITS: dict[str, Any] = {
    "remove": ["spare"],
    "rename": ["lat=latitude", "time=t1", "dimension x=lon", "g=grid", "grid/w=z"],
}


@pytest.fixture
def store(s3, request) -> str:
    """A store on S3 with consolidated metadata; the mode is its parameter."""
    url = f"{s3}/s.zarr#mode={request.param},consolidated,s3"
    ncz.gen(io.BytesIO(CDL), url, notify=quiet)
    return f"{s3}/s.zarr#mode=s3"


def objects(url: str) -> dict[str, bytes | None]:
    zmap = open_zmap(parse_location(url))
    found = {key: zmap.get(key) for key in [*zmap.walk(), JOURNAL]}
    zmap.close()
    return found


def edited(store: str, tmp_path) -> dict[str, bytes | None]:
    """Return the objects of a directory with the same contents after the same edit."""
    copy = tmp_path / "copy.zarr"
    for key, data in objects(store).items():
        if data is not None:
            (copy / key).parent.mkdir(parents=True, exist_ok=True)
            (copy / key).write_bytes(data)
    ncz.edit(copy, **EDITS, notify=quiet)
    return objects(str(copy))


@pytest.mark.parametrize("store", sampled(["zarr,v3", "nczarr"], 2), indirect=True)
def test_a_store_on_s3_is_edited_as_a_local_one(store, tmp_path):
    wanted = edited(store, tmp_path)
    ncz.edit(store, **EDITS, notify=quiet)
    assert objects(store) == wanted


@pytest.mark.parametrize("store", ["zarr,v3"], indirect=True)
@pytest.mark.parametrize("failing", sampled([9, 4], 2))
def test_after_an_error_the_store_is_as_before(store, monkeypatch, failing):
    before = objects(store)
    put, calls = WritableRemoteZmap.put, []

    def broken(zmap: WritableRemoteZmap, key: str, value: bytes) -> None:
        calls.append(key)
        if len(calls) == failing:
            raise ZmapError("the server refuses", key)
        put(zmap, key, value)

    monkeypatch.setattr(WritableRemoteZmap, "put", broken)
    with pytest.raises(ZmapError, match="the server refuses"):
        ncz.edit(store, **EDITS, notify=quiet)
    assert objects(store) == before


class Killed(BaseException):
    """Ends a process in a test: nothing is done afterwards."""


@pytest.mark.parametrize("store", ["nczarr"], indirect=True)
@pytest.mark.parametrize("step", sampled(["documents", "delete_many", "sweep"], 3))
def test_clean_completes_an_edit_that_was_killed(store, monkeypatch, tmp_path, run, step):
    wanted = edited(store, tmp_path)
    put, delete_many = WritableRemoteZmap.put, WritableRemoteZmap.delete_many
    is_dead = False

    def die() -> None:
        nonlocal is_dead
        is_dead = True

    def killed_put(zmap, key, value):
        if step == "documents" and key == ".zattrs":
            die()
        if is_dead:
            raise Killed
        put(zmap, key, value)

    def killed_delete(zmap, keys):
        keys = list(keys)
        if step == "delete_many" or (step == "sweep" and any(k[-1].isdigit() for k in keys)):
            die()
        if is_dead:
            raise Killed
        delete_many(zmap, keys)

    with monkeypatch.context() as patch:
        patch.setattr(WritableRemoteZmap, "put", killed_put)
        patch.setattr(WritableRemoteZmap, "delete_many", killed_delete)
        with pytest.raises(Killed):
            ncz.edit(store, **EDITS, notify=quiet)
    told: list[Notice] = []
    texts = [ncz.dump(store, notify=told.append)]
    if step != "sweep":
        assert "change-unfinished" in {notice.code for notice in told}
        assert "store-unreadable" in {found.code for found in ncz.check(store).findings}
        assert run("edit", store, "--rename", "a=b").code == 1
    assert run("clean", "--dry-run", store).text.startswith("would complete ")
    assert run("clean", store).text.startswith("completed ")
    assert objects(store) == wanted
    assert [ncz.dump(store, notify=quiet)] == texts
    assert run("clean", store).text == ""


@pytest.mark.parametrize("store", ["nczarr"], indirect=True)
def test_a_new_name_must_be_free(store):
    before = objects(store)
    with pytest.raises(ZmapError, match="objects exist below /lat"):
        ncz.edit(store, remove=["lat"], rename=["spare=lat"], notify=quiet)
    assert objects(store) == before

"""Values that are replaced in a store on a server: all of them or none after any error."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import NczError, Notice, ZmapError, ignore_notice
from ncz.zmap.key import STAGED
from ncz.zmap.remote.store import WritableRemoteZmap
from tests.conftest import Run
from tests.sampled import sampled

CDL = b"""netcdf x { dimensions: t = 6 ; variables: int v(t) ; v:_ChunkSizes = 1 ;
 v:_FillValue = -1 ; int t(t) ; t:_ChunkSizes = 2 ;
 data: v = 0, 1, 2, 3, 4, 5 ; t = 0, 1, 2, 3, 4, 5 ; }"""

OLD, NEW = [0, 1, 2, 3, 4, 5], [0, 10, -1, 30, 40, 5]


@pytest.fixture(params=sampled(["zarr,v2", "zarr,v3,consolidated", "nczarr,v2"], 3))
def store(request, s3) -> str:
    url = f"{s3}/x.zarr#mode=s3,{request.param}"
    ncz.gen(io.BytesIO(CDL), url, notify=ignore_notice)
    return f"{s3}/x.zarr#mode=s3"


def values(url: str) -> list[int]:
    with ncz.open(url) as ds:
        return [*map(int, ds["v"][:])]


def assign(url: str) -> None:
    with ncz.open(url, "r+", notify=ignore_notice) as ds:
        ds["v"][1:5] = [10, -1, 30, 40]


def failing(monkeypatch: pytest.MonkeyPatch, at: int) -> dict[str, int]:
    """Let the request `at` that changes objects fail, and count them."""
    count = {"calls": 0}

    def wrapped(method: Any) -> Any:
        def call(self: Any, *arguments: Any) -> Any:
            count["calls"] += 1
            if count["calls"] == at:
                raise ZmapError("the server does not answer", self.url)
            return method(self, *arguments)

        return call

    for name in ("put", "delete", "delete_many"):
        monkeypatch.setattr(WritableRemoteZmap, name, wrapped(getattr(WritableRemoteZmap, name)))
    return count


def test_values_are_replaced(store, run: Run):
    assign(store)
    assert values(store) == NEW
    keys = run("ls", "-r", store).text
    assert STAGED not in keys
    assert not [f for f in ncz.check(store, data=True).findings if f.severity == "error"]


@pytest.mark.long
def test_an_error_leaves_the_old_values_or_a_change_for_clean(store, run: Run, monkeypatch):
    at, left = 1, 0
    while True:
        with monkeypatch.context() as patch:
            count = failing(patch, at)
            try:
                assign(store)
            except NczError as error:
                said = str(error)
            else:
                assert count["calls"] < at
                break
        told: list[Notice] = []
        with ncz.open(store, notify=told.append) as ds:
            found = [*map(int, ds["v"][:])]
        if any(notice.code == "change-unfinished" for notice in told):
            assert "a part of the change was made: run 'ncz clean" in said
            left += 1
        assert found == (NEW if "the change was made" in said or "a part" in said else OLD)
        assert run("clean", store).code == 0
        assert values(store) == found
        if found == NEW:
            with ncz.open(store, "r+", notify=ignore_notice) as ds:
                ds["v"][:] = np.array(OLD, "i4")
        assert STAGED not in run("ls", "-r", store).text
        at += 1
    assert left > 0
    assert values(store) == NEW


def test_a_process_that_was_killed_before_the_journal_changed_nothing(store, run: Run):
    class Killed(BaseException):
        pass

    def put_and_die(self: WritableRemoteZmap, key: str, value: bytes) -> None:
        put(self, key, value)
        if key.startswith(STAGED):
            raise Killed

    put = WritableRemoteZmap.put
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WritableRemoteZmap, "put", put_and_die)
        patch.setattr(WritableRemoteZmap, "delete_many", lambda *_: None)
        patch.setattr(WritableRemoteZmap, "delete", lambda *_: True)
        with pytest.raises(Killed):
            assign(store)
    assert values(store) == OLD
    assert STAGED in run("ls", "-r", store).text
    assert run("clean", store).code == 0
    assert STAGED not in run("ls", "-r", store).text
    assign(store)
    assert values(store) == NEW


def test_ncz_reads_the_new_values_while_they_are_moved(store, run: Run, monkeypatch):
    """Other programs find no root during the move, so that they do not read old and new values."""
    moved, seen = WritableRemoteZmap.copy_many, []

    def moving(self: WritableRemoteZmap, keys: Any) -> None:
        for number, (key, new) in enumerate(keys.items()):
            moved(self, {key: new})
            told: list[Notice] = []
            with ncz.open(store, notify=told.append) as ds:
                seen.append([*map(int, ds["v"][:])])
                assert ds["t"][:].tolist() == OLD
            assert [n.code for n in told if n.code == "change-unfinished"]
            if not number:
                assert run("ls", "-r", store).code == 0
                assert "store-unreadable" in {f.code for f in ncz.check(store).findings}
                assert run("edit", store, "--set", "v:units=K").code == 1

    monkeypatch.setattr(WritableRemoteZmap, "copy_many", moving)
    assign(store)
    assert len(seen) == 4
    assert all(found == NEW for found in seen)
    assert values(store) == NEW

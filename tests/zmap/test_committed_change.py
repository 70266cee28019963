"""A store whose change is decided, read as it will be."""

from __future__ import annotations

import pytest

from ncz.errors import ZmapError
from ncz.zmap.committed_change import CommittedChange, committed_change
from ncz.zmap.journal import Journal
from ncz.zmap.key import JOURNAL, STAGED
from ncz.zmap.memory import MemoryZmap


def change(**steps: object) -> CommittedChange:
    """Return a store of four objects, with a new chunk next to it, and a change of it."""
    objects = {
        "v/.zarray": b"old",
        "v/0": b"0",
        "v/1": b"1",
        "w/0": b"w",
        f"{STAGED}/v/1": b"new",
    }
    journal = Journal(**{"put": {}, "deleted": (), "swept": (), "staged": STAGED, **steps})  # type: ignore[arg-type]
    return CommittedChange(MemoryZmap(objects), journal)


def test_documents_are_the_new_ones():
    store = change(put={"v/.zarray": "newer", ".zgroup": "{}"})
    assert store.get("v/.zarray") == b"newer"
    assert store.get_range("v/.zarray", 1, 3) == b"ewe"
    assert store.size(".zgroup") == 2
    assert store.is_unfinished


def test_chunks_are_read_next_to_the_store_until_they_are_moved():
    store = change()
    assert [store.get(f"v/{n}") for n in range(3)] == [b"0", b"new", None]
    assert store.get_range("v/1", 1, 2) == b"ew"
    assert [store.size(f"v/{n}") for n in range(3)] == [1, 3, None]


def test_deleted_objects_have_no_place():
    store = change(deleted=("v/0",), swept=("w",))
    for key in ("v/0", "w/0"):
        assert store.get(key) is None
        assert store.get_range(key, 0, 1) is None
        assert store.size(key) is None
    assert list(store.walk("v")) == ["v/.zarray", "v/1"]


def test_a_document_in_a_deleted_folder_may_be_new():
    store = change(put={"v/.zarray": "new"}, deleted=("v",))
    assert store.get("v/.zarray") == b"new"
    assert list(store.walk("v")) == ["v/.zarray", "v/1"]
    assert store.get("v/0") is None


def test_deleted_folders_are_not_found():
    store = change(swept=("w",))
    assert store.search("") == ["v"] or "w" not in store.search("")


def test_the_keys_match_the_new_state():
    store = change(put={"u/.zarray": "{}"})
    found = [key for key in store.walk() if not key.startswith(STAGED)]
    assert found == ["u/.zarray", "v/.zarray", "v/0", "v/1", "w/0"]
    assert [*store.walk_unsorted("v")] == [*store.walk("v")]


def test_a_store_without_a_journal_has_no_change():
    assert committed_change(MemoryZmap({"v/0": b"0"})) is None


def test_a_key_that_leads_out_of_the_store_is_an_error():
    with pytest.raises(ZmapError):
        change().get("../v/0")
    assert change(put={JOURNAL: "{}"}).get(JOURNAL) == b"{}"

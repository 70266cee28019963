"""A store whose chunks and documents change together."""

from __future__ import annotations

import json

import pytest

import ncz
from ncz.errors import ZmapError
from ncz.zmap.journal import Journal
from ncz.zmap.key import JOURNAL
from ncz.zmap.local.writable import WritableDirectoryZmap
from tests.commands.test_append import cdl, contents, quiet
from tests.commands.test_append import store as store
from tests.commands.test_append import stores as stores
from tests.conftest import Run


@pytest.mark.parametrize("failing", ["chunk", "document"])
def test_an_error_does_not_change_the_store_for_readers(store, tmp_path, monkeypatch, failing):
    before = ncz.dump(store, notify=quiet)
    (tmp_path / "new.cdl").write_text(cdl(range(5, 9)))
    put = WritableDirectoryZmap.put

    def full(zmap: WritableDirectoryZmap, key: str, value: bytes) -> None:
        if key == ("g/u/1" if failing == "chunk" else "words/.zarray"):
            monkeypatch.undo()
            raise ZmapError("no space left on the device", key)
        put(zmap, key, value)

    monkeypatch.setattr(WritableDirectoryZmap, "put", full)
    with pytest.raises(ZmapError, match="no space left"):
        ncz.copy(tmp_path / "new.cdl", store, append="time", notify=quiet)
    assert ncz.dump(store, notify=quiet) == before
    ncz.copy(tmp_path / "new.cdl", store, append="time", verify=True, notify=quiet)
    assert ncz.open(store)["time"].shape == (9,)


def test_a_killed_append_is_completed(store, stores, tmp_path, monkeypatch, run: Run):
    (tmp_path / "new.cdl").write_text(cdl(range(5, 9)))
    put = WritableDirectoryZmap.put
    is_dead = False

    def killed(zmap: WritableDirectoryZmap, key: str, value: bytes) -> None:
        nonlocal is_dead
        is_dead |= key == "words/.zarray"
        if is_dead:
            raise KeyboardInterrupt
        put(zmap, key, value)

    with monkeypatch.context() as patch:
        patch.setattr(WritableDirectoryZmap, "put", killed)
        patch.setattr(WritableDirectoryZmap, "delete", lambda *_: False)
        with pytest.raises(KeyboardInterrupt):
            ncz.copy(tmp_path / "new.cdl", store, append="time", notify=quiet)
    assert (store / JOURNAL).exists()
    assert "run 'ncz clean'" in run("copy", "--append", "time", tmp_path / "new.cdl", store).stderr
    assert run("clean", store).text.startswith("completed ")
    assert contents(store) == contents(stores["all nczarr"])


def test_a_process_that_ended_before_it_changed_anything_is_no_obstacle(store, tmp_path, run: Run):
    (tmp_path / "new.cdl").write_text(cdl(range(5, 9)))
    (store / JOURNAL).write_bytes(Journal(put={}).to_bytes())
    assert run("copy", "--append", "time", tmp_path / "new.cdl", store).code == 0
    assert not (store / JOURNAL).exists()
    members = json.loads(Journal(put={}).to_bytes())
    (store / JOURNAL).write_text(json.dumps({**members, "by": "\nelsewhere 1"}))
    ran = run("copy", "--append", "time", tmp_path / "new.cdl", store)
    assert (ran.code, "began to write this store" in ran.stderr) == (1, True)


@pytest.mark.parametrize("journal", [b"", b'{"by": '])
def test_a_journal_that_was_written_only_in_part(run: Run, tmp_path, journal):
    """A process that is killed while it creates the journal has changed nothing."""
    text = b"netcdf x { dimensions: x = 2 ; variables: int v(x) ; data: v = 1, 2 ; }"
    target, more = tmp_path / "x.zarr", tmp_path / "more.zarr"
    for each in (target, more):
        assert run("gen", "-", "-o", str(each), stdin=text).code == 0
    (target / JOURNAL).write_bytes(journal)
    assert run("clean", "--dry-run", str(target)).code == 0
    assert (target / JOURNAL).read_bytes() == journal
    assert run("copy", "--append", "x", str(more), str(target)).code == 0
    assert not (target / JOURNAL).exists()
    (target / JOURNAL).write_bytes(journal)
    assert run("clean", str(target)).code == 0
    assert not (target / JOURNAL).exists()
    assert b" v = 1, 2, 1, 2 ;" in run("dump", str(target)).stdout

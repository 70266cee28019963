"""HDF5 files that a program has open for writing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ncz.errors import ZmapError
from ncz.formats.hdf5.lock import check_lock

fcntl = pytest.importorskip("fcntl", reason="this system has no flock")


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A file that is locked for writing."""
    monkeypatch.delenv("HDF5_USE_FILE_LOCKING", raising=False)
    with open(tmp_path / "a.nc", "wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield str(tmp_path / "a.nc")


def test_a_file_that_is_written_is_refused(path: str):
    with pytest.raises(ZmapError, match=r"a\.nc: the file is locked.*wait until that program"):
        check_lock(path)


@pytest.mark.parametrize("word", ["FALSE", "false", "0"])
def test_the_variable_of_hdf5_turns_the_check_off(path: str, monkeypatch, word: str):
    monkeypatch.setenv("HDF5_USE_FILE_LOCKING", word)
    check_lock(path)


def test_readers_do_not_exclude_each_other_and_no_lock_is_kept(tmp_path: Path):
    path = tmp_path / "b.nc"
    path.touch()
    with open(path, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        check_lock(str(path))
    with open(path, "wb") as file:
        check_lock(str(path))
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_file_system_without_locks_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "a.nc").touch()

    def refuse(*_: object) -> None:
        raise OSError(95, "not supported")

    monkeypatch.setattr(fcntl, "flock", refuse)
    check_lock(str(tmp_path / "a.nc"))
    with pytest.raises(FileNotFoundError):
        check_lock(str(tmp_path / "missing.nc"))

"""Headers of files, kept until the target that they become is complete."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncz.errors import ZmapError
from ncz.zmap.local.kept_headers import KeptHeaders, kept_headers, remove_headers


class StopError(ZmapError):
    """An error that may pass."""

    may_pass = True


def add(target: Path, names: str, error: BaseException) -> None:
    """Keep headers of files, and stop with an error."""
    with kept_headers(str(target), "1") as headers:
        assert headers is not None
        for name in names:
            headers.add(name, name.encode() * 3)
        raise error


def interrupted(target: Path, names: str) -> None:
    with pytest.raises(StopError):
        add(target, names, StopError("stopped"))


def found(target: Path, *names: str, version: str = "1") -> list[bytes | None]:
    with kept_headers(str(target), version) as headers:
        assert headers is not None
        return [headers.find(name) for name in names]


def test_headers_of_a_run_that_was_stopped(tmp_path):
    interrupted(tmp_path / "t.zarr", "ab")
    interrupted(tmp_path / "t.zarr", "c")
    assert len(list(tmp_path.iterdir())) == 1
    assert found(tmp_path / "t.zarr", "a", "b", "c", "d") == [b"aaa", b"bbb", b"ccc", None]
    assert list(tmp_path.iterdir()) == []


def test_headers_of_another_version_and_of_another_target(tmp_path):
    interrupted(tmp_path / "t.zarr", "a")
    assert found(tmp_path / "other.zarr", "a") == [None]
    assert found(tmp_path / "t.zarr", "a", version="2") == [None]


def test_other_errors_leave_nothing(tmp_path):
    with pytest.raises(ZeroDivisionError):
        add(tmp_path / "t", "a", ZeroDivisionError())
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_says_that_they_are_kept(tmp_path):
    with pytest.raises(KeyboardInterrupt) as caught:
        add(tmp_path / "t", "ab", KeyboardInterrupt())
    assert "the headers of 2 sources are kept" in caught.value.__notes__[0]
    remove_headers(str(tmp_path / "t"))
    remove_headers(str(tmp_path / "t"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: data[:-1] + b"x"])
def test_a_record_that_is_damaged_ends_them(tmp_path, damage):
    interrupted(tmp_path / "t", "ab")
    (file,) = tmp_path.iterdir()
    file.write_bytes(damage(file.read_bytes()))
    with file.open("r+b") as opened:
        headers = KeptHeaders(opened, "1")
        assert (len(headers), headers.find("a"), headers.find("b")) == (1, b"aaa", None)
        headers.add("c", b"later")
        assert headers.find("c") == b"later"
        opened.seek(0)
        assert len(KeptHeaders(opened, "1")) == 2


def test_two_runs_at_the_same_time(tmp_path):
    with kept_headers(str(tmp_path / "t"), "1") as first:
        assert first is not None
        with kept_headers(str(tmp_path / "t"), "1") as second:
            assert second is None
    with kept_headers(str(tmp_path / "absent" / "t"), "1") as none:
        assert none is None

"""New chunks of a set, in files next to it."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

import ncz
from ncz.errors import Notice, ignore_notice
from ncz.zmap.location import parse_location
from ncz.zmap.opening import create_zmap
from ncz.zmap.reference.held_values import LARGEST_HELD
from tests.zmap.reference.folders import (
    LIMIT,
    NAMES,
    assert_days,
    files_beside,
    folder_of,
    make_set,
    write_days,
)
from tests.zmap.reference.test_chunk_folder import Make
from tests.zmap.reference.test_chunk_folder import archive as archive
from tests.zmap.reference.test_chunk_folder import few_held as few_held
from tests.zmap.reference.test_chunk_folder import make as make


def test_more_than_the_limit_is_next_to_the_set(tmp_path: Path) -> None:
    target = make_set(tmp_path, "a.json", range(300))  # 1.3 MB of noise
    told: list[Notice] = []
    ncz.copy(str(target), str(tmp_path / "b.json"), notify=told.append)
    assert [n.code for n in told] == ["values-beside-set"]
    assert "keep this folder next to the set" in str(told[0])
    assert target.stat().st_size < 200_000
    for each in (target, tmp_path / "b.json"):
        assert sum(p.stat().st_size for p in folder_of(each).iterdir()) > LARGEST_HELD
        assert_days(each, range(300))


def test_the_same_values_have_the_same_files(make: Make, tmp_path: Path) -> None:
    first = make("a.json", range(3))
    before = first.read_bytes(), files_beside(first)
    again = make("a.json", range(3), overwrite=True)
    assert files_beside(again) == before[1]
    (tmp_path / "other").mkdir()
    other = make_set(tmp_path / "other", "a.json", range(3))
    assert files_beside(other) == before[1]


def test_large_files_are_divided(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ncz.zmap.reference.new_chunks.LARGEST_CHUNK_FILE", 5000)
    target = make("a.json", range(6))
    assert len(files_beside(target)) > 2
    assert_days(target, range(6))
    assert ncz.check(str(target)).is_clean


def test_overwriting_removes_unused_files(archive: Path, tmp_path: Path) -> None:
    before = files_beside(archive)
    make_set(tmp_path, archive.name, range(4), overwrite=True)
    assert len(files_beside(archive)) == 1
    assert files_beside(archive) != before
    assert_days(archive, range(4))
    file = write_days(tmp_path / "other.nc", range(2))
    ncz.copy(file, str(archive), overwrite=True, notify=ignore_notice)
    assert not folder_of(archive).exists()
    assert_days(archive, range(2))


@pytest.mark.parametrize("name", NAMES)
def test_an_error_leaves_nothing(make: Make, tmp_path: Path, name: str) -> None:
    old = make(name, range(3))
    before = files_beside(old)
    for target in (old, tmp_path / f"new-{name}"):
        place = parse_location(f"{target}#mode=reference")
        with contextlib.suppress(KeyboardInterrupt), create_zmap(place, overwrite=True) as zmap:
            zmap.put(".zgroup", b'{"zarr_format": 2}')
            zmap.put("v/0", bytes(LIMIT + 1))
            raise KeyboardInterrupt
        assert files_beside(target) == (before if target == old else [])
    assert not folder_of(tmp_path / f"new-{name}").exists()
    assert_days(old, range(3))

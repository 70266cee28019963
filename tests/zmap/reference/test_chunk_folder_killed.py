"""A set with a folder next to it whose change is killed at any operation on the disk.

It has the old state or the new one, and the next command works.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.zmap.location import parse_location
from ncz.zmap.opening import clean
from tests.killed_at import ends_by_itself
from tests.zmap.reference.folders import (
    LIMIT,
    NAMES,
    WIDTH,
    assert_days,
    files_beside,
    folder_of,
    make_set,
    write_days,
)

KILLED = f"""
import ncz
from ncz.zmap.reference import held_values
action, source, place = sys.argv[2:]
held_values.LARGEST_HELD = {LIMIT}
ncz.open(place).close()  # imports take no part
watch_disk()
quiet = dict(notify=lambda _: None)
match action:
    case "append":
        ncz.copy(source, place, append="t", **quiet)
    case "overwrite":
        ncz.copy(source, place, overwrite=True, chunks="v:1,{WIDTH // 2}", **quiet)
    case "edit":
        ncz.edit(place, remove="v", **quiet)
    case "rm":
        ncz.rm(place)
"""

OLD, NEW = range(2), {"append": range(3), "overwrite": [2]}


def put_back(target: Path, old: Path) -> None:
    """Restore a set and its folder."""
    for path in (target, folder_of(target), *target.parent.glob(".ncz*")):
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    for path, copy in ((old, target), (folder_of(old), folder_of(target))):
        shutil.copytree(path, copy) if path.is_dir() else shutil.copy2(path, copy)


def days_of(target: Path) -> list[int]:
    """Return the days of a set, whose values must be right; `v` may be removed."""
    with ncz.open(target) as dataset:
        days: list[int] = dataset["t"][:].tolist()
        if "v" not in dataset:
            return []
    assert_days(target, days)
    return days


def killed(
    name: str, action: str, folder: Path, every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ncz.zmap.reference.held_values.LARGEST_HELD", LIMIT)
    target = make_set(folder, name, OLD)
    (folder / "old").mkdir()
    old = folder / "old" / name
    for path, copy in ((target, old), (folder_of(target), folder_of(old))):
        shutil.copytree(path, copy) if path.is_dir() else shutil.copy2(path, copy)
    source = write_days(folder / "new.nc", [2])
    states, moment, ended = set(), 1, False
    while not ended:
        put_back(target, old)
        ended = ends_by_itself(KILLED, moment, action, source, str(target))
        if action == "rm":
            found = days_of(target) if target.exists() else None
            assert found in ([*OLD], None)
            if target.exists() or folder_of(target).exists():
                ncz.rm(str(target))
            assert not target.exists()
            assert not folder_of(target).exists()
        else:
            found = days_of(target)
            assert found in ([*OLD], [*NEW.get(action, ())]), (moment, found)
            ncz.copy(source, str(target), overwrite=True, chunks=f"v:1,{WIDTH // 2}",
                     notify=ignore_notice)  # fmt: skip
            assert days_of(target) == [2]
            clean(parse_location(str(target)))
            assert len(files_beside(target)) == 1
        states.add(str(found))
        moment += every
    assert moment > 2
    assert len(states) == 2


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="a system without SIGKILL")
@pytest.mark.parametrize("action", ["append", "overwrite", "edit", "rm"])
@pytest.mark.parametrize("name", NAMES)
def test_at_every_operation(
    name: str, action: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed(name, action, tmp_path, 1, monkeypatch)


@pytest.mark.skipif(sys.platform == "win32", reason="a system without SIGKILL")
@pytest.mark.parametrize("action", ["append", "overwrite"])
def test_at_some_operations(action: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    killed("a.json", action, tmp_path, 6, monkeypatch)

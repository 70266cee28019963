"""Sets whose targets are elsewhere now."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest

from ncz.zmap.byte_range import ByteRange
from ncz.zmap.location import parse_location
from ncz.zmap.moved_sources import Move, Moved
from ncz.zmap.reference.relocation import move_targets
from ncz.zmap.reference.stored_set import open_set
from tests.zmap.reference.sets import write_set


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "a.nc").write_bytes(bytes(range(40)))
    return tmp_path


def moved(old: str, new: str, *, dry_run: bool = False) -> list[Moved]:
    return move_targets(parse_location("s.json"), Move.of(old, new), dry_run)


def target(key: str) -> object:
    with contextlib.closing(open_set(parse_location("s.json"))) as references:
        return references.find(key)


def make(name: str) -> None:
    write_set(Path("s.json"), {".zgroup": "{}", "v/0": [name, 4, 8], "v/1": ["other/b.nc", 0, 8]})


def test_a_relative_name_stays_relative(folder: Path):
    make("old/a.nc")
    assert moved("old", "new/er") == [("old/a.nc", "new/er/a.nc")]
    assert target("v/0") == ByteRange("new/er/a.nc", 4, 8)
    assert target("v/1") == ByteRange("other/b.nc", 0, 8)
    assert target(".zgroup") == b"{}"


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_an_absolute_name_becomes_an_absolute_name(folder: Path, scheme: str):
    make(f"{scheme}{folder}/old/a.nc")
    ((old, new),) = moved(f"{folder}/old", f"{folder}/new")
    assert old == f"{scheme}{folder}/old/a.nc"
    assert new.removeprefix("file://") == f"{folder}/new/a.nc"
    assert target("v/0") == ByteRange(new, 4, 8)


def test_a_url_keeps_its_query(folder: Path):
    make("https://example.org/old/a.nc?key=1")
    assert moved("https://example.org/old", "https://example.org/new") == [
        ("https://example.org/old/a.nc?key=1", "https://example.org/new/a.nc?key=1")
    ]
    assert target("v/0") == ByteRange("https://example.org/new/a.nc?key=1", 4, 8)


def test_a_dry_run_and_another_folder_leave_the_set(folder: Path):
    make("old/a.nc")
    before = Path("s.json").read_bytes()
    assert moved("old", "new", dry_run=True) == [("old/a.nc", "new/a.nc")]
    assert moved("ol", "new") == []
    assert Path("s.json").read_bytes() == before


def test_templates_are_expanded(folder: Path):
    write_set(
        Path("s.json"), {".zgroup": "{}", "v/0": ["{{u}}/a.nc", 4, 8]}, templates={"u": "old"}
    )
    moved("old", "new")
    document = json.loads(Path("s.json").read_text())
    assert document["refs"]["v/0"][0].endswith("new/a.nc")
    assert "templates" not in document

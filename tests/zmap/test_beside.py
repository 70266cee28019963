"""The folder of objects next to a store."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.zmap.beside import Beside
from ncz.zmap.location import parse_location
from ncz.zmap.opening import beside

CDL = """netcdf a { dimensions: x = 9999 ; variables: int v(x) ;
 data: v = 1, 2 ; }"""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A reference set with a folder of values next to it."""
    monkeypatch.setattr("ncz.zmap.reference.held_values.LARGEST_HELD", 4)
    (tmp_path / "a.cdl").write_text(CDL)
    ncz.gen(tmp_path / "a.cdl", tmp_path / "a.nc", notify=ignore_notice)
    target = tmp_path / "set.json"
    ncz.copy(tmp_path / "a.nc", target, chunks="x/5000", notify=ignore_notice)
    return str(target)


def found(path: str) -> Beside:
    other = beside(parse_location(path))
    assert other is not None
    return other


def test_objects_in_the_folder_are_counted(path: str):
    other = found(path)
    assert (other.objects, other.size) == (1, 40000)
    assert (other.unused, other.unused_size) == (0, 0)
    assert other.modified is not None
    assert Path(other.place).is_dir()


def test_an_object_that_the_set_does_not_name_is_unused(path: str):
    document = json.loads(Path(path).read_text())
    references = document["refs"]
    document["refs"] = {key: r for key, r in references.items() if not key.startswith("v/1")}
    Path(path).write_text(json.dumps(document))
    assert found(path).unused == 0  # one object has both chunks
    document["refs"] = {key: r for key, r in references.items() if not isinstance(r, list)}
    Path(path).write_text(json.dumps(document))
    other = found(path)
    assert (other.unused, other.unused_size) == (1, 40000)
    other.remove(True)
    assert beside(parse_location(path)) is None


def test_unused_objects_alone_or_all_are_removed_and_other_files_stay(path: str):
    folder = Path(found(path).place)
    (used,) = (each for each in folder.rglob("*") if each.is_file())
    (folder / "notes.txt").write_text("mine")
    found(path).remove(True)
    assert used.exists()
    found(path).remove(False)
    assert [each.name for each in folder.rglob("*") if each.is_file()] == ["notes.txt"]


def test_a_store_without_a_folder_has_nothing_next_to_it(tmp_path: Path):
    assert beside(parse_location(str(tmp_path / "a.zarr"))) is None

"""How often the store is opened that is appended to, or written into."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import ncz
from ncz.commands.joining.error import JoinError
from ncz.errors import ignore_notice
from ncz.zmap import watch_stores
from tests.commands.append.growing import FORMS, write_day


@pytest.fixture
def opened() -> Iterator[list[str]]:
    """The names of the stores and files that are opened."""
    names: list[str] = []
    watch_stores(lambda _, address: names.append(Path(address).name))
    yield names
    watch_stores(None)


def make(name: str, folder: Path) -> Path:
    """Make a store, or an archive, of two days."""
    files = [write_day(folder / f"{day}.nc", [day]) for day in range(2)]
    form = next((form for form in FORMS if form.name == name), None)
    if form is not None:
        return form.join(files, folder)
    place = folder / name
    ncz.copy(files, str(place), concat="t", notify=ignore_notice)
    return place


# To read its metadata, to write it, and to read its data. A set is looked at before it is replaced,
# and a master is not opened to write but created.
COUNTS = {"a.zarr": 3, "a.json": 4, "m.zarr": 3, "a.nca": 1}


@pytest.mark.parametrize("name", COUNTS)
def test_an_append(name: str, tmp_path: Path, opened: list[str]) -> None:
    place = make(name, tmp_path)
    new = write_day(tmp_path / "new.nc", [2])
    opened.clear()
    ncz.copy(new, str(place), append="t", notify=ignore_notice)
    assert opened.count(name) == COUNTS[name]
    with ncz.open(place) as dataset:
        assert dataset["t"][:].tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", ["a.zarr", "a.json"])
def test_a_region(name: str, tmp_path: Path, opened: list[str]) -> None:
    place = make(name, tmp_path)
    new = write_day(tmp_path / "new.nc", [1], {1: 7})
    opened.clear()
    ncz.copy(new, str(place), into="auto", notify=ignore_notice)
    assert opened.count(name) == 4  # the fourth is the new version of it
    with ncz.open(place) as dataset:
        assert dataset["v"][:, 0].tolist() == [0, 7]


@pytest.mark.parametrize("name", ["m.zarr", "a.nca", "a.nc"])
def test_a_region_of_a_dataset_without_a_region(name: str, tmp_path: Path) -> None:
    place = make(name, tmp_path)
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    new = write_day(tmp_path / "new.nc", [1], {1: 7})
    before[Path(new)] = Path(new).read_bytes()
    with pytest.raises(JoinError, match="cannot be replaced"):
        ncz.copy(new, str(place), into="auto", notify=ignore_notice)
    assert {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == before


def test_a_store_that_only_names_the_convention_is_no_master(tmp_path: Path) -> None:
    place = make("a.zarr", tmp_path)
    ncz.edit(str(place), set=':Conventions = "CF-1.13"', notify=ignore_notice)
    ncz.copy(write_day(tmp_path / "new.nc", [2]), str(place), append="t", notify=ignore_notice)
    with ncz.open(place) as dataset:
        assert dataset["v"][:, 0].tolist() == [0, 1, 2]

"""Datasets that are opened when they are read; the oldest are closed first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ncz.cdl.reader import read_cdl
from ncz.formats.kinds import OpenedDataset
from ncz.formats.open_datasets import OpenDatasets, most_open
from ncz.zmap.location import Location, location_of

PLACES = {name: location_of(f"/{name}.zarr") for name in "abc"}


class Files:
    """Datasets in memory, and their events."""

    def __init__(self) -> None:
        self.log: list[str] = []

    @contextmanager
    def open(self, location: Location) -> Iterator[OpenedDataset]:
        name = location.path[1]
        self.log.append(f"open {name}")
        dataset = read_cdl(f"netcdf {name} {{ variables: int {name} ; }}".encode(), source="t")
        yield OpenedDataset(
            dataset=dataset, location=location, netcdf_kind="classic", survives_fork=True
        )
        self.log.append(f"close {name}")


@pytest.mark.parametrize(
    ("most", "reads", "log"),
    [
        (2, "aba", ["open a", "open b"]),
        (2, "abac", ["open a", "open b", "close b", "open c"]),
        (1, "aba", ["open a", "close a", "open b", "close b", "open a"]),
        (0, "ab", ["open a", "close a", "open b"]),
    ],
)
def test_those_not_used_for_longest_are_closed(most, reads, log):
    files = Files()
    pool = OpenDatasets(files.open, most)
    for name in reads:
        with pool.variables(PLACES[name]) as variables:
            assert list(variables) == [f"/{name}"]
    assert files.log == log
    pool.close()
    assert sorted(each.split()[1] for each in files.log if each.startswith("close")) == sorted(
        each.split()[1] for each in files.log if each.startswith("open")
    )


def test_a_dataset_that_is_kept_takes_the_place_of_the_one_that_is_open():
    files = Files()
    pool = OpenDatasets(files.open)
    with pool.variables(PLACES["a"]):
        pass
    closed: list[str] = []

    @contextmanager
    def other():
        yield read_cdl(b"netcdf x { variables: int other ; }", source="t")
        closed.append("other")

    assert pool.keep(PLACES["a"], other()).name == "x"
    assert files.log == ["open a", "close a"]
    with pool.variables(PLACES["a"]) as variables:
        assert list(variables) == ["/other"]
    pool.close()
    assert closed == ["other"]


def test_some_files_may_be_open():
    assert 1 <= most_open() <= 1024

"""Data that reports which part of it was read."""

from __future__ import annotations

import pytest

from ncz.cdl.reader import read_cdl
from ncz.errors import Progress
from ncz.model.data import read_all
from ncz.model.read_progress import with_progress, with_reports
from ncz.model.tree import Dataset, variables_by_fqn

CDL = b"""netcdf t { dimensions: x = 3 ; variables: short v(x) ; double none(x) ;
 data: v = 1, 2, 3 ;
group: g { variables: double w ; data: w = 4 ; } }"""


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return read_cdl(CDL, source="t")


def read(dataset: Dataset) -> None:
    """Read all values that a dataset has."""
    for _, variable in variables_by_fqn(dataset.root):
        if variable.data is not None:
            read_all(variable.data)


class Steps(Progress):
    """A progress that records its arguments."""

    def __init__(self) -> None:
        self.expected: list[tuple[int | None, str]] = []
        self.steps: list[tuple[str, int, int]] = []

    def expect(self, total: int | None, unit: str = "chunks") -> None:
        """Remember the number of steps."""
        self.expected.append((total, unit))

    def advance(self, name: str, count: int, size: int) -> None:
        """Remember a step."""
        self.steps.append((name, count, size))


def test_values_are_reported_by_variable_with_their_bytes(dataset: Dataset):
    calls: list[tuple[str, int, int]] = []
    found = with_reports(dataset, lambda *call: calls.append(call))
    assert calls == []  # nothing is read before its values are used
    read(found)
    assert calls == [("/v", 3, 6), ("/g/w", 1, 8)]
    assert found == dataset


def test_a_progress_expects_the_values_that_it_gets(dataset: Dataset):
    progress = Steps()
    found = with_progress(dataset, progress)
    assert progress.expected == [(4, "values")]
    read(found)
    assert progress.steps == [("/v", 3, 6), ("/g/w", 1, 8)]


def test_a_variable_without_data_stays_without(dataset: Dataset):
    variables = dict(variables_by_fqn(with_reports(dataset, lambda *_: None).root))
    assert variables["/none"].data is None

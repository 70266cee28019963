"""The dimension along which datasets are joined, where only one is possible."""

from __future__ import annotations

import pytest

from ncz.cdl.reader import read_cdl
from ncz.commands.joining.error import JoinError
from ncz.commands.joining.found_dimension import found_dimension, order_along
from ncz.model.tree import Dataset


def datasets(head: str, *data: str) -> list[Dataset]:
    return [read_cdl(f"netcdf s {{ {head} data: {each} }}".encode(), source="s") for each in data]


def found(head: str, *data: str) -> str:
    return found_dimension(datasets(head, *data), [f"{n}.nc" for n in range(len(data))])


XY = "dimensions: x = 2 ; y = 2 ; variables: int x(x) ; int y(y) ; int v(x, y) ;"
TIMES = (
    "dimensions: x = 2 ; variables: int x(x) ; int time ; time:units = 'days since 2026-01-01' ;"
)
TIMES = TIMES.replace("'", '"')
RECORDS = "dimensions: t = UNLIMITED ; x = 2 ; variables: int x(x) ; int v(t, x) ;"


@pytest.mark.parametrize(
    ("head", "data", "fqn"),
    [
        (XY, ("x = 1, 2 ; y = 1, 2 ;", "x = 3, 4 ; y = 1, 2 ;"), "/x"),
        (XY, ("x = 1, 2 ; y = 1, 2 ;", "x = 1, 2 ; y = 1, 2 ;", "x = 1, 2 ; y = 5, 6 ;"), "/y"),
        (TIMES, ("x = 1, 2 ; time = 0 ;", "x = 1, 2 ; time = 1 ;"), "/time"),
        (RECORDS, ("x = 1, 2 ; v = 1, 2 ;", "x = 1, 2 ; v = 3, 4 ;"), "/t"),
    ],
)
def test_the_coordinate_that_differs(head, data, fqn):
    assert found(head, *data) == fqn


def test_none_or_several():
    with pytest.raises(JoinError, match="all coordinates of the datasets are the same") as none:
        found(XY, "x = 1, 2 ; y = 1, 2 ;", "x = 1, 2 ; y = 1, 2 ;")
    assert none.value.location == "0.nc and 1 more"
    with pytest.raises(JoinError, match="the datasets differ in several coordinates: x, y"):
        found(XY, "x = 1, 2 ; y = 1, 2 ;", "x = 3, 4 ; y = 3, 4 ;")


@pytest.mark.parametrize(
    ("data", "order"),
    [
        (("x = 5, 6 ;", "x = 1, 2 ;", "x = 3, 4 ;"), [1, 2, 0]),
        (("x = 1, 2 ;", "x = 6, 5 ;"), [0, 1]),
        (("x = 4, 3 ;", "x = 2, 1 ;"), [0, 1]),
    ],
)
def test_the_order_matches_ascending_coordinates(data, order):
    head = "dimensions: x = 2 ; variables: int x(x) ;"
    assert order_along(datasets(head, *data), "/x") == order

"""Where new values are in a store."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ncz.commands.joining.error import JoinError
from ncz.commands.option_error import OptionError
from ncz.commands.region.placement import place_of, places_of
from ncz.model.tree import Dataset
from tests.test_round_trip import parsed


def dataset(t: str, count: int, *, width: int = 3, coordinate: str = "double") -> Dataset:
    data = f"t = {t} ;" if t else ""
    declared = f"{coordinate} t(t) ;" if t else ""
    return parsed(
        f"netcdf d {{ dimensions: t = {count} ; x = {width} ; variables: {declared}"
        f" float v(t, x) ; data: {data} v = 1 ; }}".encode()
    )


STORE = dataset("10, 20, 30, 40", 4)


def found(new: Dataset, region: dict[str, Any] | None = None, old: Dataset = STORE) -> Any:
    places = places_of(old, new, region or {}, "new.nc")
    return {fqn: place.indices.tolist() for fqn, place in places.items()}


def test_coordinates_place_values():
    assert found(dataset("20, 30", 2)) == {"/t": [1, 2], "/x": [0, 1, 2]}
    place = places_of(STORE, dataset("40, 10", 2), {}, "new.nc")["/t"]
    assert place.indices.tolist() == [0, 3]
    assert place.order is not None
    assert place.order.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("index", "indices"),
    [(slice(1, 3), [1, 2]), ((0, 2), [0, 2]), (slice(-2, None), [2, 3]), ((-1, 0), [0, 3])],
)
def test_indices_place_values(index: Any, indices: list[int]):
    assert found(dataset("", 2), {"t": index})["/t"] == indices


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (slice(3, 6), "is not within the dimension, which has 4 indices"),
        ((4,), "is not within the dimension"),
        (slice(2, 2), "is not within the dimension"),
        ((1, 1), "has an index several times"),
        ((1, -3), "has an index several times"),
    ],
)
def test_wrong_indices_are_refused(index: Any, message: str):
    with pytest.raises(OptionError, match=message):
        found(dataset("", 2), {"t": index})


@pytest.mark.parametrize(
    ("new", "region", "message"),
    [
        (dataset("20, 25", 2), {}, "the store has no index where /t is 25"),
        (dataset("20, 20", 2), {}, "/t has a coordinate several times"),
        (dataset("20, 30", 2, coordinate="float"), {}, "the type of /t differs"),
        (dataset("", 2), {}, "/t has 2 indices, but 4 in the store, and no coordinates"),
        (dataset("", 2), {"t": (1,)}, "/t has 2 indices, and the region 1"),
        (dataset("20", 1, width=2), {}, "/x has 2 indices, but 3 in the store"),
    ],
)
def test_datasets_that_do_not_fit_are_refused(new: Dataset, region: dict[str, Any], message: str):
    with pytest.raises(JoinError, match=message):
        found(new, region)


def test_a_coordinate_that_the_store_has_twice():
    with pytest.raises(JoinError, match=r"the store has /t 10\.0 several times"):
        found(dataset("10", 1), old=dataset("10, 10, 20", 3))


def test_a_dimension_without_coordinates_is_placed_as_a_whole():
    assert found(dataset("", 4), old=dataset("", 4))["/t"] == [0, 1, 2, 3]


def test_sorted_indices_have_no_order():
    assert place_of(np.array([1, 4])).order is None

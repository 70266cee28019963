"""The part of a dataset that keyword arguments select."""

from __future__ import annotations

from typing import Any

import pytest

from ncz.commands.option_error import OptionError
from ncz.commands.selected_part import region_of, selected_part


@pytest.mark.parametrize("keywords", [{}, {"isel": None, "sel": {}}, {"vars": ()}])
def test_nothing_selects_the_whole_dataset(keywords: Any):
    assert selected_part(keywords) is None


def test_indices_coordinates_and_names_are_a_part():
    found = selected_part({"isel": {"t": 0, "x": slice(1, 3)}, "sel": {"y": 5.0}, "vars": "v,w*"})
    assert found is not None
    assert found.by_index == {"t": 0, "x": slice(1, 3)}
    assert [*found.by_value] == ["y"]


@pytest.mark.parametrize("index", ["a", 1.5, [1.5], {}])
def test_words_that_are_not_indices_are_refused(index: Any):
    with pytest.raises(TypeError):
        selected_part({"isel": {"x": index}})
    with pytest.raises(TypeError):
        region_of({"x": index})


@pytest.mark.parametrize(
    ("into", "region"),
    [
        (None, None),
        ("auto", {}),
        ({}, {}),
        ({"t": slice(0, 5), "x": [1, 2]}, {"t": slice(0, 5), "x": [1, 2]}),
    ],
)
def test_a_region_has_indices_by_dimension(into: Any, region: Any):
    found = region_of(into)
    assert (found if found is None else {k: _plain(v) for k, v in found.items()}) == region


def _plain(index: Any) -> Any:
    return index if isinstance(index, slice) else list(index)


def test_a_region_has_no_step_and_no_other_text():
    with pytest.raises(OptionError, match="the indices of t cannot have a step"):
        region_of({"t": slice(0, 5, 2)})
    with pytest.raises(OptionError, match="cannot be 'all'; write auto, or DIM=FIRST:STOP"):
        region_of("all")

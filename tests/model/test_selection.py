"""Parts of a dataset that are used."""

from __future__ import annotations

import pytest

from ncz.model.selection import Between, OneOf, Selection


@pytest.mark.parametrize(
    ("selection", "cuts", "selects"),
    [
        (Selection(), False, False),
        (Selection(nearest=True), False, False),
        (Selection(vars=("v",)), False, True),
        (Selection(exclude=("v",)), False, True),
        (Selection(by_index={"t": 0}), True, True),
        (Selection(by_value={"lat": Between(1, 2)}), True, True),
    ],
)
def test_only_indices_and_values_make_dimensions_shorter(selection, cuts: bool, selects: bool):
    assert (selection.cuts, selection.selects) == (cuts, selects)


def test_a_range_is_compared_by_its_ends():
    assert Between(1, 2, "1:2") == Between(1, 2)
    assert Between(1, 2) != Between(1, 2, step=2)
    assert OneOf((1, 2)) != OneOf((2, 1))

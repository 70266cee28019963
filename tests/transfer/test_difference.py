"""Differences between datasets, and how messages express them."""

from __future__ import annotations

from typing import get_args

import pytest

from ncz.errors import NczError
from ncz.transfer.difference import Difference, DifferenceError, Kind, difference_error


@pytest.mark.parametrize(
    ("difference", "text"),
    [
        (Difference(kind="missing-group", fqn="/g"), "group /g is missing"),
        (Difference(kind="missing-attribute", fqn="/v", name="a"), "attribute a of /v is missing"),
        (Difference(kind="shape", fqn="/v", expected=(2,), found=(3,)),
         "/v: the shape is (3,), not (2,)"),
        (Difference(kind="value", fqn="/v", index=(1, 2), expected=5, found="a"),
         "/v[1,2] is 'a', not 5"),
        (Difference(kind="values", fqn="/v", count=2, size=9), "/v: 2 of 9 values differ"),
        (Difference(kind="storage", fqn="/v", name="chunks", expected=(2,), found=(3,)),
         "/v: the chunks are (3,), not (2,)"),
    ],
)  # fmt: skip
def test_a_difference_names_its_place(difference: Difference, text: str):
    assert str(difference) == text


@pytest.mark.parametrize("kind", get_args(Kind))
def test_every_kind_has_a_message(kind: Kind):
    difference = Difference(kind=kind, fqn="/g/v", name="n", index=(0,))
    assert difference.message
    assert "/g/v" in str(difference)


def test_only_known_members_are_shown_to_programs():
    assert repr(Difference(kind="missing-variable", fqn="/v")) == (
        "Difference(kind='missing-variable', fqn='/v')"
    )


def test_an_error_names_the_variable_once():
    error = difference_error(Difference(kind="values", fqn="/v", count=1, size=2), "a.zarr")
    assert str(error) == "a.zarr: /v: 1 of 2 values differ"
    other = difference_error(Difference(kind="missing-variable", fqn="/v"), "a.zarr")
    assert str(other) == "a.zarr: variable /v is missing"
    assert isinstance(error, DifferenceError)
    assert isinstance(error, NczError)
    assert isinstance(error, AssertionError)

"""Differences between datasets that mean the same."""

from __future__ import annotations

import sys

import pytest

from ncz.commands.joining.equivalence import are_same_units, names_fewer_coordinates
from ncz.transfer.difference import Difference


def difference(name: str, expected: str, found: str) -> Difference:
    return Difference(
        kind="attribute", fqn="/t", name=name, expected=(expected,), found=(found,),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("expected", "found", "fewer"),
    [
        ("lat lon", "lon lat", True),
        ("lat lon height", "lat lon", True),
        ("lat", "lat time", True),
        ("lat", "lat height", False),
    ],
)
def test_coordinates_of_dimensions_need_not_be_named(expected, found, fewer):
    assert names_fewer_coordinates(difference("coordinates", expected, found), ["time"]) == fewer
    assert not names_fewer_coordinates(difference("title", expected, found), ["time"])


@pytest.mark.parametrize(
    ("expected", "found", "same"),
    [
        ("degrees_north", "degree_N", True),
        ("degrees_east", "degreeE", True),
        ("degrees_east", "degrees_north", False),
        (" K ", "K", True),
        ("K", "m", False),
    ],
)
def test_spellings_of_units(expected, found, same, monkeypatch):
    monkeypatch.setitem(sys.modules, "cf_units", None)
    assert are_same_units(difference("units", expected, found)) == same

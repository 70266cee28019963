"""Options of the commands that create a store."""

from __future__ import annotations

import pytest

from ncz.cli.target_options import given_modes, modes


@pytest.mark.parametrize(
    ("given", "zarr_format", "expected"),
    [
        ({}, None, ()),
        ({"modes": ("zarr", "v2")}, None, ("zarr", "v2")),
        ({"modes": ("zarr",), "consolidated": True}, "3", ("zarr", "consolidated", "v3")),
        ({"consolidated": False}, "2", ("v2",)),
    ],
)
def test_modes_of_options(given, zarr_format, expected):
    assert given_modes(given, zarr_format) == expected


def test_words_of_the_mode():
    assert modes("zarr,v3") == ("zarr", "v3")
    assert modes("") == ()

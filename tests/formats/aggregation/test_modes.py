"""Names and modes of new aggregations."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from ncz.formats.aggregation.modes import (
    FORM_OF_MODE,
    FormName,
    has_netcdf_pieces,
    is_aggregation_name,
)
from ncz.formats.create_options import AS_DEFAULT, CreateOptions
from ncz.record import replace
from ncz.zmap.location import parse_location


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("a.nca", True),
        ("A.NCA", True),
        ("a.nc", False),
        ("a.nc#mode=cfa", True),
        ("a.zarr#mode=cf", True),
        ("a.zarr#mode=zarr", False),
    ],
)
def test_a_suffix_or_a_mode_make_an_aggregation(name: str, answer: bool):
    assert is_aggregation_name(parse_location(name), AS_DEFAULT) == answer


@pytest.mark.parametrize(
    ("name", "chosen", "answer"),
    [("a.nca", None, True), ("a.zarr", None, False), ("a.zarr", "netcdf", True),
     ("a.nca", "zarr", False)],
)  # fmt: skip
def test_pieces_are_as_their_master_unless_chosen(name: str, chosen: Any, answer: bool):
    options = CreateOptions(pieces=replace(AS_DEFAULT.pieces, format=chosen))
    assert has_netcdf_pieces(parse_location(name), options) == answer


def test_every_form_has_a_mode():
    assert {*FORM_OF_MODE.values()} == {*get_args(FormName)}

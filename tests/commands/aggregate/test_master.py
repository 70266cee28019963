"""Masters of aggregations: names of files, and variables that they cannot have."""

from __future__ import annotations

import os

import pytest

from ncz.commands.aggregate.master import name_in_master, refuse_packed
from ncz.commands.joining.error import JoinError
from ncz.model.tree import Attribute, Variable
from ncz.model.types import Atomic
from ncz.zmap.location import parse_location

HERE = os.getcwd()


@pytest.mark.parametrize(
    ("source", "target", "name", "uri"),
    [
        ("d/a?b.nc", "d/all.nca", "a?b.nc", "a%3Fb.nc"),
        ("d/e/a.nc", "d/all.nca", "e/a.nc", "e/a.nc"),
        ("f/a.nc", "d/all.nca", f"{HERE}/f/a.nc", f"file://{HERE}/f/a.nc"),
        ("a.nc", "https://h/all.nca", f"{HERE}/a.nc", f"file://{HERE}/a.nc"),
        ("https://h/d/a.nc", "https://h/d/all.nca", "a.nc", "a.nc"),
        ("https://h/e/a.nc", "https://h/d/all.nca", "https://h/e/a.nc", "https://h/e/a.nc"),
        ("https://h/d/a.nc", "all.nca", "https://h/d/a.nc", "https://h/d/a.nc"),
    ],
)
def test_a_file_is_named_from_the_folder_of_the_master(
    source: str, target: str, name: str, uri: str
):
    places = parse_location(source), parse_location(target)
    assert name_in_master(*places, is_uri=False) == name
    assert name_in_master(*places, is_uri=True) == uri


def test_packed_variables_are_refused_with_another_form():
    plain = Variable(name="v", type=Atomic.SHORT)
    refuse_packed({"/v": plain})
    scale = Attribute(name="scale_factor", type=Atomic.DOUBLE, values=(0.5,))
    packed = Variable(name="w", type=Atomic.SHORT, attributes=(scale,))
    with pytest.raises(JoinError, match="/w has scale_factor") as error:
        refuse_packed({"/v": plain, "/w": packed})
    assert "cfa" in (error.value.hint or "")

"""A sentence about a copy, for stores that keep a history."""

from __future__ import annotations

from typing import Any

import pytest

from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.sentence import description_of
from ncz.zmap.location import parse_location


@pytest.mark.parametrize(
    ("names", "options", "text"),
    [
        ("a.nc", {}, "Copy a.nc"),
        ("a.nc b.nc", {}, "Merge a.nc and b.nc"),
        ("a.nc b.nc", {"concat": "time"}, "Join a.nc and b.nc along time"),
        ("a.nc b.nc c.nc", {"new_dimension": "m"}, "Join a.nc, b.nc and c.nc along m"),
        ("a.nc", {"append": "time"}, "Append a.nc along time"),
        ("a.nc b.nc", {"add": True}, "Add a.nc and b.nc"),
        ("a b c d e", {}, "Merge a, b, c and 2 other sources"),
    ],
)
def test_it_describes_the_copy(names: str, options: dict[str, Any], text: str):
    source, *more = map(parse_location, names.split())
    copy = CopyOptions(source=source, more_sources=(*more,), target="t.icechunk", **options)
    assert description_of(copy) == text

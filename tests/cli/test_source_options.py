"""Options of the commands that read, as parts of a location."""

from __future__ import annotations

from typing import Any

import click
import pytest

from ncz.cli.source_options import location_keys, take_selection
from ncz.commands.subsets.spelling import parse_indices, parse_values
from tests.cli.programs.lines import parsed

NONE: dict[str, Any] = {
    "profile": None, "endpoint_url": None, "region": None, "anon": False, "requester_pays": False,
    "timeout": None,
}  # fmt: skip


def keys(**values: Any) -> dict[str, str]:
    ctx = click.Context(click.Command("ncz"))
    ctx.params = {**NONE, **values}
    return location_keys(ctx)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, {}),
        ({"profile": "p", "region": "eu-1"}, {"aws.profile": "p", "aws.region": "eu-1"}),
        ({"anon": True, "requester_pays": True},
         {"aws.anon": "true", "aws.requester_pays": "true"}),
        ({"timeout": 60.0}, {"timeout": "60"}),
        ({"timeout": 0.5}, {"timeout": "0.5"}),
        ({"allow_target": ("/d", "/a b")}, {"reference.allow_target": "/d /a%20b"}),
        ({"relative_to": "ref"}, {"reference.relative_to": "ref"}),
    ],
)  # fmt: skip
def test_keys_of_the_fragment(values, expected):
    assert keys(**values) == expected


def test_selected_parts():
    given = {
        "isel": parse_indices(["x=0:3"]), "sel": parse_values(["lat=40:60"]), "vars": ("t*",),
        "nearest": True, "memory": 9,
    }  # fmt: skip
    found = take_selection(given)
    assert given == {"memory": 9}
    assert found is not None
    assert found.by_index == {"x": slice(0, 3)}
    assert set(found.by_value) == {"lat"}
    assert (found.nearest, found.vars) == (True, ("t*",))
    assert take_selection({"memory": 9}) is None


def test_a_point_is_typed_after_the_option_for_the_nearest_one():
    typed = ["--csv", "--nearest", "lat=10,lon=50", "in.nc"]
    given = parsed(["dump", *typed]).params
    assert given["nearest"] is True
    assert given["sel"] == ("lat=10,lon=50",)

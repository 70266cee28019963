"""Keywords that become one keyword of ncz."""

from __future__ import annotations

from typing import Any

import pytest

from ncz.commands.gathered_keywords import gather, with_keywords


@pytest.mark.parametrize(
    ("given", "known", "own"),
    [
        ({"time": "2023", "lat": 1}, {"sel"}, {"sel": {"time": "2023", "lat": 1}}),
        ({"lat": 1, "sel": {"lon": 2}}, {"sel"}, {"sel": {"lon": 2, "lat": 1}}),
        ({"lat": 1}, set(), {"lat": 1}),
        ({"lat": 1, "sel": "lon=2"}, {"sel"}, {"lat": 1, "sel": "lon=2"}),
        ({"anon": True, "key": "k"}, set(), {"storage_options": {"anon": True, "key": "k"}}),
        ({"profile": "p"}, {"profile"}, {"profile": "p"}),
        ({"vmin": 1, "vmax": 2}, {"range"}, {"range": "1:2"}),
        ({"vmax": 2.5}, {"range"}, {"range": ":2.5"}),
        ({"vmin": 1, "range": "0:1"}, {"range"}, {"vmin": 1, "range": "0:1"}),
        ({"codec": "zstd", "level": 5}, {"sel"}, {"codec": "zstd:5"}),
        ({"codec": "zstd:3", "level": 850}, {"sel"}, {"codec": "zstd:3", "sel": {"level": 850}}),
        ({"vars": ["a"]}, {"sel", "range"}, {"vars": ["a"]}),
    ],
)
def test_related_keywords_are_combined(given: dict[str, Any], known: set[str], own: dict[str, Any]):
    before = dict(given)
    assert gather(given, known) == own
    assert given == before


@pytest.mark.parametrize(
    ("name", "arguments", "found"),
    [
        ("info", ("x.nc", "t"), (("x.nc",), {"variables": "t"})),
        ("edit", ("x.nc", "a=b"), (("x.nc",), {"set": "a=b"})),
        ("diff", ("x.nc", "y.nc"), (("x.nc", "y.nc"), {})),
        ("info", ("x.nc", "t", "u"), (("x.nc", "t", "u"), {})),
    ],
)
def test_a_second_argument_has_a_name(name: str, arguments: tuple[str, ...], found: object):
    assert with_keywords(name, arguments, {}) == found

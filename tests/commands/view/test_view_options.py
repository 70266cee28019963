"""The options of a picture."""

from __future__ import annotations

import pytest

from ncz.commands.option_error import OptionError
from ncz.commands.view.view_options import ViewOptions, given_range
from ncz.zmap.location import location_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("whole", (None, None)),
        ("robust", (None, None)),
        ("1:2", (1, 2)),
        (" -1.5e3:+.5 ", (-1500, 0.5)),
        (":2.", (None, 2)),
        ("0:", (0, None)),
        (":", (None, None)),
    ],
)
def test_ranges(text, expected):
    assert given_range(ViewOptions(source=location_of("x"), range=text)) == expected


@pytest.mark.parametrize("text", ["", "1", "a:b", "1:2:3", "1,2", "1e:2", "nan:1"])
def test_texts_that_are_not_a_range(text):
    with pytest.raises(OptionError, match="write LOW:HIGH, whole or robust"):
        given_range(ViewOptions(source=location_of("x"), range=text))


def test_differences_have_two_colours():
    assert ViewOptions(source=location_of("x")).colors == "dusk"
    assert ViewOptions(source=location_of("x"), minus=location_of("y")).colors == "polar"
    assert (
        ViewOptions(source=location_of("x"), minus=location_of("y"), colormap="viridis").colors
        == "viridis"
    )

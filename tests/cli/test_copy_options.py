"""Values of the options of ``ncz copy`` that are written differently than in Python."""

from __future__ import annotations

import pytest

from ncz.cli.copy_options import SPELLINGS
from ncz.commands.option_error import OptionError


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("pieces", "time/10,lat/90", [("time", 10), ("lat", 90)]),
        ("pieces", "a/b/3", [("a/b", 3)]),
        ("variables", "a,b c", ("a", "b c")),
        ("unlimited", "time,", ("time",)),
    ],
)
def test_a_text_becomes_an_argument(name, text, value):
    parse = SPELLINGS[name].parse
    assert parse is not None
    assert parse(text, SPELLINGS[name].names[-1]) == value


@pytest.mark.parametrize("text", ["time", "time/", "/3", "time/0", "time/x"])
def test_pieces_without_a_length(text):
    parse = SPELLINGS["pieces"].parse
    assert parse is not None
    with pytest.raises(OptionError, match="is not valid; write dim/length,dim/length"):
        parse(text, "--pieces")


@pytest.mark.parametrize(
    ("texts", "value"), [(["auto"], "auto"), (["time=1:3", "x=2"], {"time": slice(1, 3), "x": 2})]
)
def test_a_region_has_indices_or_is_found(texts, value):
    gather = SPELLINGS["into"].gather
    assert gather is not None
    assert gather(texts) == value

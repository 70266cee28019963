"""Ranges as other programs write them."""

from __future__ import annotations

import pytest

from ncz.commands.subsets.written_ranges import (
    hint_for_pair,
    listed_indices,
    meant_range,
    plain_index,
    plain_range,
)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("0:3", "0:3"),
        ("[0:3]", "0:3"),
        ("(40:60)", "40:60"),
        ("0..3", "0:3"),
        ("2020-01-01...2020-02-01", "2020-01-01:2020-02-01"),
        ("slice(0, 3)", "0:3"),
        ("slice(None, '2020-01', 2)", ":2020-01:2"),
        ("2020/1/15", "2020-1-15"),
        ("12020/1/15", "12020/1/15"),
        ("[1, 2]", "[1, 2]"),
    ],
)
def test_a_range_in_plain_form(text, plain):
    assert plain_range(text) == plain


@pytest.mark.parametrize(("text", "index"), [("first", "0"), (" last ", "-1"), ("[2:4]", "2:4")])
def test_an_index_in_plain_form(text, index):
    assert plain_index(text) == index


@pytest.mark.parametrize(
    ("text", "indices"),
    [
        ("0,1,11", (0, 1, 11)),
        ("[-1]", (-1,)),
        ("(1, 2)", (1, 2)),
        ("1", None),
        ("[]", None),
        ("1,x", None),
        (f"1,{10**18}", None),
    ],
)
def test_a_list_of_indices(text, indices):
    assert listed_indices(text) == indices


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("0,5:30,5", "0.5:30.5"),
        ("0,3", "0:3"),
        ("0, 3", "0:3"),
        ("40 to 60", "40:60"),
        ("2020-01;2020-02", "2020-01:2020-02"),
        ("0-3", "0:3"),
        ("north", None),
    ],
)
def test_the_range_that_a_text_probably_means(text, meant):
    assert meant_range(text) == meant


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("time:0:3", "write time=0:3"),
        ("lat > 40", "write lat=40:"),
        ("lat<=40", "write lat=:40"),
        ("lon,0,30", "write lon=0:30"),
        ("{'time': 5}", "write time=5"),
        ("lat", "write lat=0:10"),
        ("5", "write time=5"),
    ],
)
def test_the_hint_for_a_selection_without_an_equals_sign(text, hint):
    assert hint_for_pair(text) == hint

"""Selections as text: printed ones are parsed as the same selection."""

from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.commands.option_error import OptionError
from ncz.commands.subsets.spelling import (
    number_of,
    parse_indices,
    parse_selection,
    parse_values,
    print_selection,
    text_of,
)
from ncz.model.selection import Between, Selection
from tests.sampled import share_of

NAMES = st.text(string.ascii_lowercase + "_/", min_size=1, max_size=5)
NUMBERS = st.one_of(st.integers(-3000, 3000), st.floats(allow_nan=False))
WORDS = st.from_regex(r"[A-Za-z][A-Za-z ]{0,5}", fullmatch=True).filter(
    lambda word: word.strip().lower() not in ("inf", "infinity", "nan")
)
DATES = st.one_of(
    st.integers(1000, 9999).map(str),
    st.dates().map(str),
    st.datetimes().map(lambda d: d.isoformat()),
)
VALUES = st.one_of(NUMBERS, WORDS, DATES)
ENDS = st.one_of(st.none(), VALUES)
STEPS = st.one_of(st.none(), st.integers(-9, 9))
RANGES = st.builds(Between, ENDS, ENDS, step=st.integers(-9, 9))
SELECTIONS = st.builds(
    Selection,
    by_index=st.dictionaries(
        NAMES,
        st.one_of(
            st.integers(-9, 9),
            st.builds(slice, STEPS, STEPS, STEPS),
            st.lists(st.integers(-9, 9), min_size=1, max_size=3).map(tuple),
        ),
        max_size=3,
    ),
    by_value=st.dictionaries(NAMES, st.one_of(VALUES, RANGES), max_size=3),
)


@given(SELECTIONS)
@settings(max_examples=share_of(500))
def test_a_printed_selection_is_parsed_as_the_same_selection(selection):
    assert parse_selection(*print_selection(selection)) == selection


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("40", 40),
        ("-1.5", -1.5),
        ("2000", "2000"),
        ("+2000", 2000),
        ("010", "010"),
        ("40:60", Between(40, 60)),
        ("40/60", Between(40, 60)),
        (":60", Between(None, 60)),
        ("2026-01", "2026-01"),
        ("2026-01:", Between("2026-01", None)),
        ("2026-01-31T06:00", "2026-01-31T06:00"),
        ("2026-01-31_06:00", "2026-01-31_06:00"),
        ("2026-01-31T06:00:2026-02", Between("2026-01-31T06:00", "2026-02")),
        ("Exeter", "Exeter"),
        ("Exeter ", "Exeter "),
        ("10:30", Between(10, 30)),
        ("::2", Between(None, None, step=2)),
        ("0:30:-2", Between(0, 30, step=-2)),
        ("2026-01:2026-06:2", Between("2026-01", "2026-06", step=2)),
        ("2026-01-31T06:00:2026-02:12", Between("2026-01-31T06:00", "2026-02", step=12)),
        ("a:b:2", Between("a", "b:2")),
        ("1:2:3:4", Between(1, "2:3:4")),
    ],
)
def test_values_are_numbers_dates_names_or_limits(text, value):
    (found,) = parse_selection(sel=(f"x={text}",)).by_value.values()
    assert found == value
    assert type(found) is type(value)
    assert text_of(found) == text.replace("+", "")  # as in messages and names


def test_a_text_can_select_from_several_dimensions():
    found = parse_selection(
        isel=("time=0:10:2,x=-1", "y=::-1,z=0,1,w=2,-1"), sel=("lat=40:60,lon=5",)
    )
    assert found.by_index == {
        "time": slice(0, 10, 2),
        "x": -1,
        "y": slice(None, None, -1),
        "z": (0, 1),
        "w": (2, -1),
    }
    assert found.by_value == {"lat": Between(40, 60), "lon": 5}


@pytest.mark.parametrize("text", ["time", "=1", "time=", "time=a", "time=1:2:3:4", "x=1,x=2"])
def test_texts_that_are_not_a_selection(text):
    with pytest.raises(OptionError):
        parse_selection(isel=(text,))


def test_a_number_may_be_larger_than_any_double():
    assert number_of(10**400) == 10**400
    assert number_of("9" * 400) == float("inf")
    assert number_of(float("nan")) is number_of("nan") is number_of("x") is number_of(None) is None


@pytest.mark.parametrize(
    ("text", "usual"),
    [
        ("[40:60]", "40:60"),
        ("(40:60)", "40:60"),
        ("slice(40, 60)", "40:60"),
        ("slice(None, 60)", ":60"),
        ("slice('2026-01', '2026-02')", "2026-01:2026-02"),
        ("-10..5", "-10:5"),
        ("2026-01..2026-03-05", "2026-01:2026-03-05"),
        ("2026/01/31", "2026-01-31"),
        ("2026/01/31:2026/2/1", "2026-01-31:2026-2-1"),
    ],
)
def test_ranges_of_other_programs_match_ncz(text, usual):
    assert parse_values([f"x={text}"]) == parse_values([f"x={usual}"])
    assert parse_values([f"x = {text}"]) == parse_values([f"x={usual}"])


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("[0:3]", slice(0, 3)),
        ("slice(0, 9, 2)", slice(0, 9, 2)),
        ("0..3", slice(0, 3)),
        ("0,3", (0, 3)),
        ("[0, 5, -1]", (0, 5, -1)),
        ("(2, 1)", (2, 1)),
        ("[-1]", (-1,)),
        ("first", 0),
        ("last", -1),
    ],
)
def test_indices_of_other_programs_match_ncz(text, index):
    assert parse_indices([f"x={text}"]) == {"x": index}


@pytest.mark.parametrize(
    ("parse", "text", "line"),
    [
        (parse_indices, "time=0-3", "time=0:3"),
        (parse_indices, "time=0,5,", "time=0:10:2 or time=0,5,9"),
        (parse_indices, "time:0:3", "time=0:3"),
        (parse_indices, "time 0 3", "time=0:3"),
        (parse_indices, "0:3", "time=0:3"),
        (parse_indices, "time", "time=0:10"),
        (parse_values, "lat,0,30", "lat=0:30"),
        (parse_values, "lat>=0", "lat=0:"),
        (parse_values, "lat<30", "lat=:30"),
        (parse_values, '{"lat": [0, 30]}', "lat=0:30"),
        (parse_values, "lat:0.5:30", "lat=0.5:30"),
    ],
)
def test_the_error_of_another_form_names_the_line(parse, text, line):
    with pytest.raises(OptionError) as error:
        parse([text])
    assert error.value.hint == f"write {line}"

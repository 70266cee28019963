"""Edits as their options spell them."""

from __future__ import annotations

import pytest

from ncz.commands.edit.request import EditError, parse_set, renames_of, sets_of


@pytest.mark.parametrize("value", ['{"a": "x\\"y"}', '"{\\"a\\": \\"x\\\\\\"y\\"}"'])
def test_edits_set_json_with_and_without_quotation_marks(value: str):
    edit = parse_set(f"json v:m = {value}")
    assert edit.attribute is not None
    assert edit.attribute.original == ({"a": 'x"y'},)
    with pytest.raises(EditError, match="neither an object"):
        parse_set("json v:m = [1,2]")


def test_mappings_are_the_texts():
    assert renames_of({"v": "w", "x": "y"}) == ("v=w", "x=y")
    assert renames_of("v=w") == ("v=w",)
    given = {"v:units": 'm"s', ":title": "a", "w": {"range": [1, 2.5], "note": "5"}}
    assert sets_of(given) == (
        'v:units = "m\\"s"',
        ':title = "a"',
        "w:range = 1, 2.5",
        'w:note = "5"',
    )
    assert [parse_set(text).name for text in sets_of(given)] == ["units", "title", "range", "note"]


@pytest.mark.parametrize(
    "text",
    [
        "Lluvia en tres estaciones, año 2023",
        "2 m temperature",
        "2023-01-01T00:00:00Z",
        "10.5281/zenodo.1",
        "1.0.2",
        "author's data",
        "%",
        "°C",
        "nan is missing",
        "1e10f2a",
        "12h",
    ],
)
def test_a_text_needs_no_quotation_marks(text: str):
    attribute = parse_set(f"v:a={text}").attribute
    assert attribute is not None
    assert attribute.values == (text,)


@pytest.mark.parametrize(
    ("value", "original"),
    [
        ("1,2", (1, 2)),
        ("-1.5e-3, Infinity", (-0.0015, float("inf"))),
        ("255ub", (255,)),
        (".5", (0.5,)),
    ],
)
def test_numbers_are_not_a_text(value: str, original: tuple[float, ...]):
    attribute = parse_set(f"v:a={value}").attribute
    assert attribute is not None
    assert attribute.values == original


@pytest.mark.parametrize(
    "value", ["3 4", "3,,4", "1e", "1d", "0x1F", "'q", 'q"', "yes;", "{1, 2}", "- 3"]
)
def test_values_that_are_neither_numbers_nor_a_text_are_refused(value: str):
    with pytest.raises(EditError):
        parse_set(f"v:a={value}")


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("rain:_FillValue=-9999", "rain=-9999"),
        ("rain:_FillValue = 1e20f", "rain=1e20"),
        ("/g/v:_FillValue=0s", "g/v=0"),
        ("_FillValue=5", "VAR=5"),
    ],
)
def test_a_mask_is_of_a_copy_whose_line_is_given(text, chosen):
    with pytest.raises(EditError) as caught:
        parse_set(text)
    assert caught.value.hint == f"write a copy: ncz copy STORE COPY --missing-value {chosen}"


@pytest.mark.parametrize(
    ("value", "is_typed"),
    [("-9999.", False), ("0, 1e3,nan", False), ("1s", True), ("2.5f", True), ("abc", True)],
)  # fmt: skip
def test_numbers_have_a_type_if_it_is_written(value: str, is_typed: bool):
    assert parse_set(f"v:missing_value = {value}").is_typed is is_typed


def test_a_word_is_a_type():
    assert parse_set("double v:missing_value = 1").is_typed

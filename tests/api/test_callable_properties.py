"""Descriptions that are methods in other libraries, and properties here."""

from __future__ import annotations

from typing import Any

import pytest

from ncz.api.callable_properties import Filters, Groups, Text


def test_a_text_is_printed_without_quotation_marks(capsys: pytest.CaptureFixture[str]):
    text = Text("/\n  v")
    assert repr(text) == str(text) == "/\n  v"
    text(depth=3)
    assert capsys.readouterr().out == "/\n  v\n"


def test_groups_are_a_mapping_and_yield_pairs_when_called():
    groups = Groups({"a": 1, "b": 2})
    assert list(groups) == ["a", "b"]
    assert list(groups()) == [("a", 1), ("b", 2)]


def test_filters_are_a_sequence_and_return_settings_when_called():
    filters: Any = Filters(("shuffle", "zlib"))
    filters.settings = {"zlib": True, "complevel": 4}
    assert filters == ("shuffle", "zlib")
    assert filters()["complevel"] == 4

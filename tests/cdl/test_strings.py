"""Strings that are quoted together equal strings that are quoted one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ncz.cdl.rows import DataStyle, Rows
from ncz.cdl.strings import StringPrinter, quoted_texts
from ncz.cdl.wrapper import Wrapper
from ncz.text.format_values import encode_text, quote
from tests.counted_calls import calls_of

TEXTS = st.one_of(
    st.none(), st.text("ab,\"'\\\n\x07é\xa0\ud800\udcff", max_size=5), st.just(""), st.just("plain")
)


@given(st.lists(TEXTS, max_size=8))
def test_strings_are_quoted_together_as_one_by_one(values):
    assert quoted_texts(values) == [encode_text(quote(value)) for value in values]


def printed(values: list[str | None], fill: str | None = None) -> bytes:
    out: list[bytes] = []
    rows = Rows("v", (len(values),), (), DataStyle(), Wrapper(78, 0, out.append, column=5))
    StringPrinter(rows, fill)(np.array(values, object), 0)
    return b"".join(out)


def test_the_fill_value_is_an_underscore():
    assert printed(["a", "", None, "_"], "") == b'"a", _, NIL, "_" ;\n'


def test_no_function_is_called_for_each_string():
    few, many = ["Exeter", "O'Hare"] * 500, ["Exeter", "O'Hare"] * 2500
    assert calls_of(printed, many) - calls_of(printed, few) < 10

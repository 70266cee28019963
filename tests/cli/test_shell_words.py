"""The words of a line that bash divides at colons."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.cli.shell_words import join_words

WORDS = st.lists(
    st.text("ab:/-", min_size=1, max_size=8).filter(lambda w: w.strip(":")), min_size=1
)


@given(words=WORDS, data=st.data())
def test_words_are_those_before_they_were_divided(words, data):
    # A word that begins or ends with a colon cannot be distinguished from two words.
    words = [word.strip(":") for word in words]
    at = data.draw(st.integers(0, len(words) - 1))
    divided = [[part for part in re.split("(:+)", word) if part] for word in words]
    place = sum(map(len, divided[:at])) + len(divided[at]) - 1
    assert join_words([part for parts in divided for part in parts], place) == (words, at)


@pytest.mark.parametrize(
    ("parts", "at", "expected"),
    [
        (["ncz", "info", ""], 2, (["ncz", "info", ""], 2)),
        (["ncz", "info"], 2, (["ncz", "info"], 2)),
        (["ncz", "info", "s3", ":"], 3, (["ncz", "info", "s3:"], 2)),
        (["a", "s3", ":", "//b", "-v", ""], 5, (["a", "s3://b", "-v", ""], 3)),
    ],
)
def test_a_word_that_is_not_complete(parts, at, expected):
    assert join_words(parts, at) == expected

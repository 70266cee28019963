"""Values of dimensions of strings."""

from __future__ import annotations

import pytest

from ncz.commands.subsets.text_values import at_names

NAMES = ["a", "b", "c:d", "b"]


@pytest.mark.parametrize(
    ("value", "indices"),
    [
        ("b", [1, 3]),
        ("a:b", [0, 1, 2, 3]),
        (":a", [0]),
        ("c:d", [2]),
        ("c:d:", [2, 3]),
        ("b/c:d", [1, 2]),
        ("x", None),
        ("a:x", None),
    ],
)
def test_names_and_ranges_of_names(value, indices):
    found = at_names(NAMES, value)
    assert (None if found is None else found.tolist()) == indices

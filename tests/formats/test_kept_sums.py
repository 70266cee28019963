"""The sums of values that a dataset keeps."""

from __future__ import annotations

from typing import Any

import pytest

from ncz.formats.kept_sums import KeptSums

SUMS = "0123456789abcdef" * 2
JSON = {"shape": [2, 3], "sums": SUMS}


def test_sums_are_the_same_after_json():
    sums = KeptSums((2, 3), SUMS)
    assert sums.to_json() == JSON
    assert KeptSums.from_json(JSON) == sums
    assert KeptSums.from_json({"shape": [], "sums": SUMS}) == KeptSums((), SUMS)


@pytest.mark.parametrize(
    "note",
    [
        None,
        [],
        SUMS,
        {},
        {"shape": [2]},
        {"sums": SUMS},
        {**JSON, "shape": 2},
        {**JSON, "shape": ["2"]},
        {**JSON, "sums": SUMS[1:]},
        {**JSON, "sums": SUMS.upper()},
        {**JSON, "sums": f"{SUMS}\n"},
        {**JSON, "sums": int(SUMS, 16)},
    ],
)
def test_invalid_sums_are_ignored(note: Any):
    assert KeptSums.from_json(note) is None

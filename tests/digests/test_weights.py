"""Weights of elements, as docs/reference/digest.md specifies them."""

from __future__ import annotations

import re

from ncz.digests.weights import weights
from tests.conftest import ROOT
from tests.digests import specified

PAGE = (ROOT / "docs/reference/digest.md").read_text("utf-8")


def test_weights_match_the_page():
    rows = re.findall(r"\| weight\((\d+), (\d+), (\d+)\) \| `(\w+)` \|", PAGE)
    assert len(rows) == 5
    for k, axis, i, expected in rows:
        (found,) = weights(int(k), int(axis), int(i), int(i) + 1).tolist()
        assert f"{found:016x}" == expected
        assert f"{specified.weight(int(k), int(axis), int(i)):016x}" == expected

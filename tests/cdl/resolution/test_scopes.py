"""Groups of CDL, and the lists of values of variables with unlimited dimensions."""

from __future__ import annotations

import pytest

from ncz.cdl.resolution.scopes import OpenDimension, OpenGroup, OpenVariable
from ncz.model.types import Atomic


@pytest.mark.parametrize(
    ("dimensions", "levels"),
    [
        ("", [""]),
        ("x", ["x"]),
        ("T", ["T"]),
        ("Tx", ["Tx"]),
        ("xT", ["x", "T"]),
        ("TxUy", ["Tx", "Uy"]),
        ("TU", ["T", "U"]),
    ],
)
def test_lists_are_split_at_unlimited_dimensions(dimensions, levels):
    over = tuple(OpenDimension(n, f"/{n}", 2, n.isupper()) for n in dimensions)
    variable = OpenVariable("v", "/v", 0, Atomic.INT, over)
    assert ["".join(d.name for d in level) for level in variable.levels] == levels


def test_groups_above_and_below():
    root = OpenGroup("", "", None)
    a = root.groups["a"] = OpenGroup("a", "/a", root)
    b = a.groups["b"] = OpenGroup("b", "/a/b", a)
    c = root.groups["c"] = OpenGroup("c", "/c", root)
    assert [each.fqn for each in b.upward()] == ["/a/b", "/a", ""]
    assert [each.fqn for each in root.downward()] == ["", "/a", "/a/b", "/c"]
    assert [*c.downward()] == [c]

"""Resolved scopes as groups and variables of a dataset."""

from __future__ import annotations

from typing import Any

import pytest

from ncz.cdl.resolution.builder import Builder
from ncz.cdl.resolution.scopes import OpenDimension, OpenGroup, OpenVariable
from ncz.errors import ignore_notice
from ncz.model.tree import Attribute, Dimension
from ncz.model.types import Atomic, NcType, Opaque
from ncz.text.source import SourceText


def root() -> OpenGroup:
    """Return the root of a tree with a dimension, a type, a variable and a group."""
    root = OpenGroup("", "", None)
    time = root.dimensions["time"] = OpenDimension("time", "/time", 5, True)
    root.types["o"] = Opaque(name="/o", size=2)
    group = root.groups["g"] = OpenGroup("g", "/g", root)
    group.variables["v"] = OpenVariable("v", "/g/v", 0, Atomic.INT, (time,))
    return root


def builder(scope: OpenGroup) -> Builder:
    return Builder(SourceText(b"x" * 9, "f.cdl"), ignore_notice, 1, scope)


def test_a_tree_of_groups():
    scope = root()
    found = builder(scope).group(scope)
    assert found.dimensions == (Dimension(name="time", size=5, unlimited=True),)
    assert found.types == (Opaque(name="/o", size=2),)
    (group,) = found.groups
    (variable,) = group.variables
    assert (variable.name, variable.type, variable.dimensions) == ("v", Atomic.INT, ("/time",))
    assert variable.data is None
    assert variable.storage.fill == Atomic.INT.default_fill


def length(nc_type: NcType, *, own: Any = None, default: Any = None) -> int | None:
    """Return the string length of a variable with the attributes of NCZarr."""
    scope = root()
    variable = OpenVariable("s", "/s", 0, nc_type, ())
    for attributes, name, value in (
        (variable.attributes, "_nczarr_maxstrlen", own),
        (scope.attributes, "_nczarr_default_maxstrlen", default),
    ):
        if value is not None:
            kind = Atomic.CHAR if isinstance(value, str) else Atomic.INT
            values = value if isinstance(value, tuple) else (value,)
            attributes[name] = Attribute(name=name, type=kind, values=values)
    return builder(scope).variable(variable, scope).storage.string_length


@pytest.mark.parametrize(
    ("own", "default", "found"),
    [
        (None, None, None),
        (8, None, 8),
        (None, 16, 16),
        (8, 16, 8),
        (0, None, None),
        (-1, None, None),
        ("8", None, None),
        ((8, 9), None, None),
    ],
)
def test_the_length_of_strings(own: Any, default: Any, found: int | None):
    assert length(Atomic.STRING, own=own, default=default) == found


def test_only_strings_have_a_length():
    assert length(Atomic.INT, own=8) is None

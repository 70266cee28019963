"""Descriptions for interactive sessions, as text and as HTML."""

from __future__ import annotations

from typing import Any

import numpy as np

from ncz.views.notebook import (
    MOST_ATTRIBUTES,
    NO_CODECS,
    WIDTH,
    GroupDescription,
    VariableDescription,
    attribute_rows,
    codecs_text,
    group_html,
    table_html,
    value_text,
    variable_html,
    variable_lines,
)


def variable(**given) -> VariableDescription:
    members = {
        "name": "v", "path": "/g/v", "shape": "(x: 3)", "type": "<i4", "size": "12 B",
        "storage": (("Chunks", "3"), NO_CODECS), "attributes": (("units", "K"),),
    }  # fmt: skip
    return VariableDescription(**{**members, **given})


def test_a_variable_as_text():
    assert list(variable_lines(variable())) == [
        "<ncz.Variable /g/v (x: 3) <i4, 12 B>",
        "Chunks:      3",
        "Attributes:",
        "    units:  K",
    ]
    assert list(variable_lines(variable(attributes=(), storage=()))) == [
        "<ncz.Variable /g/v (x: 3) <i4, 12 B>"
    ]


def test_many_and_long_attributes():
    rows = tuple((f"a{n}", "x" * 200) for n in range(MOST_ATTRIBUTES + 2))
    lines = list(variable_lines(variable(attributes=rows)))
    assert lines[-1] == "    ... and 2 more"
    assert max(map(len, lines)) == WIDTH


def test_values_and_codecs():
    rows = attribute_rows({"a": "two\n  lines", "b": np.array([1, 2]), "c": b"x"})
    assert rows == (("a", "two lines"), ("b", "[1, 2]"), ("c", "b'x'"))
    assert value_text(np.float64(0.5)) == "0.5"
    codecs: list[dict[str, Any]] = [{"id": "shuffle", "elementsize": 4}, {"id": "crc32c"}]
    assert codecs_text(codecs) == "shuffle(elementsize=4), crc32c()"
    assert codecs_text([]) == "none"


def test_html_is_escaped():
    bad = variable(name="<b>", path="/<b>", attributes=(("a", "<script>"),))
    group = GroupDescription(
        title="<x>", dimensions="x: 3", attributes=(("t", "a & b"),), variables=(bad,),
        groups=(("<g>", GroupDescription(title="g", dimensions="", attributes=(), variables=(),
                                         groups=())),),
    )  # fmt: skip
    for text in (variable_html(bad), group_html(group), table_html("<t>", ["<c>"], [["<d>"]])):
        assert "&lt;" in text
        for raw in ("<script>", "<x>", "<g>", "<t>", "<c>", "<d>", "a & b"):
            assert raw not in text
    assert group_html(group).count("<details") == group_html(group).count("</details>")
    assert "Variables (1)" in group_html(group)
    assert "Groups (1)" in group_html(group)

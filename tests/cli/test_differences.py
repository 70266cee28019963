"""Differences between two datasets, as lines and as JSON."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from ncz.cli.differences import as_json, line_of, print_json, print_lines, print_unified_diff
from ncz.model.tree import Dimension
from ncz.transfer.difference import Difference, Kind


def of(kind: Kind, fqn: str, name: str | None = None, **given: Any) -> Difference:
    return Difference(kind=kind, fqn=fqn, name=name, **given)


@pytest.mark.parametrize(
    ("difference", "line"),
    [
        (of("missing-variable", "/v"), "/v: variable is only in A"),
        (of("extra-attribute", "/v", "a"), "/v: attribute a is only in B"),
        (of("attribute", "/v", "units", expected=("K",), found=("m",)),
         '/v: attribute units: "K" != "m"'),
        (of("attribute-type", "/v", "a", expected="int", found="short"),
         '/v: type of attribute a: "int" != "short"'),
        (of("value", "/v", index=(0, 2), expected=1.5, found=math.nan),
         "/v[0,2]: 1.5 != nan"),
        (of("values", "/v", count=2, size=9, largest=0.125),
         "/v: 2 of 9 values differ, by at most 0.125"),
        (of("values", "/v", count=2, size=9), "/v: 2 of 9 values differ"),
        (of("dimension", "/", "x", expected=Dimension(name="x", size=3, unlimited=True),
                    found=Dimension(name="x", size=4)), "/: dimension x: 3 (unlimited) != 4"),
        (of("attribute", "/v", "a", expected=(1, 2), found=None),
         "/v: attribute a: (1, 2) != none"),
    ],
)  # fmt: skip
def test_lines(difference, line):
    assert line_of(difference) == line
    parts: list[bytes] = []
    assert print_lines(iter([difference]), parts.append) == 1
    assert b"".join(parts) == line.encode() + b"\n"


def test_lines_with_signs():
    found = [
        of("missing-variable", "/v"),
        of("extra-attribute", "/v", "a"),
        of("attribute", "/v", "units", expected=("K",), found=("m\x1b",)),
        of("value", "/v", index=(0, 2), expected=1.5, found=math.nan),
        of("values", "/v", count=2, size=9),
    ]
    parts: list[bytes] = []
    assert print_unified_diff(iter(found), parts.append, ("a.nc", "b\x1b.nc")) == 5
    assert b"".join(parts).decode().splitlines() == [
        "--- a.nc",
        "+++ b\\x1b.nc",
        "-/v: variable",
        "+/v: attribute a",
        '-/v: attribute units: "K"',
        '+/v: attribute units: "m\\u001b"',
        "-/v[0,2]: 1.5",
        "+/v[0,2]: nan",
        " /v: 2 of 9 values differ",
    ]
    assert print_unified_diff(iter(()), parts.append, ("a.nc", "b.nc")) == 0


def test_long_values_are_shortened():
    difference = of("attribute", "/v", "a", expected=("x" * 100,), found=("\x1b",))
    line = line_of(difference)
    assert len(line) < 100
    assert line.endswith('!= "\\u001b"')


@pytest.mark.parametrize(
    ("differences", "lost", "equal"), [([], False, True), ([], True, None), ([1, 2], False, False)]
)
def test_one_object(differences, lost, equal):
    parts: list[bytes] = []
    found = (of("value", "/v", index=(n,), expected=-math.inf, found=b"\xe9") for n in differences)
    assert print_json(found, parts.append, lambda: lost) == len(differences)
    document = json.loads(b"".join(parts))
    assert document["equal"] is equal
    assert document["differences"] == [
        {"kind": "value", "path": "/v", "index": [n], "a": "-Infinity", "b": "\u00e9"}
        for n in differences
    ]


def test_members_that_do_not_apply_are_left_out():
    dimension = Dimension(name="x", size=3)
    found = as_json(of("dimension", "/", "x", expected=dimension))
    assert found == {
        "kind": "dimension", "path": "/", "name": "x", "a": {"size": 3, "unlimited": False},
    }  # fmt: skip

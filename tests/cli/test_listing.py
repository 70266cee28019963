"""Keys of a store as lines, JSON and a tree."""

from __future__ import annotations

import json

import pytest

from ncz.cli.listing import (
    content_lines,
    json_contents,
    json_lines,
    json_totals,
    long_line,
    sum_line,
    total_lines,
    write_tree,
)
from ncz.cli.terminal import Terminal
from ncz.commands.ls import Entry
from ncz.commands.totals import Total

ENTRIES = [
    Entry(".zgroup", 24, "group"), Entry("g/v/.zarray", 100, "array"),
    Entry("g/v/0.0", 8, "chunk"), Entry("g/v/0.1", 8, "chunk"), Entry("w/c/0", 8, "chunk"),
    Entry("w/zarr.json", 9, "array"),
]  # fmt: skip
TOTAL = Total(key="v", kind="array", objects=3, chunks=2, size=2048)


@pytest.mark.parametrize(
    ("entry", "human", "parts"),
    [
        (Entry("v/0", 2048, "chunk"), False, ["2048", "chunk", "v/0"]),
        (Entry("v/0", 2048, "chunk"), True, ["2.05", "kB", "chunk", "v/0"]),
        (Entry("v", None, "chunk"), False, ["-", "chunk", "v"]),
        (Entry("a\x1bb", 1, "chunk"), False, ["1", "chunk", "a\\x1bb"]),
        (Entry("p", 1, "piece", ("a", "b.nc")), False, ["1", "piece", "p", "a", "or", "b.nc"]),
        (Entry("p", 1, "piece", target=("a", 4, 8)), False, ["1", "piece", "p", "a", "4", "8"]),
        (
            Entry("p", 1, "piece", ("a.nc",), None, "changed", 1),
            False, ["1", "piece", "p", "a.nc", "(1", "byte,", "changed)"],
        ),
        (Entry("p", 1, "piece", ("a.nc",), None, "missing"), False,
         ["1", "piece", "p", "a.nc", "(missing)"]),
    ],
)  # fmt: skip
def test_the_line_of_an_entry(entry: Entry, human: bool, parts: list[str]):
    assert long_line(entry, human).split() == parts


def test_totals_are_a_table():
    titles, line = total_lines([TOTAL], False)
    assert titles.split() == ["bytes", "objects", "chunks", "kind", "key"]
    assert line.split() == ["2048", "3", "2", "array", "v"]
    assert len(titles[: titles.index("kind")]) == len(line[: line.index("array")])
    assert sum_line(TOTAL, "a.zarr", False).split() == ["2048", "a.zarr"]


def parsed(lines: list[str]) -> object:
    """Return the value of JSON lines: a bracket, a row per line, and a bracket."""
    assert (lines[0], lines[-1]) == ("[", "]")
    return json.loads("".join(lines))


def test_json_has_one_row_per_line():
    assert parsed([*json_lines([])]) == []
    lines = [*json_lines(ENTRIES)]
    assert len(lines) == len(ENTRIES) + 2
    assert json.loads(lines[1].rstrip(",")) == {"key": ".zgroup", "size": 24, "kind": "group"}
    assert parsed([*json_lines([Entry("a")])]) == [{"key": "a", "size": None, "kind": None}]
    assert parsed([*json_totals([TOTAL])]) == [
        {"key": "v", "kind": "array", "objects": 3, "chunks": 2, "size": 2048}
    ]
    assert parsed([*json_contents([(ENTRIES[0], ["{", "}"])])]) == [
        {"key": ".zgroup", "size": 24, "kind": "group", "lines": ["{", "}"]}
    ]


def test_contents_are_below_their_key():
    assert [*content_lines([(ENTRIES[0], ["{}"]), (Entry("v/0", 1, "chunk"), [])])] == [
        "==> .zgroup (group, 24 bytes) <==", "{}", "==> v/0 (chunk, 1 byte) <==",
    ]  # fmt: skip


def tree(all_chunks: bool) -> list[str]:
    written: list[bytes] = []
    write_tree("a.zarr", ENTRIES, all_chunks, Terminal(), written.append)
    (text,) = written
    return [line.lstrip("\u2502\u251c\u2514\u2500 ") for line in text.decode().splitlines()]


def test_chunks_are_counted_in_a_tree_or_named():
    assert tree(False) == [
        "a.zarr", ".zgroup", "g/", "v/", ".zarray", "2 chunks", "w/", "zarr.json", "1 chunk",
    ]  # fmt: skip
    assert tree(True) == [
        "a.zarr", ".zgroup", "g/", "v/", ".zarray", "0.0", "0.1", "w/", "c/", "0", "zarr.json",
    ]  # fmt: skip

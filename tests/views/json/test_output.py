"""Text of JSON, with one member or one row of values per line."""

from __future__ import annotations

import json

import pytest

from ncz.views.json.output import Output, Rows


def test_members_of_objects():
    parts: list[bytes] = []
    out = Output(parts.append)
    out.text("{")
    out.member("a", [1, "\u00e9"], 1, first=True)
    out.members("b", {"x": 1, "y": None}, 1)
    out.members("empty", {}, 1)
    out.close_object(0, True)
    out.flush()
    text = b"".join(parts).decode()
    assert json.loads(text) == {"a": [1, "\u00e9"], "b": {"x": 1, "y": None}, "empty": {}}
    assert [line.strip() for line in text.splitlines()] == [
        "{", '"a": [1, "\u00e9"],', '"b": {', '"x": 1,', '"y": null', "},", '"empty": {}', "}",
    ]  # fmt: skip


def rows_of(shape: tuple[int, ...], *counts: int) -> str:
    """Return the text of the numbers from 0, written in groups."""
    parts: list[bytes] = []
    out = Output(parts.append)
    rows = Rows(out, shape, "  ")
    start = 0
    for count in counts:
        rows.items(", ".join(map(str, range(start, start + count))), count)
        start += count
    if not counts or start < (rows.spans[0] if shape else 1):
        rows.break_off()
    out.flush()
    return b"".join(parts).decode()


@pytest.mark.parametrize(
    ("shape", "counts", "values"),
    [
        ((), (1,), 0),
        ((3,), (3,), [0, 1, 2]),
        ((3,), (1, 2), [0, 1, 2]),
        ((2, 2), (2, 2), [[0, 1], [2, 3]]),
        ((2, 2), (1, 1, 2), [[0, 1], [2, 3]]),
        ((2, 1, 2), (2, 2), [[[0, 1]], [[2, 3]]]),
        ((2, 2), (2, 1), [[0, 1], [2]]),
        ((2, 2), (), None),
    ],
)
def test_rows_of_values(shape, counts, values):
    text = rows_of(shape, *counts)
    assert json.loads(text) == values
    if len(shape) == 2 and len(counts) > 1:
        assert "[0, 1]" in text.splitlines()[1]


def test_an_error_of_writing_is_known():
    def refuse(_: bytes) -> None:
        raise OSError

    out = Output(refuse)
    out.text("x")
    with pytest.raises(OSError):  # noqa: PT011
        out.flush()
    assert out.has_failed

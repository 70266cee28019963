"""Pictures for a terminal, with colours and without."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from ncz.views.color_scale import ColorScale
from ncz.views.terminal_picture import (
    Labels,
    TextStyle,
    draw_line,
    draw_map,
    line_size,
    map_size,
    pixel_height,
)

VALUES = np.array([[0, 1], [2, np.nan]], "f8")
SCALE = ColorScale(low=0, high=2)


def labels(**given: Any) -> Labels:
    members = {"title": "t (K)", "ends": ("0", "2"), "left": ("N", "S"), "below": ("W", "E")}
    return Labels(**{**members, **given})


def drawn(style: TextStyle, **given: Any) -> list[str]:
    return list(draw_map(VALUES, labels(**given), SCALE, style))


PLAIN = TextStyle(width=40, height=12, unicode=False)
SHADED = TextStyle(width=40, height=12, depth="none")


def test_ascii_characters():
    lines = drawn(PLAIN, names=("lat", "lon"))
    assert all(map(str.isascii, lines))
    assert lines[0] == "t (K)"
    rows = lines[1:-3]
    assert [rows[0].split()[0], rows[-1].split()[0]] == ["N", "S"]
    first, last = rows[0][12:], rows[-1][12:]
    assert set(first[: len(first) // 2]) == {"."}
    assert set(last) == {"@"}
    assert len(last) == len(first) // 2
    assert lines[-3].split() == ["W", "E"]
    assert lines[-2].strip() == "lat by lon"
    assert lines[-1].strip().startswith("0 ")
    assert lines[-1].endswith("@ 2")


def test_reversed_shades():
    scale = ColorScale(low=0, high=2, is_reversed=True)
    first = next(
        line for line in draw_map(VALUES, labels(), scale, SHADED) if line.lstrip().startswith("N")
    )
    assert first[12] == "█"


@pytest.mark.parametrize(
    ("depth", "pattern"),
    [
        ("full", r"\x1b\[38;2;\d+;\d+;\d+;48;2;\d+;\d+;\d+m"),
        ("256", r"\x1b\[38;5;\d+;48;5;\d+m"),
        ("16", r"\x1b\[\d+;\d+m"),
    ],
)
def test_colours(depth, pattern):
    lines = drawn(TextStyle(width=40, height=12, depth=depth))
    assert re.search(pattern, "".join(lines))
    assert all(line.endswith("\x1b[0m") for line in lines if "\x1b" in line and line[-1] != "2")
    plain = re.sub(r"\x1b\[[\d;]*m", "", "\n".join(lines))
    assert set(plain) <= set(" ▀▄\n" + "t (K)NSWE02")


def test_the_logarithmic_scale_is_named():
    scale = ColorScale(low=1, high=100, is_log=True)
    *_, last = draw_map(np.ones((2, 2)), labels(), scale, PLAIN)
    assert last.endswith("(log)")


@pytest.mark.parametrize(
    ("style", "shape", "size"),
    [
        (PLAIN, (100, 100), (6, 12)),
        (PLAIN, (10, 1000), (1, 28)),
        (TextStyle(width=40, height=12), (100, 100), (12, 12)),
        (TextStyle(width=5, height=3), (10, 10), (1, 1)),
    ],
)
def test_sizes_of_maps(style, shape, size):
    assert map_size(style, *shape) == size


def test_sizes_without_a_shape():
    assert map_size(PLAIN, 1, 1, keeps_shape=False) == (6, 28)
    assert [pixel_height(style) for style in (PLAIN, TextStyle(width=1, height=1))] == [2, 1]
    assert line_size(PLAIN) == 27
    assert line_size(SHADED) == 54


@pytest.mark.parametrize("style", [PLAIN, SHADED])
def test_lines(style):
    values = np.array([0, 1, np.nan, 2], "f8")
    lines = list(draw_line(values, labels(notes=("a note",)), SCALE, style))
    assert lines[:2] == ["t (K)", "a note"]
    edge, corner = ("│", "└") if style.unicode else ("|", "+")
    rows = [line for line in lines if edge in line]
    assert rows[0].split(edge)[0].strip() == "2"
    assert rows[-1].split(edge)[0].strip() == "0"
    assert rows[0].split(edge)[1].strip()
    assert lines[-2].lstrip().startswith(corner)

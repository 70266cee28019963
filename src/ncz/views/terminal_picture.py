"""Draw values as a picture for a terminal.

The functions get numbers, with NaN for missing data, and labels. They read nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from ncz.late import numpy as np
from ncz.record import record
from ncz.views.colormaps import STEPS
from ncz.views.png import line_pixels, resize

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ncz.views.color_scale import ColorScale
    from ncz.views.colormaps import Color


Depth = Literal["full", "256", "16", "none"]
"""The number of colours of a terminal: 24 bits, 256, 16 or none."""

_LEVELS = (0, 95, 135, 175, 215, 255)
_SHADES, _PLAIN_SHADES = " ░▒▓█", " .:-=+*#%@"
_RESET = "\x1b[0m"


@record(kw_only=True)
class TextStyle:
    """Options of a picture that is drawn as text.

    `width` and `height` are the columns and lines that it may take. Without `unicode`, it has ASCII
    characters only, and no colours.
    """

    width: int
    height: int
    depth: Depth = "full"
    unicode: bool = True


@record(kw_only=True)
class Labels:
    """Text next to a picture: a title, lines below it, and the ends of its axes.

    `left` has the labels of the first and the last row, and `below` the labels of the first and the
    last column.
    """

    title: str
    notes: tuple[str, ...] = ()
    left: tuple[str, str] = ("", "")
    below: tuple[str, str] = ("", "")
    names: tuple[str, str] = ("", "")
    """The names of the vertical and the horizontal axis."""
    ends: tuple[str, str]
    """The least and the largest value."""


def map_size(
    style: TextStyle,
    rows: float,
    columns: float,
    margin: int | None = None,
    *,
    keeps_shape: bool = True,
) -> tuple[int, int]:
    """Return the most rows and columns of values that are drawn of a map.

    `rows` and `columns` are its shape, in any unit of length.

    A character is twice as high as wide, and shows two values if it has colours. Without
    `keeps_shape`, the map fills the terminal.
    """
    across = most = max(1, style.width - (margin or _MARGIN))
    each = _per_line(style)
    down = max(1, style.height - _AROUND) * each
    if not keeps_shape:
        return down, across
    if 2 * down * columns < each * rows * across:
        across = max(1, math.ceil(columns * down * 2 / each / rows))
    else:
        down = max(1, math.ceil(rows * across * each / 2 / columns))
    return down, min(across, most)


_MARGIN, _WIDEST, _AROUND = 12, 20, 6
"""Columns for the labels of rows, at least and at most, and lines for titles and the scale."""


def _per_line(style: TextStyle) -> int:
    return 2 if style.unicode and style.depth != "none" else 1


def pixel_height(style: TextStyle) -> float:
    """Return the ratio of the height of the cell of a value to its width."""
    return 2.0 / _per_line(style)


def draw_map(
    values: NDArray[np.float64],
    labels: Labels,
    scale: ColorScale,
    style: TextStyle,
    *,
    keeps_shape: bool = True,
    lengths: tuple[float, float] | None = None,
) -> Iterator[str]:
    """Yield the lines of a map; `values` has its rows from top to bottom.

    `lengths` are the height and the width of the map, if they do not follow from its values.
    """
    margin = min(_WIDEST, max(_MARGIN, *(len(label) + 1 for label in labels.left)))
    rows, columns = lengths or values.shape
    size = map_size(style, rows, columns, margin, keeps_shape=keeps_shape)
    down, across = _whole_times(size, values.shape, keeps_shape=keeps_shape)
    colors = _colors(scale, style)
    steps = len(colors)
    numbers = resize(scale.indices(values, steps), across, down)
    yield labels.title
    yield from labels.notes
    each = _per_line(style)
    lines = list(_cells(numbers, style, colors))
    for number, line in enumerate(lines):
        label = labels.left[0] if number == 0 else ""
        if number == len(lines) - 1 and (len(lines) > 1 or each > 1):
            label = labels.left[1] if number else labels.left[0]
        yield f"{label[: margin - 1]:>{margin - 1}} {line}".rstrip()
    yield from _horizontal(labels, across, margin)
    yield _scale(scale, labels, style, colors, margin)


_DISTORTION = 1.15
"""The permitted change of the shape of a map so that all values have cells of the same size."""


def _whole_times(
    size: tuple[int, int], shape: Sequence[int], *, keeps_shape: bool
) -> tuple[int, int]:
    """Return a size that is a multiple of the numbers of values, if the shape permits it."""
    down, across = (n * (room // n) or room for room, n in zip(size, shape, strict=True))
    ratio = down * size[1] / (across * size[0])
    is_like = 1 / _DISTORTION < ratio < _DISTORTION
    return (down, across) if is_like or not keeps_shape else size


def _horizontal(labels: Labels, width: int, margin: int) -> Iterator[str]:
    """Yield the lines below a picture: the ends of its axis, and the names of both."""
    first, last = labels.below
    gap = max(1, width - len(first) - len(last))
    yield (" " * margin + first + " " * gap + last).rstrip()
    down, across = labels.names
    if across:
        yield " " * margin + (f"{down} by {across}" if down else across)


_Codes = tuple[str, str]
"""The parameters that choose a colour of the foreground, and of the background."""


def _colors(scale: ColorScale, style: TextStyle) -> Sequence[str] | Sequence[_Codes]:
    """Return the characters of values without colours, or the codes of the colours."""
    if style.depth == "none" or not style.unicode:
        shades = (_SHADES if style.unicode else _PLAIN_SHADES)[1:]
        return shades[::-1] if scale.is_reversed else shades
    if style.depth == "16":
        return [_basic_code(number) for number in scale.sixteen]
    return [_code(color, style.depth) for color in scale.colors(STEPS)]


def _cells(
    numbers: NDArray[np.uint8], style: TextStyle, colors: Sequence[str] | Sequence[_Codes]
) -> Iterator[str]:
    """Yield a line of text for each row, or each two rows, of indices of colours."""
    steps, codes = len(colors), colors
    if style.depth == "none" or not style.unicode:
        for row in numbers.tolist():
            yield "".join(" " if n == steps else codes[n][0] for n in row)
        return
    rows = numbers.tolist()
    for top, bottom in zip(rows[::2], [*rows[1::2], [steps] * len(rows[0])], strict=False):
        line, now = [], ""
        for above, below in zip(top, bottom, strict=True):
            if above == below == steps:
                code, character = "", " "
            elif above == steps:
                code, character = f"\x1b[0;{codes[below][0]}m", "▄"
            elif below == steps:
                code, character = f"\x1b[0;{codes[above][0]}m", "▀"
            else:
                code, character = f"\x1b[{codes[above][0]};{codes[below][1]}m", "▀"
            if code != now:
                line.append(code or _RESET)
                now = code
            line.append(character)
        yield "".join(line) + (_RESET if now else "")


def _code(color: Color, depth: Depth) -> _Codes:
    """Return the codes of a colour on a terminal with many."""
    if depth == "full":
        parts = ";".join(map(str, color))
        return f"38;2;{parts}", f"48;2;{parts}"
    number = _nearest_of_256(color)
    return f"38;5;{number}", f"48;5;{number}"


def _basic_code(number: int) -> _Codes:
    """Return the codes of one of 16 colours."""
    first = 90 if number > 7 else 30
    return str(first + number % 8), str(first + 10 + number % 8)


def _nearest_of_256(color: Color) -> int:
    """Return the nearest colour of the cube of 216, or of the 24 shades of gray."""
    parts = [min(range(6), key=lambda n: abs(_LEVELS[n] - part)) for part in color]
    red, green, blue = (_LEVELS[n] for n in parts)
    gray = min(23, max(0, round((sum(color) / 3 - 8) / 10)))
    shade = 8 + 10 * gray
    if _distance((shade, shade, shade), color) < _distance((red, green, blue), color):
        return 232 + gray
    return 16 + 36 * parts[0] + 6 * parts[1] + parts[2]


def _distance(one: Color, other: Color) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


def _scale(
    scale: ColorScale,
    labels: Labels,
    style: TextStyle,
    colors: Sequence[str] | Sequence[_Codes],
    margin: int,
) -> str:
    """Return the line with the values of the colours."""
    first, last = labels.ends
    steps = len(colors)
    width = max(4, min(32, style.width - margin - len(first) - len(last) - 2))
    numbers = (np.arange(width) * steps // width).astype(np.uint8)[None, :]
    twice = numbers.repeat(_per_line(style), axis=0)
    (bar,) = _cells(twice, style, colors)
    return f"{' ' * margin}{first} {bar} {last}{' (log)' if scale.is_log else ''}"


_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bits of the dots of a Braille character, by row and column."""


def line_size(style: TextStyle) -> int:
    """Return the most values of a line that are drawn."""
    return max(2, style.width - _MARGIN - 1) * (2 if style.unicode else 1)


def draw_line(
    values: NDArray[np.float64], labels: Labels, scale: ColorScale, style: TextStyle
) -> Iterator[str]:
    """Yield the lines of a chart of values along one dimension."""
    width, height = max(2, style.width - _MARGIN - 1), max(3, min(16, style.height - _AROUND))
    yield labels.title
    yield from labels.notes
    ends = {0: labels.ends[1], height - 1: labels.ends[0]}
    parts = scale.parts(values)
    if style.unicode:
        pixels = line_pixels(parts, 2 * width, 4 * height)
        bits = np.array(_DOTS)[None, :, None, :] * pixels.reshape(height, 4, width, 2)
        rows = ["".join(map(_braille, row)) for row in bits.sum(axis=(1, 3)).tolist()]
        edge, corner, floor = "│", "└", "─"
    else:
        pixels = line_pixels(parts, width, height)
        rows = ["".join("*" if n else " " for n in row) for row in pixels.tolist()]
        edge, corner, floor = "|", "+", "-"
    for number, row in enumerate(rows):
        label = ends.get(number, "")
        yield f"{label[: _MARGIN - 1]:>{_MARGIN - 1}} {edge}{row}".rstrip()
    yield " " * _MARGIN + corner + floor * width
    yield from _horizontal(labels, width + 1, _MARGIN)


def _braille(bits: int) -> str:
    return chr(0x2800 + bits) if bits else " "

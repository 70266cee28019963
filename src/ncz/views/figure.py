"""A picture for a slide: values with a title, axes with labels, a colour bar and coasts.

Pillow draws it. It is imported here and in `figure_text` alone.
"""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ncz.late import numpy as np
from ncz.record import record
from ncz.views.figure_text import fitting_font
from ncz.views.png import resize
from ncz.views.ticks import Tick, log_ticks, number_ticks

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL.Image import Image

    from ncz.views.color_scale import ColorScale
    from ncz.views.colormaps import Color

_PAPER, _INK, _FAINT, _EDGE = (255, 255, 255), (32, 36, 40), (105, 110, 118), (120, 125, 130)
_GRID = (226, 229, 232)
_MISSING = (222, 224, 227)
_DARK, _BRIGHT = (25, 28, 32), (200, 206, 212)
"""The colours of coasts, over bright and over dark values."""

_IS_DARK = [255 if level < 85 else 0 for level in range(256)]
_LINE = (31, 96, 160)
_FINER = 3
"""Lines are drawn larger by this factor, and reduced, so that they are smooth."""

_MOST_FINER = 1 << 25
"""Pixels of lines that are drawn larger."""

_LONGEST_LABEL = 9
"""The width of a label of a vertical axis, in sizes of its text."""

LEAST = (240, 160)
"""The smallest width and height with room for labels."""


@record(kw_only=True)
class FigureAxis:
    """An axis of a figure: the title, the ticks, and the values at its two ends.

    The first end is at the left or at the bottom.
    """

    title: str
    ticks: Sequence[Tick]
    ends: tuple[float, float]

    def part(self, value: float) -> float:
        """Return the place of a value, from 0 at the first end to 1 at the last one."""
        first, last = self.ends
        return (value - first) / ((last - first) or 1.0)


@record(kw_only=True)
class Figure:
    """The contents of a figure.

    `aspect` is the width of the picture by its height; without it the picture fills its area.
    `coasts` are lines in the values of the two axes.
    """

    title: str
    subtitle: str
    units: str
    values: NDArray[np.float64]
    scale: ColorScale
    across: FigureAxis
    down: FigureAxis | None = None
    aspect: float | None = None
    coasts: Sequence[NDArray[np.float64]] = ()


@record
class Box:
    """A rectangle of pixels."""

    left: int
    top: int
    width: int
    height: int


def text_size(width: int, height: int) -> int:
    """Return the size of labels, for a figure of some size."""
    return max(9, round(min(width / 64, height / 36)))


def room(
    width: int, height: int, *, has_bar: bool = True, has_title: bool = False, labels: float = 0
) -> Box:
    """Return the part of a figure that is left for the picture.

    `has_title` is whether the horizontal axis has a title, and `labels` the width of the labels of
    the vertical one.
    """
    size = text_size(width, height)
    left, top = max(round(4.2 * size), round(labels)), round(4.4 * size)
    bottom, right = round((4.6 if has_title else 3) * size), round((8.4 if has_bar else 2.4) * size)
    return Box(left, top, max(1, width - left - right), max(1, height - top - bottom))


def figure_png(figure: Figure, width: int, height: int) -> bytes:
    """Return a figure as a PNG file of a size."""
    paper = _Paper(width, height)
    down, whole = figure.down, room(width, height)
    labels = paper.width_beside(down or paper.values_axis(whole, figure))
    has_title = bool(figure.across.title)
    has_bar = down is not None
    whole = room(width, height, has_bar=has_bar, has_title=has_title, labels=labels)
    box = paper.fit(whole, figure.aspect)
    if figure.down is not None:
        paper.cells(box, figure.scale, figure.values)
        paper.coasts(box, figure.coasts, figure.across, figure.down)
        paper.bar(box, figure.scale, figure.units)
        paper.down(box, figure.down)
    else:
        paper.line(box, figure)
    paper.across(box, figure.across)
    paper.titles(box, figure.title, figure.subtitle)
    return paper.png()


def value_axis(scale: ColorScale, title: str, count: int) -> FigureAxis:
    """Return the axis of the values of a scale."""
    ends = scale.low, scale.high
    if not scale.is_log:
        return FigureAxis(title=title, ticks=number_ticks(*ends, count), ends=ends)
    ticks = [Tick(math.log(tick.value), tick.text) for tick in log_ticks(*ends, count)]
    return FigureAxis(title=title, ticks=ticks, ends=(math.log(ends[0]), math.log(ends[1])))


class _Paper:
    """A sheet, and the drawing on it."""

    def __init__(self, width: int, height: int) -> None:
        from PIL import Image, ImageDraw

        self._image: Image.Image = Image.new("RGB", (width, height), _PAPER)
        self._pen = ImageDraw.Draw(self._image)
        self._size = text_size(width, height)
        self._tick = max(3, self._size // 3)

    def png(self) -> bytes:
        """Return the sheet as a PNG file."""
        data = io.BytesIO()
        self._image.save(data, "PNG")
        return data.getvalue()

    @staticmethod
    def fit(box: Box, aspect: float | None) -> Box:
        """Return the largest box of a shape in the middle of another."""
        if aspect is None:
            return box
        width = min(box.width, max(1, round(box.height * aspect)))
        height = min(box.height, max(1, round(width / aspect)))
        left, top = box.left + (box.width - width) // 2, box.top + (box.height - height) // 2
        return Box(left, top, width, height)

    def _text(
        self,
        at: tuple[float, float],
        text: str,
        anchor: str,
        room: float,
        *,
        size: int = 0,
        color: Color = _INK,
    ) -> float:
        """Write a text, shortened to a width in pixels; return its width."""
        font, drawn = fitting_font(text, size or self._size)
        while font.getlength(drawn) > room and len(drawn) > 4:
            keep = min(len(drawn) - 4, max(1, int(len(drawn) * room / font.getlength(drawn)) - 3))
            drawn = f"{drawn[:keep].rstrip('.')}..."
        self._pen.text(at, drawn, fill=color, font=font, anchor=anchor)
        return float(font.getlength(drawn))

    def _upright(self, at: tuple[float, float], text: str, room: float) -> None:
        """Write a text from bottom to top; `at` is the middle of its left side."""
        from PIL import Image, ImageDraw

        font, drawn = fitting_font(text, self._size)
        length = min(int(font.getlength(drawn)) + 4, round(room))
        strip = Image.new("L", (max(1, length), round(self._size * 1.5)), 0)
        ImageDraw.Draw(strip).text((length / 2, strip.height / 2), drawn, 255, font, "mm")
        turned = strip.transpose(Image.Transpose.ROTATE_90)
        place = (round(at[0]), round(at[1] - turned.height / 2))
        self._image.paste(Image.new("RGB", turned.size, _INK), place, turned)

    def titles(self, box: Box, title: str, subtitle: str) -> None:
        """Write the title above the picture, and the subtitle below the title."""
        top = box.top - round(0.7 * self._size)
        left, room = box.left, self._image.width - box.left - self._size
        if subtitle:
            self._text((left, top), subtitle, "ls", room, color=_FAINT)
            top -= round(1.5 * self._size)
        self._text((left, top), title, "ls", room, size=round(1.4 * self._size))

    def cells(self, box: Box, scale: ColorScale, values: NDArray[np.float64]) -> None:
        """Draw values as a picture, with a frame."""
        from PIL import Image

        table = np.array([*scale.colors(), _MISSING], np.uint8)
        numbers = resize(scale.indices(values), box.width, box.height)
        self._image.paste(Image.fromarray(table[numbers]), (box.left, box.top))
        self._frame(box)

    def _frame(self, box: Box) -> None:
        edges = (box.left - 1, box.top - 1, box.left + box.width, box.top + box.height)
        self._pen.rectangle(edges, outline=_EDGE)

    def coasts(
        self,
        box: Box,
        lines: Sequence[NDArray[np.float64]],
        across: FigureAxis,
        down: FigureAxis,
    ) -> None:
        """Draw coastlines over a picture."""
        low = np.array([across.ends[0], down.ends[1]])
        scale = np.array([1 / (across.ends[1] - across.ends[0]), 1 / (down.ends[0] - down.ends[1])])
        parts = [(line - low) * scale for line in lines]
        width = max(1.0, self._size / 15)
        self._curves(box, parts, _DARK, width, bright=_BRIGHT)

    def _curves(
        self,
        box: Box,
        lines: Sequence[NDArray[np.float64]],
        color: Color,
        width: float,
        *,
        bright: Color | None = None,
    ) -> None:
        """Draw smooth lines; places are parts of the box, from its left and its top.

        `bright` is their colour on dark parts of the picture.
        """
        from PIL import Image, ImageDraw

        area = box.width * box.height
        finer = next((n for n in (_FINER, 2) if n * n * area <= _MOST_FINER), 1)
        mask = Image.new("L", (box.width * finer, box.height * finer), 0)
        pen = ImageDraw.Draw(mask)
        for line in lines:
            places = (line * mask.size).round(1).reshape(-1).tolist()
            pen.line(places, 255, max(1, round(width * finer)), "curve" if finer > 1 else None)
        mask = mask.reduce(finer) if finer > 1 else mask
        ink = Image.new("RGB", mask.size, color)
        if bright is not None:
            edges = (box.left, box.top, box.left + box.width, box.top + box.height)
            is_dark = self._image.crop(edges).convert("L").point(_IS_DARK)
            ink.paste(Image.new("RGB", mask.size, bright), (0, 0), is_dark)
        self._image.paste(ink, (box.left, box.top), mask)

    def across(self, box: Box, axis: FigureAxis) -> None:
        """Draw the axis below the picture; a label that would touch another is left out."""
        bottom, free = box.top + box.height, -1.0
        for tick in sorted(axis.ticks, key=lambda each: axis.part(each.value)):
            x = box.left + axis.part(tick.value) * box.width
            half = fitting_font(tick.text, self._size)[0].getlength(tick.text) / 2
            if x - half < free or not box.left - 1 <= x <= box.left + box.width + 1:
                continue
            middle = min(max(x, half + 2), self._image.width - half - 2)
            self._pen.line((x, bottom, x, bottom + self._tick), fill=_EDGE, width=self._thin)
            below = bottom + self._tick + self._size // 4
            self._text((middle, below), tick.text, "ma", 2 * half + 2)
            free = middle + half + self._size * 0.8
        if axis.title:
            below = bottom + self._tick + round(1.6 * self._size)
            self._text((box.left + box.width / 2, below), axis.title, "ma", box.width)

    @property
    def _thin(self) -> int:
        return max(1, self._size // 14)

    def down(self, box: Box, axis: FigureAxis) -> None:
        """Draw the axis on the left of the picture."""
        self._ticks_beside(box.left - 1, box, axis, -1)
        if axis.title:
            left = max(2.0, box.left - self.width_beside(axis))
            self._upright((left, box.top + box.height / 2), axis.title, box.height)

    def _ticks_beside(self, x: float, box: Box, axis: FigureAxis, side: int) -> float:
        """Draw ticks on the left or the right side of a line; return the width of the labels."""
        free, widest = box.top + box.height + self._size * 2.0, 0.0
        for tick in sorted(axis.ticks, key=lambda each: axis.part(each.value)):
            y = box.top + (1 - axis.part(tick.value)) * box.height
            if y > free or not box.top - 1 <= y <= box.top + box.height + 1:
                continue
            free = y - 1.3 * self._size
            end = x + side * self._tick
            self._pen.line((x, y, end, y), fill=_EDGE, width=self._thin)
            place = (end + side * self._size // 4, y)
            most = (3.6 if side > 0 else _LONGEST_LABEL) * self._size
            widest = max(widest, self._text(place, tick.text, "lm" if side > 0 else "rm", most))
        return widest

    def width_beside(self, axis: FigureAxis) -> float:
        """Return the pixels that the labels and the title of a vertical axis take."""
        lengths = [
            fitting_font(tick.text, self._size)[0].getlength(tick.text) for tick in axis.ticks
        ]
        widest = min(_LONGEST_LABEL * self._size, max(lengths, default=0.0))
        return widest + self._tick + self._size * (2.6 if axis.title else 1.0)

    def values_axis(self, box: Box, figure: Figure) -> FigureAxis:
        """Return the vertical axis of a line."""
        count = max(2, box.height // (3 * self._size))
        return value_axis(figure.scale, figure.units, count)

    def bar(self, box: Box, scale: ColorScale, units: str) -> None:
        """Draw the colour bar on the right of the picture."""
        from PIL import Image

        left, width = box.left + box.width + self._size, round(1.1 * self._size)
        bar = Box(left, box.top, width, box.height)
        table = np.array(scale.colors(), np.uint8)
        places = (np.arange(box.height)[::-1] * len(table)) // box.height
        colors = np.repeat(table[places][:, None, :], width, axis=1)
        self._image.paste(Image.fromarray(np.ascontiguousarray(colors)), (left, box.top))
        self._frame(bar)
        axis = value_axis(scale, units, max(2, box.height // (3 * self._size)))
        widest = self._ticks_beside(left + width, bar, axis, 1)
        if not units:
            return
        x = left + width + self._tick + widest + 0.7 * self._size
        if len(units) < 3:
            self._text((x, box.top + box.height / 2), units, "lm", 3.0 * self._size)
        else:
            self._upright((x, box.top + box.height / 2), units, box.height)

    def line(self, box: Box, figure: Figure) -> None:
        """Draw values as a line, with the axis of values on the left."""
        scale, axis = figure.scale, self.values_axis(box, figure)
        for tick in axis.ticks:
            y = box.top + (1 - axis.part(tick.value)) * box.height
            self._pen.line((box.left, y, box.left + box.width, y), fill=_GRID, width=self._thin)
        across = figure.across
        for tick in across.ticks:
            x = box.left + across.part(tick.value) * box.width
            self._pen.line((x, box.top, x, box.top + box.height), fill=_GRID, width=self._thin)
        parts = scale.parts(figure.values)
        places = (np.arange(len(parts)) + 0.5) / len(parts)
        self._curves(box, runs(places, 1 - parts), _LINE, max(1.5, self._size / 8))
        self._frame(box)
        self.down(box, axis)


def runs(x: NDArray[np.float64], y: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return the parts of a line between missing values; a single value is a short line."""
    is_known = np.isfinite(y)
    starts = np.flatnonzero(is_known & ~np.concatenate([[False], is_known[:-1]]))
    stops = np.flatnonzero(is_known & ~np.concatenate([is_known[1:], [False]])) + 1
    lines = []
    half = 0.25 / max(1, len(x))
    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        line = np.stack([x[start:stop], y[start:stop]], axis=1)
        lines.append(line if len(line) > 1 else line + np.array([[-half, 0], [half, 0]]))
    return lines

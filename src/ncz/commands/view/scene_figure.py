"""The figure of a scene: its labels, and ticks along its axes."""

from __future__ import annotations

import math

from ncz.commands.option_error import OptionError
from ncz.commands.view.map_axes import within_poles
from ncz.commands.view.page_values import is_nearly_even
from ncz.commands.view.picture_scale import picture_scale, scale_notes
from ncz.commands.view.scene import Axis, Scene
from ncz.commands.view.view_options import ViewOptions, given_range
from ncz.errors import option
from ncz.late import numpy as np
from ncz.record import replace
from ncz.views.coastlines import coastlines
from ncz.views.color_scale import ColorScale
from ncz.views.figure import LEAST, Box, Figure, FigureAxis, text_size
from ncz.views.html_text import printable
from ncz.views.ticks import Tick, date_ticks, degree_ticks, number_ticks, with_minutes

_SIZE = (1280, 720)
_MOST_PIXELS = 1 << 26
_MARGIN = 0.04
"""The part of a chart above and below its line."""


def figure_size(options: ViewOptions) -> tuple[int, int]:
    """Return the width and the height of a figure.

    Raises
    ------
    OptionError
        If it is too small for labels, or too large.
    """
    width, height = options.size or _SIZE
    if width < LEAST[0] or height < LEAST[1] or width * height > _MOST_PIXELS:
        what = "small" if width * height <= _MOST_PIXELS else "large"
        raise OptionError(
            f"{option('size')} {width}x{height} is too {what} for a picture with labels",
            hint=f"use {option('plain')} for one without",
        )
    return width, height


def scene_figure(scene: Scene, options: ViewOptions, box: Box) -> Figure:
    """Return the figure of a scene; `box` is the area of its picture."""
    size = text_size(*figure_size(options))
    across, down = max(2, box.width // (7 * size)), max(2, box.height // (3 * size))
    scale = picture_scale(options, scene.values, scene.units)
    if scene.down is None:
        scale = _with_margin(scale, options)
    parts = [f"{name} = {with_minutes(text)}" for name, text in scene.fixed]
    notes = scale_notes(options, scene.values)
    subtitle = ", ".join([*parts, *scene.missing_notes, *notes, *scene.named])
    figure = Figure(
        title=printable(options.title or scene.title),
        subtitle=printable(subtitle),
        units=printable(scene.units),
        values=scene.values,
        scale=scale,
        across=_index_axis(scene.across, across),
    )
    if scene.down is None:
        return figure
    if scene.window is None:
        rows, columns = scene.values.shape
        steps = scene.across.step * columns, scene.down.step * rows
        return replace(
            figure,
            down=_turn(_index_axis(scene.down, down)),
            aspect=steps[0] / steps[1] if scene.keeps_shape else None,
        )
    values, window = within_poles(scene.values, scene.window)
    return replace(
        figure,
        values=values,
        across=_degrees(window.west, window.east, across, "EW"),
        down=_degrees(window.south, window.north, down, "NS"),
        aspect=window.width / window.height,
        coasts=coastlines(window),
    )


def _with_margin(scale: ColorScale, options: ViewOptions) -> ColorScale:
    """Return the scale of a line with some space above and below it, unless it is given."""
    low, high = given_range(options)
    if scale.is_log or scale.low == scale.high:
        return scale
    margin = _MARGIN * (scale.high - scale.low)
    return replace(
        scale,
        low=scale.low - (margin if low is None else 0),
        high=scale.high + (margin if high is None else 0),
    )


def _degrees(low: float, high: float, count: int, letters: str) -> FigureAxis:
    return FigureAxis(title="", ticks=degree_ticks(low, high, count, letters), ends=(low, high))


def _turn(axis: FigureAxis) -> FigureAxis:
    """Return an axis whose first end is at the top."""
    first, last = axis.ends
    return replace(axis, ends=(last, first))


def _index_axis(axis: Axis, count: int) -> FigureAxis:
    """Return an axis with equal steps of the index; ticks are at round coordinates if possible."""
    numbers = axis.coordinates
    title = "" if axis.times is not None else printable(axis.title or axis.name)
    ends = (0.0, float(len(numbers)))
    steps = np.diff(numbers)
    if not len(steps) or not is_nearly_even(steps):
        return FigureAxis(title=title, ticks=_index_ticks(axis, count), ends=ends)
    low, high = float(numbers.min()), float(numbers.max())
    ticks = date_ticks(low, high, count, axis.times) if axis.times is not None else []
    if len(ticks) < 2 and axis.times is None:
        ticks = number_ticks(low, high, count)
    if len(ticks) < 2:
        return FigureAxis(title=title, ticks=_index_ticks(axis, count), ends=ends)
    order = slice(None, None, 1 if steps[0] > 0 else -1)
    places = np.interp(
        [tick.value for tick in ticks], numbers[order], (np.arange(len(numbers)) + 0.5)[order]
    )
    placed = [Tick(float(at), tick.text) for at, tick in zip(places, ticks, strict=True)]
    return FigureAxis(title=title, ticks=placed, ends=ends)


def _index_ticks(axis: Axis, count: int) -> list[Tick]:
    """Return the coordinates of every few indices, as ticks."""
    size = len(axis.coordinates)
    if axis.times is not None:
        texts = [axis.times.format(number) for number in axis.coordinates[:: max(1, size - 1)]]
        places = [0.5, size - 0.5]
    else:
        step = math.ceil(size / count)
        texts = [f"{number:.6g}" for number in axis.coordinates[::step].tolist()]
        places = [n + 0.5 for n in range(0, size, step)]
    pairs = zip(places, texts, strict=False)
    return [Tick(place, with_minutes(text)) for place, text in pairs if text is not None]

"""view: a picture of a variable, as text for a terminal or as a PNG file."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from html import escape
from textwrap import wrap
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from ncz.commands.arguments import source_of
from ncz.commands.functions import Listener, Words, callbacks_of, speaks_python, warn, words
from ncz.commands.option_error import OptionError
from ncz.commands.selected_part import selected_part
from ncz.commands.sources import Source, open_any
from ncz.commands.view.cost import MOST_READ
from ncz.commands.view.scene import Axis, Scene, scene_of
from ncz.commands.view.text_table import text_table, text_variable
from ncz.commands.view.variables import chosen
from ncz.errors import Callbacks, NczError, Notify, ignore_notice, shorten
from ncz.errors import option as named
from ncz.late import numpy as np
from ncz.record import record
from ncz.views.colormaps import palette
from ncz.views.terminal_picture import TextStyle
from ncz.zmap.location import Path, path_of

if TYPE_CHECKING:
    from typing import Unpack

    from numpy.typing import NDArray

    from ncz.commands.keyword_groups import SelectionKeywords
    from ncz.model.selection import Selection
    from ncz.model.tree import Dataset

_MOST_VALUES = (512, 1024)
"""Most rows and columns of values that an interactive page holds."""

_NUMBER = r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
_RANGE = re.compile(f"{_NUMBER}?:{_NUMBER}?")


@record(kw_only=True)
class ViewOptions:
    """The dataset to show, and the options.

    `source` is a location, or CDL text: a stream, or the path of a file. Without `variable`, the
    one with the most dimensions is shown.
    """

    source: Source
    variable: str | None = None
    subset: Selection | None = None
    axes: tuple[str, ...] = ()
    colormap: Literal["dusk", "heat", "gray", "polar"] | None = None
    range: str = "whole"
    stride: int | None = None
    size: tuple[int, int] | None = None
    memory: int = MOST_READ
    keep_going: bool = False


@speaks_python
def view(
    source: Path | BinaryIO,
    variable: str | None = None,
    *,
    axes: Words = (),
    colormap: Literal["dusk", "heat", "gray", "polar"] | None = None,
    range: str = "whole",
    stride: int | None = None,
    size: tuple[int, int] | None = None,
    memory: int = MOST_READ,
    keep_going: bool = False,
    png: Path | None = None,
    html: Path | None = None,
    width: int = 80,
    height: int = 24,
    notify: Listener = warn,
    **selection: Unpack[SelectionKeywords],
) -> str:
    """Draw a variable as a picture: a map, or a line for one dimension.

    Parameters
    ----------
    source
        A path or a URL; a path that ends in ".cdl", and a binary stream, are CDL text.
    variable
        The variable to draw; by default the one with the most dimensions.
    axes
        Dimensions of the picture: the horizontal one, and the vertical one or none.
    colormap
        Colours: dusk (default), heat, gray, or polar, whose middle is zero.
    range
        Values of the first and the last colour: LOW:HIGH, whole (default) or robust, which leaves
        out 2 % at each end.
    stride
        Show every N-th index along the axes of the picture.
    size
        The width and the height of a PNG picture in pixels.
    memory
        Most bytes of chunks that are read for a picture (default: 64MiB).
    keep_going
        Read fill values for pieces of an aggregation that cannot be read.
    png
        A PNG file to write the picture to, instead of text.
    html
        A page to write the picture to, instead of text; it needs bokeh.
    width
        Columns of text.
    height
        Lines of text.
    notify
        Receives notices.
    **selection
        The part of the dataset to use; see `open`.

    Returns
    -------
    str
        The picture as text without colours; the path of the file if one is written.

    Raises
    ------
    NczError
        If the variable cannot be read, has no numbers, or needs too many chunks.

    Examples
    --------
    >>> picture = ncz.view("weather.zarr", "time", width=40, height=10)
    >>> picture.splitlines()[0]
    'time (hours since 2026-01-01 00:00:00)'
    """
    options = ViewOptions(
        source=source_of(source),
        variable=variable,
        subset=selected_part(selection),
        axes=words(axes),
        colormap=colormap,
        range=range,
        stride=stride,
        size=size,
        memory=memory,
        keep_going=keep_going,
    )
    callbacks = callbacks_of(notify)
    for path, write in ((png, write_png), (html, write_html)):
        if path is not None:
            write(options, path_of(path), callbacks.notify)
            return path_of(path)
    style = TextStyle(
        width=width, height=height, depth="none", unicode=True, colormap=colormap or "dusk"
    )
    return "\n".join(text_picture(options, style, callbacks.notify))


@contextlib.contextmanager
def _scene(options: ViewOptions, most: tuple[int, int], notify: Notify) -> Iterator[Scene]:
    """Read what a picture with so many rows and columns at most shows."""
    with _opened(options, notify) as dataset:
        yield _scene_of(dataset, options, most)


def _opened(options: ViewOptions, notify: Notify) -> AbstractContextManager[Dataset]:
    return open_any(
        options.source, Callbacks(notify), subset=options.subset, keep_going=options.keep_going
    )


def _scene_of(
    dataset: Dataset, options: ViewOptions, most: tuple[int, int], style: TextStyle | None = None
) -> Scene:
    """Read what a picture shows; with `style`, as much as fits a terminal."""
    from ncz.commands.view.axes import keeps_shape, picture_axes
    from ncz.model.tree import dimensions_by_fqn, shape_of
    from ncz.views.terminal_picture import line_size, map_size

    fqn, variable = chosen(dataset, options.variable)
    if style is not None:
        down, across = picture_axes(dataset, variable, options.axes)
        shape = shape_of(variable, dimensions_by_fqn(dataset.root))
        most = (1, line_size(style))
        if down is not None:
            is_kept = keeps_shape(dataset, [variable.dimensions[n] for n in (down, across)])
            lengths = (max(1, shape[axis]) for axis in (down, across))
            most = map_size(style, *lengths, keeps_shape=is_kept)
    return scene_of(
        dataset,
        fqn,
        most=most,
        axes=options.axes,
        stride=options.stride,
        limit=options.memory,
    )


def text_picture(
    options: ViewOptions,
    style: TextStyle,
    notify: Notify = ignore_notice,
    clean: Callable[[str], str] = str,
) -> list[str]:
    """Return the lines of a picture for a terminal.

    `clean` makes text of the dataset harmless for it.

    Raises
    ------
    NczError
        If the variable cannot be read, has no numbers, or needs too many chunks.
    """
    from ncz.views.terminal_picture import Labels, draw_line, draw_map

    with _opened(options, notify) as dataset:
        text = text_variable(dataset, options.variable)
        if text is not None:
            rows, more = text_table(dataset, text, max(1, style.height - 3), options.memory)
            return list(_table(clean(text.lstrip("/")), rows, more, style.width, clean))
        scene = _scene_of(dataset, options, (1, 1), style)
        low, high = value_range(options, scene)
        units = f" ({scene.units})" if scene.units else ""
        title = "" if scene.title == scene.name else f": {scene.title}"
        down = scene.down

        def fit(text: str) -> str:
            text = clean(text)
            return text if len(text) <= style.width else f"{text[: style.width - 3]}..."

        labels = Labels(
            title=fit(f"{scene.name}{title}{units}"),
            notes=tuple(map(fit, (*scene.notes, *wrap(", ".join(scene.named), style.width)))),
            left=("", "") if down is None else (fit(down.texts[0]), fit(down.texts[1])),
            below=(fit(scene.across.texts[0]), fit(scene.across.texts[1])),
            names=("" if down is None else fit(down.name), fit(scene.across.name)),
        )
        if down is not None:
            lines = draw_map(scene.values, labels, low, high, style, keeps_shape=scene.keeps_shape)
            return list(lines)
        if scene.values.size == 1:
            return [*(labels.title, *labels.notes), f"{scene.values[0]:.6g}"]
        return list(draw_line(scene.values, labels, low, high, style))


def _table(
    title: str, rows: Sequence[tuple[str, str]], more: int, width: int, clean: Callable[[str], str]
) -> Iterator[str]:
    """Yield the lines of a table of texts."""
    yield title
    longest = min(width // 3, max(len(clean(label)) for label, _ in rows))
    for label, text in rows:
        start = f"{shorten(clean(label), longest):<{longest}}  " if longest else ""
        yield shorten(start + clean(text), width).rstrip()
    if more:
        yield f"... and {more} more"


def png_picture(options: ViewOptions, notify: Notify = ignore_notice) -> bytes:
    """Return a picture as a PNG file, without labels; missing values are transparent.

    Raises
    ------
    NczError
        If the variable cannot be read, has no numbers, or needs too many chunks.
    """
    from ncz.views.colormaps import STEPS, indices, palette
    from ncz.views.png import line_pixels, png, resized

    width, height = options.size or (1024, 1024)
    with _scene(options, (height, width), notify) as scene:
        low, high = value_range(options, scene)
        colors = palette(options.colormap or "dusk")
        if scene.down is None:
            width, height = options.size or (800, 300)
            pixels = line_pixels(scene.values, width, height, low, high)
            line = np.where(pixels, 60, STEPS).astype(np.uint8)
            return png(line, colors)
        numbers = indices(scene.values, low, high)
        if options.size is not None:
            numbers = resized(numbers, width, height)
        return png(numbers, colors)


def write_html(options: ViewOptions, path: str, notify: Notify = ignore_notice) -> None:
    """Write an interactive picture to a page, complete or not at all. It replaces only another one.

    Raises
    ------
    StoreExists
        If something else exists at the path.
    NczError
        If the picture cannot be made, or the file cannot be written.
    """
    from ncz.commands.info import write_over

    with _scene(options, _MOST_VALUES, notify) as scene:
        page = page_of(scene, *value_range(options, scene), options.colormap or "dusk")
    write_over(page.encode(), path, START.encode())


def write_png(options: ViewOptions, path: str, notify: Notify = ignore_notice) -> None:
    """Write a picture to a new PNG file, complete or not at all. It replaces only another picture.

    Raises
    ------
    StoreExists
        If something else exists at the path.
    NczError
        If the picture cannot be made, or the file cannot be written.
    """
    from ncz.commands.info import write_over

    write_over(png_picture(options, notify), path, b"\x89PNG\r\n\x1a\n")


def value_range(options: ViewOptions, scene: Scene) -> tuple[float, float]:
    """Return the values of the first and the last colour.

    Those of a diverging colour map are as far from zero, unless both are given.
    """
    from ncz.views.colormaps import DIVERGING, extent

    low, high = extent(scene.values, robust=options.range == "robust")
    limits = given_range(options)
    if options.colormap in DIVERGING and None in limits:
        far = max(abs(low), abs(high))
        low, high = -far, far
    low = low if limits[0] is None else limits[0]
    high = high if limits[1] is None else limits[1]
    return (low, high) if low <= high else (high, low)


def given_range(options: ViewOptions) -> tuple[float | None, float | None]:
    """Return the values of the first and the last colour that the user gave; None for others.

    Raises
    ------
    OptionError
        If the option is not valid.
    """
    if options.range in ("whole", "robust"):
        return None, None
    match = _RANGE.fullmatch(options.range.strip())
    if match is None:
        raise OptionError(
            f"{named('range')} {options.range!r} is not valid; write LOW:HIGH, whole or robust"
        )
    low, high = (None if text is None else float(text) for text in match.groups())
    return low, high


START = "<!DOCTYPE html>\n<!-- a picture by ncz -->\n"
"""The beginning of a page, which identifies an older one."""

_WIDTH, _HEIGHT = 900, 520
_UNEVEN = 1e-3
"""Part of a step by which coordinates may differ from even ones."""


def page_of(scene: Scene, low: float, high: float, colormap: str) -> str:
    """Return a page with a picture; `low` and `high` are the values of the end colours."""
    try:
        from bokeh.embed import file_html
        from bokeh.layouts import column
        from bokeh.models import ColorBar, Div, HoverTool, LinearColorMapper, PlainText
        from bokeh.plotting import figure
        from bokeh.resources import INLINE
    except ImportError:
        raise NczError(
            "an interactive picture needs the package bokeh", hint="pip install 'ncz[view]'"
        ) from None

    tools = "pan,wheel_zoom,box_zoom,reset"
    plot: Any = figure(width=_WIDTH, height=_HEIGHT, tools=tools, active_scroll="wheel_zoom")
    plot.toolbar.logo = None
    across, start, width = _place(scene.across)
    plot.xaxis.axis_label = PlainText(text=across)
    if scene.down is None:
        x = start + np.arange(scene.values.size) * (width / max(1, scene.values.size))
        plot.line(x, scene.values, name="line")
        plot.y_range.start, plot.y_range.end = low, high
        plot.add_tools(HoverTool(tooltips=[("at", "$x"), ("value", "@y")], mode="vline"))
    else:
        # Rows of bokeh go from the bottom to the top, and coordinates in either direction.
        rows: NDArray[np.float64] = scene.values[::-1]
        down, bottom, height = _place(scene.down.reversed)
        plot.yaxis.axis_label = PlainText(text=down)
        if width < 0:
            rows, start, width = rows[:, ::-1], start + width, -width
        if height < 0:
            plot.y_range.flipped = True
            rows, bottom, height = rows[::-1], bottom + height, -height
        colors = [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in palette(colormap)]
        mapper = LinearColorMapper(palette=colors, low=low, high=high, nan_color="rgba(0,0,0,0)")
        plot.image([rows], x=start, y=bottom, dw=width, dh=height, color_mapper=mapper, name="map")
        plot.x_range.range_padding = plot.y_range.range_padding = 0
        plot.add_layout(ColorBar(color_mapper=mapper), "right")
        tips = [("value", "@image"), ("x", "$x"), ("y", "$y")]
        plot.add_tools(HoverTool(tooltips=tips))
    units = f" ({scene.units})" if scene.units else ""
    title = "" if scene.title == scene.name else f": {scene.title}"
    heading = f"<b>{escape(scene.name + title + units)}</b>"
    notes = "".join(f"<br>{escape(note)}" for note in scene.notes)
    head = Div(text=heading + notes, disable_math=True, name="head")
    page: str = file_html(column(head, plot), INLINE, title="ncz view")
    return START + page.lstrip().removeprefix("<!DOCTYPE html>").lstrip()


def _place(axis: Axis) -> tuple[str, float, float]:
    """Return the label of an axis, where its first element begins, and how far all extend.

    Coordinates that are not even are replaced by numbers from 0.
    """
    at = axis.coordinates
    label = f"{axis.name}: {axis.texts[0]} to {axis.texts[1]}" if axis.name else ""
    steps = np.diff(at)
    step = float(steps.mean()) if at.size > 1 else 0.0
    if step and np.isfinite(step) and bool((abs(steps - step) <= _UNEVEN * abs(step)).all()):
        return label, float(at[0]) - step / 2, step * at.size
    return label, -0.5, float(at.size)

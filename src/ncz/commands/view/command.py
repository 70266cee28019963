"""view: a picture of a variable, as text for a terminal or as a PNG file."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, BinaryIO, Literal

from ncz.commands.arguments import source_of
from ncz.commands.functions import Listener, Words, callbacks_of, speaks_python, warn, words
from ncz.commands.option_error import OptionError
from ncz.commands.selected_part import selected_part
from ncz.commands.view.cost import MOST_READ
from ncz.commands.view.difference import shown_datasets
from ncz.commands.view.picture_scale import picture_scale, scale_notes
from ncz.commands.view.scene import Scene, scene_of
from ncz.commands.view.text_table import text_table, text_variable
from ncz.commands.view.value_digits import end_text, number_text
from ncz.commands.view.variables import choose_variable
from ncz.commands.view.view_options import ViewOptions
from ncz.errors import Notify, ignore_notice, option, shorten
from ncz.late import numpy as np
from ncz.views.terminal_picture import TextStyle
from ncz.zmap.location import Path, path_of

if TYPE_CHECKING:
    from typing import Unpack

    from ncz.commands.keyword_groups import SelectionKeywords
    from ncz.model.tree import Dataset

_LARGEST_WHOLE = 1 << 53
"""double represents all integers below this one."""


@speaks_python
def view(
    source: Path | BinaryIO,
    variable: str | None = None,
    *,
    minus: Path | BinaryIO | None = None,
    axes: Words = (),
    colormap: Literal[
        "dusk",
        "heat",
        "gray",
        "viridis",
        "plasma",
        "magma",
        "ice",
        "rain",
        "leaf",
        "polar",
        "brown-teal",
        "purple-green",
        "compass",
        "daylight",
    ]
    | None = None,
    reverse: bool = False,
    log: bool = False,
    range: str = "whole",
    stride: int | None = None,
    size: tuple[int, int] | None = None,
    plain: bool = False,
    title: str | None = None,
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
        A path or a URL, or a binary stream with the bytes of a file, or CDL text.
    variable
        The variable to draw; by default the one with the most dimensions.
    minus
        Another dataset, whose values are subtracted. Both have the same variables and shapes.
    axes
        Dimensions: X for a line, X,Y for a map.
    colormap
        Colours, such as dusk (default), viridis, polar or compass.

        From the least value to the largest: dusk, heat, gray, viridis, plasma, magma, ice, rain and
        leaf. With zero in the middle: polar, brown-teal and purple-green. For directions: compass
        and daylight.
    reverse
        Use the colours in the opposite order.
    log
        Use a logarithmic scale of values; values of 0 or less are missing.
    range
        Values of the first and the last colour: LOW:HIGH, whole (default) or robust, which leaves
        out 2 % at each end.
    stride
        Show every N-th index along the axes of the picture.
    size
        The width and the height of a PNG picture in pixels (default: 1280 and 720).
    plain
        Write a PNG picture without labels: by default a pixel for each value.
    title
        The title of a picture in a PNG file or as text (default: the long name of the variable).
    memory
        Most bytes of chunks that are read for a picture (default: 64MiB).
    keep_going
        Read fill values for pieces of an aggregation that cannot be read.
    png
        A PNG file to write the picture to, instead of text.
    html
        A page to write the picture to, instead of text.
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
        minus=None if minus is None else source_of(minus),
        variable=variable,
        subset=selected_part(selection),
        axes=words(axes),
        colormap=colormap,
        reverse=reverse,
        log=log,
        range=range,
        stride=stride,
        size=size,
        plain=plain,
        title=title,
        memory=memory,
        keep_going=keep_going,
    )
    callbacks = callbacks_of(notify)
    for path, write in ((png, write_png), (html, write_html)):
        if path is not None:
            write(options, path_of(path), callbacks.notify)
            return path_of(path)
    style = TextStyle(width=width, height=height, depth="none", unicode=True)
    return "\n".join(text_picture(options, style, callbacks.notify))


@contextlib.contextmanager
def _scene(options: ViewOptions, most: tuple[int, int], notify: Notify) -> Iterator[Scene]:
    """Read the data of a picture with a largest number of rows and columns."""
    with _open_difference(options, notify) as dataset:
        yield _scene_of(dataset, options, most)


@contextlib.contextmanager
def _open_difference(options: ViewOptions, notify: Notify) -> Iterator[Dataset]:
    with shown_datasets(options, notify) as shown:
        yield shown.difference


def _scene_of(dataset: Dataset, options: ViewOptions, most: tuple[int, int]) -> Scene:
    fqn, _ = choose_variable(dataset, options.variable)
    return scene_of(
        dataset, fqn, most=most, axes=options.axes, stride=options.stride, limit=options.memory
    )


def _text_scene(dataset: Dataset, options: ViewOptions, style: TextStyle) -> Scene:
    """Read as much as fits a terminal."""
    from ncz.commands.view.axes import keeps_shape, picture_axes
    from ncz.commands.view.places import places_of
    from ncz.model.tree import dimensions_by_fqn, shape_of
    from ncz.views.terminal_picture import line_size, map_size, pixel_height

    fqn, variable = choose_variable(dataset, options.variable)
    down, across = picture_axes(dataset, variable, options.axes)
    shape = shape_of(variable, dimensions_by_fqn(dataset.root))
    most = (1, line_size(style))
    if not options.axes and places_of(dataset, fqn) is not None:
        most = map_size(style, 1, 1, keeps_shape=False)
    elif down is not None:
        is_kept = keeps_shape(dataset, [variable.dimensions[n] for n in (down, across)])
        most = map_size(style, *(max(1, shape[n]) for n in (down, across)), keeps_shape=is_kept)
    return scene_of(
        dataset,
        fqn,
        most=most,
        tall=pixel_height(style),
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

    with _open_difference(options, notify) as dataset:
        text = text_variable(dataset, options.variable)
        if text is not None:
            rows, more = text_table(dataset, text, max(1, style.height - 3), options.memory)
            return list(_table(clean(text.lstrip("/")), rows, more, style.width, clean))
        scene = _text_scene(dataset, options, style)
        scale = picture_scale(options, scene.values, scene.units)
        units = f" ({scene.units})" if scene.units else ""
        title = "" if scene.title == scene.name else f": {scene.title}"
        down = scene.down
        notes = (*scene.notes, *scale_notes(options, scene.values))

        def fit(text: str) -> str:
            text = clean(text)
            return text if len(text) <= style.width else f"{text[: style.width - 3]}..."

        labels = Labels(
            title=fit(options.title or f"{scene.name}{title}{units}"),
            notes=tuple(map(fit, (*notes, *wrap(", ".join(scene.named), style.width)))),
            left=("", "") if down is None else (fit(down.texts[0]), fit(down.texts[1])),
            below=(fit(scene.across.texts[0]), fit(scene.across.texts[1])),
            names=("" if down is None else fit(down.name), fit(scene.across.name)),
            ends=(end_text(scale.low, scene.digits), end_text(scale.high, scene.digits)),
        )
        if down is not None:
            window = scene.window
            lines = draw_map(
                scene.values,
                labels,
                scale,
                style,
                keeps_shape=scene.keeps_shape,
                lengths=None if window is None else (window.height, window.width),
            )
            return list(lines)
        if scene.values.size == 1:
            (value,) = scene.values.tolist()
            about = (
                "about " if scene.digits.kind == "whole" and abs(value) >= _LARGEST_WHOLE else ""
            )
            return [labels.title, *labels.notes, about + number_text(value, scene.digits)]
        return list(draw_line(scene.values, labels, scale, style))


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
    """Return a picture as a PNG file: with labels, or the values alone.

    Missing values are gray, or transparent without labels.

    Raises
    ------
    NczError
        If the variable cannot be read, has no numbers, or needs too many chunks.
    """
    if not options.plain:
        return _figure_png(options, notify)
    from ncz.views.colormaps import STEPS
    from ncz.views.png import line_pixels, png, resize

    width, height = options.size or (1024, 1024)
    with _scene(options, (height, width), notify) as scene:
        scale = picture_scale(options, scene.values, scene.units)
        colors = scale.colors()
        if scene.down is None:
            width, height = options.size or (800, 300)
            pixels = line_pixels(scale.parts(scene.values), width, height)
            line = np.where(pixels, 60, STEPS).astype(np.uint8)
            return png(line, colors)
        numbers = scale.indices(scene.values)
        if options.size is not None:
            numbers = resize(numbers, width, height)
        return png(numbers, colors)


def _figure_png(options: ViewOptions, notify: Notify) -> bytes:
    """Return a picture with a title, axes and a colour bar."""
    from ncz.commands.view.scene_figure import figure_size, scene_figure
    from ncz.views.figure import figure_png, room

    width, height = figure_size(options)
    box = room(width, height)
    with _scene(options, (box.height, box.width), notify) as scene:
        return figure_png(scene_figure(scene, options, box), width, height)


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
    from ncz.commands.view.recorded_page import START, recorded_page

    if options.title is not None:
        raise OptionError(
            f"{option('title')} does not change a page", hint=f"use {option('png')} for a picture"
        )
    write_over(recorded_page(options, notify).encode(), path, START.encode())


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

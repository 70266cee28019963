"""Show a variable as a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, BinaryIO, Literal

from ncz.api.selections import fields_from
from ncz.commands.arguments import source_of
from ncz.commands.functions import Words, speaks_python, warn
from ncz.errors import Notify
from ncz.zmap.location import Path, path_of


@speaks_python
def view(
    source: Path | BinaryIO,
    variable: str | None = None,
    *,
    isel: Mapping[str, Any] | None = None,
    sel: Mapping[str, Any] | None = None,
    nearest: bool = False,
    vars: Words = (),
    exclude: Words = (),
    axes: Words = (),
    colormap: Literal["dusk", "heat", "gray", "polar"] | None = None,
    range: str = "whole",
    stride: int | None = None,
    size: tuple[int, int] | None = None,
    memory: int = 67108864,
    keep_going: bool = False,
    png: Path | None = None,
    html: Path | None = None,
    width: int = 80,
    height: int = 24,
    notify: Notify = warn,
) -> str:
    """Draw a variable as a picture: a map, or a line for one dimension.

    Parameters
    ----------
    source
        A path or a URL; a path that ends in ".cdl", and a binary stream, are CDL text.
    variable
        The variable to draw; by default the one with the most dimensions.
    isel
        The part to use, by indices of dimensions; see `Dataset.isel`.
    sel
        The part to use, by values of coordinates; see `Dataset.sel`.
    nearest
        Whether a single value of `sel` selects the coordinate that is nearest to it.
    vars
        Names or globs of the variables to use, with all that they refer to, such as coordinates,
        bounds and grid mappings.
    exclude
        Names or globs of the variables to leave out, unless others refer to them.
    axes
        The horizontal dimension of the picture, and the vertical one.
    colormap
        The colours: "dusk", "heat", "gray", or "polar", whose middle is zero.
    range
        The values of the first and the last colour: "LOW:HIGH", "whole", or "robust", which leaves
        out 2 % at each end.
    stride
        Show every so many indices along the axes of the picture.
    size
        The width and the height of a PNG picture in pixels.
    memory
        The most bytes of chunks that are read for a picture.
    keep_going
        Whether to skip pieces of an aggregation that cannot be read.
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
    from ncz.commands.view.command import ViewOptions, text_picture, write_html, write_png

    options = ViewOptions(
        source=source_of(source), variable=variable, **fields_from(ViewOptions, locals())
    )
    for path, write in ((png, write_png), (html, write_html)):
        if path is not None:
            write(options, path_of(path), notify)
            return path_of(path)
    from ncz.views.terminal_picture import TextStyle

    style = TextStyle(
        width=width,
        height=height,
        depth="none",
        unicode=True,
        colormap=options.colormap or "dusk",
    )
    return "\n".join(text_picture(options, style, notify))

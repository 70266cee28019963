"""``ncz view``: a picture of a variable."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, Any

import click

from ncz.cli.options import (
    Command,
    common_options,
    examples,
    fields_of,
    located,
    option,
    options_of,
    reference_options,
    s3_options,
    terminal_of,
)
from ncz.cli.terminal import Terminal, quieted, standard_output, visible
from ncz.commands.view.command import ViewOptions

if TYPE_CHECKING:
    from ncz.views.picture import Depth, TextStyle


@click.command(
    "view",
    cls=Command,
    epilog=examples(
        "ncz view weather.nc t2m",
        "ncz view model.zarr temperature --isel time=-1 --sel lat=40:60",
        "ncz view model.zarr temperature --png t.png --size 1200x600",
        "ncz view model.zarr wind --axes time,height --colormap polar",
    ),
)
@click.argument("source", metavar="STORE")
@click.argument("variable", metavar="[VAR]", required=False)
@options_of(ViewOptions)
@option(
    "--text",
    "as_text",
    is_flag=True,
    section="Output",
    help="Draw the picture in the terminal (the default).",
)
@option(
    "-o",
    "--output",
    metavar="FILE",
    section="Output",
    help="As --html if FILE ends in .html, otherwise as --png.",
)
@option(
    "--png",
    metavar="FILE",
    section="Output",
    common=True,
    help="Write the picture to a PNG file; - is standard output.",
)
@option(
    "--html",
    "page",
    metavar="FILE",
    section="Output",
    common=True,
    help="Write a page with an interactive picture, which works offline. It needs bokeh.",
)
@option(
    "--colors",
    type=click.Choice(["full", "256", "16", "none"]),
    metavar="DEPTH",
    section="Output",
    help="Colours of the terminal: full, 256, 16 or none. The default is what it says it has.",
)
@option(
    "--width",
    type=click.IntRange(20, 1000),
    metavar="N",
    section="Output",
    help="Columns of text (default: the width of the terminal).",
)
@option(
    "--height",
    type=click.IntRange(8, 1000),
    metavar="N",
    section="Output",
    help="Lines of text (default: the height of the terminal).",
)
@s3_options
@reference_options
@common_options
@click.pass_context
def view(
    ctx: click.Context,
    /,
    source: str,
    variable: str | None,
    as_text: bool,
    output: str | None,
    png: str | None,
    page: str | None,
    colors: Depth | None,
    width: int | None,
    height: int | None,
    **given: Any,
) -> None:
    """Show a variable as a picture: a map, or a line for one dimension.

    STORE is a path or URL of anything that ncz reads. Without VAR, the variable with the most
    dimensions is shown. The axes are those that CF says; other dimensions are cut at their first
    index, unless --isel or --sel choose another.

    Only as many values are read as the picture shows, by whole chunks. If that are too many bytes,
    the error says which --stride needs fewer.
    """
    from ncz.commands.view.command import text_picture, write_png

    if sum(each is not None for each in (output, png, page, as_text or None)) > 1:
        raise click.UsageError("--text, --png, --html and -o cannot be used together")
    if output is not None and output.lower().endswith((".html", ".htm")):
        page = output
    elif output is not None:
        png = output
    terminal = terminal_of(ctx)
    options = ViewOptions(
        source=located(source, given["s3"], terminal),
        variable=variable,
        **fields_of(ViewOptions, ctx, given),
    )
    if png == "-":
        from ncz.commands.view.command import png_picture

        with standard_output(colored=True) as write:
            write(png_picture(options, terminal.notify))
    elif page is not None:
        from ncz.commands.view.command import write_html

        write_html(options, page, terminal.notify)
    elif png is not None:
        write_png(options, png, terminal.notify)
    else:
        style = _style(terminal, options, colors, width, height)
        lines = text_picture(
            options, style, terminal.notify, clean=lambda text: visible(quieted(text))
        )
        with standard_output(colored=True) as write:
            for line in lines:
                write(line.encode("utf-8" if style.unicode else "ascii", "replace") + b"\n")


def _style(
    terminal: Terminal,
    options: ViewOptions,
    colors: Depth | None,
    width: int | None,
    height: int | None,
) -> TextStyle:
    """Return how a picture is drawn, as the options say or the terminal permits."""
    from ncz.views.picture import TextStyle

    size = shutil.get_terminal_size()
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "").replace("_", "")
    return TextStyle(
        width=width or max(20, size.columns),
        height=height or max(8, size.lines - 1),
        depth=colors or _depth(terminal),
        unicode=encoding.startswith("utf"),
        colormap=options.colormap or "dusk",
    )


def _depth(terminal: Terminal) -> Depth:
    if not terminal.colored(sys.stdout):
        return "none"
    if os.environ.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return "full"
    return "256" if "256color" in os.environ.get("TERM", "") else "16"

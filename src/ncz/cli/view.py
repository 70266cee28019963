"""``ncz view``: a picture of a variable."""

from __future__ import annotations

import os
import re
import shutil
import sys
from typing import TYPE_CHECKING, Any

import click

from ncz.cli.command import Command, command
from ncz.cli.options import is_given, option
from ncz.cli.source_options import (
    KEEP_GOING,
    SELECTION,
    locate_source,
    reference_options,
    s3_options,
    take_selection,
)
from ncz.cli.spellings import (
    LITERAL,
    SIZE,
    WholeNumber,
    arguments_of,
    given_arguments,
    integer,
    spelling,
    split_names,
)
from ncz.cli.terminal import Terminal, escape_controls, standard_output, terminal_of, visible
from ncz.commands.option_error import OptionError
from ncz.commands.view.command import view as draw
from ncz.commands.view.view_options import ViewOptions
from ncz.errors import note_on_interrupt

if TYPE_CHECKING:
    from ncz.views.terminal_picture import Depth, TextStyle


def _size(text: str, name: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    if match is None or not (0 < int(match[1]) <= 16384 and 0 < int(match[2]) <= 16384):
        raise OptionError(f"{name} {text!r} is not valid; write 800x400, of at most 16384 pixels")
    return int(match[1]), int(match[2])


SPELLINGS = {
    **SELECTION,
    "axes": spelling("--axes", metavar="X,Y", section="View", parse=split_names, common=True),
    "colormap": spelling("--colormap", metavar="NAME", values=LITERAL, section="View", common=True),
    "reverse": spelling("--reverse", section="View"),
    "log": spelling("--log", section="View"),
    "range": spelling("--range", metavar="LOW:HIGH", section="View", common=True),
    "stride": spelling("--stride", metavar="N", values=integer(1, 2**31), section="View"),
    "size": spelling(
        "--size",
        metavar="WxH",
        section="Output",
        parse=_size,
        help="Pixels of a PNG file, such as 800x400 (default: 1280x720).",
    ),
    "minus": spelling(
        "--minus",
        metavar="STORE",
        section="View",
        help="Another dataset, whose values are subtracted; as a second STORE.",
    ),
    "plain": spelling("--plain", section="Output"),
    "title": spelling("--title", metavar="TEXT", section="Output"),
    "memory": spelling("--memory", metavar="SIZE", values=SIZE, section="Limits"),
    **KEEP_GOING,
}


_OTHER_PICTURES = (".svg", ".pdf", ".jpg", ".jpeg", ".gif", ".tif", ".tiff", ".eps", ".webp")


class _View(Command):
    """The command, which takes the limits of colours as matplotlib does."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; see `click.Command.parse_args`."""
        return super().parse_args(ctx, _with_range(args))


def _with_range(args: list[str]) -> list[str]:
    """Return the options with one range for ``--vmin LOW --vmax HIGH``."""
    split = [
        part for word in args for part in (word.split("=", 1) if word[:3] == "--v" else [word])
    ]
    if not {"--vmin", "--vmax"} <= {*split[:-1]}:
        return args
    low, high = (split.index(word) for word in ("--vmin", "--vmax"))
    limits = f"{split[low + 1]}:{split[high + 1]}"
    taken = {low, low + 1, high, high + 1}
    return ["--range", limits, *(word for at, word in enumerate(split) if at not in taken)]


@command(
    "view",
    "ncz view weather.nc",
    "ncz view --no-browser --port 8000 s3://bucket/model.zarr temperature",
    "ncz view model.zarr temperature --text --isel time=-1 --sel lat=40:60",
    "ncz view model.zarr temperature --png t.png --size 1200x600",
    "ncz view new.zarr old.zarr temperature",
    "ncz view model.zarr wind --axes time,height --colormap polar --html wind.html",
    cls=_View,
)
@click.argument("source", metavar="STORE")
@click.argument("second", metavar="[STORE]", required=False)
@click.argument("variable", metavar="[VAR]", required=False)
@arguments_of(draw, SPELLINGS)
@option(
    "-v",
    "--variables",
    "chosen",
    metavar="VAR,...",
    multiple=True,
    section="View",
    common=True,
    completes="variables",
    help="Show these variables; begin with the first.",
)
@option(
    "--text",
    "as_text",
    is_flag=True,
    section="Output",
    common=True,
    help="Draw the picture in the terminal.",
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
    help="Write a page with an interactive picture, which works offline.",
)
@option(
    "--colors",
    type=click.Choice(["full", "256", "16", "none"]),
    metavar="DEPTH",
    section="Output",
    help="Colours of the terminal: full, 256, 16 or none. The default depends on the terminal.",
)
@option(
    "--width",
    type=WholeNumber(20, 1000),
    metavar="N",
    section="Output",
    help="Columns of text (default: the width of the terminal).",
)
@option(
    "--height",
    type=WholeNumber(8, 1000),
    metavar="N",
    section="Output",
    help="Lines of text (default: the height of the terminal).",
)
@option(
    "--no-browser",
    is_flag=True,
    section="Server",
    common=True,
    help="Print the address of the page, and open no browser.",
)
@option(
    "--port",
    type=WholeNumber(0, 65535),
    default=0,
    metavar="N",
    section="Server",
    common=True,
    help="Port to listen on. The default is any free port.",
)
@option(
    "--host",
    metavar="ADDRESS",
    section="Server",
    help="Listen on this address, so that other machines can see the page.",
)
@s3_options
@reference_options
def view(
    ctx: click.Context,
    /,
    source: str,
    second: str | None,
    variable: str | None,
    chosen: tuple[str, ...],
    as_text: bool,
    output: str | None,
    png: str | None,
    page: str | None,
    colors: Depth | None,
    width: int | None,
    height: int | None,
    no_browser: bool,
    port: int,
    host: str | None,
    **_: Any,
) -> None:
    """Show the variables of a dataset as pictures: in a browser, until Ctrl-C.

    Without VAR or -v, the variable with the most dimensions is shown first, at its first time. With
    two STOREs, the values of the second are subtracted. --text draws one picture in the terminal
    instead, --png and --html write one to a file.

    Of other dimensions than the axes, the first index is shown, unless --isel or --sel choose
    another.
    """
    from ncz.commands.view.command import text_picture, write_png

    as_text = as_text or not (colors is None and width is None and height is None)
    given_forms = sum(each is not None for each in (output, png, page, as_text or None))
    if given_forms > 1:
        raise click.UsageError("--text, --png, --html and -o cannot be used together")
    if given_forms and any(is_given(ctx, name) for name in ("no_browser", "port", "host")):
        raise click.UsageError("--text, --png, --html and -o need no server")
    if output is not None and output.lower().endswith((".html", ".htm")):
        page = output
    elif output is not None:
        png = output
    end = os.path.splitext(png or "")[1].lower()
    if end in _OTHER_PICTURES:
        raise click.UsageError(
            f"ncz writes pictures as PNG, not as {end[1:]}; name it .png, or .html for a page"
        )
    terminal = terminal_of(ctx)
    given = given_arguments(ctx, SPELLINGS)
    if second is not None and variable is None and not _is_dataset(second):
        second, variable = None, second
    if second is not None and "minus" in given:
        raise click.UsageError("a second STORE and --minus cannot be used together")
    minus = given.pop("minus", second)
    names = [*filter(None, (variable,)), *(name for text in chosen for name in split_names(text))]
    if len(names) > 1:
        given["vars"] = (*given.get("vars", ()), *names)
    options = ViewOptions(
        source=locate_source(ctx, source),
        minus=None if minus is None else locate_source(ctx, minus),
        variable=names[0] if names else None,
        subset=take_selection(given),
        **given,
    )
    if not given_forms:
        if options.title is not None:
            raise click.UsageError("--title does not change a page; use --png for a picture")
        _serve(options, terminal, host=host, port=port, opens=not no_browser and _has_screen())
    elif png == "-":
        from ncz.commands.view.command import png_picture

        with standard_output(colored=True) as write:
            write(png_picture(options, terminal.notify))
    elif page is not None:
        from ncz.commands.view.command import write_html

        write_html(options, page, terminal.notify)
    elif png is not None:
        write_png(options, png, terminal.notify)
    else:
        style = _style(terminal, colors, width, height)
        lines = text_picture(
            options, style, terminal.notify, clean=lambda text: visible(escape_controls(text))
        )
        with standard_output(colored=True) as write:
            for line in lines:
                write(line.encode("utf-8" if style.unicode else "ascii", "replace") + b"\n")


def _is_dataset(text: str) -> bool:
    """Return whether an argument is a URL or a path, rather than the name of a variable.

    It is one if it has a suffix, or if something exists there whose name cannot be a variable's.
    """
    if "://" in text or re.search(r"\.[A-Za-z]\w*/?$", text):
        return True
    return os.path.isfile(text) or (os.sep in text.rstrip(os.sep) and os.path.exists(text))


def _serve(
    options: ViewOptions, terminal: Terminal, *, host: str | None, port: int, opens: bool
) -> None:
    """Show the page until the program is interrupted."""
    from ncz.commands.serve.command import require_tornado

    require_tornado("view")
    from ncz.commands.view.server import run_page_server

    with (
        note_on_interrupt("the server has ended"),
        run_page_server(options, host=host, port=port, notify=terminal.notify) as server,
    ):
        with standard_output(buffered=False) as write:
            write(f"{server.address}\n".encode())
        if opens:
            import webbrowser

            webbrowser.open(server.address)
        server.wait()


def _has_screen() -> bool:
    """Return whether a browser that is opened here can be seen by the user."""
    if os.environ.get("SSH_CONNECTION") or os.environ.get("SSH_TTY"):
        return False
    has_display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return sys.platform in ("darwin", "win32") or bool(has_display)


def _style(
    terminal: Terminal,
    colors: Depth | None,
    width: int | None,
    height: int | None,
) -> TextStyle:
    """Return the way to draw a picture: as the options say, or as the terminal permits."""
    from ncz.views.terminal_picture import TextStyle

    size = shutil.get_terminal_size()
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "").replace("_", "")
    return TextStyle(
        width=width or max(20, size.columns),
        height=height or max(8, size.lines - 1),
        depth=colors or _depth(terminal),
        unicode=encoding.startswith("utf"),
    )


def _depth(terminal: Terminal) -> Depth:
    if not terminal.is_colored(sys.stdout):
        return "none"
    if os.environ.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return "full"
    return "256" if "256color" in os.environ.get("TERM", "") else "16"

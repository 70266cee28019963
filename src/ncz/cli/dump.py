"""``ncz dump`` and ``ncz-dump``: the options of dump, with ncdump's letters and long names."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from ncz.cli.options import Command, common_options, examples, overwrite_option
from ncz.cli.terminal import Terminal, columns, standard_output
from ncz.errors import NczError, StoreExists

if TYPE_CHECKING:
    from ncz.cdl.print.rows import Indices
    from ncz.commands.dump import View
    from ncz.text.format_values import Precision


def _names(value: str | None) -> tuple[str, ...] | None:
    r"""The names of a list with commas; ``\,`` is a comma within a name."""
    if value is None:
        return None
    return tuple(name.replace("\\,", ",") for name in re.split(r"(?<!\\),", value))


def _whole_number(text: str, option: str) -> int:
    """A decimal number, or as ncdump takes it too a hexadecimal one."""
    if not re.fullmatch(r"[-+]?(?:0[xX][0-9a-fA-F]{1,15}|\d{1,18})", text):
        raise NczError(
            f"{text!r} is not a whole number", location=option, hint="give one, such as 80"
        )
    return int(text, 16 if "x" in text.lower() else 10)


def _precision(text: str | None) -> Precision:
    """``F``, ``F,D`` or ``,D``."""
    from ncz.text.format_values import Precision

    digits = [
        _whole_number(part, "--precision") if part else None
        for part in (text or "").split(",", maxsplit=1)
    ]
    return Precision(*digits)


def _indices(text: str | None, option: str) -> Indices | None:
    """``c`` or ``f``, from any word that begins so, as in ncdump."""
    if text is None:
        return None
    match text[:1].lower():
        case "c":
            return "c"
        case "f":
            return "f"
    raise NczError(f"{text!r} is no way to count indices", location=option, hint="give c or f")


def _extended(words: tuple[str, ...]) -> set[str]:
    letters = set("".join(words))
    if letters - {"F", "p"}:
        raise NczError(
            f"{min(letters - {'F', 'p'})!r} is not known", location="-X", hint="give F or p"
        )
    return letters


_OF_CDL_ALONE = (
    "line_length", "brief", "full", "times", "special", "fold_filters", "extended",
)  # fmt: skip
"""Options, by parameter, that say how CDL looks."""


def _view(ctx: click.Context, view: str | None) -> View:
    """The view that is asked for. Raises `click.UsageError` for an option it has no use for."""
    chosen: View = "cdl"
    match view:
        case "json" | "ncml" | "summary":
            chosen = view
    unheeded = [] if chosen == "cdl" else list(_OF_CDL_ALONE)
    if chosen in ("json", "summary"):
        unheeded.append("precision")
    if chosen == "summary":
        unheeded += ["coordinates", "variables", "groups"]
    for parameter in ctx.command.params:
        if parameter.name in unheeded and _is_given(ctx, parameter.name):
            raise click.UsageError(f"{parameter.opts[0]} is not for --{chosen}; leave it out", ctx)
    return chosen


def _is_given(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT


@contextlib.contextmanager
def _output(target: str, overwrite: bool) -> Iterator[Callable[[bytes], object]]:
    """Give what writes to standard output, or to a file that appears only if all goes well.

    A device or a pipe is written to; what replaced it would be a file.
    """
    if target == "-":
        with standard_output() as write:
            yield write
        return
    if os.path.exists(target) and not os.path.isfile(target) and not os.path.isdir(target):
        try:
            with open(target, "wb") as stream:
                yield stream.write
        except BrokenPipeError:
            raise
        except OSError as error:
            what = f"cannot write: {error.strerror or error}"
            raise NczError(what, location=target, hint="write elsewhere") from error
        return
    if os.path.lexists(target) and not overwrite:
        raise StoreExists("is there already", target, "use --overwrite to replace it")
    folder, name = os.path.split(target)
    partial = os.path.join(folder, f".ncz-{os.getpid()}-{name[:100]}.partial")
    try:
        try:
            with open(partial, "xb") as stream:
                yield stream.write
            os.replace(partial, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.remove(partial)
            raise
    except (OSError, ValueError) as error:
        if isinstance(error, NczError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise NczError(
            f"cannot write: {reason}", location=target, hint="write elsewhere"
        ) from error


@click.command(
    "dump",
    cls=Command,
    sections={
        "View": ("view", "kind"),
        "Which data": ("header_only", "coordinates", "variables", "groups"),
        "Form": ("name", "line_length", "precision", "brief", "full", "times"),
        "Storage": ("special", "fold_filters", "extended"),
        "Output": ("target", "overwrite", "jobs"),
        "Options": ("quiet", "color", "debug", "version", "help"),
    },
    epilog=examples(
        "ncz dump -h weather.zarr",
        "ncz dump -v temperature,/model/lat weather.zip",
        "ncz dump --json weather.zarr | jq .dimensions",
        'ncz-dump -s "file:///data/x.zarr#mode=nczarr,file"',
    ),
)
@click.argument("store")
@click.option("--json", "view", flag_value="json", help="As JSON, which ncz gen reads back.")
@click.option("-x", "--ncml", "view", flag_value="ncml", help="The header as NcML.")
@click.option("--summary", "view", flag_value="summary", help="At a glance, as xarray has it.")
@click.option("-k", "--kind", is_flag=True, help="Print the kind of netCDF and no more: netCDF-4.")
@click.option("-h", "--header", "header_only", is_flag=True, help="No data. Help is --help.")
@click.option("-c", "--coordinates", is_flag=True, help="Data of coordinate variables only.")
@click.option(
    "-v", "--variables", metavar="V,...", help="Data of these only: v, g/v (an end), /g/v (a path)."
)
@click.option(
    "-g", "--group", "groups", metavar="G,...", help="Data of these groups only: g, /g/h, /."
)
@click.option("-n", "--name", metavar="NAME", help="Name of the dataset, in place of the store's.")
@click.option("-l", "--line-length", metavar="N", default="80", help="Break data after N bytes.")
@click.option("-p", "--precision", metavar="F,D", help="Digits of float and double: 1 to 20.")
@click.option("-b", "--brief", metavar="c|f", help="Indices of each row, as C or Fortran counts.")
@click.option("-f", "--full", metavar="c|f", help="Indices of each value.")
@click.option("-t", "times", flag_value=" ", help="Times as dates: 2000-01-31 06:30.")
@click.option("-i", "times", flag_value="T", help="The same as ISO 8601 has it: 2000-01-31T06:30.")
@click.option("-s", "--special", is_flag=True, help="Virtual attributes: chunks, filters, ...")
@click.option("-F", "fold_filters", is_flag=True, help="With -s: all filters in _Filter.")
@click.option(
    "-X", "extended", metavar="F|p", multiple=True, help="F: _FillValue typed; p: no _NCProperties."
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(1, 256),
    metavar="N",
    help="Processes that print; else one for each core.",
)
@click.option("-o", "--output", "target", metavar="FILE", default="-", help="File; - is stdout.")
@overwrite_option
@common_options
@click.pass_context
def dump(
    ctx: click.Context,
    store: str,
    view: str | None,
    kind: bool,
    header_only: bool,
    coordinates: bool,
    variables: str | None,
    groups: str | None,
    name: str | None,
    line_length: str,
    precision: str | None,
    brief: str | None,
    full: str | None,
    times: str | None,
    special: bool,
    fold_filters: bool,
    extended: tuple[str, ...],
    jobs: int | None,
    target: str,
    overwrite: bool,
) -> None:
    """Print a store as CDL text, or another view of it.

    STORE is a path or a URL: a directory or a .zip; what it holds is found by looking. All metadata
    are printed, whatever data are asked for. Help is --help only.
    """
    chosen = _view(ctx, view)
    from ncz.cdl.print.printer import CdlOptions
    from ncz.commands.dump import DumpOptions
    from ncz.commands.dump import dump as print_store

    letters = _extended(extended)
    options = CdlOptions(
        header_only=header_only,
        coordinates=coordinates,
        variables=_names(variables),
        groups=_names(groups),
        name=name,
        line_length=_whole_number(line_length, "--line-length"),
        precision=_precision(precision),
        brief=_indices(brief, "--brief"),
        full=_indices(full, "--full"),
        special=special,
        fold_filters=fold_filters,
        properties="p" not in letters,
        typed_fill="F" in letters,
        times=times,
    )
    with _output(target, overwrite) as write:
        terminal = ctx.ensure_object(Terminal)
        width = columns() if target == "-" and sys.stdout.isatty() else None
        print_store(
            store,
            DumpOptions(cdl=options, kind=kind, view=chosen, width=width, jobs=jobs),
            write,
            terminal.notify,
        )

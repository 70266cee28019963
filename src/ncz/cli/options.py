"""Options that several commands share, and the layout of help texts.

`source` has the options of commands that read, `target` of those that create a store, `limits`
memory and threads, `dataset` several of these together, and `peer` those of netCDF's programs.

This table lists the shared options, and the letters that differ between commands:

======================  ==========================  =====================================
``-q --quiet``          all                         print no notices
``--debug``             all                         print the traceback of an error
``--trace``             all                         print what is read and written
``--color WHEN``        all                         auto, always or never
``--version``           all                         print versions, for bug reports
``--overwrite``         gen, dump, copy             replace an existing target
``--profile`` ...       all                         credentials and server of S3 URLs
``--for``               gen, copy, check            programs that must read the store
``--allow-loss``        dump, ls, copy              accept that something is lost
``--timeout``           all                         how long to wait for a server
``--follow-links``      dump, ls, copy              read links that lead out of the store
``-h``                  dump                        header only, as in ncdump
``-h``                  gen                         print help, as in ncgen
``-h``                  ls                          metadata only, as in zmapio
``-h N``                copy                        ignored: nccopy's chunk cache
``-H``                  gen                         header only, as in ncgen
======================  ==========================  =====================================

``-h`` has the meaning of netCDF's programs, so ``--help`` is the option that always prints help.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import click

from ncz.cli.terminal import Terminal, standard_input
from ncz.record import record

if TYPE_CHECKING:
    from ncz.commands.subsets import Subset
    from ncz.model.netcdf_kind import NetcdfKind
    from ncz.zmap.location import Location

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
"""A function that adds an option to a command."""

WIDTH = 80
"""Width of help texts in columns, whatever the width of the terminal."""


class Command(click.Command):
    """A command whose help lists its options in sections.

    Parameters
    ----------
    sections : mapping of str to sequence of str, optional
        The names of the parameters in each section, by title. Parameters that no section names
        are listed in the section of their `Option`, and others under "Options".
    """

    def __init__(
        self, *args: Any, sections: Mapping[str, Sequence[str]] | None = None, **keywords: Any
    ) -> None:
        settings = keywords.setdefault("context_settings", {})
        settings.setdefault("terminal_width", WIDTH)
        settings.setdefault("help_option_names", ["-h", "--help"])
        super().__init__(*args, **keywords)
        self.sections = dict(sections or {})

    def option_records(self, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
        """Return the names and the help of the options, by the titles of their sections."""
        records: dict[str, list[tuple[str, str]]] = {title: [] for title in self.sections}
        title_of = {name: title for title, names in self.sections.items() for name in names}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                own = getattr(parameter, "section", "Options")
                title = title_of.get(parameter.name or "", own)
                records.setdefault(title, []).append(record)
        return {title: rows for title, rows in records.items() if rows}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one list of options for each section, in the order of `sections`."""
        for title, rows in self.option_records(ctx).items():
            with formatter.section(title):
                formatter.write_dl(rows)


class Option(click.Option):
    """An option that is declared in one place: with its section, and how its value is parsed.

    Parameters
    ----------
    section : str
        The title of the section of the help that lists it.
    parse : callable, optional
        Turns the text that is given, and the long name of the option, into the value of a field.
    """

    def __init__(
        self,
        *args: Any,
        section: str,
        parse: Callable[[Any, str], object] | None = None,
        **keywords: Any,
    ) -> None:
        super().__init__(*args, **keywords)
        self.section = section
        self.parse = parse


def option(*names: str, section: str, **keywords: Any) -> Decorator:
    """Return a decorator that adds an `Option`."""
    return click.option(*names, cls=Option, section=section, **keywords)


def fields_given(record: type, ctx: click.Context, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record that the options of the same names set, parsed."""
    values = {name: value for name, value in given.items() if name in record.__annotations__}
    for parameter in ctx.command.params:
        if isinstance(parameter, Option) and parameter.parse and parameter.name in values:
            values[parameter.name] = parameter.parse(values[parameter.name], parameter.opts[-1])
    return values


def examples(*lines: str) -> str:
    """Return the epilog of a help text, with each example on a line of its own."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def terminal_of(ctx: click.Context) -> Terminal:
    """Return the settings of a run for messages."""
    return ctx.ensure_object(Terminal)


def _set_quiet(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    terminal_of(ctx).quiet |= value


def _set_debug(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    terminal_of(ctx).debug |= value


def _set_color(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        terminal_of(ctx).color = value


def _set_trace(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        terminal_of(ctx).trace()


def print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    """Print the versions and end the command; the callback of ``--version``."""
    if value and not ctx.resilient_parsing:
        click.echo(versions())
        ctx.exit()


def versions() -> str:
    """Return the versions of ncz and of its dependencies, one per line."""
    import platform

    from ncz._version import __version__

    lines = [f"ncz {__version__}", f"python {platform.python_version()} on {platform.system()}"]
    needed = ("numpy", "cftime", "numcodecs", "fsspec", "s3fs", "lark", "click", "rich")
    installed = _installed()
    for package in (*needed, "zlib-ng", "obstore"):
        version = installed.get(package)
        lines.append(f"{package} {version}" if version else f"{package} is not installed")
    return "\n".join(lines)


def _installed() -> dict[str, str]:
    """Return the versions of the installed packages, from the names of their metadata folders.

    `importlib.metadata`, which reads the files in them, takes as long to import as click. It is
    used only if packages are installed in a zip file.
    """
    if any(map(os.path.isfile, sys.path)):
        from importlib import metadata

        return {_normal(each.name): each.version for each in metadata.distributions()}
    found: dict[str, str] = {}
    for folder in sys.path:
        with contextlib.suppress(OSError):
            for entry in os.listdir(folder or "."):
                name, _, version = entry.rpartition(".")[0].partition("-")
                if entry.endswith((".dist-info", ".egg-info")) and version:
                    found.setdefault(_normal(name), version.partition("-")[0])
    return found


def _normal(package: str) -> str:
    """Return the name of a package as ``pip`` compares it."""
    return package.lower().replace("_", "-").replace(".", "-")


_COMMON = (
    click.option(
        "-q", "--quiet", is_flag=True, expose_value=False, callback=_set_quiet, is_eager=True,
        help="Print errors and losses only, no other notices.",
    ),
    click.option(
        "--color", type=click.Choice(["auto", "always", "never"]), metavar="WHEN",
        expose_value=False, callback=_set_color, is_eager=True,
        help="auto, always or never. auto honours NO_COLOR and FORCE_COLOR.",
    ),
    click.option(
        "--debug", is_flag=True, expose_value=False, callback=_set_debug, is_eager=True,
        help="Print the traceback of an error.",
    ),
    click.option(
        "--trace", is_flag=True, expose_value=False, callback=_set_trace, is_eager=True,
        help="Print what is read and written, with times; as NCTRACING=1.",
    ),
    click.option(
        "--version", is_flag=True, expose_value=False, callback=print_version, is_eager=True,
        help="Print the versions of ncz and of its dependencies.",
    ),
)  # fmt: skip

COMMON_NAMES = ("quiet", "color", "debug", "trace", "version", "help")
"""Names of the parameters that every command has."""


def common_options(function: Decorated) -> Decorated:
    """Add the options that every command has; the command receives no arguments for them."""
    for option in reversed(_COMMON):
        function = option(function)
    return function


def names(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Return the names of a list with commas; empty if the option is not given."""
    return tuple(name.strip() for name in (value or "").split(",") if name.strip())


def names_of(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    """Return the names of a list with commas; None if the option is not given."""
    return None if value is None else tuple(name for name in value.split(",") if name)


# Options that limit what a command uses: memory and threads.

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?i?)b?", re.IGNORECASE)


class Size(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4
    """A number of bytes: 1000, 10MB, 256MiB, 1.5G."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number of bytes."""
        if isinstance(value, int):
            return value
        match = _SIZE.fullmatch(str(value).strip())
        unit = {**_UNITS, **_BINARY}.get(match[2].lower()) if match else None
        if match is None or unit is None or float(match[1]) * unit < 1:
            self.fail(f"{value!r} is not a valid size; write 10MB or 256MiB", param, ctx)
        return int(float(match[1]) * unit)


def _budget(_: click.Context, __: click.Parameter, value: int | None) -> int | None:
    """Return the size that is given, or else the budget of S3netCDF4's configuration file."""
    from ncz.zmap.settings import read_budgets

    return read_budgets(os.environ).memory if value is None else value


memory_option = click.option(
    "--memory",
    type=Size(),
    metavar="SIZE",
    callback=_budget,
    help="Memory for data (default: 256MiB, or as ~/.s3nc.json says).",
)
"""The option ``--memory``."""

threads_option = click.option(
    "--threads",
    type=click.IntRange(1, 256),
    metavar="N",
    help="Number of threads (default: one per core).",
)
"""The option ``--threads``."""


# Options of netCDF's programs, most of which have no effect in ncz.
#
# A script written for ncgen, ncdump, nccopy or zmapio may give any of their options. An option that
# ncz can leave out without changing the result is ignored, and its help says why. An option that
# asks for something that ncz cannot write is refused with the reason; it is not listed in the help,
# but in docs/drop-in.md.

_ZARR_KINDS = ("nczarr", "zarr")
"""Values of ``-k`` for a Zarr store, which ncgen and nccopy do not have."""


def ignored(*names: str, why: str, metavar: str | None = None) -> Decorator:
    """Return a decorator that adds an option without effect.

    Parameters
    ----------
    names
        The short and long names of the option.
    why
        Why it can be ignored, for the help text.
    metavar
        The name of its value; None for an option without a value.
    """
    return click.option(
        *names,
        metavar=metavar,
        is_flag=metavar is None,
        expose_value=False,
        help=f"Ignored: {why}.",
    )


def refused(*names: str, why: str, metavar: str | None = None) -> Decorator:
    """Return a decorator that adds an option whose use is an error; `why` is the message."""

    def refuse(_: click.Context, parameter: click.Parameter, value: object) -> None:
        if value not in (None, False):
            raise click.BadParameter(f"{why}; omit {parameter.opts[0]}", param=parameter)

    return click.option(
        *names,
        metavar=metavar,
        is_flag=metavar is None,
        expose_value=False,
        hidden=True,
        callback=refuse,
    )


def kind_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of ncgen and nccopy that choose the kind of netCDF file.

    `chosen_kind` returns what they choose.
    """
    for digit, (name, kind) in reversed(_DIGITS.items()):
        function = click.option(
            f"-{digit}",
            f"--{name}",
            f"kind{digit}",
            is_flag=True,
            flag_value=kind,
            default=None,
            expose_value=False,
            callback=_choose_kind,
            help=f"Write a netCDF file of the kind {kind}.",
        )(function)
    return kind_option("-k", "--kind", "--format-kind", "kind")(function)


def kind_option(*names: str) -> Decorator:
    """Return a decorator that adds an option with the name of a kind of netCDF file."""
    return click.option(
        *names,
        metavar="KIND",
        expose_value=False,
        callback=_choose_kind,
        help="Kind of netCDF file: nc3, nc4, nc5, nc6, nc7, or as ncdump -k prints it.",
    )


_DIGITS: dict[str, tuple[str, NetcdfKind]] = {
    "3": ("classic", "classic"),
    "4": ("netcdf4", "netCDF-4"),
    "5": ("cdf5", "cdf5"),
    "6": ("64-bit-offset", "64-bit offset"),
    "7": ("netcdf4-classic", "netCDF-4 classic model"),
}
"""The options -3 to -7 of ncgen and nccopy: their long names, and the kinds that they choose."""

_CHOSEN = "ncz.netcdf_kind"


def chosen_kind() -> NetcdfKind | None:
    """Return the kind of netCDF file that the options of the command choose, or None."""
    kind: NetcdfKind | None = click.get_current_context().meta.get(_CHOSEN)
    return kind


def _choose_kind(ctx: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value is None or value.lower() in _ZARR_KINDS:
        return
    from ncz.model.netcdf_kind import KINDS, kind_of

    kind = kind_of(value)
    if kind is None:
        known = ", ".join(map(repr, KINDS))
        raise click.BadParameter(
            f"{value!r} is not a kind of netCDF file; use one of {known}", param=parameter
        )
    ctx.meta[_CHOSEN] = kind


# Options for the pieces of a new aggregation.

PIECE_NAMES = ("max_piece", "piece_lengths", "piece_format")
"""Names of the parameters that `piece_options` adds."""

_OPTIONS = (
    click.option(
        "--max-piece",
        type=Size(),
        metavar="SIZE",
        help="With --mode cfa, cfa0.4 or cf: largest size of a piece (default: 50MB).",
    ),
    click.option(
        "--pieces",
        "piece_lengths",
        metavar="SPEC",
        help="Lengths of pieces instead: dim/length,... Other dimensions are not divided.",
    ),
    click.option(
        "--piece-format",
        type=click.Choice(["netcdf", "zarr"]),
        metavar="FORMAT",
        help="Format of pieces: netcdf or zarr (default: as DST).",
    ),
)


def piece_options(function: Decorated) -> Decorated:
    """Add the options; the command receives them as ``pieces``, a `PieceOptions`."""

    @functools.wraps(function)
    def command(
        *arguments: Any,
        max_piece: int | None,
        piece_lengths: str | None,
        piece_format: Any,
        **given: Any,
    ) -> Any:
        from ncz.formats.kinds import PieceOptions

        if max_piece is not None and piece_lengths is not None:
            raise click.UsageError("--max-piece and --pieces cannot be used together")
        pieces = PieceOptions(
            largest=max_piece, lengths=_lengths(piece_lengths or ""), format=piece_format
        )
        return function(*arguments, pieces=pieces, **given)

    decorated: Any = command
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]


def _lengths(text: str) -> tuple[tuple[str, int], ...]:
    """Return the lengths by dimension, as in ``time/10,lat/90``."""
    found = []
    for part in filter(None, text.split(",")):
        name, slash, length = part.rpartition("/")
        if not (name and slash and length.isdecimal() and int(length)):
            raise click.UsageError(f"--pieces {text!r} is not valid; write dim/length,dim/length")
        found.append((name, int(length)))
    return tuple(found)


# Options of the commands that read: remote stores, reference sets, subsets, and what to ignore.

_S3 = (
    click.option("--profile", metavar="NAME", help="Profile in ~/.aws; as aws.profile=NAME."),
    click.option("--endpoint-url", metavar="URL", help="Server of s3://BUCKET/KEY."),
    click.option("--region", metavar="NAME", help="Region of the bucket."),
    click.option("--anon", is_flag=True, help="Access S3 without credentials."),
    click.option(
        "--timeout", type=click.FloatRange(0.01, 999999), metavar="SECONDS",
        help="Give up a server that does not answer for so long (default: 60).",
    ),
)  # fmt: skip

S3_NAMES = ("profile", "endpoint_url", "region", "anon", "timeout")
"""Names of the parameters that `s3_options` adds."""


@record
class S3Options:
    """The options of `s3_options`, as keys of a URL's fragment."""

    keys: Mapping[str, str]

    def locate(
        self, terminal: Terminal, text: str, *, creating: bool = False, follow_links: bool = False
    ) -> Location:
        """Parse a path or URL, add the options, and report settings that are ignored.

        The fragment of the URL takes precedence. Raises `UrlError` if the text is not valid.
        """
        from ncz.zmap.location import parse_location
        from ncz.zmap.unused_settings import ignored_settings

        keys = {
            key: value
            for key, value in self.keys.items()
            if not (creating and key.startswith("reference."))
        }
        modes = ("follow-links",) if follow_links else ()
        location = parse_location(text, modes=modes, options=keys)
        for notice in ignored_settings(location, creating=creating):
            terminal.notify_once(notice)
        return location


def s3_options(function: Decorated) -> Decorated:
    """Add the options for remote URLs; the command receives them as one argument, ``s3``."""

    @functools.wraps(function)
    def command(
        *arguments: Any,
        profile: str | None,
        endpoint_url: str | None,
        region: str | None,
        anon: bool,
        timeout: float | None,
        **given: Any,
    ) -> Any:
        if profile is not None and anon:
            raise click.UsageError("--profile and --anon cannot be used together")
        values = {
            "aws.profile": profile,
            "aws.endpoint_url": endpoint_url,
            "aws.region": region,
            "aws.anon": "true" if anon else None,
            "timeout": None if timeout is None else f"{timeout:.6f}".rstrip("0").rstrip("."),
        }
        s3 = S3Options({key: value for key, value in values.items() if value})
        return function(*arguments, s3=s3, **given)

    decorated: Any = command
    for option in reversed(_S3):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]


_REFERENCES = (
    click.option(
        "--allow-target",
        "allow_target",
        metavar="PREFIX",
        multiple=True,
        help="Let a reference set lead to files below this folder or URL, and a web server"
        " redirect to this URL. Can be repeated.",
    ),
    click.option(
        "--relative-to",
        type=click.Choice(["ref", "cwd"]),
        metavar="PLACE",
        help="Relative targets of a reference set belong to the set (ref) or the working folder"
        " (cwd).",
    ),
)

REFERENCE_NAMES = ("allow_target", "relative_to")
"""Names of the parameters that `reference_options` adds."""


def reference_options(function: Decorated) -> Decorated:
    """Add the options for reference sets; they are added to the argument ``s3`` of `s3_options`."""

    @functools.wraps(function)
    def command(
        *arguments: Any,
        s3: S3Options,
        allow_target: tuple[str, ...],
        relative_to: str | None,
        **given: Any,
    ) -> Any:
        from ncz.zmap.location import ALLOW_TARGET, RELATIVE_TO

        keys = dict(s3.keys)
        if allow_target:
            keys[ALLOW_TARGET] = " ".join(prefix.replace(" ", "%20") for prefix in allow_target)
        if relative_to:
            keys[RELATIVE_TO] = relative_to
        return function(*arguments, s3=S3Options(keys), **given)

    decorated: Any = command
    for option in reversed(_REFERENCES):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]


def _set_allow_loss(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    terminal_of(ctx).allow_loss |= value


allow_loss_option = click.option(
    "--allow-loss",
    is_flag=True,
    expose_value=False,
    callback=_set_allow_loss,
    help="Exit with 0 even if a part of the store cannot be read.",
)
"""The option ``--allow-loss`` of the commands that only read a store."""


keep_going_option = click.option(
    "--keep-going",
    is_flag=True,
    help="Skip pieces of an aggregation that cannot be read, and read fill values for them.",
)
"""The option ``--keep-going`` of the commands that read values."""

no_consolidated_option = click.option(
    "--no-consolidated",
    is_flag=True,
    help="Ignore consolidated metadata; read the documents of groups and arrays.",
)
"""The option ``--no-consolidated`` of the commands that read the documents of a store."""

follow_links_option = click.option(
    "--follow-links",
    is_flag=True,
    help="Follow links that lead out of the store; only for stores that you trust.",
)
"""The option ``--follow-links`` of the commands that read a store."""

_SUBSETS = (
    click.option(
        "--isel",
        metavar="DIM=SLICE",
        multiple=True,
        help="Use these indices of a dimension only: time=0:10:2, x=-1.",
    ),
    click.option(
        "--sel",
        metavar="DIM=LOW:HIGH",
        multiple=True,
        help="Use these values of a coordinate only: lat=40:60, time=2026-01:2026-03.",
    ),
)

SUBSET_NAMES = ("isel", "sel")
"""Names of the parameters that `subset_options` adds."""


def subset_options(function: Decorated) -> Decorated:
    """Add the options; the command receives them as one argument, ``subset``."""

    @functools.wraps(function)
    def command(*arguments: Any, isel: tuple[str, ...], sel: tuple[str, ...], **given: Any) -> Any:
        return function(*arguments, subset=_subset(isel, sel), **given)

    decorated: Any = command
    for option in reversed(_SUBSETS):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]


def _subset(isel: tuple[str, ...], sel: tuple[str, ...]) -> Subset | None:
    if not (isel or sel):
        return None
    from ncz.commands.subsets import Subset

    return Subset(isel=isel, sel=sel)


def located(
    text: str, s3: S3Options, terminal: Terminal, *, follow_links: bool = False
) -> Location | str | BinaryIO:
    """Return the location of a source, or CDL text: a path of it, or standard input for ``-``."""
    from ncz.commands.sources import is_cdl

    if text == "-":
        return standard_input()
    return text if is_cdl(text) else s3.locate(terminal, text, follow_links=follow_links)


# The options of commands that describe or compare whole datasets, together.

DATASET_SECTIONS = {
    "Limits": ("memory", "threads", "allow_loss"),
    "Remote stores": S3_NAMES,
    "Reference sets": REFERENCE_NAMES,
    "Options": COMMON_NAMES,
}
"""The sections of the help that list the options of `dataset_options`, but for subsets."""


def dataset_options(function: Decorated) -> Decorated:
    """Add the options; the command receives ``s3``, ``subset``, ``memory`` and ``threads``."""
    function = s3_options(reference_options(common_options(function)))
    return memory_option(threads_option(allow_loss_option(subset_options(function))))


# Options of the commands that create a store.

audience_option = click.option(
    "--for",
    "audience",
    metavar="READER,...",
    callback=names,
    envvar="NCZ_FOR",
    help="Write what these programs read: xarray, netcdf-c, zarr-python, zarr-python-2,"
    " tensorstore, zarrs, zarrita, gdal.",
)
"""The option ``--for`` of the commands that create a store."""


def audience_of(target: object, modes: Sequence[str]) -> tuple[str, ...]:
    """Return the readers for whom a command writes a new store.

    They are those of ``--for``, or else of NCZ_FOR or ncz's own file, as far as the target is a
    Zarr store whose form its modes leave open.

    Parameters
    ----------
    target
        The location of the target, or what else the command writes to.
    modes
        The modes that options add to those of the location.
    """
    from ncz.formats.kinds import CreateOptions
    from ncz.formats.opening import is_name_of_set, target_format
    from ncz.zmap.location import Location

    ctx = click.get_current_context()
    if ctx.get_parameter_source("audience") is click.core.ParameterSource.COMMANDLINE:
        given: tuple[str, ...] = ctx.params["audience"]
        return given
    if not isinstance(target, Location):
        return ()
    target = target.with_modes(modes)
    if target.modes & {"nczarr", "zarr", "v2", "v3"}:
        return ()
    if not is_name_of_set(target):
        form = target_format(target, CreateOptions(kind=chosen_kind()))
        if not form.is_stored_in_zmap:
            return ()
    from ncz.zmap.settings import usual_readers

    return names(ctx, ctx.command.params[0], usual_readers(os.environ))


class _SwitchOption(click.Option):
    """A flag whose environment variable turns it on or off; in click 8.2 any value turns it on."""

    def resolve_envvar_value(self, ctx: click.Context) -> str | None:
        """Return the value of the environment variable, or None if it is not set or empty."""
        return click.Parameter.resolve_envvar_value(self, ctx)


overwrite_store_option = click.option(
    "--overwrite",
    cls=_SwitchOption,
    is_flag=True,
    envvar="NCZ_OVERWRITE",
    help="Replace the target if it already exists and is a store. NCZ_OVERWRITE=1 does the same.",
)
"""The option ``--overwrite`` of commands that create a store.

ncgen and nccopy replace their target without being asked. Scripts written for them need not change:
they can set the environment variable.
"""

zarr_format_option = click.option(
    "--zarr-format",
    type=click.Choice(["2", "3"]),
    metavar="N",
    help="Zarr version to write: 2 (the default) or 3.",
)
"""The option ``--zarr-format`` of the commands that create a store."""

annotations_option = click.option(
    "--no-annotations",
    "annotations",
    flag_value=False,
    default=True,
    help="In pure Zarr, do not note beside consolidated metadata what pure Zarr cannot say.",
)
"""The option ``--no-annotations`` of the commands that create a store."""

char_option = click.option(
    "--char",
    type=click.Choice([">S1", "|S1"]),
    metavar="DTYPE",
    help="dtype of char: >S1 (netCDF-C) or |S1 (zarr-python).",
)

shards_option = click.option(
    "--shards",
    metavar="SPEC",
    multiple=True,
    help="Shard lengths in Zarr V3: dim/length,dim/,... or var:length,... or / for one shard"
    " each, or none.",
)
"""The option ``--shards`` of the commands that create a store."""

truncate_option = click.option(
    "--truncate-strings",
    is_flag=True,
    help="Truncate strings that are longer than _nczarr_maxstrlen, with a notice.",
)
"""The option ``--truncate-strings`` of the commands that create a store."""


STORE_NAMES = ("audience", "zarr_format", "annotations", "char", "shards", "truncate_strings")
"""Names of the parameters of the options that choose the form of a new store."""


inline_option = click.option(
    "--inline",
    type=click.IntRange(0, 8 << 20),
    metavar="N",
    help="In a reference set: hold objects of up to N bytes in the set (default: 500).",
)

record_size_option = click.option(
    "--record-size",
    type=click.IntRange(1, 10_000_000),
    metavar="N",
    help="In a reference set in Parquet: chunks in each file (default: 10000).",
)

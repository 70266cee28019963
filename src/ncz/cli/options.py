"""Options that several commands share, and the layout of help texts.

This table lists the shared options, and the letters that differ between commands:

======================  ==========================  =====================================
``-q --quiet``          all                         print no notices
``--debug``             all                         print the traceback of an error
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

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ncz.cli.terminal import Terminal
from ncz.record import record

if TYPE_CHECKING:
    from ncz.commands.subsets import Subset

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
        are listed under "Options".
    """

    def __init__(
        self, *args: Any, sections: Mapping[str, Sequence[str]] | None = None, **keywords: Any
    ) -> None:
        keywords.setdefault("context_settings", {}).setdefault("terminal_width", WIDTH)
        super().__init__(*args, **keywords)
        self.sections = dict(sections or {})

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one list of options for each section, in the order of `sections`."""
        records: dict[str, list[tuple[str, str]]] = {title: [] for title in self.sections}
        title_of = {name: title for title, names in self.sections.items() for name in names}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                title = title_of.get(parameter.name or "", "Options")
                records.setdefault(title, []).append(record)
        for title, rows in records.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def examples(*lines: str) -> str:
    """Return the epilog of a help text, with each example on a line of its own."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def _terminal(ctx: click.Context) -> Terminal:
    return ctx.ensure_object(Terminal)


def _set_quiet(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    _terminal(ctx).quiet |= value


def _set_debug(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    _terminal(ctx).debug |= value


def _set_color(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        _terminal(ctx).color = value


def _print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(versions())
        ctx.exit()


def versions() -> str:
    """Return the versions of ncz and of its dependencies, one per line."""
    import platform
    from importlib import metadata

    from ncz._version import __version__

    lines = [f"ncz {__version__}", f"python {platform.python_version()} on {platform.system()}"]
    needed = ("numpy", "cftime", "numcodecs", "fsspec", "s3fs", "lark", "click", "rich")
    for package in (*needed, "zlib-ng", "obstore"):
        try:
            lines.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            lines.append(f"{package} is not installed")
    return "\n".join(lines)


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
        "--version", is_flag=True, expose_value=False, callback=_print_version, is_eager=True,
        help="Print the versions of ncz and of its dependencies.",
    ),
)  # fmt: skip

COMMON_NAMES = ("quiet", "color", "debug", "version", "help")
"""Names of the parameters that every command has."""


def common_options(function: Decorated) -> Decorated:
    """Add the options that every command has; the command receives no arguments for them."""
    for option in reversed(_COMMON):
        function = option(function)
    return function


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
    ) -> str:
        """Return a path or URL with the options added, after notices about ignored settings.

        The fragment of the URL takes precedence. Raises `UrlError` if the text is not valid.
        """
        from ncz.zmap.location import parse_location
        from ncz.zmap.settings.notices import ignored_settings

        keys = {
            key: value
            for key, value in self.keys.items()
            if not (creating and key.startswith("reference."))
        }
        modes = ("follow-links",) if follow_links else ()
        location = parse_location(text, modes=modes, options=keys)
        for notice in ignored_settings(location, creating=creating):
            terminal.notify_once(notice)
        return location.exact if modes or (self.keys and location.options) else text


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
        help="Let a reference set lead to files below this folder or URL. Can be repeated.",
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
        from ncz.zmap.fragment import ALLOW_TARGET, RELATIVE_TO

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


def _names(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (value or "").split(",") if name.strip())


def names_of(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    """Return the names of a list with commas; None if the option is not given."""
    return None if value is None else tuple(name for name in value.split(",") if name)


audience_option = click.option(
    "--for",
    "audience",
    metavar="READER,...",
    callback=_names,
    help="Write what these programs read: xarray, netcdf-c, zarr-python, zarr-python-2,"
    " tensorstore, zarrs, zarrita, gdal.",
)
"""The option ``--for`` of the commands that create a store."""


checked_readers_option = click.option(
    "--for",
    "audience",
    metavar="READER,...",
    callback=_names,
    help="Report as errors what these programs do not read: xarray, netcdf-c, zarr-python,"
    " zarr-python-2, tensorstore, zarrs, zarrita, gdal.",
)
"""The option ``--for`` of ``ncz check``."""


def _set_allow_loss(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    _terminal(ctx).allow_loss |= value


allow_loss_option = click.option(
    "--allow-loss",
    is_flag=True,
    expose_value=False,
    callback=_set_allow_loss,
    help="Exit with 0 even if a part of the store cannot be read.",
)
"""The option ``--allow-loss`` of the commands that only read a store."""

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

overwrite_option = click.option(
    "--overwrite", is_flag=True, help="Replace the target if it already exists."
)
"""The option ``--overwrite`` of commands that write a file."""


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

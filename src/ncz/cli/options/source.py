"""Options of the commands that read: remote stores, reference sets, subsets, and what to ignore."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from ncz.cli.options import Decorated, terminal_of
from ncz.cli.terminal import Terminal, standard_input
from ncz.record import record

if TYPE_CHECKING:
    from ncz.commands.subsets import Subset

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


def located(text: str, s3: S3Options, terminal: Terminal) -> str | BinaryIO:
    """Return a path or URL with the options of remote stores, or standard input for ``-``."""
    from ncz.commands.sources import is_cdl

    if text == "-":
        return standard_input()
    return text if is_cdl(text) else s3.locate(terminal, text)

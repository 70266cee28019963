"""Options of the commands that read: remote stores, reference sets, and what to ignore."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import click

from ncz.cli.options import option, together
from ncz.cli.spellings import SIZE, Number, integer, spelling, split_names
from ncz.cli.terminal import standard_input, terminal_of

if TYPE_CHECKING:
    from ncz.commands.keyword_groups import SelectionKeywords
    from ncz.model.selection import Selection
    from ncz.zmap.location import Location


_remote_option = functools.partial(option, section="Remote stores")

s3_options = together(
    _remote_option("--profile", metavar="NAME", help="Profile in ~/.aws; as aws.profile=NAME."),
    _remote_option("--endpoint-url", metavar="URL", help="Server of s3://BUCKET/KEY."),
    _remote_option("--region", metavar="NAME", help="Region of the bucket."),
    _remote_option("--anon", is_flag=True, help="Access S3 without credentials."),
    _remote_option(
        "--requester-pays", is_flag=True, help="Pay for requests, if an S3 bucket requires it."
    ),
    _remote_option(
        "--timeout", type=Number(0.01, 999999), metavar="SECONDS",
        help="Give up on a server that does not answer in this time (default: 60).",
    ),
)  # fmt: skip
"""The options for remote URLs, which `locate` uses."""

S3_NAMES = ("profile", "endpoint_url", "region", "anon", "requester_pays", "timeout")
"""Names of the parameters that `s3_options` adds."""

reference_options = together(
    option(
        "--allow-target",
        "allow_target",
        section="Reference sets",
        metavar="PREFIX",
        multiple=True,
        help="Let reference sets and redirects lead below this folder or URL. Can be repeated.",
    ),
    option(
        "--relative-to",
        section="Reference sets",
        type=click.Choice(["ref", "cwd"]),
        metavar="PLACE",
        help="Folder of relative targets: of the reference set (ref), or the working one (cwd).",
    ),
)
"""The options for reference sets, which `locate` uses."""

REFERENCE_NAMES = ("allow_target", "relative_to")
"""Names of the parameters that `reference_options` adds."""


def location_keys(ctx: click.Context) -> dict[str, str]:
    """Return the options for remote URLs and reference sets as keys of a URL's fragment."""
    from ncz.zmap.fragment import ALLOW_TARGET, RELATIVE_TO

    values = ctx.params
    timeout: float | None = values["timeout"]
    keys = {
        "aws.profile": values["profile"],
        "aws.endpoint_url": values["endpoint_url"],
        "aws.region": values["region"],
        "aws.anon": "true" if values["anon"] else None,
        "aws.requester_pays": "true" if values["requester_pays"] else None,
        "timeout": None if timeout is None else f"{timeout:.6f}".rstrip("0").rstrip("."),
        ALLOW_TARGET: " ".join(
            prefix.replace(" ", "%20") for prefix in values.get("allow_target", ())
        ),
        RELATIVE_TO: values.get("relative_to"),
    }
    return {key: value for key, value in keys.items() if value}


def locate(ctx: click.Context, text: str, *, creating: bool = False) -> Location:
    """Parse a path or URL, add options, and report settings that are ignored.

    The fragment of the URL takes precedence; its key ``log`` is ``--trace``. Raises `UrlError` if
    the text is not valid.
    """
    from ncz.zmap.fragment import LOG
    from ncz.zmap.location import parse_location

    keys = location_keys(ctx)
    if creating:
        keys = {key: value for key, value in keys.items() if not key.startswith("reference.")}
    follows = not creating and ctx.params.get("follow_links")
    location = parse_location(text, modes=("follow-links",) if follows else (), options=keys)
    if LOG in location.options and not terminal_of(ctx).traces:
        terminal_of(ctx).trace()
    if creating or location.is_s3:
        from ncz.zmap.ignored_settings import ignored_settings

        for notice in ignored_settings(location, creating=creating):
            terminal_of(ctx).notify_once(notice)
    return location


def _set_allow_loss(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    terminal_of(ctx).allow_loss |= value


allow_loss_option = option(
    "--allow-loss",
    section="Output",
    is_flag=True,
    expose_value=False,
    callback=_set_allow_loss,
    help="Exit with 0 even if a part of the store cannot be read.",
)
"""The option ``--allow-loss`` of the commands that only read a store."""


follow_links_option = option(
    "--follow-links",
    section="Input",
    is_flag=True,
    help="Follow links that lead out of the store; only for stores that you trust.",
)
"""The option ``--follow-links`` of the commands that read a store."""


def locate_source(ctx: click.Context, text: str) -> Location | BinaryIO:
    """Return the location of a source, or the CDL text on standard input for ``-``."""
    return standard_input() if text == "-" else locate_dataset(ctx, text)


def locate_dataset(ctx: click.Context, text: str) -> Location:
    """Return the location of a dataset to read, or of the only match of a pattern."""
    return locate(ctx, only_match(ctx, text))


def only_match(ctx: click.Context, text: str) -> str:
    """Return the only match of a pattern that no shell has expanded, and other texts unchanged."""
    if {*"*?["}.isdisjoint(text):
        return text
    from ncz.commands.copy.expanded_sources import expand_sources

    matches = expand_sources(text, False, lambda url: locate(ctx, url))
    return matches[0] if len(matches) == 1 else text


dataset_options = together(s3_options, reference_options, allow_loss_option)
"""The options of commands that describe or compare whole datasets."""


def _indices(texts: Sequence[str]) -> object:
    from ncz.commands.subsets.spelling import parse_indices

    return parse_indices(texts)


def _values(texts: Sequence[str]) -> object:
    from ncz.commands.subsets.spelling import parse_values

    return parse_values(texts)


VARIABLES = {
    "variables": spelling(
        "-v",
        "--variables",
        metavar="VAR,...",
        section="Selection",
        repeats=True,
        parse=split_names,
        common=True,
        completes="variables",
    ),
}
"""The variables that a command is about."""

SELECTION = {
    "isel": spelling(
        "--isel",
        metavar="DIM=SLICE,...",
        repeats=True,
        gather=_indices,
        section="Selection",
        common=True,
        completes="selection",
        help="Only these indices: time=0:10:2, x=-1, y=0,1,11.",
    ),
    "sel": spelling(
        "--sel",
        metavar="DIM=LOW:HIGH,...",
        repeats=True,
        gather=_values,
        section="Selection",
        common=True,
        completes="selection",
        help="Only these coordinates: lat=40:60,lon=-10:10. Also parts of dates: time=2026-01.",
    ),
    "nearest": spelling(
        "--nearest",
        section="Selection",
        help="With --sel DIM=VALUE, use the coordinate that is nearest to the value.",
    ),
    "vars": spelling(
        "--vars",
        metavar="GLOB,...",
        section="Selection",
        repeats=True,
        parse=split_names,
        common=True,
        completes="variables",
    ),
    "exclude": spelling(
        "--exclude",
        metavar="GLOB,...",
        section="Selection",
        repeats=True,
        parse=split_names,
        completes="variables",
    ),
}
"""The part of a dataset to use."""

LIMITS = {
    "memory": spelling(
        "--memory",
        metavar="SIZE",
        values=SIZE,
        section="Limits",
        help="Memory for data (default: a quarter of free memory, 256MiB to 4GiB).",
    ),
    "threads": spelling("--threads", metavar="N", values=integer(1, 256), section="Limits"),
}

KEEP_GOING = {"keep_going": spelling("--keep-going", section="Output")}

NO_CONSOLIDATED = {
    "consolidated": spelling(
        "--no-consolidated",
        section="Input",
        help="Ignore consolidated metadata; read the documents of groups and arrays.",
    )
}


def take_selection(given: dict[str, Any]) -> Selection | None:
    """Remove the arguments of `SELECTION` from those given, and return the selection."""
    from ncz.commands.selected_part import selected_part

    part = {name: given.pop(name) for name in SELECTION if name in given}
    return selected_part(cast("SelectionKeywords", part))

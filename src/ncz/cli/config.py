"""``ncz config``: the current settings, and where they come from."""

from __future__ import annotations

from typing import Any

import click

from ncz.cli.command import command
from ncz.cli.options import json_option
from ncz.cli.source_options import locate, location_keys, s3_options
from ncz.cli.terminal import print_json, print_lines, visible


@command(
    "config",
    "ncz config",
    "ncz config s3://bucket/key",
    "ncz config --json s3://alias/bucket/key",
)
@click.argument("url", metavar="[URL]", required=False)
@json_option("Print the settings as JSON.")
@s3_options
def config(ctx: click.Context, /, url: str | None, as_json: bool, **_: Any) -> None:
    """Print the current settings, their values, and where they come from.

    A setting comes from an option, the fragment of the URL, an environment variable, or the line of
    a file. With the URL of an S3 store, its server, region, limits, and the source of its
    credentials follow. Secrets are never printed.
    """
    from ncz.commands.config import settings

    if url is not None:
        locate(ctx, url)  # reports ignored settings
    found = list(settings(url, options=location_keys(ctx)))
    if as_json:
        print_json(
            [{"name": s.name, "value": s.value, "source": s.source} for s in found], indent=1
        )
        return
    names, values = [visible(s.name) for s in found], [visible(s.value) for s in found]
    first, second = max(map(len, names)), max(map(len, values))
    print_lines(
        f"{name:{first}}  {value:{second}}  {setting.source}"
        for name, value, setting in zip(names, values, found, strict=True)
    )

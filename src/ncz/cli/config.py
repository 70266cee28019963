"""``ncz config``: the settings in force, and where they come from."""

from __future__ import annotations

import json

import click

from ncz.cli.options import Command, S3Options, common_options, examples, json_option, s3_options
from ncz.cli.terminal import Terminal, pass_terminal, standard_output, visible


@click.command(
    "config",
    cls=Command,
    epilog=examples(
        "ncz config",
        "ncz config s3://bucket/key",
        "ncz config --json s3://alias/bucket/key",
    ),
)
@click.argument("url", metavar="[URL]", required=False)
@json_option("Print the settings as JSON.")
@s3_options
@common_options
@pass_terminal
def config(terminal: Terminal, url: str | None, as_json: bool, s3: S3Options) -> None:
    """Print the settings in force, their values, and where they come from.

    A setting comes from an option, the fragment of the URL, an environment variable, or the line of
    a file. With the URL of an S3 store, its server, region, limits, and the source of its
    credentials follow. Secrets are never printed.
    """
    from ncz.commands.config import settings

    if url is not None:
        s3.locate(terminal, url)  # reports what is ignored
    found = list(settings(url, options=s3.keys))
    with standard_output() as write:
        if as_json:
            rows = [{"name": s.name, "value": s.value, "source": s.source} for s in found]
            write((json.dumps(rows, indent=1) + "\n").encode())
            return
        widths = [max(len(visible(text)) for text in column) for column in (
            [s.name for s in found], [s.value for s in found],
        )]  # fmt: skip
        for setting in found:
            name, value = visible(setting.name), visible(setting.value)
            line = f"{name:{widths[0]}}  {value:{widths[1]}}  {visible(setting.source)}"
            write(line.encode("utf-8", "surrogateescape") + b"\n")

"""Write docs/reference.md from the commands themselves: ``make docs``; a test compares the two."""

from __future__ import annotations

from pathlib import Path

import click

import ncz.cli

HEAD = """\
# Reference

Made by `make docs` from the commands; do not edit.

Four commands are programs too: `ncz-gen`, `ncz-dump`, `ncz-ls` and `ncz-copy`. Help is `--help`
alone, because `-h` is ncdump's "header only".

**Where a store is.** A path, or a URL `protocol://host/path#mode=...`. What lies there is found by
looking, so no mode is needed to read. When a store is made, the suffix `.zip` makes a zip file,
anything else a directory, and NCZarr (Zarr V2) is what is written. Modes say otherwise: `zarr`
(pure Zarr), `v3` (Zarr V3), `noxarray` (no names of dimensions), `consolidated` (consolidated
metadata too), `file`, `zip`.

**Streams.** `-` is standard input. Standard output carries data alone; notices and errors go to
standard error, each on one line: `ncz: where: what; what to do`.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | an error; nothing half made is left behind |
| 2 | wrong usage |
| 130, 143 | interrupted (Ctrl-C), terminated |
| 141 | the reader of a pipe went away |

| variable | effect |
|---|---|
| `NO_COLOR` | not empty: no colour |
| `FORCE_COLOR` | not empty and not 0: colour in pipes too |
| `TMPDIR` | where text from a pipe is kept while it is read, a re-cut in two passes, a zip for S3 |
"""


def reference() -> str:
    """The whole text of docs/reference.md."""
    parts = [HEAD]
    for name in ncz.cli.ncz.list_commands(click.Context(ncz.cli.ncz)):
        command = ncz.cli.load(name)
        context = click.Context(command, info_name=f"ncz {name}", terminal_width=80)
        parts.append(f"## ncz {name}\n\n```\n{command.get_help(context).rstrip()}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    Path(__file__).with_name("reference.md").write_text(reference(), encoding="utf-8")

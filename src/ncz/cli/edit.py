"""``ncz edit``: change attributes and names of an existing store."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from ncz.cli.command import Command, command
from ncz.cli.line_order import is_place
from ncz.cli.name_options import name_options
from ncz.cli.options import is_given, json_option
from ncz.cli.source_options import locate, s3_options
from ncz.cli.spellings import arguments_of, choice, spelling
from ncz.cli.terminal import print_json, print_lines, terminal_of
from ncz.commands.edit.command import changes_of_copy, make_changes, sources_elsewhere
from ncz.commands.edit.command import edit as edit_store
from ncz.commands.edit.request import parse_delete, parse_remove, parse_rename, parse_set
from ncz.errors import Callbacks
from ncz.formats.edits import Migration

if TYPE_CHECKING:
    from ncz.formats.edits import Change, Request

_PARSE: Mapping[str, Callable[[str], Request]] = {
    "remove": parse_remove,
    "delete": parse_delete,
    "rename": parse_rename,
    "set": parse_set,
    "zarr_format": lambda text: Migration(int(text)),
}
"""The parsers of the values of options; changes are made in the order of the command line."""

SPELLINGS = {
    "remove": spelling(
        "--remove",
        metavar="VAR",
        repeats=True,
        section="Changes",
        common=True,
        help="Remove a variable or group.",
    ),
    "delete": spelling(
        "--delete",
        metavar="VAR:ATT",
        repeats=True,
        section="Changes",
        common=True,
        help="Delete an attribute.",
    ),
    **name_options(common=True),
    "zarr_format": spelling(
        "--zarr-format",
        metavar="N",
        values=choice("3"),
        section="Changes",
        common=True,
    ),
    "move_sources": spelling(
        "--move-sources",
        metavar="OLD=NEW",
        section="Changes",
        common=True,
        help="Change the folder or URL OLD of referenced files to NEW. No file is moved.",
    ),
    "output": spelling(
        "-o",
        "--output",
        metavar="TARGET",
        section="Output",
        common=True,
        help="Write a changed copy to TARGET, and leave STORE unchanged.",
    ),
    "overwrite": spelling(
        "--overwrite", section="Output", help="With -o: replace TARGET if it exists."
    ),
    "dry_run": spelling(
        "--dry-run",
        section="Output",
        common=True,
        help="Print the changes, and change nothing.",
    ),
}


class _OrderedCommand(Command):
    """A command that keeps the order of its options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; see `click.Command.parse_args`."""
        args = _of_ncatted(_of_two_names(args))
        rest = super().parse_args(ctx, list(args))
        if not ctx.resilient_parsing:
            _, _, given = self.make_parser(ctx).parse_args(self.in_own_words(ctx, args))
            ctx.meta[__name__] = tuple(p.name for p in given if p.name in _PARSE)
        return rest


def _of_two_names(args: list[str]) -> list[str]:
    """Return the words with ``--rename OLD=NEW`` for ``--rename OLD NEW``."""
    words: list[str] = []
    rest = list(args)
    while rest:
        word = rest.pop(0)
        words.append(word)
        has_names = len(rest) > 1 and all(re.fullmatch(r"[^=:\s-][^=:\s]*", w) for w in rest[:2])
        if word == "--rename" and has_names and not any(map(is_place, rest[:2])):
            words.append(f"{rest.pop(0)}={rest.pop(0)}")
    return words


_MODES = {"--append": "a", "--prepend": "p", "--modify": "m"}
"""Options for changes of existing values of an attribute, and their modes in ncatted."""


def _of_ncatted(args: list[str]) -> list[str]:
    """Return the words with assignments for ``--append ATT=MORE`` and for ``-a`` of ncatted."""
    store = next((word for word in args if is_place(word)), None)
    words: list[str] = []
    changes: list[str] = []
    rest = list(args)
    while rest:
        word = rest.pop(0)
        text = rest[0] if rest else ""
        if word in _MODES and "=" in text:
            place, _, value = text.partition("=")
            owner, _, name = place.replace("@", ":").rpartition(":")
            text = f"{name},{owner or 'global'},{_MODES[word]},c,{value}"
        elif word != "-a" or text.count(",") < _COMMAS or "=" in text.partition(",")[0]:
            words.append("--set" if word == "-a" and "=" in text else word)
            continue
        from ncz.cli.programs.operators import line_of

        line = None if store is None else line_of("ncatted", ["-a", text, store])
        if line is None:
            words.append(word)
        else:
            changes += line[2:]
            del rest[0]
    return [*words, *changes]


_COMMAS = 2
"""The commas of the shortest value of ``-a``."""


@command(
    "edit",
    "ncz edit weather.zarr --set 'temperature:units = \"K\"'",
    "ncz edit weather.zip --delete :history --rename lat:name=lat:long_name",
    "ncz edit weather.zarr --remove pressure --rename dimension\\ x=lon",
    "ncz edit --dry-run s3://bucket/key --set ':levels = 1s, 2s'",
    cls=_OrderedCommand,
)
@click.argument("store", metavar="STORE")
@click.argument("assignments", metavar="[VAR:ATT=VALUES]...", nargs=-1)
@arguments_of(edit_store, SPELLINGS)
@json_option("Print the changes as JSON.")
@s3_options
def edit(
    ctx: click.Context,
    /,
    store: str,
    assignments: tuple[str, ...],
    as_json: bool,
    **values: Any,
) -> None:
    """Change attributes and names in a store or a netCDF file, completely or not at all.

    VAR is a variable or a group, such as /g/v; without VAR, the attribute is global. An argument
    VAR:ATT=VALUES means the same as in --set. Options can be repeated. Changes are made in
    the order of the options; arguments come last.
    """
    from ncz.cli.progress import ProgressBar

    values["set"] += assignments
    elsewhere = values["move_sources"]
    if elsewhere is None and not any(values[name] for name in _PARSE):
        raise click.UsageError("nothing to change; use --set, --delete, --rename or --remove")
    terminal, dry_run = terminal_of(ctx), values["dry_run"]
    location = locate(ctx, store)
    output = values["output"] and locate(ctx, values["output"], creating=True)
    if output is not None and elsewhere is not None:
        raise click.UsageError("--move-sources and -o cannot be used together")
    if output is None and is_given(ctx, "overwrite"):
        raise click.UsageError("--overwrite can only be used with -o; STORE is changed in place")
    waiting = {name: iter(values[name] or ()) for name in _PARSE}
    order = (*ctx.meta[__name__], *["set"] * len(assignments))
    requests = [_PARSE[name](next(waiting[name])) for name in order]
    with ProgressBar(terminal) as progress:
        callbacks = Callbacks(terminal.notify, progress)
        if output is not None:
            changes = changes_of_copy(
                location, output, requests, callbacks, overwrite=values["overwrite"],
                dry_run=dry_run,
            )  # fmt: skip
        elif elsewhere is not None:
            changes = sources_elsewhere(location, elsewhere, requests, callbacks, dry_run=dry_run)
        else:
            changes = make_changes(location, requests, callbacks, dry_run=dry_run)
    if as_json:
        rows = [
            {
                "kind": c.kind,
                "node": f"/{c.node}",
                "name": c.name,
                "before": c.before,
                "after": c.after,
            }
            for c in changes
        ]
        print_json({"dry_run": dry_run, "changes": rows})
    elif dry_run:
        print_lines(map(_line, changes))


def _line(change: Change) -> str:
    if change.kind == "zarr_format":
        return f"would change the version of Zarr from {change.before} to {change.after}"
    if change.kind == "source":
        return f"would refer to {change.after} instead of {change.before}"
    if change.kind != "attribute":
        verb = "remove" if change.after is None else "rename"
        to = "" if change.after is None else f" to {change.after}"
        return f"would {verb} {change.kind} {change.before}{to}"
    place = f"/{change.node}:{change.name}"
    if change.after is None:
        return f"would delete {place} (was {change.before})"
    was = "" if change.before is None else f" (was {change.before})"
    return f"would set {place} = {change.after}{was}"

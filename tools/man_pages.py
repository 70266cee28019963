"""Manual pages of ncz and its commands, from the same help texts as docs/reference/commands.md.

The wheel has them in share/man/man1, where `tools.man_hook` puts them. A library that makes
pages from click's commands exists (click-man), but its pages have neither the sections of our help,
nor examples, nor exit codes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

import ncz.cli
from ncz._version import __version__
from ncz.cli.command import Command
from ncz.cli.options import ALL_HELP

EXIT_CODES = (
    ("0", "Success; nothing was lost."),
    ("1", "An error, a loss, or something was found."),
    ("2", "Wrong usage."),
    ("130, 143", "Interrupted, or terminated."),
)


def pages() -> dict[str, str]:
    """Return the text of each page by its file name, such as ``ncz-dump.1``."""
    group = ncz.cli.ncz
    context = click.Context(group, info_name="ncz", **group.context_settings)
    names = group.list_commands(context)
    found = {"ncz.1": _page("ncz", group, context, tuple(f"ncz-{name}" for name in names))}
    for name in names:
        command = ncz.cli.load(name)
        of = click.Context(command, info_name=f"ncz {name}", **command.context_settings)
        of.meta[ALL_HELP] = True
        found[f"ncz-{name}.1"] = _page(f"ncz-{name}", command, of, ("ncz",))
    return found


def _page(title: str, command: click.Command, context: click.Context, see: tuple[str, ...]) -> str:
    summary = command.get_short_help_str(limit=200).rstrip(".")
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [
        f'.TH "{title.upper()}" "1" "" "ncz {__version__}" "ncz"',
        ".SH NAME",
        f"{_escaped(title)} \\- {_escaped(summary)}",
        ".SH SYNOPSIS",
        f"\\fB{_escaped(context.command_path)}\\fR {_escaped(usage)}",
        ".SH DESCRIPTION",
        *_paragraphs(command.help or ""),
    ]
    if isinstance(command, click.Group):
        lines += [".SH COMMANDS"]
        for name, (_, text) in ncz.cli.COMMANDS.items():
            lines += [".TP", f"\\fB{_escaped(name)}\\fR", _escaped(text)]
    for heading, options in _sections(command, context):
        lines.append(f".SH {heading.upper()}")
        for names, text in options:
            lines += [".TP", f"\\fB{_escaped(names)}\\fR", _escaped(text)]
    lines += [".SH EXIT STATUS"]
    for code, text in EXIT_CODES:
        lines += [".TP", f"\\fB{code}\\fR", text]
    examples = re.findall(r"^  (\S.*)$", command.epilog or "", re.MULTILINE)
    if examples:
        lines += [".SH EXAMPLES", ".nf", *map(_escaped, examples), ".fi"]
    lines += [".SH SEE ALSO", ", ".join(f"\\fB{_escaped(name)}\\fR(1)" for name in see)]
    return "\n".join(lines) + "\n"


def _sections(
    command: click.Command, context: click.Context
) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield the heading of each section of options, and its options with their help."""
    if isinstance(command, Command):
        yield from command.option_records(context).items()
        return
    records = [p.get_help_record(context) for p in command.get_params(context)]
    yield "Options", [record for record in records if record is not None]


def _paragraphs(text: str) -> Iterator[str]:
    for number, paragraph in enumerate(text.split("\n\n")):
        if number:
            yield ".PP"
        yield _escaped(" ".join(paragraph.replace("\b", "").split()))


def _escaped(text: str) -> str:
    """Return text without requests and escapes of roff."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text

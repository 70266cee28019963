"""Options for other names and attributes, in a dataset or in its copy."""

from __future__ import annotations

from ncz.cli.spellings import Spelling, spelling


def name_options(*, common: bool) -> dict[str, Spelling]:
    """Return the spellings of the arguments; ``--help`` shows them if they are `common`."""
    return {
        "rename": spelling(
            "--rename",
            metavar="OLD=NEW",
            repeats=True,
            section="Changes",
            common=common,
            help="Rename an attribute (VAR:A=VAR:B), a variable and the dimension of its name, or a"
            " group; 'variable A=B' and 'dimension A=B' rename only one of the two.",
        ),
        "set": spelling(
            "--set",
            metavar="CDL",
            repeats=True,
            section="Changes",
            common=common,
            help="Create or replace an attribute, written as in CDL: [TYPE] VAR:ATT = VALUES.",
        ),
    }

"""The Python API. The package `ncz` exports these names, and loads them on first use.

`open` gives a `Dataset`, whose groups and variables read values as numpy arrays (`dataset`,
`indexing`) and lead to xarray (`xarray`). The commands are functions with the names and options of
the command line: `writing` has those that write, `inspection` those that show what a store
contains. They return values and raise `ncz.NczError`, whose subclasses are builtin errors too.
Notices go to `notify`; by default they become Python warnings.
"""

from __future__ import annotations

from ncz.api.arguments import NczWarning, warn
from ncz.api.dataset import Dataset, Group, Variable, find, open, read
from ncz.api.inspection import Server, check, diff, dump, info, ls, open_dataset, serve, view
from ncz.api.writing import aggregate, concat, consolidate, copy, edit, gen, merge, rm

__all__ = [
    "Dataset", "Group", "NczWarning", "Server", "Variable", "aggregate", "check", "concat",
    "consolidate", "copy", "diff", "dump", "edit", "find", "gen", "info", "ls", "merge", "open",
    "open_dataset", "read", "rm", "serve", "view", "warn",
]  # fmt: skip

"""The Python API. The package `ncz` exports these names, and loads them on first use.

`open` gives a `Dataset`, whose groups and variables read values as numpy arrays (`dataset`,
`indexing`) and lead to xarray (`xarray`). The commands are functions with the names and options of
the command line: `writing` has those that write, `inspection` those that show what a store
contains. They return values and raise `ncz.NczError`, whose subclasses are builtin errors too.
Notices go to `notify`; by default they become Python warnings.
"""

from __future__ import annotations

from ncz.api.changes import consolidate, edit, rm
from ncz.api.creation import aggregate, concat, copy, gen, merge
from ncz.api.dataset import Dataset, find, open, read
from ncz.api.group import Group
from ncz.api.inspection import check, diff, dump, info, ls
from ncz.api.messages import NczWarning, warn
from ncz.api.picture import view
from ncz.api.serving import Server, serve
from ncz.api.variable import Variable
from ncz.api.xarray_dataset import open_dataset

__all__ = [
    "Dataset", "Group", "NczWarning", "Server", "Variable", "aggregate", "check", "concat",
    "consolidate", "copy", "diff", "dump", "edit", "find", "gen", "info", "ls", "merge", "open",
    "open_dataset", "read", "rm", "serve", "view", "warn",
]  # fmt: skip

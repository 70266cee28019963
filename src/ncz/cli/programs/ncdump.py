"""Lines of ncdump without its name, such as ``-h FILE`` and ``-v lat FILE``."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from ncz.cli.named_datasets import ask_dataset
from ncz.model.tree import Dataset, variables_by_fqn

_FLAGS = re.compile("-[chikstx]+")
"""Options of ncdump without a value, which may be written together."""


def is_line_of_ncdump(args: Sequence[str]) -> bool:
    """Return whether words are options of ncdump, and one dataset after them.

    ``-v`` is also an option of CDO, so that variables of the dataset must follow it.
    """
    *options, path = args
    if not options or not ("://" in path or os.path.exists(path)):
        return False
    named: set[str] = set()
    while options:
        option = options.pop(0)
        if option == "-v" and options:
            named |= {*options.pop(0).split(",")}
        elif not _FLAGS.fullmatch(option):
            return False
    return not named or named <= (ask_dataset(path, _variables) or set())


def _variables(dataset: Dataset) -> set[str]:
    return {fqn.removeprefix("/") for fqn, _ in variables_by_fqn(dataset.root)}

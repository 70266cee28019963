"""Rename the pieces that a master names, in the dataset of the master as stored."""

from __future__ import annotations

import json
from collections.abc import Callable

from ncz.formats.aggregation.cf import files_of as cf_files
from ncz.formats.aggregation.marks import is_aggregated, text_of
from ncz.formats.aggregation.master import AggregatedVariable, Master
from ncz.formats.aggregation.seals import with_renamed_seals
from ncz.late import numpy as np
from ncz.model.data import MemoryArray
from ncz.model.tree import Dataset, Variable, each_variable, join, parent
from ncz.model.types import Atomic
from ncz.record import replace

Rename = Callable[[str], str]
"""A function of the name of a piece, which returns its new name."""


def with_names(dataset: Dataset, url: str, rename: Rename) -> Dataset:
    """Return a master with other names of its pieces.

    Raises `FormatError` if the master is not valid.
    """
    master = Master.of(dataset, url)
    changed: dict[str, Variable] = {}
    for fqn, variable in master.variables.items():
        if not is_aggregated(variable):
            continue
        aggregated = AggregatedVariable(
            fqn=fqn, stored=variable, dimensions=(), shape=(), master=master
        )
        array = text_of(variable, "cfa_array")
        if array is not None:
            changed[fqn] = _with_array(aggregated, array, rename)
            continue
        for name in _tables(aggregated):
            if name not in changed:
                changed[name] = _with_names(aggregated, name, rename)
    renamed = each_variable(dataset, lambda fqn, variable: changed.get(fqn, variable))
    return with_renamed_seals(renamed, rename)


def _tables(aggregated: AggregatedVariable) -> list[str]:
    """Return the FQNs of the variables with the names of pieces."""
    group = text_of(aggregated.stored, "cfa_group")
    if group is None:
        return cf_files(aggregated)
    known = aggregated.master.variables
    inner = join(aggregated.group, group)
    return [fqn for fqn in (join(inner, "file"), join(inner, "base")) if fqn in known]


def _with_array(aggregated: AggregatedVariable, text: str, rename: Rename) -> Variable:
    try:
        document = json.loads(text)
        document.pop("base", None)
        for partition in document["Partitions"]:
            if partition["subarray"].get("file"):
                partition["subarray"]["file"] = rename(str(partition["subarray"]["file"]))
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise aggregated.error("cfa_array is not valid") from error
    return replace(
        aggregated.stored,
        attributes=tuple(
            replace(each, values=(json.dumps(document),), original=None)
            if each.name == "cfa_array"
            else each
            for each in aggregated.stored.attributes
        ),
    )


def _with_names(aggregated: AggregatedVariable, fqn: str, rename: Rename) -> Variable:
    """Return a variable of names with others; a base of names becomes empty."""
    variable = aggregated.master.variables[fqn]
    if variable.type is not Atomic.STRING:
        raise aggregated.error(f"{fqn} is an array of char, whose length does not change")
    values = aggregated.values(variable, "the files")
    names = np.empty(values.shape, object)
    is_base = parent(fqn) != aggregated.group and fqn.endswith("/base")
    names.ravel()[:] = [
        "" if is_base else rename(name) if name else name for name in values.ravel()
    ]
    return replace(variable, data=MemoryArray(names, Atomic.STRING))

"""Make the dataset of a master from that which it describes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ncz.formats.aggregation.writing.describe import FORMS, Description, FormName
from ncz.formats.aggregation.writing.layout import PieceLayout
from ncz.model.tree import Attribute, Dataset, Group, Storage, Variable, join, variables_by_fqn
from ncz.model.types import Atomic
from ncz.record import replace


def master_of(dataset: Dataset, layouts: Mapping[str, PieceLayout], form: FormName) -> Dataset:
    """Return the master of a dataset.

    Parameters
    ----------
    dataset
        The dataset.
    layouts
        The pieces of the variables that are aggregated, by FQN. The other variables are in the
        master with their values.
    form
        The form of the master.
    """
    kept = {
        name
        for fqn, variable in variables_by_fqn(dataset.root)
        if fqn not in layouts
        for name in variable.dimensions
    }
    root = _group(dataset.root, "", layouts, form, kept)
    return replace(dataset, root=replace(root, attributes=_with_convention(root.attributes, form)))


def _group(
    group: Group, fqn: str, layouts: Mapping[str, PieceLayout], form: FormName, kept: set[str]
) -> Group:
    """Return a group with descriptions of its aggregated variables.

    An unlimited dimension is as long as the variables of the file are, so that one without them is
    fixed.
    """
    described: dict[str, Description] = {}
    for variable in group.variables:
        layout = layouts.get(join(fqn, variable.name))
        if layout is not None:
            described[variable.name] = FORMS[form](fqn, variable, layout)
    return replace(
        group,
        dimensions=(
            *(
                replace(each, unlimited=each.unlimited and join(fqn, each.name) in kept)
                for each in group.dimensions
            ),
            *(each for added in described.values() for each in added.dimensions),
        ),
        variables=(
            *(_scalar(each, described.get(each.name)) for each in group.variables),
            *(each for added in described.values() for each in added.variables),
        ),
        groups=(
            *(_group(each, join(fqn, each.name), layouts, form, kept) for each in group.groups),
            *(each for added in described.values() for each in added.groups),
        ),
    )


def _scalar(variable: Variable, description: Description | None) -> Variable:
    """Return an aggregated variable as it is in the master; another variable as it is."""
    if description is None:
        return variable
    return replace(
        variable,
        dimensions=(),
        attributes=(*variable.attributes, *description.marks),
        storage=Storage(),
        axis_names=None,
        data=None,
    )


def _with_convention(attributes: tuple[Attribute, ...], form: FormName) -> tuple[Attribute, ...]:
    """Return the attributes of the root, which name the convention of the master."""
    found = next((each for each in attributes if each.name == "Conventions"), None)
    text = str(found.values[0]) if found is not None and found.values else ""
    if form == "CF-1.13":
        text = re.sub(r"\bCF-\d+(\.\d+)?", form, text)
    if form not in text.split():
        text = f"{text} {form}".strip()
    named = Attribute(name="Conventions", type=Atomic.CHAR, values=(text,))
    if found is None:
        return (*attributes, named)
    return tuple(named if each is found else each for each in attributes)

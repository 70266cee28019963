"""Make the dataset of a master from the dataset that it describes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ncz.formats.aggregation.conventions import with_convention
from ncz.formats.aggregation.description import FORMS
from ncz.formats.aggregation.kept_digests import NO_DIGESTS, with_digest
from ncz.formats.aggregation.seals import with_seals
from ncz.model.tree import Dataset, Group, Storage, Variable, join, variables_by_fqn
from ncz.record import replace
from ncz.zmap.reference.seals import NO_SEALS

if TYPE_CHECKING:
    from ncz.formats.aggregation.description import Description
    from ncz.formats.aggregation.modes import FormName
    from ncz.formats.kept_sums import KeptSums
    from ncz.formats.piece_layout import PieceLayout
    from ncz.zmap.reference.seals import Seal


def master_of(
    dataset: Dataset,
    layouts: Mapping[str, PieceLayout],
    form: FormName,
    seals: Mapping[str, Seal] = NO_SEALS,
    kept: Mapping[str, KeptSums] = NO_DIGESTS,
) -> Dataset:
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
    seals
        The states of the pieces, by their names in the layouts.
    kept
        The sums of the values of aggregated variables that it keeps, by FQN.
    """
    unlimited = {
        name
        for fqn, variable in variables_by_fqn(dataset.root)
        if fqn not in layouts
        for name in variable.dimensions
    }
    root = _group(dataset.root, "", layouts, form, unlimited, kept)
    return replace(
        dataset,
        root=replace(root, attributes=with_seals(with_convention(root.attributes, form), seals)),
        # Pure Zarr needs annotations for dimensions that only aggregated variables have.
        provenance=replace(dataset.provenance, annotated=True),
    )


def _group(
    group: Group,
    fqn: str,
    layouts: Mapping[str, PieceLayout],
    form: FormName,
    unlimited: set[str],
    kept: Mapping[str, KeptSums],
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
                replace(each, unlimited=each.unlimited and join(fqn, each.name) in unlimited)
                for each in group.dimensions
            ),
            *(each for added in described.values() for each in added.dimensions),
        ),
        variables=(
            *(
                _scalar(each, described.get(each.name), kept.get(join(fqn, each.name)))
                for each in group.variables
            ),
            *(each for added in described.values() for each in added.variables),
        ),
        groups=(
            *(
                _group(each, join(fqn, each.name), layouts, form, unlimited, kept)
                for each in group.groups
            ),
            *(each for added in described.values() for each in added.groups),
        ),
    )


def _scalar(variable: Variable, description: Description | None, kept: KeptSums | None) -> Variable:
    """Return an aggregated variable as stored in the master, and another variable unchanged."""
    if description is None:
        return variable
    return replace(
        variable,
        dimensions=(),
        attributes=(*with_digest(variable, kept), *description.marks),
        storage=Storage(),
        axis_names=None,
        data=None,
    )

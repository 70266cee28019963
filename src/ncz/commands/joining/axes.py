"""The dimensions of a join: the dimensions with a name, and the ones linked to them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ncz.commands.coordinate_roles import dimension_by_role
from ncz.commands.joining.error import JoinError
from ncz.errors import option
from ncz.model.position_links import counts_beside, dimensions_to_join
from ncz.model.tree import Dataset, base_name, dimensions_by_fqn, variables_by_fqn


def axes_named(dataset: Dataset, name: str, *, exactly: bool = False) -> frozenset[str]:
    """Return the FQNs of the dimensions that a name means: one FQN, or the name in all groups.

    Unless the name must be there `exactly`, "time" also means the only dimension of times, if
    nothing has this name.
    """
    found = frozenset(f for f in dimensions_by_fqn(dataset.root) if name in (f, base_name(f)))
    if found or exactly or any(base_name(fqn) == name for fqn, _ in variables_by_fqn(dataset.root)):
        return found
    other = dimension_by_role(dataset, name)
    return found if other is None else axes_named(dataset, other, exactly=True)


def scalars_named(dataset: Dataset, name: str) -> frozenset[str]:
    """Return the FQNs of the scalar variables with a name; each becomes a coordinate."""
    return frozenset(
        fqn
        for fqn, variable in variables_by_fqn(dataset.root)
        if name in (fqn, base_name(fqn)) and not variable.dimensions
    )


def joined_axes(datasets: Sequence[Dataset], name: str) -> frozenset[str]:
    """Return the FQNs of all dimensions along which datasets will be joined.

    One that none of them has belongs to a scalar coordinate, or is new.
    """
    for dataset in datasets:
        found = axes_named(dataset, name)
        if found:
            return dimensions_to_join(dataset.root, found)
    return scalars_named(datasets[0], name) or frozenset({f"/{name.lstrip('/')}"})


def with_linked(dataset: Dataset, along: Collection[str], where: str) -> frozenset[str]:
    """Return dimensions, and those along which a join of them must join too.

    Raises `JoinError` if the indices of a dimension are counted along another one that is not
    joined; `where` is the path or URL of the dataset.
    """
    linked = dimensions_to_join(dataset.root, along)
    for counts in counts_beside(dataset.root, linked):
        owner = f" along {base_name(counts.owner)}" if counts.owner else ""
        hint = None if counts.owner is None else f"use {option('concat', base_name(counts.owner))}"
        raise JoinError(
            f"the indices of {counts.counted} are counted by {counts.variable}{owner}, which"
            " does not count the indices of the other datasets",
            where,
            hint,
        )
    return linked

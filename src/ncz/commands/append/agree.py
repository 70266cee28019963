"""Check that a dataset can be appended to another: all but one dimension must agree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ncz.errors import NczError, Notice, Notify
from ncz.model.tree import (
    Dataset,
    Dimension,
    Group,
    Variable,
    base_name,
    join,
    variables_by_fqn,
)
from ncz.record import replace
from ncz.transfer.compare import differences
from ncz.transfer.difference import Difference

if TYPE_CHECKING:
    from ncz.parallel.threads import ThreadPool

_OF_ATTRIBUTES = ("attribute", "attribute-type", "missing-attribute", "extra-attribute")


class AppendError(NczError, ValueError):
    """A dataset that cannot be appended to another."""


def axes_along(dataset: Dataset, dimension: str) -> dict[str, int]:
    """Return the axis of a dimension in every variable that has it, by FQN.

    A name without a slash means the dimensions of that name in all groups.

    Raises
    ------
    AppendError
        If no variable has the dimension, or one has it twice.
    """
    axes = {}
    for fqn, variable in variables_by_fqn(dataset.root):
        found = [
            axis
            for axis, name in enumerate(variable.dimensions)
            if dimension in (name, base_name(name))
        ]
        if len(found) > 1:
            raise AppendError(f"{fqn} has the dimension {dimension} twice", "--append")
        if found:
            axes[fqn] = found[0]
    if not axes:
        raise AppendError(
            f"no variable has the dimension {dimension}", "--append", "see 'ncz dump -h'"
        )
    return axes


def check_agreement(
    old: Dataset,
    new: Dataset,
    axes: dict[str, int],
    pool: ThreadPool,
    names: tuple[str, str],
    notify: Notify,
) -> None:
    """Raise `AppendError` at the first difference that keeps `new` from being appended to `old`.

    Parameters
    ----------
    old, new
        The store, and what is appended to it.
    axes
        The axis to append along of every variable that has it.
    pool
        The threads that read values; its memory is the limit.
    names
        The paths or URLs of both, for messages.
    notify
        Receives a notice of attributes of groups that differ; those of `old` are kept.
    """
    ours, theirs = dict(variables_by_fqn(old.root)), dict(variables_by_fqn(new.root))
    for fqn in axes:
        if fqn in theirs and len(theirs[fqn].dimensions) != len(ours[fqn].dimensions):
            raise AppendError(f"the number of dimensions of {fqn} differs", names[1])
    is_typed = bool(old.provenance.superblock) or old.provenance.annotated
    rest = frozenset(fqn for fqn in ours if fqn not in axes)
    compared = differences(
        _without_length(old, axes),
        _without_length(new, axes),
        pool,
        with_data=rest,
        typed=is_typed,
    )
    groups: set[str] = set()
    for difference in compared:
        if difference.kind == "dimension-order":
            continue
        if difference.kind in _OF_ATTRIBUTES and difference.fqn not in ours:
            groups.add(difference.fqn)
        else:
            raise AppendError(_message(difference, names[0]), names[1])
    for message in () if is_typed else _types(ours, theirs, axes, names[0]):
        raise AppendError(message, names[1])
    for fqn in sorted(groups):
        notify(
            Notice(
                "attributes-differ",
                f"the attributes of group {fqn} differ from those of the store, which are kept",
                names[1],
            )
        )


def _types(
    ours: dict[str, Variable], theirs: dict[str, Variable], axes: dict[str, int], name: str
) -> Iterator[str]:
    """Yield a message for each appended variable of pure Zarr that has another type or shape."""
    for fqn in axes:
        one, other = ours[fqn], theirs[fqn]
        if one.type != other.type:
            yield f"the type of {fqn} is {_word(other)}, but {_word(one)} in {name}"
        dimensions = [tuple(map(base_name, v.dimensions)) for v in (one, other)]
        if dimensions[0] != dimensions[1]:
            yield f"the dimensions of {fqn} are {dimensions[1]}, but {dimensions[0]} in {name}"


def _word(variable: Variable) -> str:
    return str(getattr(variable.type, "word", variable.type))


def _message(difference: Difference, name: str) -> str:
    if difference.kind == "attribute":
        return (
            f"attribute {difference.name} of {difference.fqn} is {_shown(difference.found)}, but"
            f" {_shown(difference.expected)} in {name}"
        )
    where = f"{difference.fqn}: " if difference.is_of_variable else ""
    return f"{where}{difference} (compared with {name})"


def _shown(values: object) -> str:
    if isinstance(values, tuple):
        return ", ".join(f'"{v}"' if isinstance(v, str) else str(v) for v in values)
    return str(values)


def _without_length(dataset: Dataset, axes: dict[str, int]) -> Dataset:
    """Return a dataset in which the dimensions to append along have no length."""
    variables = dict(variables_by_fqn(dataset.root))
    along = {variables[fqn].dimensions[axis] for fqn, axis in axes.items() if fqn in variables}

    def shortened(group: Group, fqn: str) -> Group:
        return replace(
            group,
            dimensions=tuple(
                Dimension(name=d.name, size=0, unlimited=True) if join(fqn, d.name) in along else d
                for d in group.dimensions
            ),
            groups=tuple(shortened(g, join(fqn, g.name)) for g in group.groups),
        )

    return replace(dataset, root=shortened(dataset.root, ""))

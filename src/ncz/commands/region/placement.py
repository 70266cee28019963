"""The place of a dataset in a store: given indices, equal coordinates, or the whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ncz.commands.joining.error import JoinError
from ncz.commands.option_error import OptionError
from ncz.commands.subsets.selection import dimensions_named
from ncz.commands.subsets.spelling import print_index
from ncz.errors import option, quantity
from ncz.model.data import read_all
from ncz.model.overlaid_source import Place
from ncz.model.selection import Index
from ncz.model.tree import Dataset, Variable, dimensions_by_fqn, variables_by_fqn

if TYPE_CHECKING:
    from numpy.typing import NDArray


def places_of(
    old: Dataset, new: Dataset, region: Mapping[str, Index], name: str
) -> dict[str, Place]:
    """Return the positions in `old` of the indices of each dimension of `new`, by its FQN.

    Parameters
    ----------
    old
        The dataset of the store.
    new
        The dataset to write; its variables have the form of the store's variables.
    region
        Indices of the store by names of dimensions. A dimension without them is placed by its
        coordinates or, if one dataset lacks them, as a whole.
    name
        The path or the URL of `new`, for messages.

    Raises
    ------
    OptionError
        If the region names a dimension that the store does not have, or indices beyond it.
    JoinError
        If coordinates of `new` are not in the store, or lengths differ.
    """
    given: dict[str, NDArray[np.int64]] = {}
    for dimension, index in region.items():
        for fqn, found in dimensions_named(old, dimension):
            given[fqn] = _given_positions(index, found.size, f"{dimension}={print_index(index)}")
    lengths, known = dimensions_by_fqn(new.root), dimensions_by_fqn(old.root)
    ours, theirs = (dict(variables_by_fqn(dataset.root)) for dataset in (old, new))
    used = {d for fqn, v in theirs.items() if fqn in ours for d in v.dimensions}
    for fqn in given:
        if fqn not in used:
            raise JoinError(f"no variable has the dimension {fqn}", name)
    places = {}
    for fqn in sorted(used):
        if fqn not in known:
            raise JoinError(f"the store has no dimension {fqn}", name)
        size, length = known[fqn].size, lengths[fqn].size
        if fqn in given:
            if len(given[fqn]) != length:
                raise JoinError(
                    f"{fqn} has {quantity(length, 'index')}, and the region {len(given[fqn])}", name
                )
            places[fqn] = place_of(given[fqn])
            continue
        stored, found_here = _coordinate(ours, fqn), _coordinate(theirs, fqn)
        if stored is not None and found_here is not None:
            places[fqn] = place_of(_match(fqn, stored, found_here, name))
        elif size == length:
            places[fqn] = Place(np.arange(size))
        else:
            last = fqn.rpartition("/")[2]
            raise JoinError(
                f"{fqn} has {quantity(length, 'index')}, but {size} in the store, and no"
                " coordinates to place them by",
                name,
                f"give their indices: {option('into', f'{last}=0:{length}')}",
            )
    return places


def _given_positions(index: Index, size: int, text: str) -> NDArray[np.int64]:
    numbers = np.arange(size)
    if isinstance(index, slice):
        beyond = any(part is not None and abs(part) > size for part in (index.start, index.stop))
        found = numbers[index]
    else:
        listed = (index,) if isinstance(index, int) else index
        beyond = not all(-size <= one < size for one in listed)
        found = numbers[:0] if beyond else numbers[np.array(listed, "i8")]
    if beyond or not found.size:
        raise OptionError(
            f"{option('into')} {text!r} is not within the dimension, which has"
            f" {quantity(size, 'index')}",
            hint=f"to make it longer, use {option('append')}",
        )
    if np.unique(found).size < found.size:
        raise OptionError(
            f"{option('into')} {text!r} has an index several times", hint="name each index once"
        )
    return found


def place_of(indices: NDArray[np.int64]) -> Place:
    if np.all(np.diff(indices) > 0):
        return Place(indices)
    order = np.argsort(indices, kind="stable")
    return Place(indices[order], order)


def _coordinate(variables: Mapping[str, Variable], fqn: str) -> Variable | None:
    """Return the coordinate variable of a dimension, or None."""
    variable = variables.get(fqn)
    is_own = variable is not None and variable.dimensions == (fqn,) and variable.data is not None
    return variable if is_own else None


def _match(fqn: str, stored: Variable, found: Variable, name: str) -> NDArray[np.int64]:
    """Return the indices of coordinates in the store."""
    assert stored.data is not None
    assert found.data is not None
    if stored.type != found.type:
        raise JoinError(f"the type of {fqn} differs from its type in the store", name)
    known: dict[object, int] = {}
    for place, value in enumerate(read_all(stored.data).tolist()):
        known[value] = -1 if value in known else place
    indices = []
    for value in read_all(found.data).tolist():
        at = known.get(value)
        if at is None:
            raise JoinError(
                f"the store has no index where {fqn} is {value}",
                name,
                f"use {option('append')} for new coordinates, or give indices:"
                f" {option('into')} DIM=FIRST:STOP",
            )
        if at < 0:
            raise JoinError(f"the store has {fqn} {value} several times", name)
        indices.append(at)
    if len({*indices}) < len(indices):
        raise JoinError(f"{fqn} has a coordinate several times", name)
    return np.array(indices, "i8")

"""A part of a dataset, by indices, by the values of coordinates and by variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ncz.commands.coordinate_roles import dimension_by_role
from ncz.commands.option_error import OptionError, UnknownName
from ncz.commands.subsets.spelling import print_index, second_selection_error, text_of
from ncz.errors import Notice, Notify, did_you_mean, ignore_notice, list_names, quantity
from ncz.late import numpy as np
from ncz.model.selection import Between, Index, OneOf, Selection
from ncz.model.tree import Dataset, Dimension, dimensions_by_fqn

if TYPE_CHECKING:
    from ncz.commands.subsets.coordinates import Coordinate
    from ncz.commands.subsets.longitudes import Turns
    from ncz.commands.subsets.number_axis import IndexChoice
    from ncz.model.subset import Indices


def select_part(
    dataset: Dataset, requested: Selection | None, notify: Notify = ignore_notice
) -> Dataset:
    """Return the part of a dataset that `requested` selects, without reading its data.

    Only coordinates, and the positions of linked dimensions, are read.

    Raises
    ------
    OptionError
        If an option is not valid, names a dimension, a variable or a value that does not exist, or
        selects nothing.
    PositionError
        If counts or indices of a linked dimension cannot follow.
    """
    if requested is None:
        return dataset
    if requested.vars or requested.exclude:
        from ncz.commands.subsets.variables import with_variables

        dataset = with_variables(dataset, requested.vars, requested.exclude, notify)
    if not requested.cuts:
        return dataset
    indices: dict[str, Indices] = {}
    for name, index in requested.by_index.items():
        for fqn, dimension in dimensions_named(dataset, name):
            if fqn in indices:
                raise second_selection_error(f"{name}={print_index(index)}")
            indices[fqn] = _by_index(name, index, dimension.size)
    turns = _add_values(dataset, requested, indices, notify)
    from ncz.model.positions import followed_subset

    followed = followed_subset(dataset, indices)
    for fqn, before, after, because in followed.also_cut:
        notify(
            Notice(
                "dimension-also-cut",
                f"{fqn} is cut too, to {after} of {before}, as {because} refers to elements"
                " that are left out",
            )
        )
    part = followed.dataset
    if turns:
        from ncz.commands.subsets.longitudes import turn

        part = turn(part, turns, notify)
    if not requested.drops or followed.also_cut:
        return part
    from ncz.commands.subsets.dropped_dimensions import without_dimensions

    return without_dimensions(part, _of_single(dataset, requested))


def _of_single(dataset: Dataset, requested: Selection) -> set[str]:
    """Return the FQNs of the dimensions that are left out if one index is selected."""
    from ncz.commands.subsets.coordinates import coordinates_named

    found = set()
    for name in requested.drops:
        if name in requested.by_index:
            found |= {fqn for fqn, _ in dimensions_named(dataset, name)}
        else:
            value = requested.by_value[name]
            coordinates = coordinates_named(dataset, name, value, f"{name}={text_of(value)}")
            found |= {coordinate.dimension for coordinate in coordinates}
    return found


def _add_values(
    dataset: Dataset, requested: Selection, indices: dict[str, Indices], notify: Notify
) -> dict[str, Turns]:
    """Add the indices that are selected by value, and return the turns of longitudes.

    If several coordinates of one dimension select, such as the latitude and the longitude of
    stations, the indices that all of them select are taken.
    """
    if not requested.by_value:
        return {}

    from ncz.commands.subsets.coordinates import coordinates_named
    from ncz.commands.subsets.longitudes import Turns
    from ncz.commands.subsets.values import choice_of
    from ncz.model.subset import indices_of

    found: dict[str, list[tuple[Coordinate, IndexChoice]]] = {}
    for name, value in requested.by_value.items():
        text = f"{name}={text_of(value)}"
        if isinstance(value, OneOf) and not value.values:
            raise OptionError(f"{text!r} selects nothing")
        for coordinate in coordinates_named(dataset, name, value, text):
            others = found.setdefault(coordinate.dimension, [])
            same = {(each.fqn, each.part) for each, _ in others}
            if coordinate.dimension in indices or (coordinate.fqn, coordinate.part) in same:
                raise second_selection_error(text)
            picked = choice_of(coordinate, value, text, notify, nearest=requested.nearest)
            if isinstance(value, Between) and value.step != 1:
                if value.step == 0:
                    raise OptionError(f"{text!r}: the step cannot be 0")
                picked = picked.every(value.step)
            others.append((coordinate, picked))
    turns = {}
    for fqn, several in found.items():
        kept = several[0][1].indices
        for _, picked in several[1:]:
            kept = kept[np.isin(kept, picked.indices)]
        if not len(kept):
            names = list_names([coordinate.fqn for coordinate, _ in several])
            raise OptionError(f"no index of {fqn} is selected by all of {names}")
        indices[fqn] = indices_of(kept)
        for coordinate, picked in several:
            if picked.turns is not None:
                places = {i: at for at, i in enumerate(picked.indices.tolist())}
                counts = picked.turns[[places[i] for i in kept.tolist()]]
                turns[coordinate.fqn] = Turns(fqn, counts)
    return turns


def dimensions_named(dataset: Dataset, name: str) -> list[tuple[str, Dimension]]:
    """Return the dimensions that a name means: one FQN, or that name in any group."""
    known = dimensions_by_fqn(dataset.root)
    found = [
        (fqn, d) for fqn, d in known.items() if (fqn == name if "/" in name else d.name == name)
    ]
    other = None if found else dimension_by_role(dataset, name)
    if other is not None:
        return dimensions_named(dataset, other)
    if not found:
        names = list_names(sorted({d.name for d in known.values()})) or "none"
        raise UnknownName(
            f"no dimension is named {name!r}",
            hint=did_you_mean(
                name, [d.name for d in known.values()], f"the dimensions are {names}"
            ),
        )
    return found


def _by_index(name: str, index: Index, size: int) -> Indices:
    """Return the indices of a Python slice, which may run backwards, of a list or of one index."""
    text = f"{name}={print_index(index)}"
    if isinstance(index, slice):
        if index.step == 0:
            raise OptionError(f"{text!r}: the step cannot be 0")
        found: Sequence[int] = range(size)[index]
    else:
        listed = (index,) if isinstance(index, int) else index
        for one in listed:
            if not -size <= one < size:
                beyond = f"{name}={one}"
                raise OptionError(f"{beyond!r}: the dimension has {quantity(size, 'index')}")
        found = [one % size for one in listed]
    if size and not found:
        raise OptionError(f"{text!r} selects nothing: the dimension has {quantity(size, 'index')}")
    if isinstance(found, range):
        return (found,)
    if len(found) == 1:
        return (range(found[0], found[0] + 1),)
    from ncz.model.subset import indices_of

    return indices_of(np.array(found, "i8"))

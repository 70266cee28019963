"""Dimensions with one selected index, which a part leaves out, as in xarray.

A coordinate of such a dimension becomes a scalar coordinate of the variables that had it.
"""

from __future__ import annotations

from collections.abc import Collection

from ncz.model.squeezed_source import SqueezedSource
from ncz.model.tree import (
    Attribute,
    Dataset,
    Group,
    Storage,
    Variable,
    base_name,
    dimensions_by_fqn,
    each_group,
    each_variable,
    join,
    variables_by_fqn,
)
from ncz.model.types import Atomic
from ncz.record import replace


def without_dimensions(dataset: Dataset, names: Collection[str]) -> Dataset:
    """Return a dataset without some dimensions of length 1.

    Parameters
    ----------
    dataset
        The dataset.
    names
        The FQNs of the dimensions; dimensions with other lengths stay.
    """
    known = dimensions_by_fqn(dataset.root)
    gone = {fqn for fqn in names if known[fqn].size == 1}
    variables = dict(variables_by_fqn(dataset.root))
    coordinates = {fqn for fqn in gone if fqn in variables and variables[fqn].dimensions == (fqn,)}

    def smaller(fqn: str, variable: Variable) -> Variable:
        lost = [fqn for fqn in variable.dimensions if fqn in gone]
        if not lost:
            return variable
        own = [base_name(each) for each in lost if each in coordinates and each != fqn]
        return _with_coordinates(_squeeze(variable, gone), own)

    def fewer(path: str, group: Group) -> Group:
        left = tuple(d for d in group.dimensions if join(path, d.name) not in gone)
        return replace(group, dimensions=left)

    return each_group(each_variable(dataset, smaller), fewer)


def _squeeze(variable: Variable, gone: Collection[str]) -> Variable:
    data = variable.data
    axes = [axis for axis, fqn in enumerate(variable.dimensions) if fqn in gone]
    for axis in reversed(axes):
        data = None if data is None else SqueezedSource(data, axis)
    kept = [axis for axis in range(len(variable.dimensions)) if axis not in axes]
    return replace(
        variable,
        dimensions=tuple(variable.dimensions[axis] for axis in kept),
        data=data,
        storage=_storage(variable.storage, kept),
    )


def _storage(storage: Storage, kept: Collection[int]) -> Storage:
    chunks, shards = (
        None if lengths is None or not kept else tuple(lengths[axis] for axis in kept)
        for lengths in (storage.chunks, storage.shards)
    )
    return replace(storage, chunks=chunks, shards=shards)


def _with_coordinates(variable: Variable, names: Collection[str]) -> Variable:
    """Return a variable whose attribute "coordinates" names scalar coordinates too."""
    if not names:
        return variable
    known = variable.text("coordinates").split()
    text = " ".join([*known, *(name for name in names if name not in known)])
    attribute = Attribute(name="coordinates", type=Atomic.CHAR, values=(text,))
    others = tuple(a for a in variable.attributes if a.name != "coordinates")
    return replace(variable, attributes=(*others, attribute))

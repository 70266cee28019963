"""Elements of HDF5 that are arrays: their axes become the last axes of the dataset or attribute."""

from __future__ import annotations

import math

from ncz.formats.hdf5.metadata.dataspace import Dataspace
from ncz.formats.hdf5.metadata.datatype import Datatype, TypeClass


def without_arrays(datatype: Datatype, space: Dataspace) -> tuple[Datatype, Dataspace]:
    """Return the datatype of the items of elements that are arrays, and the shape with their axes.

    Other datatypes and their dataspaces are returned unchanged.
    """
    axes: tuple[int, ...] = ()
    while datatype.kind is TypeClass.ARRAY:
        axes += datatype.shape
        datatype = datatype.element
    if not axes or space.is_null:
        return datatype, space
    count = space.count * math.prod(axes)
    return datatype, Dataspace(space.shape + axes, space.largest + axes, False, count)

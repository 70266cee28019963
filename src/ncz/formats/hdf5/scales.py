"""Dimensions as netcdf-c stores them in HDF5: as dimension scales.

A dimension is the scale of its coordinate variable, or a dataset without values. Variables refer
to the scales of their dimensions. A coordinate variable of several dimensions, which is a scale
itself, lists the numbers of its dimensions instead.

Source: the netCDF User's Guide, "NetCDF-4 File Format"; files that netcdf-c 4.9.0 writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ncz.formats.hdf5.attribute_writer import write_numbers
from ncz.formats.hdf5.h5py_import import load_h5py
from ncz.formats.hdf5.text_types import encode_name
from ncz.model.tree import Dimension, Group, Variable, join
from ncz.model.types import Atomic

_WITHOUT_VARIABLE = "This is a netCDF dimension but not a netCDF variable.{:10d}"
NOT_A_COORDINATE = "_nc4_non_coord_"


def is_coordinate(variable: Variable, group: str) -> bool:
    """Return whether a variable of the group `group` is the scale of its first dimension."""
    return bool(variable.dimensions) and variable.dimensions[0] == join(group, variable.name)


def link_names(group: Group, fqn: str) -> dict[str, str]:
    """Return the names of the datasets of a group's variables, by the names of these.

    A variable that has the name of a dimension of its group, but is not its coordinate variable,
    leaves the name to the scale.
    """
    scales = {dimension.name for dimension in group.dimensions}
    return {
        variable.name: f"{NOT_A_COORDINATE}{variable.name}"
        if variable.name in scales and not is_coordinate(variable, fqn)
        else variable.name
        for variable in group.variables
    }


def create_scale(group: Any, dimension: Dimension, number: int) -> Any:
    """Create the scale of a dimension without a coordinate variable; return its identifier."""
    h5py = load_h5py()
    maximum = (h5py.h5s.UNLIMITED,) if dimension.unlimited else (dimension.size,)
    properties = creation_properties()
    if dimension.unlimited:
        properties.set_chunk((1024,))
    scale = h5py.h5d.create(
        group,
        encode_name(dimension.name),
        h5py.h5t.IEEE_F32BE,
        h5py.h5s.create_simple((dimension.size,), maximum),
        properties,
    )
    mark_scale(scale, _WITHOUT_VARIABLE.format(dimension.size), number)
    return scale


def creation_properties() -> Any:
    """Return the properties that all datasets have: their attributes keep their order."""
    h5py = load_h5py()
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_attr_creation_order(h5py.h5p.CRT_ORDER_TRACKED | h5py.h5p.CRT_ORDER_INDEXED)
    properties.set_obj_track_times(False)
    return properties


def mark_scale(dataset: Any, name: str, number: int) -> None:
    """Make a dataset the scale of the dimension with this number."""
    load_h5py().h5ds.set_scale(dataset, encode_name(name))
    write_numbers(dataset, "_Netcdf4Dimid", (number,), Atomic.INT, scalar=True)


def list_references(scale: Any, references: Sequence[tuple[int, int]]) -> None:
    """Write the list of the datasets that refer to a scale."""
    h5py = load_h5py()
    kind = h5py.h5t.create(h5py.h5t.COMPOUND, 16)
    kind.insert(b"dataset", 0, h5py.h5t.STD_REF_OBJ)
    kind.insert(b"dimension", 8, h5py.h5t.STD_U32LE)
    rows = np.zeros(len(references), [("dataset", "u8"), ("dimension", "<u4"), ("", "V4")])
    rows["dataset"], rows["dimension"] = zip(*references, strict=True)
    space = h5py.h5s.create_simple(rows.shape)
    h5py.h5a.create(scale, b"REFERENCE_LIST", kind, space).write(rows, kind)

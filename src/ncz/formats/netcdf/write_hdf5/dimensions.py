"""Dimensions as netcdf-c stores them in HDF5: as dimension scales.

A dimension is the scale of its coordinate variable, or a dataset without values. Variables refer
to the scales of their dimensions. A coordinate variable of several dimensions, which is a scale
itself, lists the numbers of its dimensions instead.

Source: the netCDF User's Guide, "NetCDF-4 File Format"; files that netcdf-c 4.9.0 writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ncz.formats.netcdf.write_hdf5.attributes import write_numbers
from ncz.formats.netcdf.write_hdf5.extra import load_h5py
from ncz.model.tree import Dimension, Group, Variable, join
from ncz.model.types import Atomic

_WITHOUT_VARIABLE = "This is a netCDF dimension but not a netCDF variable.{:10d}"
_NOT_A_COORDINATE = "_nc4_non_coord_"


def is_coordinate(variable: Variable, group: str) -> bool:
    """Return whether a variable of the group `group` is the scale of its first dimension."""
    return bool(variable.dimensions) and variable.dimensions[0] == join(group, variable.name)


def link_name(variable: Variable, group: Group, fqn: str) -> str:
    """Return the name of the dataset of a variable.

    A variable that has the name of a dimension of its group, but is not its coordinate variable,
    leaves the name to the scale.
    """
    names = {dimension.name for dimension in group.dimensions}
    if variable.name in names and not is_coordinate(variable, fqn):
        return _NOT_A_COORDINATE + variable.name
    return variable.name


def create_scale(group: Any, dimension: Dimension, number: int) -> Any:
    """Create the scale of a dimension without a coordinate variable; return its identifier."""
    h5py = load_h5py()
    maximum = (h5py.h5s.UNLIMITED,) if dimension.unlimited else (dimension.size,)
    properties = creation_properties()
    if dimension.unlimited:
        properties.set_chunk((1024,))
    made = h5py.h5d.create(
        group,
        dimension.name.encode("utf-8", "surrogateescape"),
        h5py.h5t.IEEE_F32BE,
        h5py.h5s.create_simple((dimension.size,), maximum),
        properties,
    )
    mark_scale(made, _WITHOUT_VARIABLE.format(dimension.size), number)
    return made


def creation_properties() -> Any:
    """Return the properties that all datasets have: their attributes keep their order."""
    h5py = load_h5py()
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_attr_creation_order(h5py.h5p.CRT_ORDER_TRACKED | h5py.h5p.CRT_ORDER_INDEXED)
    properties.set_obj_track_times(False)
    return properties


def mark_scale(dataset: Any, name: str, number: int) -> None:
    """Make a dataset the scale of the dimension with this number."""
    load_h5py().h5ds.set_scale(dataset, name.encode("utf-8", "surrogateescape"))
    write_numbers(dataset, "_Netcdf4Dimid", (number,), Atomic.INT, scalar=True)


def attach(
    dataset: Any, variable: Variable, scales: Mapping[str, Any], numbers: Mapping[str, int]
) -> None:
    """Let a variable's dataset refer to the scales of its dimensions.

    Parameters
    ----------
    dataset
        The identifier of the dataset.
    scales, numbers
        The identifier of the scale, and the number, of every dimension by its FQN.
    """
    h5py = load_h5py()
    if h5py.h5ds.is_scale(dataset):
        if len(variable.dimensions) > 1:
            listed = [numbers[fqn] for fqn in variable.dimensions]
            write_numbers(dataset, "_Netcdf4Coordinates", listed, Atomic.INT)
        return
    for axis, fqn in enumerate(variable.dimensions):
        h5py.h5ds.attach_scale(dataset, scales[fqn], axis)

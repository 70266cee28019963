"""Write the attributes of a netCDF-4 file in the same form as netcdf-c.

A char attribute is one string of fixed length, which is null if it is empty. A string attribute
is an array of strings of variable length. All others are arrays, even with one value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ncz.formats.hdf5.h5py_import import load_h5py
from ncz.formats.hdf5.memory import in_elements, layout_of
from ncz.formats.hdf5.text_types import encode_name, fixed_text
from ncz.model.tree import Attribute
from ncz.model.types import Atomic

if TYPE_CHECKING:
    from ncz.formats.hdf5.datatypes import Datatypes


def write_attributes(target: Any, attributes: Sequence[Attribute], types: Datatypes) -> None:
    """Write attributes to an HDF5 group or dataset (an identifier of h5py's)."""
    for attribute in attributes:
        if attribute.type is Atomic.CHAR:
            write_text(target, attribute.name, "".join(attribute.values))
        elif attribute.type is Atomic.STRING or not isinstance(attribute.type, Atomic):
            _write_values(target, attribute, types.of(attribute.type))
        else:
            write_numbers(target, attribute.name, attribute.values, attribute.type)


def write_text(target: Any, name: str, text: str) -> None:
    """Write a char attribute."""
    h5py = load_h5py()
    data = encode_name(text)
    kind = fixed_text(max(1, len(data)))
    if not data.isascii():
        kind.set_cset(h5py.h5t.CSET_UTF8)
    space = h5py.h5s.create(h5py.h5s.SCALAR if data else h5py.h5s.NULL)
    stored_attribute = h5py.h5a.create(target, encode_name(name), kind, space)
    if data:
        stored_attribute.write(np.frombuffer(data, f"S{len(data)}").reshape(()), kind)


def write_numbers(
    target: Any, name: str, values: Sequence[float], nc_type: Atomic, *, scalar: bool = False
) -> None:
    """Write an attribute of numbers, as an array unless `scalar`."""
    h5py = load_h5py()
    dtype = nc_type.dtype if nc_type.size < 2 else f"<{nc_type.kind}{nc_type.size}"
    array = np.array(values, dtype).reshape(() if scalar else (len(values),))
    if scalar:
        space = h5py.h5s.create(h5py.h5s.SCALAR)
    elif len(values):
        space = h5py.h5s.create_simple((len(values),))
    else:
        space = h5py.h5s.create(h5py.h5s.NULL)
    stored_attribute = h5py.h5a.create(
        target, encode_name(name), h5py.h5t.py_create(np.dtype(dtype)), space
    )
    if len(values):
        stored_attribute.write(array)


def _write_values(target: Any, attribute: Attribute, kind: Any) -> None:
    """Write an attribute of strings or of a user-defined type, whose datatype is `kind`."""
    h5py = load_h5py()
    count = len(attribute.values)
    space = h5py.h5s.create_simple((count,)) if count else h5py.h5s.create(h5py.h5s.NULL)
    stored_attribute = h5py.h5a.create(target, encode_name(attribute.name), kind, space)
    layout = layout_of(kind, attribute.type)
    assert layout is not None  # of numbers that numpy has
    if count:
        with in_elements(attribute.values, layout, f"attribute {attribute.name}") as elements:
            stored_attribute.write(elements, kind)

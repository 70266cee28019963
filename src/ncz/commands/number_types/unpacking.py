"""Unpack numbers: apply their scale_factor and add_offset.

Source: CF Conventions, section 8.1; NetCDF Users Guide, "Attribute Conventions" (valid_range).
"""

from __future__ import annotations

from ncz.commands.joining.attributes import OF_PACKED, RANGE, mask_attribute
from ncz.commands.joining.numbers import Numbers
from ncz.commands.number_types.change import LIMITS, Change
from ncz.late import numpy as np
from ncz.model.data import Values, dtype_of
from ncz.model.tree import Attribute, Variable
from ncz.record import replace


def unpack(variable: Variable, numbers: Numbers) -> Change | None:
    """Return a packed variable with the values that xarray decodes; None if it is not packed.

    Missing data become the default fill value of the new type, which ``_FillValue`` names.
    """
    packing, atomic = numbers.packing, numbers.unpacked_type
    if not packing.is_packed:
        return None
    dtype = dtype_of(atomic)
    fill = dtype.type(atomic.default_fill)
    attributes = [mask_attribute(atomic)] if numbers.mask_set else []
    for attribute in variable.attributes:
        if attribute.name in LIMITS:
            attributes.append(_unpacked_limits(attribute, numbers))
        elif attribute.name not in OF_PACKED or attribute.name == RANGE:
            attributes.append(attribute)

    def convert(values: Values) -> Values:
        missing = numbers.missing(values)
        with np.errstate(over="ignore"):
            found = packing.unpack(values).astype(dtype)
        if missing is not None:
            found[missing] = fill
        return found

    return Change(replace(variable, type=atomic, attributes=tuple(attributes)), convert)


def _unpacked_limits(attribute: Attribute, numbers: Numbers) -> Attribute:
    """Return limits of unpacked numbers; limits of another type than packed ones are unpacked."""
    if attribute.type is not numbers.type:
        return attribute
    scale, offset = numbers.factors
    low, high = numbers.read_as.limits if numbers.type.is_integer else (0, -1)
    values: list[float] = []
    for value in attribute.values:
        if isinstance(value, int | float):
            signed = (value - low) % (high - low + 1) + low if high > low else value
            values.append(signed * scale + offset)
    new = numbers.unpacked_type
    rounded = dtype_of(new).type(values).tolist() if values else []
    return replace(attribute, type=new, values=tuple(rounded), original=None)

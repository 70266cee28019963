"""The attributes that record how values were rounded before they were compressed.

Source: netCDF-C's nc_def_var_quantize; the names as netcdf-c 4.9 and later write them.
"""

from __future__ import annotations

from collections.abc import Iterable

from ncz.model.quantization import ATTRIBUTES, Quantization
from ncz.model.tree import Attribute
from ncz.model.types import Atomic


def read_quantize(attributes: Iterable[Attribute]) -> Quantization | None:
    """Return the rounding that a variable's attributes record, or None."""
    by_name = {attribute.name: attribute for attribute in attributes}
    for algorithm, name in ATTRIBUTES.items():
        attribute = by_name.get(name)
        if attribute is not None and len(attribute.values) == 1:
            digits = attribute.values[0]
            if isinstance(digits, int) and 0 < digits <= 52:
                return Quantization(algorithm=algorithm, digits=digits)
    return None


def write_quantize(quantize: Quantization) -> Attribute:
    """Return the attribute that records a rounding."""
    name = ATTRIBUTES[quantize.algorithm]
    return Attribute(name=name, type=Atomic.INT, values=(quantize.digits,))

"""The attributes by which a store says that its values were rounded, and how.

Source: netCDF-C's nc_def_var_quantize; the names as netcdf-c 4.9 and later write them.
"""

from __future__ import annotations

from collections.abc import Iterable

from ncz.model.tree import Attribute, Quantize
from ncz.model.types import Atomic

ATTRIBUTES = {
    "BitGroom": "_QuantizeBitGroomNumberOfSignificantDigits",
    "GranularBitRound": "_QuantizeGranularBitRoundNumberOfSignificantDigits",
    "BitRound": "_QuantizeBitRoundNumberOfSignificantBits",
}
"""The attribute of each algorithm of `Quantize`."""


def read_quantize(attributes: Iterable[Attribute]) -> Quantize | None:
    """The rounding that a variable's attributes tell of; None if they tell of none."""
    by_name = {attribute.name: attribute for attribute in attributes}
    for algorithm, name in ATTRIBUTES.items():
        attribute = by_name.get(name)
        if attribute is not None and len(attribute.values) == 1:
            digits = attribute.values[0]
            if isinstance(digits, int) and 0 < digits <= 52:
                return Quantize(algorithm=algorithm, digits=digits)
    return None


def write_quantize(quantize: Quantize) -> Attribute:
    """The attribute that tells of a rounding."""
    name = ATTRIBUTES[quantize.algorithm]
    return Attribute(name=name, type=Atomic.INT, values=(quantize.digits,))

"""Convert numbers to another type, and floating-point numbers to its nearest number."""

from __future__ import annotations

import math

from ncz.commands.joining.attributes import OF_VALUES, mask_attribute, of_type
from ncz.commands.joining.error import JoinError
from ncz.commands.joining.numbers import Numbers
from ncz.commands.number_types.change import Change, Convert, exactly
from ncz.commands.option_error import OptionError
from ncz.errors import option
from ncz.late import numpy as np
from ncz.model.data import Values, dtype_of
from ncz.model.packing import MASKS
from ncz.model.tree import Attribute, Variable
from ncz.model.types import Atomic
from ncz.record import replace


def change_type(fqn: str, variable: Variable, numbers: Numbers, wanted: Atomic) -> Change | None:
    """Return a variable whose numbers are of another type; None if they are of this type.

    Raises `OptionError` if the variable is packed.
    """
    old = numbers.type
    if wanted is old:
        return None
    if numbers.packing.is_packed:
        raise OptionError(
            f"{option('types')} cannot convert {fqn}, which is packed",
            hint=f"use {option('unpack', True)} too",
        )
    is_rounded = old.is_floating and wanted.is_floating
    attributes = [
        of_type(attribute, old, numbers.read_as, wanted)
        for attribute in variable.attributes
        if attribute.name != "_Unsigned"
    ]
    if old.is_floating and not wanted.is_floating:  # NaN becomes missing
        attributes = [mask_attribute(wanted), *(a for a in attributes if a.name not in MASKS)]
    elif is_rounded:
        attributes = [_rounded_attribute(attribute, wanted) for attribute in attributes]
    new = replace(variable, type=wanted, attributes=tuple(attributes))
    return Change(new, _rounder(numbers, new, wanted) if is_rounded else exactly(numbers, new))


def _rounded_attribute(attribute: Attribute, wanted: Atomic) -> Attribute:
    """Return an attribute of numbers rounded to its type."""
    if attribute.name not in OF_VALUES or attribute.type is not wanted:
        return attribute

    with np.errstate(over="ignore"):
        values = np.array(attribute.values, dtype_of(wanted)).tolist()
    if attribute.name in MASKS and any(map(math.isinf, values)):
        return replace(attribute, values=(wanted.default_fill,), original=None)
    return replace(attribute, values=tuple(values), original=None)


def _rounder(numbers: Numbers, new: Variable, wanted: Atomic) -> Convert:
    fill = next((v for name in MASKS for v in getattr(new.attribute(name), "values", ())), math.nan)

    def convert(values: Values) -> Values:
        with np.errstate(over="ignore"):
            found = values.astype(dtype_of(wanted))
        missing = numbers.missing(values)
        if missing is not None:
            is_nan = np.isnan(values)
            found[missing & ~is_nan] = fill
        if np.any(np.isinf(found) & np.isfinite(values)):
            raise JoinError(f"a value is too large for the type {wanted.word}")
        return found

    return convert

"""Pack floating-point numbers as integers in the range of the values of a variable.

Source: CF Conventions, section 8.1; NetCDF Users Guide, "Attribute Conventions" (valid_range).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ncz.commands.joining.attributes import OF_PACKED, RANGE, mask_attribute
from ncz.commands.joining.error import JoinError
from ncz.commands.joining.numbers import Numbers
from ncz.commands.joining.packing import packing_for, range_of
from ncz.commands.number_types.change import LIMITS, Change, Convert, exactly
from ncz.commands.number_types.options import PackingChoice
from ncz.commands.option_error import OptionError
from ncz.errors import Callbacks, Notice, option
from ncz.model.data import Values
from ncz.model.tree import Attribute, Variable
from ncz.model.types import Atomic
from ncz.record import replace

if TYPE_CHECKING:
    from ncz.parallel.threads import ThreadPool


def pack(
    fqn: str,
    variable: Variable,
    numbers: Numbers,
    wanted: PackingChoice,
    name: str,
    pool: ThreadPool,
    callbacks: Callbacks,
) -> Change:
    """Return a packed variable; its values are read to find their range, unless a scale is given.

    Limits such as ``valid_range`` still apply to unpacked values, as their type indicates.
    `callbacks` receives the values that are read, and the largest change of a value.

    Raises
    ------
    OptionError
        If the variable is packed already.
    JoinError
        For infinite values.
    """
    if numbers.packing.is_packed:
        raise OptionError(
            f"{option('pack')} cannot pack {fqn}, which is packed",
            hint=f"use {option('unpack', True)} too",
        )
    atomic = wanted.type
    if wanted.scale is None:
        if variable.data is not None:
            callbacks.progress.expect(math.prod(variable.data.grid.shape), "values")
        low, high = range_of(fqn, variable, numbers, name, pool, callbacks.progress)
        scale, offset, bound = packing_for(low, high, atomic)
        told = "without values" if low > high else f"from {low:g} to {high:g}"
    else:
        scale, offset = wanted.scale, wanted.offset
        bound = abs(scale) / 2
        told = f"with scale_factor {scale:g} and add_offset {offset:g}"
    double = Atomic.DOUBLE
    attributes = [
        mask_attribute(atomic),
        Attribute(name="scale_factor", type=double, values=(scale,)),
        Attribute(name="add_offset", type=double, values=(offset,)),
    ]
    for attribute in variable.attributes:
        if attribute.name in LIMITS:
            attributes.append(replace(attribute, type=double, original=None))
        elif attribute.name not in OF_PACKED or attribute.name == RANGE:
            attributes.append(attribute)
    new = replace(variable, type=atomic, attributes=tuple(attributes))
    text = f"{fqn} is packed as {atomic.word}, {told}; its values change by at most {bound:.3g}"
    callbacks.notify(Notice("packing-changed", text))
    return Change(new, _within(exactly(numbers, new)))


def _within(convert: Convert) -> Convert:
    """Return a function whose error for a value beyond the packed range names a larger scale."""

    def convert_or_explain(values: Values) -> Values:
        try:
            return convert(values)
        except JoinError as error:
            hint = f"choose a larger scale, or {option('pack')} with a type alone"
            raise JoinError(error.message, hint=hint) from None

    return convert_or_explain

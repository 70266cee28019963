"""Pack floating-point numbers as integers in the range of the values of a variable.

Source: CF Conventions, section 8.1; NetCDF Users Guide, "Attribute Conventions" (valid_range).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ncz.commands.joining.attributes import OF_PACKED, RANGE, mask_attribute
from ncz.commands.joining.numbers import Numbers
from ncz.commands.joining.packing import packing_for, range_of
from ncz.commands.number_types.change import LIMITS, Change, exactly
from ncz.errors import Callbacks, Notice
from ncz.model.tree import Attribute, Variable
from ncz.model.types import Atomic
from ncz.record import replace

if TYPE_CHECKING:
    from ncz.parallel.threads import ThreadPool


def packed(
    fqn: str,
    variable: Variable,
    numbers: Numbers,
    atomic: Atomic,
    name: str,
    pool: ThreadPool,
    callbacks: Callbacks,
) -> Change:
    """Return a variable that is packed as a type; all its values are read to find their range.

    Limits such as ``valid_range`` still apply to unpacked values, as their type says. `callbacks`
    receives the values that are read, and how much one can change. Raises `JoinError` for infinite
    values.
    """
    if variable.data is not None:
        callbacks.progress.expect(math.prod(variable.data.grid.shape), "values")
    low, high = range_of(fqn, variable, numbers, name, pool, callbacks.progress)
    scale, offset, bound = packing_for(low, high, atomic)
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
    told = "without values" if low > high else f"from {low:g} to {high:g}"
    text = f"{fqn} is packed as {atomic.word}, {told}; its values change by at most {bound:.3g}"
    callbacks.notify(Notice("packing-changed", text))
    return Change(new, exactly(numbers, new))

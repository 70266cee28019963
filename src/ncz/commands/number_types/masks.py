"""Give missing data another value, which ``_FillValue`` names."""

from __future__ import annotations

from ncz.commands.joining.numbers import Numbers
from ncz.commands.number_types.change import Change, exactly
from ncz.commands.option_error import OptionError
from ncz.errors import option
from ncz.late import numpy as np
from ncz.model.data import dtype_of
from ncz.model.packing import MASKS
from ncz.model.tree import Attribute, Variable
from ncz.record import replace


def change_mask(fqn: str, variable: Variable, numbers: Numbers, value: float) -> Change:
    """Return a variable whose missing data have a value; for packed data, the stored value.

    Raises `OptionError` if its type cannot represent the value.
    """
    with np.errstate(all="ignore"):
        held = np.array(value).astype(dtype_of(numbers.type))
    if not numbers.type.is_floating and float(held) != value:
        raise OptionError(
            f"{option('missing_value')}: {fqn} cannot represent {value}, as its type is"
            f" {numbers.type.word}"
        )
    fill = Attribute(name="_FillValue", type=numbers.type, values=(held.item(),))
    others = (each for each in variable.attributes if each.name not in MASKS)
    new = replace(variable, attributes=(fill, *others))
    return Change(new, exactly(numbers, new))

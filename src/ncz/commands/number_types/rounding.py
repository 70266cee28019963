"""Round numbers to significant digits, and record it in an attribute, as netCDF-C does."""

from __future__ import annotations

from ncz.commands.option_error import OptionError
from ncz.errors import option, quantity
from ncz.model.quantization import ATTRIBUTES, MAX_DIGITS, Quantization
from ncz.model.rounding import quantized_source
from ncz.model.tree import Attribute, Variable, mask_of
from ncz.model.types import Atomic
from ncz.record import replace


def with_rounding(fqn: str, variable: Variable, wanted: Quantization) -> Variable:
    """Return a variable whose numbers are rounded when they are read.

    Raises `OptionError` if its type has no such digits.
    """
    assert isinstance(variable.type, Atomic)
    most = MAX_DIGITS.get((wanted.algorithm, variable.type))
    what = f"{option('quantize')}: {fqn} is {variable.type.word}"
    unit = "bit" if wanted.algorithm == "BitRound" else "significant digit"
    if most is None:
        raise OptionError(f"{what}; only float and double are rounded")
    if not 1 <= wanted.digits <= most:
        raise OptionError(f"{what}, which keeps 1 to {quantity(most, unit)}, not {wanted.digits}")
    recorded = Attribute(
        name=ATTRIBUTES[wanted.algorithm], type=Atomic.INT, values=(wanted.digits,)
    )
    others = (each for each in variable.attributes if each.name not in ATTRIBUTES.values())
    data = variable.data
    if data is not None:
        data = quantized_source(data, wanted, mask_of(variable.attributes, variable.type))
    return replace(
        variable,
        attributes=(*others, recorded),
        data=data,
        storage=replace(variable.storage, quantize=None),
    )

"""Changes of the types of numbers in a copy."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from ncz.commands.joining.packing import PACKED_TYPES
from ncz.commands.option_error import OptionError
from ncz.errors import either, option
from ncz.model.quantization import Quantization, QuantizeAlgorithm
from ncz.model.types import Atomic
from ncz.record import record
from ncz.zmap.whole_numbers import whole_number

NUMBER_TYPES = tuple(atomic.value for atomic in Atomic if atomic.kind in "iuf")
"""The types of numbers, as CDL names them."""

_OTHER_NAMES = {
    name: atomic.value
    for kind, letter in (("int", "i"), ("uint", "u"), ("float", "f"))
    for atomic in Atomic
    if atomic.kind == letter
    for name in (f"{kind}{8 * atomic.size}", f"{letter}{atomic.size}")
}
"""The names of numpy for these types."""


@record
class PackingChoice:
    """How numbers are packed.

    Attributes
    ----------
    type
        The type of the packed numbers.
    scale, offset
        The values of ``scale_factor`` and ``add_offset``; a scale of None means that they are
        chosen for the range of the values.
    """

    type: Atomic
    scale: float | None = None
    offset: float = 0.0


@record(kw_only=True)
class NumberTypes:
    """The changes.

    Attributes
    ----------
    unpack
        Whether packed variables are unpacked.
    pack
        Names of variables and how their numbers are packed. The name "" means all variables with
        floating-point data that are neither packed nor coordinates.
    types
        Names of variables, or "" as in `pack`, and the type that their numbers get.
    masks
        Names of variables, or "" as in `pack`, and the value that missing data get.
    quantize
        Names of variables, or "" as in `pack`, and how their numbers are rounded.
    """

    unpack: bool = False
    pack: tuple[tuple[str, PackingChoice], ...] = ()
    types: tuple[tuple[str, str], ...] = ()
    masks: tuple[tuple[str, float], ...] = ()
    quantize: tuple[tuple[str, Quantization], ...] = ()

    def __bool__(self) -> bool:
        return self.unpack or bool(self.pack or self.types or self.masks or self.quantize)


def masks_of(values: float | Mapping[str, float] | None) -> tuple[tuple[str, float], ...]:
    """Return names of variables and their values of missing data; "" is the name of a number."""
    if values is None:
        return ()
    return (*values.items(),) if isinstance(values, Mapping) else (("", values),)


def types_of(types: str | Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return names of variables and their types; each is one of `NUMBER_TYPES`.

    Parameters
    ----------
    types
        A type for floating-point data, or a mapping of names of variables to types.

    Raises
    ------
    OptionError
        If a type is unknown.
    """
    given = ((("", types),) if types else ()) if isinstance(types, str) else (*types.items(),)
    pairs = tuple((name, _OTHER_NAMES.get(word, word)) for name, word in given)
    for _, word in pairs:
        if word not in NUMBER_TYPES:
            raise OptionError(
                f"{option('types')}: {word!r} is not a type of numbers",
                hint=f"choose {', '.join(NUMBER_TYPES)}",
            )
    return pairs


def packings_of(pack: str | Mapping[str, str] | None) -> tuple[tuple[str, PackingChoice], ...]:
    """Return names of variables and their packings, from ``TYPE`` or ``TYPE:SCALE:OFFSET``.

    Parameters
    ----------
    pack
        A text for all floating-point data, or a mapping of names of variables to texts.

    Raises
    ------
    OptionError
        If a text is not valid.
    """
    given = pack if isinstance(pack, Mapping) else {} if pack is None else {"": pack}
    pairs = (_with_name(name, text) for name, text in given.items())
    return tuple((name, _parse_packing(text)) for name, text in pairs)


def _with_name(name: str, text: str) -> tuple[str, str]:
    """Return the name of a variable and its packing; a text that is not a type is a name."""
    is_type = _OTHER_NAMES.get(text, text) in {atomic.value for atomic in Atomic}
    is_name = not name and not is_type and re.fullmatch(r"[A-Za-z_][\w/]*", text) is not None
    return (text, "short") if is_name else (name, text)


ALGORITHMS: Mapping[str, QuantizeAlgorithm] = {
    "granular": "GranularBitRound", "granularbitround": "GranularBitRound",
    "bitgroom": "BitGroom", "bitround": "BitRound",
}  # fmt: skip
"""The names of ways to round, in lower case."""


def quantizations_of(
    quantize: int | str | Mapping[str, int | str] | None,
) -> tuple[tuple[str, Quantization], ...]:
    """Return names of variables and their rounding, from ``DIGITS`` or ``bitround:BITS``.

    Parameters
    ----------
    quantize
        A number or a text for all floating-point data, or a mapping of names of variables.

    Raises
    ------
    OptionError
        If a text is not valid.
    """
    if quantize is None:
        return ()
    given = quantize if isinstance(quantize, Mapping) else {"": quantize}
    return tuple((name, _quantization(str(text))) for name, text in given.items())


def _quantization(text: str) -> Quantization:
    """Return the way to round of a text: ``DIGITS`` or ``ALGORITHM:DIGITS``."""
    word, _, digits = text.rpartition(":")
    algorithm = ALGORITHMS.get(word.lower() or "granular")
    number = whole_number(digits)
    if algorithm is None or not number:
        raise OptionError(
            f"{option('quantize')}: {text!r} is not valid",
            hint=f"write a number of significant digits, such as 3, or bitgroom:3, or"
            f" bitround:9 for bits; for one variable, {_ROUNDED}",
        )
    return Quantization(algorithm=algorithm, digits=number)


_ROUNDED = either("--quantize VAR=3", 'quantize={"VAR": 3}')
_ONE = either("--pack VAR=short", 'pack={"VAR": "short"}')


_FACTORS = 2
"""The number of factors of a packing: its scale and its offset."""


def _parse_packing(text: str) -> PackingChoice:
    """Return the packing of a text: ``TYPE``, ``TYPE:SCALE`` or ``TYPE:SCALE:OFFSET``."""
    word, *numbers = text.split(":")
    word = _OTHER_NAMES.get(word, word)
    try:
        factors = [float(number) for number in numbers]
    except ValueError:
        factors = [math.nan]
    is_valid = len(factors) <= _FACTORS and all(map(math.isfinite, factors))
    if word not in PACKED_TYPES or not is_valid or factors[:1] == [0]:
        raise OptionError(
            f"{option('pack')}: {text!r} is not valid",
            hint=f"write a type, one of {', '.join(PACKED_TYPES)}, alone or with factors, as in"
            f" short:0.01:273.15; for one variable, {_ONE}",
        )
    return PackingChoice(Atomic(word), *factors)

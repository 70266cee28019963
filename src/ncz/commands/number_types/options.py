"""Changes of the types of numbers in a copy."""

from __future__ import annotations

from collections.abc import Mapping

from ncz.commands.option_error import OptionError
from ncz.errors import option
from ncz.model.types import Atomic
from ncz.record import record

NUMBER_TYPES = tuple(atomic.value for atomic in Atomic if atomic.kind in "iuf")
"""The types of numbers, as CDL names them."""

_NUMPY_NAMES = {
    f"{kind}{8 * atomic.size}": atomic.value
    for kind, letter in (("int", "i"), ("uint", "u"), ("float", "f"))
    for atomic in Atomic
    if atomic.kind == letter
}
"""The names of numpy for these types."""


@record(kw_only=True)
class NumberTypes:
    """The changes.

    Attributes
    ----------
    unpack
        Whether packed variables are unpacked.
    pack
        The type of packed floating-point data; None if they are not packed.
    types
        Names of variables and the type that their numbers get. The name "" means all variables
        with floating-point data that are neither packed nor coordinates.
    masks
        Names of variables, or "" as in `types`, and the value that missing data get.
    """

    unpack: bool = False
    pack: str | None = None
    types: tuple[tuple[str, str], ...] = ()
    masks: tuple[tuple[str, float], ...] = ()

    def __bool__(self) -> bool:
        return self.unpack or self.pack is not None or bool(self.types or self.masks)


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
    pairs = tuple((name, _NUMPY_NAMES.get(word, word)) for name, word in given)
    for _, word in pairs:
        if word not in NUMBER_TYPES:
            raise OptionError(
                f"{option('types')}: {word!r} is not a type of numbers",
                hint=f"choose {', '.join(NUMBER_TYPES)}",
            )
    return pairs

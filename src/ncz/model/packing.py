"""The meaning of the stored numbers of a variable: its masks, its packing and their signs.

The rules are xarray's, of the attributes ``_FillValue``, ``missing_value``, ``scale_factor``,
``add_offset`` and ``_Unsigned``. Sources: CF Conventions, sections 2.5.1 and 8.1; NetCDF Users
Guide, "Best Practices" (``_Unsigned``).
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from ncz.late import numpy as np
from ncz.model.tree import Variable
from ncz.model.types import NOT_A_TIME, Atomic
from ncz.record import record

if TYPE_CHECKING:
    from numpy.typing import NDArray

MASKS = ("_FillValue", "missing_value")
"""The attributes whose values mark missing data."""

PACKING = ("scale_factor", "add_offset", "_Unsigned")
"""The attributes that describe the packing of values."""

_UNITS_OF_TIME = frozenset({
    "days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds",
})  # fmt: skip


@record(kw_only=True)
class Packing:
    """Rules that mask and unpack the stored numbers of a variable.

    Attributes
    ----------
    masks
        The numbers that mark missing data, from the attributes.
    scale, offset
        The factor and the offset; None for a missing one.
    unsigned
        True if signed integers are read as unsigned ones, False if unsigned integers are read as
        signed ones, None if integers have the signs of their type.
    has_nat
        Whether the least number of type int64 is a missing time, as in numpy and xarray.
    factor_type
        The type of unpacked values from the attributes; None for the numbers' own type.
    """

    masks: tuple[float, ...] = ()
    scale: float | None = None
    offset: float | None = None
    unsigned: bool | None = None
    has_nat: bool = False
    factor_type: Atomic | None = None

    @property
    def is_packed(self) -> bool:
        """Whether values have a factor or an offset."""
        return self.scale is not None or self.offset is not None

    def to_signed(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return stored integers with the signs that ``_Unsigned`` gives them."""
        return values.view(self._read_as(values.dtype))

    def _read_as(self, stored: np.dtype[Any]) -> np.dtype[Any]:
        if self.unsigned is True and stored.kind == "i":
            return np.dtype(f"u{stored.itemsize}")
        if self.unsigned is False and stored.kind == "u":
            return np.dtype(f"i{stored.itemsize}")
        return stored

    @functools.lru_cache(maxsize=256)  # noqa: B019
    def masks_of(self, stored: np.dtype[Any]) -> NDArray[Any] | None:
        """Return the masks among numbers of a dtype, as `to_signed` returns them; None for none.

        A mask that the dtype cannot have masks nothing.
        """
        if stored.kind == "O":  # the numbers of an enum
            return np.array(self.masks, "O") if self.masks else None
        used = self._read_as(stored)
        if stored.kind == "f":
            with np.errstate(all="ignore"):
                found = np.array([m for m in self.masks if m == m]).astype(stored)
            return found if found.size else None
        whole = {int(m) for m in self.masks if m == m and abs(m) < 2**64 and m == int(m)}
        if self.has_nat and stored.kind == "i" and stored.itemsize == 8:
            whole.add(NOT_A_TIME)
        numbers: set[int] = set()
        for dtype in (stored, used):
            limits = np.iinfo(dtype)
            within = [n for n in whole if limits.min <= n <= limits.max]
            numbers.update(np.array(within, dtype).view(used).tolist())
        return np.array(sorted(numbers), used) if numbers else None

    def is_missing(self, values: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which stored numbers are missing data; NaN is."""
        found = self.is_masked(values)
        if values.dtype.kind == "f":
            found |= np.isnan(values)
        return found

    def is_masked(self, values: NDArray[Any]) -> NDArray[np.bool_]:
        """Return whether each stored number equals a mask; NaN never does."""
        found = np.zeros(values.shape, bool)
        masks = self.masks_of(values.dtype)
        if masks is not None:
            numbers = self.to_signed(values)
            for mask in masks:
                found |= numbers == mask
        return found

    def unpack(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return stored numbers unpacked, in the dtype that xarray chooses; masks are unpacked too.

        Numbers without a factor and an offset keep their dtype.
        """
        numbers = self.to_signed(values)
        if not self.is_packed:
            return numbers
        result = numbers.astype(self.unpacked_dtype(numbers.dtype))
        with np.errstate(all="ignore"):
            if self.scale is not None:
                result *= self.scale
            if self.offset is not None:
                result += self.offset
        return result

    def unpacked_dtype(self, dtype: np.dtype[Any]) -> str:
        """Return the dtype of unpacked numbers for a dtype of stored ones."""
        is_exact = dtype.kind in "iu" and dtype.itemsize == 4  # a float would lose some digits
        is_pair = self.scale is not None and self.offset is not None
        single = self.factor_type is Atomic.FLOAT and not (is_pair and is_exact)
        return "f4" if single else "f8"

    def decode(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return stored numbers unpacked as double, with NaN for missing ones."""
        decoded = self.to_signed(values).astype("f8")
        decoded[self.is_missing(values)] = np.nan
        with np.errstate(invalid="ignore"):  # of an infinite scale
            if self.scale is not None:
                decoded *= self.scale
            if self.offset is not None:
                decoded += self.offset
        return decoded


def packing_of(variable: Variable) -> Packing:
    """Return the rules that mask and unpack the stored numbers of a variable."""
    scale, offset = (_factor(variable, name) for name in ("scale_factor", "add_offset"))
    return Packing(
        masks=tuple(n for name in MASKS for n in _numbers(variable, name)),
        scale=None if scale is None else scale[0],
        offset=None if offset is None else offset[0],
        unsigned=_SIGNS.get(variable.text("_Unsigned").lower()),
        has_nat=_has_times(variable),
        factor_type=_factor_type(scale, offset),
    )


_SIGNS = {"true": True, "false": False}


def _numbers(variable: Variable, name: str) -> tuple[float, ...]:
    attribute = variable.attribute(name)
    values = () if attribute is None else attribute.values
    return tuple(v for v in values if isinstance(v, (int, float)))


def _factor(variable: Variable, name: str) -> tuple[float, Atomic] | None:
    """Return a factor or an offset and its type; None if it is not one number."""
    attribute, numbers = variable.attribute(name), _numbers(variable, name)
    if attribute is None or len(numbers) != 1 or len(attribute.values) != 1:
        return None
    return numbers[0], attribute.type if isinstance(attribute.type, Atomic) else Atomic.DOUBLE


def _factor_type(
    scale: tuple[float, Atomic] | None, offset: tuple[float, Atomic] | None
) -> Atomic | None:
    """Return the type of unpacked values for the types of the factor and the offset.

    An offset alone may have more digits than a float, and so may one of another type.
    """
    if scale is None and offset is None:
        return None
    if scale is not None and scale[1] is Atomic.FLOAT:
        return Atomic.FLOAT if offset is None or offset[1] is Atomic.FLOAT else Atomic.DOUBLE
    return Atomic.DOUBLE


def _has_times(variable: Variable) -> bool:
    units = variable.text("units").lower()
    is_noted = variable.text("dtype").startswith(("timedelta64", "datetime64"))
    return " since " in units or units in _UNITS_OF_TIME or is_noted

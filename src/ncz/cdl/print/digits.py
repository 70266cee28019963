"""Notice which numbers among data are printed with fewer digits than they have."""

from __future__ import annotations

from mmap import mmap
from typing import TYPE_CHECKING, Any

from ncz.errors import Notice
from ncz.model.types import Atomic, NcType, Value
from ncz.record import record
from ncz.text.format_values import (
    NumberFormat,
    Precision,
    default_format,
    is_shortened,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BLOCK = 1 << 13
"""Number of values that are looked at together, so that intermediate arrays stay in the cache."""

_NAMED = 5
"""Variables and attributes that the notice names."""


@record
class DigitWatch:
    """Looks at the numbers of one variable as they are printed, until one loses digits.

    `flag` is one byte that forked processes share. `digits` is the number of significant digits;
    None if a ``C_format`` decides, so that the text itself is read. Values equal to `fill` are
    printed as ``_``.
    """

    flag: mmap
    digits: int | None
    fill: Value

    def __call__(self, values: NDArray[Any], text: bytes) -> None:
        if not self.flag[0] and self._loses(values, text):
            self.flag[0] = 1

    @property
    def has_lost(self) -> bool:
        """Whether a number has lost digits."""
        return bool(self.flag[0])

    def _loses(self, values: NDArray[Any], text: bytes) -> bool:
        if self.digits is None:
            return _differs_from_text(values, text)
        from ncz.text.format_rows import fill_mask
        from ncz.text.lost_digits import loses_digits

        flat = values.reshape(-1)
        for at in range(0, flat.size, _BLOCK):
            part = flat[at : at + _BLOCK]
            filled = fill_mask(part, self.fill)
            if loses_digits(part if filled is None else part[~filled], self.digits):
                return True
        return False


def watch_digits(
    nc_type: Atomic, style: NumberFormat, precision: Precision, fill: Value
) -> DigitWatch | None:
    """Return what looks at numbers of a type; None if the user chose the digits."""
    if not nc_type.is_floating or precision.is_given(nc_type):
        return None
    is_default = style == default_format(nc_type, precision)
    return DigitWatch(mmap(-1, 1), precision.of(nc_type) if is_default else None, fill)


@record
class ValueWatch:
    """Looks at the values of one variable of a user-defined type, as `DigitWatch` at numbers."""

    flag: mmap
    type: NcType
    precision: Precision

    def __call__(self, value: Value) -> None:
        if not self.flag[0] and is_shortened(value, self.type, self.precision):
            self.flag[0] = 1

    @property
    def has_lost(self) -> bool:
        """Whether a number in a value has lost digits."""
        return bool(self.flag[0])


def watch_values(nc_type: NcType, precision: Precision) -> ValueWatch | None:
    """Return what looks at values that are printed one by one; None for strings."""
    return None if isinstance(nc_type, Atomic) else ValueWatch(mmap(-1, 1), nc_type, precision)


def _differs_from_text(values: NDArray[Any], text: bytes) -> bool:
    """Return whether numbers in a format of their own are read back as others."""
    tokens = text.replace(b"\n", b", ").split(b", ")
    return any(
        word != b"_" and value == value and values.dtype.type(word.decode("ascii")) != value
        for word, value in zip(tokens, values.reshape(-1), strict=True)
    )


def lost_digits_notice(names: list[str]) -> Notice:
    """Return a notice of numbers that are printed with fewer digits than they have."""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return Notice(
        "digits-left-out",
        "some numbers have more digits than are printed, so that a store made from the text has"
        f" other last digits: {', '.join(names[:_NAMED])}{more}",
        hint="use -p 9,17 or --json to print all digits",
    )

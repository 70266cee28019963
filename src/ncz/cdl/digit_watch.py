"""Find numbers among data that are printed with fewer digits than they have."""

from __future__ import annotations

from collections.abc import Callable
from mmap import mmap
from typing import TYPE_CHECKING, Any

from ncz.errors import AS_JSON, Notice, either, list_names
from ncz.model.types import Atomic, NcType, Value
from ncz.record import record
from ncz.text.format_values import NumberFormat, Precision, default_format, is_shortened

if TYPE_CHECKING:
    from numpy.typing import NDArray


@record
class DigitWatch:
    """Checks the numbers of one variable while they are printed, until one loses digits.

    `flag` is one byte that forked processes share. `is_default` is false if a ``C_format`` decides
    on the digits, so that the text itself is read.
    """

    flag: mmap
    is_default: bool

    def on_loss(self) -> Callable[[], None] | None:
        """Return a callback for numbers that the default format shortens; None after the first."""
        return self.mark if self.is_default and not self.flag[0] else None

    def mark(self) -> None:
        """Record that a number has lost digits."""
        self.flag[0] = 1

    def read_text(self, values: NDArray[Any], text: bytes) -> None:
        """Compare numbers in another format with their text."""
        if not self.is_default and not self.flag[0] and differs_from_text(values, text):
            self.mark()

    @property
    def has_lost(self) -> bool:
        """Whether a number has lost digits."""
        return bool(self.flag[0])


def watch_digits(nc_type: Atomic, style: NumberFormat, precision: Precision) -> DigitWatch | None:
    """Return a check for numbers of a type; None if the user chose the digits."""
    if not nc_type.is_floating or precision.is_given(nc_type):
        return None
    return DigitWatch(mmap(-1, 1), style == default_format(nc_type, precision))


@record
class ValueWatch:
    """Checks the values of a variable of a user-defined type, as `DigitWatch` checks numbers."""

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
    """Return a check for values that are printed one by one; None for strings."""
    return None if isinstance(nc_type, Atomic) else ValueWatch(mmap(-1, 1), nc_type, precision)


def differs_from_text(values: NDArray[Any], text: bytes) -> bool:
    """Return whether numbers in a special format are read back as others."""
    tokens = text.replace(b"\n", b", ").split(b", ")
    return any(
        word != b"_" and value == value and values.dtype.type(word.decode("ascii")) != value
        for word, value in zip(tokens, values.reshape(-1), strict=True)
    )


def lost_digits_notice(names: list[str]) -> Notice:
    """Return a notice of numbers that are printed with fewer digits than they have."""
    return Notice(
        "digits-left-out",
        f"numbers have more digits than are printed: {list_names(names)}",
        hint=f"use {either('-p 9,17', 'digits=(9, 17)')} or {AS_JSON} to print all digits",
    )

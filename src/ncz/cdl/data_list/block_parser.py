"""A block of a data list parsed to a numpy array: millions of numbers or strings at a time.

numpy's own parser is used if it is safe: on text of plain numbers, after ``_``,
comments, suffixes and the names of NaN and Infinity have been replaced, if every token of the
block is valid CDL. Every result is checked (number of values, range, finite). A block that fails
a check is parsed again constant by constant by `ncz.cdl.constants`, which returns the
values or raises the error with its location.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ncz.cdl.constants import Constant, Kind, decode_text
from ncz.cdl.conversion import number_of_date
from ncz.cdl.data_list.number_records import parse_records
from ncz.cdl.data_list.string_runs import parse_list
from ncz.cdl.item_values import convert_item, default_fill
from ncz.cdl.items import parse_items
from ncz.cdl.lexical import COMMENT
from ncz.late import numpy as np
from ncz.model.data import dtype_of
from ncz.model.types import Atomic, Compound, NcType, Value
from ncz.text.source import SourceText

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ncz.text.times import Times

Dates = Callable[[], "Times | None"]
"""Returns the converter for a variable's dates; None if its units are not units of time."""


class _UnwrittenType:
    """The type of `UNWRITTEN`."""

    def __repr__(self) -> str:
        return "_"


UNWRITTEN = _UnwrittenType()
"""Represents ``_`` among strings, where a missing element differs from an empty one."""

_PLAIN_INTEGERS = b"0123456789+-, \t\r\n\f\v"
_PLAIN_FLOATS = _PLAIN_INTEGERS + b".eE"


def _list_pattern(token: bytes) -> re.Pattern[bytes]:
    item = rb"\s*(?:" + token + rb")\s*"
    return re.compile(rb"(?:" + item + rb",)*" + item)


_DECIMAL = rb"[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][+-]?[0-9]+)?"
_WHOLE = rb"[+-]?(?:0|[1-9][0-9]*)"
_INTEGERS = _list_pattern(
    rb"_|" + _WHOLE + rb"(?:[lL][lL]?|[sS]|[bB])?|(?:0|[1-9][0-9]*)[uU][lL][lL]"
)
_FLOAT_NAMES = rb"NaNf?|nanf?|-?Infinityf?|-?Inff|DoubleInf|FloatInf"  # as in constant.py
_NAMES = (
    (b"NaNf", b"nan"),
    (b"NaN", b"nan"),
    (b"-Infinityf", b"-inf"),
    (b"-Infinity", b"-inf"),
    (b"Infinityf", b"inf"),
    (b"Infinity", b"inf"),
)
"""Names of constants in CDL, and in numpy."""
_DOUBLES = _list_pattern(rb"_|" + _WHOLE + rb"|" + _DECIMAL + rb"[dDlL]?|" + _FLOAT_NAMES)
_SINGLES = _list_pattern(rb"_|" + _WHOLE + rb"|" + _DECIMAL + rb"[fFdDlL]?|" + _FLOAT_NAMES)
_INTEGER_SUFFIX = re.compile(rb"(?<=[0-9])[uUlLsSbB]+")
_FLOAT_SUFFIX = re.compile(rb"(?<=[0-9.])[fFdDlL]|(?<=[yfN])f|Float|Double")
_STRINGS = _list_pattern(rb'"[^"\\]*"|_|NIL|nil|Nil')
_STRING = re.compile(rb'"[^"\\]*"|_|[Nn]')
_BLANKS = " \t\r\n\f\v"


def parse_block(
    source: SourceText,
    start: int,
    stop: int,
    count: int,
    nc_type: NcType,
    fill: Value,
    dates: Dates = lambda: None,
) -> NDArray[Any]:
    """Parse the list between two offsets, which has `count` values unless it is wrong.

    Char data are not a list of values; `ncz.cdl.data_list.array` parses them.

    Parameters
    ----------
    fill
        The value of ``_``. Among strings ``_`` is UNWRITTEN instead.
    dates
        Converts dates to numbers, if the list has any in quotes.

    Returns
    -------
    ndarray
        One-dimensional, of dtype `ncz.model.data.dtype_of(nc_type)`.

    Raises
    ------
    CdlError
        A constant is wrong or does not fit the type.
    """
    text = source.buffer[start:stop]
    fast: NDArray[Any] | None = None
    if nc_type is Atomic.STRING:
        return _parse_strings(source, text, start, stop)
    if isinstance(nc_type, Atomic | Compound):
        if b"/" in text:
            text = COMMENT.sub(b" ", text)
        if isinstance(nc_type, Atomic):
            fast = _parse_numbers(text, nc_type, fill)
        else:
            records = parse_records(text, nc_type, _parse_field)
            fast = None if records is None else np.fromiter(records, object, len(records))
        if fast is not None and len(fast) == count:
            return fast
    times = dates() if b'"' in text else None
    return _parse_one_by_one(source, start, stop, nc_type, fill, times)


def _parse_one_by_one(
    source: SourceText,
    start: int,
    stop: int,
    nc_type: NcType,
    fill: Value,
    times: Times | None = None,
) -> NDArray[Any]:
    items = parse_items(source, start, stop)
    values: NDArray[Any] = np.empty(len(items), dtype_of(nc_type))
    for number, item in enumerate(items):
        if times is not None:
            item = number_of_date(source, item, nc_type, times)
        values[number] = convert_item(source, item, nc_type, fill)
    return values


def _parse_numbers(text: bytes, atomic: Atomic, fill: Value) -> NDArray[Any] | None:
    """Parse a list of numbers; None if an item has another form."""
    if atomic.is_integer:
        return _parse_integers(text, atomic, fill)
    return _parse_floats(text, atomic, fill) if atomic.is_floating else None


def _parse_field(text: bytes, atomic: Atomic) -> NDArray[Any] | None:
    return _parse_numbers(text, atomic, default_fill(atomic))


def _parse_integers(text: bytes, atomic: Atomic, fill: Value) -> NDArray[Any] | None:
    from ncz.text.parse_integers import parse_integers

    limit = None
    values = None if b"_" in text else parse_integers(text)
    if values is None:
        if letters := set(text.translate(None, _PLAIN_INTEGERS)):
            if letters != {ord("_")}:
                if not _INTEGERS.fullmatch(text):
                    return None
                limit = _suffix_limit(text)
                text = _INTEGER_SUFFIX.sub(b"", text)
            # Between blanks, so that adjacent digits become two numbers without a comma, an error.
            text = text.replace(b"_", b" %d " % fill)
            values = parse_integers(text)
        if values is None:
            values = _parse_integers_by_numpy(text, atomic)
    if values is None or not len(values):
        return values
    low, high = int(values.min()), int(values.max())
    smallest, largest = atomic.limits
    if low < smallest or high > largest or (limit is not None and max(high, -low) > limit):
        return None
    return values.astype(atomic.dtype, copy=False)


def _parse_integers_by_numpy(text: bytes, atomic: Atomic) -> NDArray[Any] | None:
    from ncz.text.parse_numbers import parse_numbers

    wide = np.dtype(np.uint64 if atomic is Atomic.UINT64 else np.int64)
    if wide.kind == "u" and (b"-" in text or b"+" in text):
        return None
    values = parse_numbers(text, wide)
    if values is None or not len(values):
        return values
    if not _all_decimal(text, len(values)):
        return None
    saturated = np.iinfo(wide)  # the result of strtoll for more digits than fit
    if values.max() == saturated.max or (wide.kind == "i" and values.min() == saturated.min):
        return None
    return values


def _suffix_limit(text: bytes) -> int | None:
    """Return the largest value that no suffix in `text` changes: 100b is 100, but 200b is -56."""
    lower = text.lower()
    if b"b" in lower:
        return Atomic.BYTE.limits[1]
    if b"s" in lower:
        return Atomic.SHORT.limits[1]
    return None if lower.count(b"l") == 2 * lower.count(b"ll") else Atomic.INT.limits[1]


def _parse_floats(text: bytes, atomic: Atomic, fill: Value) -> NDArray[Any] | None:
    from ncz.text.parse_numbers import parse_floats

    parsed = parse_floats(text, fill)
    if parsed is None:
        return _parse_floats_by_numpy(text, atomic, fill)
    values, infinities = parsed
    if atomic is Atomic.FLOAT:
        with np.errstate(over="ignore"):
            values = values.astype(np.float32)
    return values if int(np.isinf(values).sum()) == infinities else None


def _parse_floats_by_numpy(text: bytes, atomic: Atomic, fill: Value) -> NDArray[Any] | None:
    from ncz.text.parse_numbers import parse_numbers

    infinities = 0
    if letters := text.translate(None, _PLAIN_FLOATS):
        if np.isinf(fill):
            infinities = text.count(b"_")
        if set(letters) != {ord("_")}:
            words = 0
            plain = text
            for name, short in _NAMES:
                words += plain.count(name)
                plain = plain.replace(name, b" " + short + b" ")
            if len(plain.translate(None, _PLAIN_FLOATS + b"_")) == 3 * words:
                infinities += plain.count(b"inf")
                text = plain
            else:
                if not (_SINGLES if atomic is Atomic.FLOAT else _DOUBLES).fullmatch(text):
                    return None
                infinities += text.count(b"Inf")
                text = _FLOAT_SUFFIX.sub(b"", text)
        text = text.replace(b"_", b" %s " % repr(float(fill)).encode())
    values = parse_numbers(text, np.dtype(np.float64))
    if values is None or not len(values):
        return None if values is None else values.astype(atomic.dtype)
    if not _no_blank_item_and_no_octal(text, len(values)):
        return None
    if atomic is Atomic.FLOAT:
        with np.errstate(over="ignore"):
            values = values.astype(np.float32)
    printed_infinities = int(np.isinf(values).sum())
    return values if printed_infinities == infinities else None


def _all_decimal(text: bytes, count: int) -> bool:
    """Return whether every item has digits and none is octal.

    numpy parses a blank item or a bare sign as 0. `count` items were parsed, and no item can have
    two runs of digits.
    """
    codes = np.frombuffer(text, np.uint8)
    digit = (codes - np.uint8(48)) < 10
    begins = digit.copy()
    begins[1:] &= ~digit[:-1]
    if int(np.count_nonzero(begins)) != count:
        return False
    return not bool(np.any(begins[:-1] & (codes[:-1] == 48) & digit[1:]))


def _no_blank_item_and_no_octal(text: bytes, count: int) -> bool:
    """Return whether every item has text (numpy parses a blank one as -1) and none may be octal."""
    codes = np.frombuffer(text, np.uint8)
    solid = (codes > 32) & (codes != 44)
    begins = solid.copy()
    begins[1:] &= ~solid[:-1]
    first = np.flatnonzero(begins)
    if len(first) != count:
        return False
    padded = np.append(codes, np.zeros(2, np.uint8))
    sign = (padded[first] == 43) | (padded[first] == 45)
    first = first + sign
    return not bool(np.any((padded[first] == 48) & ((padded[first + 1] - np.uint8(48)) < 10)))


def _parse_strings(source: SourceText, text: bytes, start: int, stop: int) -> NDArray[Any]:
    values = _strings_of(text)
    if values is None:
        values = [
            UNWRITTEN
            if isinstance(item, Constant) and item.kind is Kind.FILL
            else convert_item(source, item, Atomic.STRING, "")
            for item in parse_items(source, start, stop)
        ]
    array = np.empty(len(values), object)
    array[:] = values
    return array


def _strings_of(text: bytes) -> Sequence[object] | None:
    """Return the values of a list of strings, ``_`` and ``NIL``; None if it must be parsed."""
    if b"\\" not in text:
        parts = decode_text(text).split('"')
        between = [each.strip(_BLANKS) for each in parts[::2]]
        if between[0] == between[-1] == "" and between.count(",") == len(between) - 2 >= 0:
            return parts[1::2]
        if not _STRINGS.fullmatch(text):
            return None
        return [
            decode_text(token[1:-1]) if token[:1] == b'"' else UNWRITTEN if token == b"_" else None
            for token in _STRING.findall(text)
        ]
    run = parse_list(text)
    return None if run is None else [decode_text(each) for each in run.split()]

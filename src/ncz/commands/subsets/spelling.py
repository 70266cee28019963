"""Indices and values of a selection as text: ``time=0:10:2`` and ``lat=40:60``."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from ncz.commands.option_error import OptionError
from ncz.commands.subsets.written_ranges import (
    hint_for,
    hint_for_pair,
    listed_indices,
    plain_index,
    plain_range,
)
from ncz.errors import option
from ncz.model.selection import Between, ByValue, Index, OneOf, Selection, Value
from ncz.record import replace
from ncz.text.date_limits import is_date, is_year, with_iso_date

_NEXT = re.compile(r",(?=[^,=]+=)")

_Result = TypeVar("_Result")


def parse_selection(isel: Sequence[str] = (), sel: Sequence[str] = ()) -> Selection:
    """Return the selection of texts such as ``time=0:10:2,x=-1``; `print_selection` is the inverse.

    Raises `OptionError` if a text is not valid, or selects from a dimension a second time.
    """
    return Selection(by_index=parse_indices(isel), by_value=parse_values(sel))


def parse_indices(texts: Sequence[str]) -> Mapping[str, Index]:
    """Return the indices of ``--isel`` by dimension; see `parse_selection`."""
    return _by_name(texts, option("isel"), parse_index)


def parse_values(texts: Sequence[str]) -> Mapping[str, ByValue]:
    """Return the values of ``--sel`` by dimension or coordinate; see `parse_selection`."""
    return _by_name(texts, option("sel"), lambda value, _: parse_value(value))


def print_selection(selection: Selection) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the texts that `parse_selection` parses."""
    return (
        tuple(f"{name}={print_index(index)}" for name, index in selection.by_index.items()),
        tuple(f"{name}={print_value(value)}" for name, value in selection.by_value.items()),
    )


def _by_name(
    texts: Sequence[str], option: str, parse: Callable[[str, str], _Result]
) -> Mapping[str, _Result]:
    """Return the selections of ``DIM=SELECTION`` texts; a text may have several."""
    found: dict[str, _Result] = {}
    for text in texts:
        name, sign, values = text.partition("=")
        first, *more = _NEXT.split(values)
        for one in (f"{name}{sign}{first}", *more):
            name, sign, value = one.partition("=")
            if name[-1:] == " ":  # as in "lat = 0:30"
                name, value = name.strip(), value.strip()
            if not (name.strip("<>") == name != "" and sign and value):
                message = f"{option} {one!r} is not DIMENSION=SELECTION"
                raise OptionError(message, hint=hint_for_pair(one))
            if name in found:
                raise second_selection_error(one)
            found[name] = parse(value, one)
    return found


def second_selection_error(text: str) -> OptionError:
    """Return the error of a second selection from one dimension."""
    return OptionError(f"{text!r} selects from a dimension that is already selected from")


def parse_index(value: str, text: str) -> Index:
    """Return an index, a slice or a list; `text` is the whole selection, for messages."""
    listed = listed_indices(value)
    if listed is not None:
        return listed
    parts = plain_index(value).split(":")
    try:
        numbers = [int(part) if part else None for part in parts]
    except ValueError:
        numbers = []
    if not 1 <= len(numbers) <= 3:
        hint = hint_for(text.partition("=")[0].strip(), value, "write time=0:10:2 or time=0,5,9")
        raise OptionError(f"{text!r} is not an index, a slice or a list of indices", hint=hint)
    if len(numbers) == 1:
        assert numbers[0] is not None
        return numbers[0]
    return slice(*numbers)


def print_index(index: Index) -> str:
    """Return the text of an index, a slice or a list."""
    if isinstance(index, int):
        return str(index)
    if isinstance(index, tuple):
        listed = ",".join(map(str, index))
        return listed if len(index) > 1 else f"[{listed}]"
    start, stop, step = ("" if n is None else str(n) for n in (index.start, index.stop, index.step))
    return f"{start}:{stop}" + (f":{step}" if step else "")


def parse_value(text: str) -> ByValue:
    """Return a value, or two limits that a slash separates, or a colon. Times have colons too.

    A step follows the second limit.
    """
    text = plain_range(text)
    stepped = _STEPPED.fullmatch(text)
    if stepped is not None:
        first, _, last = stepped[1].partition("/")
        return Between(_end(first), _end(last), stepped[1], int(stepped[2]))
    if "/" in text:
        first, _, last = text.partition("/")
        return Between(_end(first), _end(last), text)
    if ":" not in text or is_date(with_iso_date(text)):
        return _single(text)
    limits = _limits_in(text)
    if limits is not None:
        return limits
    before, _, last = text.rpartition(":")
    limits = _limits_in(before) if re.fullmatch(r"-?\d+", last) else None
    if limits is not None:
        return replace(limits, step=int(last))
    first, _, last = text.partition(":")
    return Between(_end(first), _end(last), text)


def _limits_in(text: str) -> Between | None:
    """Return two numbers or dates that a colon separates; None for another text."""
    for at in (at for at, sign in enumerate(text) if sign == ":"):
        first, last = text[:at], text[at + 1 :]
        if all(not end or _is_limit(end) for end in (first, last)):
            return Between(_end(first), _end(last), text)
    return None


_STEPPED = re.compile(r"(.*/.*)//(-?\d+)", re.DOTALL)
"""Limits and a step, as `print_value` writes them."""


def _is_limit(text: str) -> bool:
    return number_of(text) is not None or is_date(with_iso_date(text))


def _end(text: str) -> Value | None:
    return _single(text) if text else None


def _single(text: str) -> Value:
    """Return a number as one, if its text is the usual one, and anything else as text."""
    number = number_of(text)
    if number is None:
        return text
    exact = int(number) if math.isfinite(number) and re.fullmatch(r"[-+]?\d+", text) else number
    return exact if print_value(exact) == text else text


def print_value(value: ByValue) -> str:
    """Return the text of a value or of limits. A number that could be a year has a sign."""
    if isinstance(value, OneOf):
        return ",".join(map(print_value, value.values))
    if isinstance(value, Between):
        ends = ("" if end is None else print_value(end) for end in (value.low, value.high))
        return "/".join(ends) + (f"//{value.step}" if value.step != 1 else "")
    text = str(value)
    return f"+{text}" if not isinstance(value, str) and is_year(text) else text


def text_of(value: ByValue) -> str:
    """Return a value in its written form, for messages and for comparison with names."""
    if isinstance(value, OneOf):
        return ",".join(map(str, value.values))
    if not isinstance(value, Between):
        return str(value)
    joined = "/".join("" if end is None else str(end) for end in (value.low, value.high))
    return (value.written or joined) + (f":{value.step}" if value.step != 1 else "")


def number_of(value: Value | None) -> float | None:
    """Return a value as a number; None if it is not one."""
    try:
        number = float(value) if isinstance(value, str) else value
    except ValueError:
        return None
    return number if number == number else None  # not NaN

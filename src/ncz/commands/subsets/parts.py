"""The parts of a divided dimension: years, months, days, lengths or single values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ncz.commands.option_error import OptionError
from ncz.commands.subsets.coordinates import Coordinate, coordinates_named
from ncz.commands.subsets.selection import dimensions_named
from ncz.errors import NczError, option
from ncz.model.data import read_all
from ncz.model.packing import packing_of
from ncz.model.selection import Index, Value
from ncz.record import record
from ncz.text.date_texts import texts_in
from ncz.text.time_variables import find_times

if TYPE_CHECKING:
    from ncz.model.tree import Dataset

PERIODS = {"year": 1, "month": 2, "day": 3}
"""Periods, and the number of components of a date that they have."""

_DATE = re.compile(r"(-?\d+)-(\d+)-(\d+)")

MOST_PARTS = 100_000
"""The largest number of parts."""


@record(kw_only=True)
class Part:
    """A part of a dimension: its label, and the value or the indices that select it."""

    label: str
    value: Value | None = None
    index: Index | None = None


def parts_of(dataset: Dataset, name: str, rule: str) -> list[Part]:
    """Return the parts of a dimension in the order of their first indices.

    Parameters
    ----------
    dataset
        The dataset; the coordinate of the dimension is read.
    name
        The name of a dimension, or of a coordinate.
    rule
        One of `PERIODS`, a number of indices, or "" for single values.

    Raises
    ------
    OptionError
        If the rule is not valid, or does not fit the dimension.
    """
    text = option("split", f"{name}={rule}" if rule else name)
    if rule in PERIODS:
        labels = _periods(dataset, name, rule, text)
        return _limit_parts([Part(label=label, value=label) for label in labels], text)
    if rule and not (rule.isascii() and rule.isdigit() and int(rule)):
        raise OptionError(
            f"{text} is not valid",
            hint=f"write DIM={'|'.join(PERIODS)}, DIM=NUMBER of indices, or DIM",
        )
    try:
        size = dimensions_named(dataset, name)[0][1].size
    except NczError:
        size = None
    if rule and size is not None:
        return _limit_parts(_lengths(size, int(rule)), text)
    names = _names(dataset, name)
    if names is not None:
        return _limit_parts([Part(label=one, value=one) for one in names], text)
    if size is None:
        dimensions_named(dataset, name)  # raises the error
    assert size is not None
    return _limit_parts(_lengths(size, 1), text)


def _limit_parts(parts: list[Part], text: str) -> list[Part]:
    if len(parts) > MOST_PARTS:
        raise OptionError(f"{text} makes {len(parts)} parts; the most are {MOST_PARTS}")
    return parts


def _lengths(size: int, length: int) -> list[Part]:
    digits = len(str(max(0, size - 1)))
    return [
        Part(label=f"{first:0{digits}}", index=slice(first, min(first + length, size)))
        for first in range(0, min(size, length * (MOST_PARTS + 1)), length)
    ]


def _periods(dataset: Dataset, name: str, rule: str, text: str) -> list[str]:
    """Return the years, months or days of a coordinate."""
    labels: dict[str, None] = {}
    for date in _dates(coordinates_named(dataset, name, "2000", f"{name}={rule}")[0], text):
        match = _DATE.match(date)
        if match is not None:
            labels["-".join(match.groups()[: PERIODS[rule]])] = None
    if not labels:
        raise OptionError(f"{text}: the coordinate has no dates")
    return [*labels]


def _dates(coordinate: Coordinate, text: str) -> list[str]:
    variable = coordinate.variable
    assert variable.data is not None
    stored = read_all(variable.data)
    if not variable.has_numbers:
        return texts_in(stored)
    times = find_times(coordinate.group, " ").get(variable.name)
    if times is None:
        raise OptionError(f"{text}: {coordinate.fqn} has no dates, as its units say no time")
    packing = packing_of(variable)
    missing = packing.is_missing(stored)
    dates = (times.format(value) for value in packing.unpack(stored)[~missing].tolist())
    return [date for date in dates if date is not None]


def _names(dataset: Dataset, name: str) -> list[str] | None:
    """Return the texts of a coordinate, each once; None for numbers."""
    try:
        coordinate = coordinates_named(dataset, name, "", name)[0]
    except NczError:
        return None
    if coordinate.variable.has_numbers or coordinate.variable.data is None:
        return None
    return [*dict.fromkeys(texts_in(read_all(coordinate.variable.data)))]

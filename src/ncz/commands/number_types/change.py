"""Another description of a variable, and a function that converts its numbers."""

from __future__ import annotations

from collections.abc import Callable

from ncz.commands.joining.conversion import converter
from ncz.commands.joining.error import JoinError
from ncz.commands.joining.numbers import Numbers, numbers_in, numbers_of
from ncz.commands.joining.packing import storage_as
from ncz.errors import NczError
from ncz.model.data import Values
from ncz.model.mapped_source import converted_source
from ncz.model.tree import Dataset, Variable, each_variable
from ncz.model.types import Atomic
from ncz.record import record, replace

Convert = Callable[[Values], Values]
"""Returns the numbers of another type; raises `JoinError`, without a location, if it cannot."""

LIMITS = ("valid_min", "valid_max", "valid_range")
"""Attributes of the least and the largest valid number, packed or unpacked."""


@record
class Change:
    """The new description of a variable, with its old data, and their conversion."""

    variable: Variable
    convert: Convert


def change_numbers(
    dataset: Dataset, name: str, change: Callable[[str, Variable, Numbers], Change | None]
) -> Dataset:
    """Return a dataset with other numbers; they are converted when they are read.

    Parameters
    ----------
    dataset
        The dataset.
    name
        Its path or URL, for messages.
    change
        Called for each variable of numbers with its FQN and their meaning; None changes nothing.
    """
    numbers = numbers_of(dataset.root)

    def with_change(fqn: str, variable: Variable) -> Variable:
        found = change(fqn, variable, numbers[fqn]) if fqn in numbers else None
        if found is None:
            return variable
        new = found.variable
        assert isinstance(new.type, Atomic)
        data = new.data
        if data is not None:
            data = converted_source(data, new.type, _with_location(found.convert, fqn, name))
        return replace(new, data=data, storage=storage_as(new.storage, new.type))

    return each_variable(dataset, with_change)


def _with_location(convert: Convert, fqn: str, name: str) -> Convert:
    """Return a function whose errors have the name of the variable and of its dataset."""

    def convert_or_locate(values: Values) -> Values:
        try:
            return convert(values)
        except JoinError as error:
            raise NczError(f"{fqn}: {error.message}", name, error.hint) from None

    return convert_or_locate


def exactly(numbers: Numbers, new: Variable) -> Convert:
    """Return a function that converts numbers to another description of the variable."""
    theirs = numbers_in(new, numbers.times)
    assert theirs is not None
    return converter(numbers, theirs) or (lambda values: values)

"""One difference between two datasets, and how messages express it."""

from __future__ import annotations

from typing import Literal

from ncz.errors import NczError
from ncz.model.grid import Index
from ncz.record import record

Kind = Literal[
    "missing-group", "extra-group", "missing-variable", "extra-variable", "missing-attribute",
    "extra-attribute", "missing-dimension", "extra-dimension", "dimension", "dimension-order",
    "dimensions", "shape", "type", "attribute-type", "attribute", "value", "values", "storage",
]  # fmt: skip
"""The kind of a difference. "missing" things are expected and not found, "extra" things are found
and not expected. "dimension" is the length of a declared dimension, or whether it is unlimited;
"dimensions" are a variable's. "values" sums up the values of a variable that differ.
"storage" is a setting, `name`, of the storage of a variable."""


_MESSAGES: dict[Kind, str] = {
    "missing-group": "group {fqn} is missing",
    "extra-group": "group {fqn} is not expected",
    "missing-variable": "variable {fqn} is missing",
    "extra-variable": "variable {fqn} is not expected",
    "missing-attribute": "attribute {name} of {fqn} is missing",
    "extra-attribute": "attribute {name} of {fqn} is not expected",
    "missing-dimension": "dimension {name} of {fqn} is missing",
    "extra-dimension": "dimension {name} of {fqn} is not expected",
    "dimension": "dimension {name} of {fqn} differs",
    "dimension-order": "the order of the dimensions of {fqn} differs",
    "dimensions": "the dimensions are {found}, not {expected}",
    "shape": "the shape is {found}, not {expected}",
    "type": "the type is {found}, not {expected}",
    "attribute-type": "the type of attribute {name} of {fqn} differs",
    "attribute": "attribute {name} of {fqn} differs",
    "value": "[{at}] is {found!r}, not {expected!r}",
    "values": "{count} of {size} values differ",
    "storage": "the {name} are {found}, not {expected}",
}


@record(kw_only=True)
class Difference:
    """One difference between an expected dataset and the one that was found.

    `fqn` is the group ("/" for the root) or variable; `name` the attribute or dimension, if one
    differs; `index` the position of a value. `expected` and `found` are the different objects, in
    the form of the model; None if one of the datasets lacks it. `count`, `size` and `largest`
    belong to kind "values": the number of different values, the number of all values, and the
    largest difference between two numbers. `date` is the date of `index` by the time coordinate of
    a dimension.
    """

    kind: Kind
    fqn: str
    name: str | None = None
    index: Index | None = None
    expected: object = None
    found: object = None
    count: int | None = None
    size: int | None = None
    largest: float | None = None
    date: str | None = None

    def __str__(self) -> str:
        at = "" if self.index is not None else ": "
        return f"{self.fqn}{at}{self.message}" if self.is_of_variable else self.message

    def __repr__(self) -> str:
        members = self._members().items()
        arguments = ", ".join(f"{name}={value!r}" for name, value in members if value is not None)
        return f"Difference({arguments})"

    def _members(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in Difference.__annotations__}

    @property
    def message(self) -> str:
        """The text of the difference, without the name of the variable if the location has it."""
        at = ",".join(map(str, self.index or ()))
        return _MESSAGES[self.kind].format(at=at, **self._members())

    @property
    def is_of_variable(self) -> bool:
        """Whether the message does not name the variable, so that the location has to."""
        return "{fqn}" not in _MESSAGES[self.kind]


class DifferenceError(NczError, AssertionError):
    """The contents of a store differ from the expected ones."""


def difference_error(difference: Difference, location: str) -> DifferenceError:
    """Return the error for a difference that was found in the store at `location`."""
    if difference.is_of_variable:
        location = f"{location}: {difference.fqn}"
    return DifferenceError(difference.message, location)

"""Give numbers of an edit the type of their variable, as the CF conventions require.

Source: CF Conventions, sections 2.5.1 and 3.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ncz.errors import Notice, Notify
from ncz.formats.edits import Edit, Rename, Request
from ncz.formats.opening import open_dataset
from ncz.late import numpy as np
from ncz.model.single_precision import shortest_single
from ncz.model.tree import Dataset, Variable, variables_by_fqn
from ncz.model.types import Atomic, Value
from ncz.record import replace
from ncz.zmap.location import Location

_OF_VARIABLES = frozenset({
    "missing_value", "valid_min", "valid_max", "valid_range", "flag_values", "flag_masks",
})  # fmt: skip
"""Attributes whose numbers are stored numbers of the variable."""


def in_types_of_variables(
    location: Location, requests: Sequence[Request], notify: Notify
) -> list[Request]:
    """Return the requests; numbers that were written without a type get their variable's.

    Parameters
    ----------
    location
        The dataset, which is opened if there are such numbers.
    requests
        The requests.
    notify
        Receives a notice of numbers that the type cannot represent. They do not change.
    """
    if not any(map(_is_untyped, requests)):
        return [*requests]
    with open_dataset(location) as opened:
        return in_types_of(opened.dataset, requests, location.display, notify)


def in_types_of(
    dataset: Dataset, requests: Sequence[Request], name: str, notify: Notify
) -> list[Request]:
    """Return the requests for an open dataset; see `in_types_of_variables`."""
    variables = {fqn[1:]: v for fqn, v in variables_by_fqn(dataset.root)}
    return [*_convert_types(requests, variables, name, notify)]


def _is_untyped(request: Request) -> bool:
    return isinstance(request, Edit) and not request.is_typed and request.name in _OF_VARIABLES


def _convert_types(
    requests: Sequence[Request], variables: dict[str, Variable], name: str, notify: Notify
) -> Iterator[Request]:
    for request in requests:
        if isinstance(request, Rename) and request.path in variables:
            above, slash, _ = request.path.rpartition("/")
            variables[f"{above}{slash}{request.new}"] = variables[request.path]
        if isinstance(request, Edit) and _is_untyped(request) and request.node in variables:
            nc_type = variables[request.node].type
            if isinstance(nc_type, Atomic) and variables[request.node].has_numbers:
                own = _in_type(request, nc_type)
                if own is None:
                    notify(_type_notice(request, nc_type, name))
                request = own or request
        yield request


def _in_type(edit: Edit, nc_type: Atomic) -> Edit | None:
    """Return an edit with its numbers in a type; None if the type does not have them."""
    assert edit.attribute is not None
    values = tuple(_number(value, nc_type) for value in edit.attribute.values)
    if None in values:
        return None
    return replace(edit, attribute=replace(edit.attribute, type=nc_type, values=values))


def _number(value: Value, nc_type: Atomic) -> Value:
    """Return a number in a type, or None. A float has it if it has all its digits."""
    if nc_type is Atomic.DOUBLE:
        return float(value)
    if nc_type is Atomic.FLOAT:
        with np.errstate(over="ignore"):
            single = float(np.float32(value))
        return single if value != value or shortest_single(single) == value else None
    low, high = nc_type.limits
    return int(value) if value == value // 1 and low <= value <= high else None


def _type_notice(edit: Edit, nc_type: Atomic, name: str) -> Notice:
    assert edit.attribute is not None
    numbers = ", ".join(map(str, edit.attribute.values))
    own = getattr(edit.attribute.type, "word", "")
    return Notice(
        "type-of-attribute",
        f"{edit.name} has the type {own}, as the variable's type {nc_type.word} cannot represent"
        f" {numbers}",
        f"{name}: /{edit.node}",
    )

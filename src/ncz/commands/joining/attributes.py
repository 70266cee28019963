"""The attributes of joined variables and groups: the rules for attributes that differ."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ncz.model.packing import MASKS, PACKING
from ncz.model.tree import Attribute, Group, Variable, variables_by_fqn, walk
from ncz.model.types import Atomic, Value
from ncz.record import replace

OF_VALUES = (*MASKS, "valid_min", "valid_max", "valid_range", "actual_range", "flag_values")
"""Attributes that contain stored numbers of the variable, of its type."""

OF_PACKED = (*MASKS, *PACKING, "valid_min", "valid_max", "valid_range", "actual_range")
"""Attributes that contain packed numbers, or describe their packing."""

RANGE = "actual_range"
"""The least and the largest value of a variable, unpacked."""

OF_TIMES = ("units", "calendar")
MEANING = (*MASKS, *PACKING, *OF_TIMES)
"""Attributes that change the meaning of numbers; no option lets them differ."""

KEPT = (
    *MEANING, *OF_PACKED, "bounds", "climatology", "coordinates", "grid_mapping", "cell_measures",
    "ancillary_variables", "formula_terms", "flag_values", "flag_masks", "flag_meanings",
)  # fmt: skip
"""Attributes that stay if all others are left out: they are part of the data."""

OF_ATTRIBUTES = ("attribute", "attribute-type", "missing-attribute", "extra-attribute")
"""The kinds of differences between attributes."""


class CommonAttributes:
    """The attributes of all datasets, and the names of differing attributes."""

    def __init__(self, attributes: tuple[Attribute, ...]) -> None:
        self.first = attributes
        self.found = {a.name: a for a in attributes}
        self.dropped: set[str] = set()

    def add(self, attributes: tuple[Attribute, ...]) -> None:
        """Add the attributes of another dataset."""
        for attribute in attributes:
            known = self.found.setdefault(attribute.name, attribute)
            if repr(known.values) != repr(attribute.values):
                self.dropped.add(attribute.name)

    def agreeing_attributes(
        self, own: tuple[Attribute, ...], fixed: Collection[str]
    ) -> tuple[Attribute, ...]:
        """Return the attributes that do not differ, and the attributes in `fixed` from `own`."""
        names = {a.name for a in own}
        attributes = (a for a in own if a.name in fixed or a.name not in self.dropped)
        others = (a for a in self.found.values() if a.name not in {*fixed, *names, *self.dropped})
        return (*attributes, *others)


def owned_attributes(root: Group) -> Iterator[tuple[str, tuple[Attribute, ...]]]:
    """Yield the attributes of every group, after its FQN or "/", and of every variable."""
    for path, group in walk(root):
        yield path or "/", group.attributes
    for fqn, variable in variables_by_fqn(root):
        yield fqn, variable.attributes


def values_of(variable: Variable, name: str) -> tuple[Value, ...]:
    """Return the values of an attribute; none if the variable does not have it."""
    attribute = variable.attribute(name)
    return () if attribute is None else attribute.values


def mask_attribute(nc_type: Atomic, value: Value | None = None) -> Attribute:
    """Return the attribute of a mask, which is by default the default fill value of the type."""
    mask = nc_type.default_fill if value is None else value
    return Attribute(name="_FillValue", type=nc_type, values=(mask,))


def of_type(attribute: Attribute, old: Atomic, read_as: Atomic, new: Atomic) -> Attribute:
    """Return an attribute of stored numbers in the new type of its variable.

    `read_as` is the old type with the signs that its numbers had.
    """
    if attribute.name not in OF_VALUES or attribute.type is not old:
        return attribute
    values: list[Value] = []
    for value in attribute.values:
        number = value
        if old is not read_as:
            low, high = read_as.limits
            number = (value - low) % (high - low + 1) + low
        values.append(float(number) if new.is_floating else number)
    return replace(attribute, type=new, values=tuple(values), original=None)


def format_values(values: object) -> str:
    """Return the values of an attribute for a message."""
    if isinstance(values, tuple):
        texts = (v.rstrip("\0") if isinstance(v, str) else v for v in values)
        return ", ".join(f'"{v}"' if isinstance(v, str) else str(v) for v in texts)
    return str(values)

"""The names of values, of enums and of CF's flags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ncz.late import numpy as np
from ncz.model.tree import Variable
from ncz.model.types import Enumeration
from ncz.views.html_text import printable

if TYPE_CHECKING:
    from numpy.typing import NDArray


def flags_of(variable: Variable) -> list[dict[str, Any]]:
    """Return the named values of a variable: of an enum, or of CF's flags, which may be masks."""
    if isinstance(variable.type, Enumeration):
        return [{"name": printable(n), "value": v, "mask": None} for n, v in variable.type.members]
    names = variable.text("flag_meanings").split()
    numbers = {
        name: [v for v in attribute.values if isinstance(v, int)]
        for name in ("flag_values", "flag_masks")
        if (attribute := variable.attribute(name)) is not None
    }
    values, masks = numbers.get("flag_values"), numbers.get("flag_masks")
    if not names or not (values or masks):
        return []
    each = zip(names, values or masks or (), masks or names, strict=False)
    return [
        {"name": printable(name), "value": value, "mask": mask if masks else None}
        for name, value, mask in each
    ]


def name_of_value(flags: Sequence[Mapping[str, Any]], value: float) -> str:
    """Return the names of a value of flags, or ""."""
    names = []
    for flag in flags:
        mask = flag["mask"]
        part = value if mask is None else int(value) & int(mask)
        if part == flag["value"]:
            names.append(flag["name"])
    return ", ".join(names)


_MOST_NAMES = 50
"""Most values that are named below the title of a picture."""


def names_of_values(values: NDArray[np.float64], variable: Variable) -> tuple[str, ...]:
    """Return the values that occur and have names, each with its name: ``1 clear``."""
    flags = flags_of(variable)
    if not flags:
        return ()
    occurring = np.unique(values[np.isfinite(values)])[:_MOST_NAMES].tolist()
    pairs = [(value, name_of_value(flags, value)) for value in occurring]
    return tuple(f"{value:.15g} {name}" for value, name in pairs if name)

"""Views of a dataset, in one form for all readers, and their comparison.

A view maps a path to a part: ``/g/v`` is a variable, ``/g/v@a`` an attribute (``/g@a`` a group's),
``/g#d`` a dimension, ``/g/`` a group. A reader without such parts (zarr-python has no
dimensions) omits them, and they are not compared: see `differences`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ncz.model.data import fill_array, read_all
from ncz.model.rounding import quantized_source
from ncz.model.tree import Attribute, Dataset, dimensions_by_fqn, join, shape_of, walk
from ncz.model.types import Atomic, NcType


@dataclass(frozen=True)
class SeenVariable:
    """`type` is a CDL word; `dimensions` are names without groups; None means unknown."""

    type: str | None
    dimensions: tuple[str, ...] | None
    values: np.ndarray[Any, Any]

    def same(self, other: SeenVariable) -> bool:
        """Compare the common parts; NaN equals NaN, and -0 does not equal 0."""
        if self.type and other.type and self.type != other.type:
            return False
        if None not in (self.dimensions, other.dimensions) and self.dimensions != other.dimensions:
            return False
        mine, theirs = plain(self.values), plain(other.values)
        if mine.shape != theirs.shape or mine.dtype.kind != theirs.dtype.kind:
            return False
        if mine.dtype.kind == "f":
            return bool(np.array_equal(mine, theirs, equal_nan=True)) and bool(
                np.array_equal(np.signbit(mine), np.signbit(theirs)) or np.isnan(mine).any()
            )
        return bool(np.array_equal(mine, theirs))


@dataclass(frozen=True)
class SeenAttribute:
    """`type` is a CDL word, "text" for char and string alike, or None."""

    type: str | None
    values: tuple[Any, ...]

    def same(self, other: SeenAttribute) -> bool:
        """Compare the common parts."""
        if self.type and other.type and self.type != other.type:
            return False
        return len(self.values) == len(other.values) and all(
            a == b or (a != a and b != b) for a, b in zip(self.values, other.values, strict=True)
        )


@dataclass(frozen=True)
class SeenDimension:
    """A dimension: its length, and whether it is unlimited."""

    size: int
    unlimited: bool

    def same(self, other: SeenDimension) -> bool:
        """Compare length and growth."""
        return self == other


Seen = Mapping[str, SeenVariable | SeenAttribute | SeenDimension]


def plain(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Values in native byte order; texts as object arrays of `str`, without trailing NULs."""
    values = np.asarray(values)
    if values.dtype.kind in "SUTO":
        flat = np.empty(values.size, "O")
        flat[:] = [_text(v) for v in values.reshape(-1).tolist()]
        return flat.reshape(values.shape)
    return values.astype(values.dtype.newbyteorder("="))


def _text(value: object) -> str:
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    return "" if value is None else str(value).rstrip("\0")


def view_of(dataset: Dataset, *, rounded: bool = False) -> Seen:
    """Return the view of ncz; with `rounded`, after the quantization that a store will have."""
    seen: dict[str, SeenVariable | SeenAttribute | SeenDimension] = {}
    dimensions = dimensions_by_fqn(dataset.root)
    for fqn, group in walk(dataset.root):
        for dimension in group.dimensions:
            seen[f"{fqn}#{dimension.name}"] = SeenDimension(dimension.size, dimension.unlimited)
        for attribute in group.attributes:
            seen[f"{fqn}@{attribute.name}"] = _seen_attribute(attribute)
        for variable in group.variables:
            path = join(fqn, variable.name)
            shape = shape_of(variable, dimensions)
            if variable.data is None:
                values = fill_array(
                    shape, variable.type, _fill_of(variable.attributes, variable.type)
                )
            elif rounded and variable.storage.quantize is not None:
                values = read_all(quantized_source(variable.data, variable.storage.quantize))
            else:
                values = read_all(variable.data)
            names = tuple(d.rpartition("/")[2] for d in variable.dimensions)
            seen[path] = SeenVariable(_word(variable.type), names, values)
            for attribute in variable.attributes:
                seen[f"{path}@{attribute.name}"] = _seen_attribute(attribute)
    return seen


def _fill_of(attributes: tuple[Attribute, ...], nc_type: NcType) -> Any:
    for attribute in attributes:
        if attribute.name == "_FillValue":
            return attribute.values[0]
    return nc_type.default_fill if isinstance(nc_type, Atomic) else None


def _word(nc_type: NcType) -> str:
    return nc_type.word if isinstance(nc_type, Atomic) else nc_type.name


def _seen_attribute(attribute: Attribute) -> SeenAttribute:
    word = _word(attribute.type)
    if word in ("char", "string"):
        texts = tuple(_text(v) for v in attribute.values) or ("",)
        return SeenAttribute("text", texts)
    return SeenAttribute(word, attribute.values)


def differences(expected: Seen, found: Seen, kinds: tuple[type, ...]) -> dict[str, str]:
    """Map each path to its differences, for the parts of `kinds`; {} if the views agree."""
    wrong: dict[str, str] = {}
    for path, part in expected.items():
        if not isinstance(part, kinds):
            continue
        other = found.get(path)
        if other is None:
            wrong[path] = "is missing"
        elif type(other) is not type(part) or not part.same(other):  # type: ignore[arg-type]
            wrong[path] = f"should be {part}, is {other}"
    for path, part in found.items():
        if path not in expected and isinstance(part, kinds):
            wrong[path] = f"should not be there: {part}"
    return wrong

"""The values of pieces in their canonical form: the form of the aggregated variable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ncz.errors import FormatError
from ncz.formats.aggregation.marks import text_of
from ncz.late import numpy as np
from ncz.model.data import Values, dtype_of, read_box
from ncz.model.grid import Box, Shape
from ncz.model.packing import packing_of
from ncz.model.tree import Variable, base_name, missing_fill
from ncz.model.types import Atomic, NcType, Value
from ncz.model.units import Units, converter
from ncz.record import record


@record(kw_only=True)
class Canonical:
    """The form that the values of all pieces are converted to.

    `dimensions` has names without groups. `fill` marks missing values. With `converts`, a
    piece may have another type and may be packed; otherwise it has the type and the packing of the
    variable.
    """

    type: NcType
    dimensions: tuple[str, ...]
    fill: Value
    units: Units | None
    packing: tuple[float, float]
    converts: bool


def canonical(variable: Variable, *, converts: bool) -> Canonical:
    """Return the form that the pieces of an aggregated variable are converted to."""
    mask = variable.mask
    return Canonical(
        type=variable.type,
        dimensions=tuple(map(base_name, variable.dimensions)),
        fill=missing_fill(variable) if mask is None else mask,
        units=units_of(variable),
        packing=factors_of(variable),
        converts=converts,
    )


def units_of(variable: Variable) -> Units | None:
    """Return the units of a variable, or None without units."""
    text = text_of(variable, "units")
    if text is None:
        return None
    return Units(text, (text_of(variable, "calendar") or "standard").lower())


def factors_of(variable: Variable) -> tuple[float, float]:
    """Return the factor and the offset of the packed values of a variable."""
    found = packing_of(variable)
    scale = 1.0 if found.scale is None else float(found.scale)
    return scale, 0.0 if found.offset is None else float(found.offset)


class PieceReader:
    """Reads parts of the variable of a piece in their canonical form.

    Raises `FormatError`, without a location, if the piece does not fit the partition.

    Parameters
    ----------
    variable
        The variable of the piece.
    shape
        The shape of the partition.
    target
        The canonical form.
    """

    def __init__(self, variable: Variable, shape: Shape, target: Canonical) -> None:
        self._variable = variable
        self._target = target
        self._axes = _axes(variable, shape, target)
        packing = factors_of(variable)
        self._packing = None if packing == (1.0, 0.0) else packing
        if not target.converts and packing == target.packing:
            self._packing = None  # the values of both are packed
        elif target.packing != (1.0, 0.0) and not target.converts:
            raise FormatError(f"is packed by {packing}, not by {target.packing}")
        self._convert = self._converter()
        self._check_type()

    def _converter(self) -> Callable[[Values], Values] | None:
        ours, theirs = units_of(self._variable), self._target.units
        return None if ours is None or theirs is None else converter(ours, theirs)

    def _check_type(self) -> None:
        ours, theirs = self._variable.type, self._target.type
        if ours == theirs:
            return
        is_fit = False
        if isinstance(ours, Atomic) and isinstance(theirs, Atomic):
            is_number = ours.kind in "iuf" and theirs.kind in "iuf"
            is_fit = is_number and (self._target.converts or self._packing is not None)
        if not is_fit:
            raise FormatError(f"has the type {word_of(ours)}, not {word_of(theirs)}")

    @property
    def is_plain(self) -> bool:
        """Whether the values are the piece's own without changes, in the same dimensions."""
        marks = self._variable.mask, self._target.fill
        return (
            self._variable.type == self._target.type
            and self._packing is None
            and self._convert is None
            and len(self._variable.dimensions) == len(self._target.dimensions)
            and (marks[0] is None or repr(marks[0]) == repr(marks[1]))
        )

    def read(self, box: Box) -> Values:
        """Return the values of a box of the partition."""
        source = self._variable.data
        inner = [(0, 1)] * len(self._variable.dimensions)
        for axis, own in self._axes:
            inner[own] = (box.start[axis], box.stop[axis])
        part = Box(tuple(a for a, _ in inner), tuple(b for _, b in inner))
        assert source is not None  # checked by `_axes`
        return self._adapt(read_box(source, part)).reshape(box.shape)

    def _adapt(self, values: Values) -> Values:
        target = self._target
        dtype = dtype_of(target.type)
        absent = self._missing(values)
        is_same = values.dtype == dtype and self._packing is None and self._convert is None
        if is_same and absent is None:
            return values
        result = values
        if not is_same:
            result = values.astype("f8") if self._packing or self._convert else values
            if self._packing is not None:
                result = result * self._packing[0] + self._packing[1]
            if self._convert is not None:
                result = self._convert(result)
            result = _cast(result, dtype, absent)
        if absent is not None:
            result = np.array(result)
            result[absent] = target.fill
        return result

    def _missing(self, values: Values) -> Values | None:
        """Return which values are missing and need another mark; None for none."""
        marks = self._variable.mask, self._target.fill
        if values.dtype.kind not in "iuf" or marks[0] is None:
            return None
        is_other = marks[0] != marks[1] and not (marks[0] != marks[0] and marks[1] != marks[1])
        if not is_other and self._packing is None and self._convert is None:
            return None
        absent: Values = values != values if marks[0] != marks[0] else values == marks[0]
        return absent if absent.any() else None


def _axes(variable: Variable, shape: Shape, target: Canonical) -> list[tuple[int, int]]:
    """Return which dimension of a partition each dimension of its piece is.

    A piece may lack dimensions of length 1.
    """
    if variable.data is None:
        raise FormatError("has no values")
    own = variable.data.grid.shape
    names = tuple(map(base_name, variable.dimensions))
    if names != target.dimensions and sorted(names) == sorted(target.dimensions):
        raise FormatError(
            f"has the dimensions ({', '.join(names)}), not ({', '.join(target.dimensions)})"
        )
    ours = [axis for axis, length in enumerate(shape) if length != 1]
    theirs = [axis for axis, length in enumerate(own) if length != 1]
    if [shape[axis] for axis in ours] != [own[axis] for axis in theirs] or len(own) > len(shape):
        raise FormatError(f"has the shape {format_shape(own)}, not {format_shape(shape)}")
    return list(zip(ours, theirs, strict=True))


def _cast(values: Values, dtype: Any, absent: Values | None) -> Values:
    """Return values in another dtype; raise `FormatError` for one that it cannot represent."""
    if dtype.kind == "f":
        return values.astype(dtype)
    present = values if absent is None else values[~absent]
    limits = np.iinfo(dtype)
    rounded = np.rint(present) if present.dtype.kind == "f" else present
    is_whole = bool(np.all(np.abs(rounded - present) < 1e-6))
    if not is_whole or np.any(rounded < limits.min) or np.any(rounded > limits.max):
        raise FormatError(f"has values that the type {dtype} cannot represent")
    result = np.zeros(values.shape, dtype)
    result[... if absent is None else ~absent] = rounded.astype(dtype)
    return result


def format_shape(shape: Shape) -> str:
    """Return a shape as words."""
    return "x".join(map(str, shape)) or "of a scalar"


def word_of(nc_type: NcType) -> str:
    """Return the name of a type."""
    return str(getattr(nc_type, "word", None) or getattr(nc_type, "name", ""))

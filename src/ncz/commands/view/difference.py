"""The difference of two datasets, as a dataset that can be shown."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ncz.commands.sources import SourceCheck, name_of, open_any
from ncz.commands.view.coordinates import Coordinates, decoded_numbers, known_values
from ncz.commands.view.error import ViewError
from ncz.commands.view.places import factor_of
from ncz.commands.view.value_digits import digits_of
from ncz.commands.view.variables import SUPPORTING, find_variable, names_in_attributes
from ncz.commands.view.view_options import ViewOptions
from ncz.errors import Callbacks, Notice, Notify, list_names
from ncz.late import numpy as np
from ncz.model.data import ChunkSource, read_box
from ncz.model.grid import ChunkGrid, Grid, Index
from ncz.model.packing import MASKS, PACKING
from ncz.model.tree import (
    Attribute,
    Dataset,
    Variable,
    base_name,
    dimensions_by_fqn,
    each_group,
    each_variable,
    join,
    shape_of,
    variables_by_fqn,
)
from ncz.model.types import Atomic
from ncz.record import record, replace

if TYPE_CHECKING:
    from ncz.model.data import Values
    from ncz.model.types import Value

_OF_VALUES = (
    *MASKS, *PACKING, "valid_min", "valid_max", "valid_range", "actual_range", "standard_name",
)  # fmt: skip
"""Attributes of stored values, which a difference does not have."""

_MOST_COMPARED = 1 << 16
"""Coordinates of a dimension that are compared."""


@record
class Differences:
    """The difference of two datasets, and both with the same variables in the same order."""

    difference: Dataset
    first: Dataset
    second: Dataset


@record
class DifferenceSource(ChunkSource):
    """The unpacked values of a variable, less the values of another of the same shape."""

    first: Variable
    second: Variable
    type: Atomic

    @property
    def grid(self) -> Grid:
        """Chunks that are as long as both variables' chunks, so that few are read twice."""
        grids = [_data(each).grid for each in (self.first, self.second)]
        chunks = tuple(map(max, *(grid.chunks for grid in grids)))
        return ChunkGrid(grids[0].shape, chunks)

    @property
    def fill(self) -> Value:
        """NaN: the difference of missing values."""
        return math.nan

    @property
    def is_shared(self) -> bool:
        """Whether threads can read chunks of both variables at the same time."""
        return _data(self.first).is_shared and _data(self.second).is_shared

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the differences of chunks, with NaN where one of the values is missing."""
        return [self._values(index) for index in indices]

    def _values(self, index: Index) -> Values:
        box = self.grid.box(index)
        one, other = (
            known_values(read_box(_data(each), box), each) for each in (self.first, self.second)
        )
        with np.errstate(all="ignore"):
            return (one - other).astype(self.type.dtype)


_PART = 1 << 20
"""Bytes that one read takes of values that are not stored in chunks."""


def _divide(variable: Variable) -> Variable:
    return replace(variable, data=_data(variable).split(_PART))


def _data(variable: Variable) -> ChunkSource:
    assert variable.data is not None
    return variable.data


@contextlib.contextmanager
def shown_datasets(
    options: ViewOptions, notify: Notify, check: SourceCheck | None = None
) -> Iterator[Differences]:
    """Open the dataset to show, or the two whose difference is shown.

    Without another dataset, all three are the same.

    Raises
    ------
    NczError
        If one of the datasets cannot be opened, or if they have no variable in common.
    """
    with contextlib.ExitStack() as stack:
        opened = [
            stack.enter_context(
                open_any(
                    source,
                    Callbacks(notify),
                    subset=options.subset,
                    keep_going=options.keep_going,
                    check=check,
                )
            )
            for source in (options.source, options.minus)
            if source is not None
        ]
        if options.minus is None:
            (dataset,) = opened
            yield Differences(dataset, dataset, dataset)
            return
        names = name_of(options.source), name_of(options.minus)
        yield differences(opened[0], opened[1], options.variable, names, notify)


def differences(
    first: Dataset,
    second: Dataset,
    name: str | None,
    names: tuple[str, str],
    notify: Notify,
) -> Differences:
    """Return the difference of two datasets: of the variables with values that both have.

    Parameters
    ----------
    first, second
        The datasets. Values of the second are subtracted from values of the first.
    name
        The variable that must be one of them.
    names
        The names of the datasets, for messages and titles.
    notify
        Receives a notice if coordinates of both differ.

    Raises
    ------
    ViewError
        If the variable differs in a way that permits no subtraction, or no variable can be
        subtracted.
    """
    others = dict(variables_by_fqn(second.root))
    lengths = [dimensions_by_fqn(dataset.root) for dataset in (first, second)]
    supporting = _supporting_variables(first)
    reasons: dict[str, str] = {}
    found: dict[str, tuple[Variable, Variable]] = {}
    for fqn, one in variables_by_fqn(first.root):
        if fqn in supporting:
            continue
        other = others.get(fqn)
        shapes = [
            shape_of(each, of) for each, of in zip((one, other), lengths, strict=True) if each
        ]
        reason = _obstacle(one, other, shapes, names)
        if reason or other is None:
            reasons[fqn] = reason
        else:
            other = replace(other, dimensions=one.dimensions)
            found[fqn] = _divide(one), _divide(other)
    if name is not None:
        fqn = find_variable(first, name)[0]
        if fqn in supporting and fqn not in reasons:
            reasons[fqn] = "it is a coordinate; the coordinate of the first dataset is used"
        if fqn in reasons:
            raise ViewError(f"there is no difference: {reasons[fqn]}", fqn)
    if not found:
        why = next(iter(reasons.items()), None)
        raise ViewError(
            "the datasets have no variable that can be subtracted"
            + (f"; {why[0].lstrip('/')}: {why[1]}" if why else ""),
            names[0],
        )
    _compare_coordinates(first, second, [one for one, _ in found.values()], names, notify)
    wanted = found.keys() | supporting

    def change_variables(which: int | None) -> Dataset:
        def change(fqn: str, variable: Variable) -> Variable:
            if fqn not in found:
                return variable
            return _subtract(*found[fqn], names) if which is None else found[fqn][which]

        return _without_others(each_variable(first, change), wanted)

    return Differences(change_variables(None), change_variables(0), change_variables(1))


def _supporting_variables(dataset: Dataset) -> set[str]:
    """Return the FQNs of coordinates and of other variables that variables name."""
    words = names_in_attributes(dataset, SUPPORTING)
    return {
        fqn
        for fqn, variable in variables_by_fqn(dataset.root)
        if variable.name in words
        or fqn in variable.dimensions
        or variable.text("cf_role")
        or not variable.has_numbers
        or any(factor_of(variable, each) is not None for each in ("longitude", "latitude"))
    }


def _obstacle(
    one: Variable, other: Variable | None, shapes: list[tuple[int, ...]], names: tuple[str, str]
) -> str:
    """Return the reason that two variables cannot be subtracted; "" if they can."""
    if other is None:
        return f"{names[1]} has no variable of that name"
    if not other.has_numbers:
        return f"its values in {names[1]} are not numbers"
    if shapes[0] != shapes[1]:
        texts = [
            ", ".join(
                f"{base_name(d)}={n}" for d, n in zip(each.dimensions, shape, strict=True)
            ) or "no dimensions"
            for each, shape in zip((one, other), shapes, strict=True)
        ]  # fmt: skip
        return f"the shapes differ: {texts[0]} and {texts[1]}"
    units = [each.text("units") for each in (one, other)]
    if units[0] != units[1]:
        return f"the units differ: {units[0] or 'none'} and {units[1] or 'none'}"
    if one.text("flag_meanings"):
        return "its values are flags"
    if one.data is None or other.data is None:
        return "no value of it was ever written"
    return ""


def _subtract(one: Variable, other: Variable, names: tuple[str, str]) -> Variable:
    """Return the difference of two variables."""
    is_double = any(
        digits_of(each).kind in ("double", "unpacked") or each.type is Atomic.DOUBLE
        for each in (one, other)
    )
    nc_type = Atomic.DOUBLE if is_double else Atomic.FLOAT
    shown = distinct_names(*names)
    title = one.text("long_name") or one.name
    attributes = tuple(a for a in one.attributes if a.name not in (*_OF_VALUES, "long_name"))
    text = f"{title} ({shown[0]} minus {shown[1]})"
    long_name = Attribute(name="long_name", type=Atomic.CHAR, values=(text,))
    mask = Attribute(name="_FillValue", type=nc_type, values=(math.nan,))
    return replace(
        one,
        type=nc_type,
        attributes=(*attributes, long_name, mask),
        data=DifferenceSource(one, other, nc_type),
    )


def distinct_names(one: str, other: str) -> tuple[str, str]:
    """Return the last parts of two paths: as few as distinguish them, or one if they are equal."""
    parts = [name.rstrip("/").split("/") for name in (one, other)]
    longest = max(map(len, parts))
    count = next((n for n in range(1, longest) if parts[0][-n:] != parts[1][-n:]), None)
    count = count or (1 if one == other else longest)
    first, second = ("/".join(part[-count:]) for part in parts)
    return first, second


def _without_others(dataset: Dataset, wanted: set[str]) -> Dataset:
    return each_group(
        dataset,
        lambda path, group: replace(
            group,
            variables=tuple(v for v in group.variables if join(path, v.name) in wanted),
        ),
    )


def _compare_coordinates(
    first: Dataset,
    second: Dataset,
    variables: Sequence[Variable],
    names: tuple[str, str],
    notify: Notify,
) -> None:
    """Give notice of dimensions whose coordinates differ, as values are subtracted by index."""
    both = [Coordinates(dataset, decoded_numbers) for dataset in (first, second)]
    lengths = dimensions_by_fqn(first.root)
    differing = []
    for dimension in dict.fromkeys(d for variable in variables for d in variable.dimensions):
        size = lengths[dimension].size
        if not 0 < size <= _MOST_COMPARED or any(one.variable(dimension) is None for one in both):
            continue
        texts = [one.texts(dimension, range(size)) for one in both]
        if texts[0] != texts[1]:
            differing.append(base_name(dimension))
    if differing:
        notify(
            Notice(
                "coordinates-differ",
                f"the coordinates of {list_names(differing)} differ",
                location=f"{names[0]} and {names[1]}",
                hint="values are subtracted by index",
            )
        )

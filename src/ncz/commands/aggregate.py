"""aggregate: make a master over files that exist, or change where its pieces are."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from ncz.commands.joining import check_alike, dimension_named
from ncz.commands.references import refuse_query
from ncz.errors import (
    FormatError,
    NczError,
    Notice,
    Notify,
    ignore_notice,
    note_if_interrupted,
    option,
)
from ncz.formats.aggregation.describe import PACKS_AFTERWARDS, FormName, PieceLayout, master_of
from ncz.formats.aggregation.opening import moved
from ncz.formats.aggregation.source import Units, converter, packing_of, units_of
from ncz.formats.aggregation.target import fields_of
from ncz.formats.kinds import CreateOptions
from ncz.formats.opening import create_dataset, open_dataset
from ncz.model.data import MemoryArray, read_all
from ncz.model.progress import NO_PROGRESS, Progress
from ncz.model.tree import (
    Dataset,
    Group,
    Variable,
    dimensions_by_fqn,
    join,
    shape_of,
    variables_by_fqn,
)
from ncz.record import record, replace
from ncz.zmap.location import Location, quote

if TYPE_CHECKING:
    from ncz.model.data import Values
    from ncz.model.netcdf_kind import NetcdfKind

# The order of files along a dimension, from the values of its coordinate variable.


class AggregateError(NczError, ValueError):
    """Files that cannot be aggregated."""


@record(kw_only=True)
class AxisPart:
    """The part of an axis that one file has; `coordinates` is None if no variable has them."""

    name: str
    length: int
    coordinates: Values | None


def ordered(parts: Sequence[AxisPart], axis: str, notify: Notify) -> list[int]:
    """Return the order of the files along an axis; as given if there are no coordinates.

    A notice names the gaps, which are steps longer than those within the files.

    Raises
    ------
    AggregateError
        If the coordinates of a file are neither ascending nor descending, or two files overlap.
    """
    import numpy as np

    values: list[Values] = []
    for part in parts:
        if part.coordinates is None:
            return list(range(len(parts)))
        steps = np.diff(part.coordinates)
        if not (np.all(steps > 0) or np.all(steps < 0)):
            raise AggregateError(
                f"the coordinate {axis} is neither ascending nor descending", part.name
            )
        values.append(part.coordinates)
    is_descending = any(v.size > 1 and v[0] > v[-1] for v in values)
    order = sorted(range(len(parts)), key=lambda i: float(values[i][0]), reverse=is_descending)
    sign = -1 if is_descending else 1
    within = [np.max(np.abs(np.diff(v))) for v in values if v.size > 1]
    usual = float(max(within)) if within else None
    gaps = []
    for one, other in itertools.pairwise(order):
        step = sign * (float(values[other][0]) - float(values[one][-1]))
        if step <= 0:
            raise AggregateError(
                f"it overlaps {parts[one].name} along {axis}: it begins at"
                f" {values[other][0]:g}, and the other ends at {values[one][-1]:g}",
                parts[other].name,
                "leave one of them out",
            )
        if usual is not None and step > 1.5 * usual:
            gaps.append(f"{values[one][-1]:g} to {values[other][0]:g}")
    if gaps:
        notify(Notice("aggregation-gap", f"files are missing along {axis}: from {', '.join(gaps)}"))
    return order


_CONVERTED = ("units", "calendar")


@record(kw_only=True)
class AggregateOptions:
    """What to aggregate.

    With `common_date`, times whose units differ are converted to those of the first file.
    """

    target: Location
    sources: tuple[Location, ...]
    axis: str
    form: FormName = "CFA-0.5"
    common_date: bool = False
    overwrite: bool = False
    kind: NetcdfKind | None = None


@record(kw_only=True)
class _Source:
    """One file: its part of the axis, and its values that the master holds itself."""

    part: AxisPart
    location: Location
    values: dict[str, Values]


def aggregate(
    options: AggregateOptions,
    notify: Notify = ignore_notice,
    progress: Progress = NO_PROGRESS,
) -> int:
    """Write a master over files, sorted along an axis; return the number of files.

    Raises
    ------
    ConcatError
        If something differs between the files besides their values along the axis.
    AggregateError
        If the files overlap along the axis, or have no variables to aggregate.
    NczError
        If a file cannot be read, or the master cannot be written.
    """
    for source in options.sources:
        refuse_query(source)
    target = options.target
    with note_if_interrupted(f"{target.display} was not changed"), ExitStack() as stack:
        first = stack.enter_context(open_dataset(options.sources[0], notify=notify)).dataset
        axis = dimension_named(first, options.axis, options.sources[0].display)
        fields = {
            fqn: variable
            for fqn, variable in fields_of(first.root).items()
            if axis in variable.dimensions
        }
        if not fields:
            raise AggregateError(f"no variable of numbers has the dimension {axis}")
        if options.form in PACKS_AFTERWARDS:
            _refuse_packed(fields)
        known = variables_by_fqn(first.root)
        held = {fqn: v for fqn, v in known if axis in v.dimensions and fqn not in fields}
        times = _times(held, axis) if options.common_date else {}
        progress.expect(len(options.sources), "files")
        sources = []
        for source in options.sources:
            sources.append(_read(source, first, axis, held, times, notify))
            progress.moved(sources[-1].part.name, 1, 0)
        order = ordered([source.part for source in sources], axis, notify)
        sources = [sources[i] for i in order]
        joined = _joined(first, axis, held, sources)
        lengths = dimensions_by_fqn(joined.root)
        layouts = {
            fqn: _layout(fqn, variable, shape_of(variable, lengths), axis, sources, target, options)
            for fqn, variable in fields.items()
        }
        master = master_of(joined, layouts, options.form)
        is_store = target.path.rstrip("/").lower().endswith((".zarr", ".zip"))
        kind = options.kind or (None if is_store else "netCDF-4")
        create = CreateOptions(overwrite=options.overwrite, kind=kind)
        create_dataset(master, target, create, notify=notify)
    return len(sources)


def _refuse_packed(fields: dict[str, Variable]) -> None:
    """Raise `AggregateError` if a variable is packed: this form would pack its values again."""
    for fqn, variable in fields.items():
        if packing_of(variable) != (1.0, 0.0):
            raise AggregateError(
                f"the form CF cannot refer to packed values: {fqn} has scale_factor or add_offset",
                hint=f"use {option('modes', 'cfa')}",
            )


def _times(held: dict[str, Variable], axis: str) -> dict[str, Units]:
    """Return the units of the coordinate variable of the axis, also for its bounds."""
    coordinate = held.get(axis)
    units = None if coordinate is None else units_of(coordinate)
    if coordinate is None or units is None:
        return {}
    found = {axis: units}
    bounds = coordinate.attribute("bounds")
    if bounds is not None and bounds.values:
        found[join(axis.rpartition("/")[0], str(bounds.values[0]))] = units
    return found


def _read(
    location: Location,
    first: Dataset,
    axis: str,
    held: dict[str, Variable],
    times: dict[str, Units],
    notify: Notify,
) -> _Source:
    """Check a file against the first one, and read what the master holds of it."""
    with open_dataset(location, notify=notify) as opened:
        root = opened.dataset.root
        check_alike(
            first.root, root, axis, location.display, notify, dict.fromkeys(times, _CONVERTED)
        )
        variables = dict(variables_by_fqn(root))
        own = units_of(variables[axis]) if axis in times else None
        values = {}
        for fqn in held:
            data = variables[fqn].data
            assert data is not None  # checked with the first file
            values[fqn] = read_all(data)
            if own is not None and fqn in times:
                values[fqn] = _converted(values[fqn], own, times[fqn])
        coordinate = values.get(axis)
        is_ordered = (
            coordinate is not None and coordinate.ndim == 1 and coordinate.dtype.kind in "iuf"
        )
        part = AxisPart(
            name=location.display,
            length=dimensions_by_fqn(root)[axis].size,
            coordinates=coordinate if is_ordered else None,
        )
        return _Source(part=part, location=location, values=values)


def _converted(values: Values, ours: Units, theirs: Units) -> Values:
    """Return times in other units, of the same type if they are whole numbers there."""
    import numpy as np

    convert = converter(ours, theirs)
    if convert is None:
        return values
    found = convert(values)
    whole = np.rint(found)
    if values.dtype.kind in "iu":
        if np.any(np.abs(whole - found) > 1e-6):
            raise AggregateError(f"times in {ours.text!r} are not whole numbers in {theirs.text!r}")
        return whole.astype(values.dtype)
    return found.astype(values.dtype)


def _joined(
    first: Dataset, axis: str, held: dict[str, Variable], sources: list[_Source]
) -> Dataset:
    """Return the first dataset with the length of all, and all values that the master holds."""
    import numpy as np

    length = sum(source.part.length for source in sources)

    def joined(group: Group, path: str) -> Group:
        variables = []
        for variable in group.variables:
            fqn = join(path, variable.name)
            if fqn in held:
                along = variable.dimensions.index(axis)
                values = np.concatenate([source.values[fqn] for source in sources], along)
                variable = replace(variable, data=MemoryArray(values, variable.type))
            variables.append(variable)
        return replace(
            group,
            dimensions=tuple(
                replace(d, size=length) if join(path, d.name) == axis else d
                for d in group.dimensions
            ),
            variables=tuple(variables),
            groups=tuple(joined(inner, join(path, inner.name)) for inner in group.groups),
        )

    return replace(first, root=joined(first.root, ""))


def _layout(
    fqn: str,
    variable: Variable,
    shape: tuple[int, ...],
    axis: str,
    sources: list[_Source],
    target: Location,
    options: AggregateOptions,
) -> PieceLayout:
    """Return the pieces of a variable: one for each file."""
    along = variable.dimensions.index(axis)
    lengths: list[tuple[int, ...]] = [(size,) for size in shape]
    lengths[along] = tuple(source.part.length for source in sources)
    is_uri = options.form == "CF-1.13"
    return PieceLayout(
        lengths=tuple(lengths),
        files={
            tuple(i if n == along else 0 for n in range(len(shape))): _name(
                source.location, target, is_uri=is_uri
            )
            for i, source in enumerate(sources)
        },
        address=fqn if fqn.count("/") > 1 else variable.name,
        format="netCDF",
    )


def _name(source: Location, target: Location, *, is_uri: bool) -> str:
    """Return a file as the master names it: from its own folder, if it is below that."""
    if source.kind == "remote":
        ours, theirs = source.address, target.address.rpartition("/")[0] + "/"
        if target.kind == "remote" and ours.startswith(theirs):
            return ours.removeprefix(theirs)
        return ours
    path = os.path.abspath(source.path)
    if target.kind != "remote":
        folder = os.path.join(os.path.dirname(os.path.abspath(target.path)), "")
        if path.startswith(folder):
            name = path.removeprefix(folder).replace(os.sep, "/")
            return quote(name) if is_uri else name
    return f"file://{quote(path)}" if is_uri else path


# Change where a master says that its pieces are.


def move(location: Location, prefix: str, notify: Notify = ignore_notice) -> int:
    """Let the pieces of a master be in another folder, bucket or server; they are not moved.

    Parameters
    ----------
    location
        The master, which is rewritten.
    prefix
        The folder or URL in which the pieces are now; "" for that of the master.

    Returns
    -------
    int
        The number of names that were changed.

    Raises
    ------
    FormatError
        If the dataset is not an aggregation.
    """
    stored = replace(location, modes=location.modes | {"noaggregation"})
    changed = 0

    def rename(file: str) -> str:
        nonlocal changed
        changed += 1
        name = file.rstrip("/").rpartition("/")[2]
        return f"{prefix.rstrip('/')}/{name}" if prefix else name

    with open_dataset(stored, notify=notify) as opened:
        dataset = moved(opened.dataset, location.address, rename)
        if not changed:
            raise FormatError("the dataset has no pieces to move", location.display)
        kind = dataset.provenance.kind_of_file
        create_dataset(dataset, location, CreateOptions(overwrite=True, kind=kind), notify=notify)
    return changed

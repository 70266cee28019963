"""aggregate: make a master over files that exist, or change where its pieces are."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from ncz.commands import fields
from ncz.commands.fields import AGGREGATE, OVERWRITE, JoinOptions, choice
from ncz.commands.joining import Agreement, dimension_named, numbers_of
from ncz.commands.ordering import AxisPart, JoinError, arranged, axis_part
from ncz.commands.references import refuse_query
from ncz.errors import (
    FormatError,
    Notify,
    ignore_notice,
    note_if_interrupted,
    option,
)
from ncz.formats.aggregation.describe import PACKS_AFTERWARDS, FormName, PieceLayout, master_of
from ncz.formats.aggregation.opening import moved
from ncz.formats.aggregation.source import packing_of
from ncz.formats.aggregation.target import FORM_OF_MODE, fields_of
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
from ncz.model.types import NcType
from ncz.parallel.threads import ThreadPool, cores
from ncz.record import record, replace
from ncz.zmap.location import Location, quote

if TYPE_CHECKING:
    from ncz.model.data import Values
    from ncz.model.netcdf_kind import NetcdfKind


@record(kw_only=True)
class AggregateOptions:
    """What to aggregate; `how` says what to do about differences between the files."""

    target: Location
    sources: tuple[Location, ...]
    axis: str = fields.option(
        "--axis",
        default="",
        metavar="DIM",
        section="Selection",
        common=True,
        help="Dimension along which the files follow each other.",
    )
    form: FormName = fields.option(
        "--mode",
        default="CFA-0.5",
        metavar="FORM",
        values=choice(*FORM_OF_MODE),
        parse=lambda mode, _: FORM_OF_MODE[mode],
        section="Output",
        common=True,
        help="Form of OUT: cfa (CFA 0.5, the default), cfa0.4 or cf (CF 1.13).",
    )
    how: JoinOptions = AGGREGATE
    overwrite: bool = OVERWRITE
    kind: NetcdfKind | None = None


@record(kw_only=True)
class _Source:
    """One file: its part of the axis, and its values that the master holds itself."""

    part: AxisPart
    location: Location
    values: dict[str, Values]


_MEMORY = 64 << 20
"""Bytes of values that are compared at a time."""


def aggregate(
    options: AggregateOptions,
    notify: Notify = ignore_notice,
    progress: Progress = NO_PROGRESS,
) -> int:
    """Write a master over files, sorted along an axis; return the number of files.

    Raises
    ------
    JoinError
        If something differs between the files besides their values along the axis, if they overlap
        there, or if they have no variables to aggregate.
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
            raise JoinError(f"no variable of numbers has the dimension {axis}")
        known = variables_by_fqn(first.root)
        held = [fqn for fqn, v in known if axis in v.dimensions and fqn not in fields]
        pool = stack.enter_context(ThreadPool(_MEMORY, cores()))
        agreement = Agreement(first, options.sources[0].display, {axis}, options.how, pool)
        progress.expect(len(options.sources), "files")
        pieces = _Pieces(agreement, fields)
        sources = []
        for source in options.sources:
            sources.append(_read(source, agreement, axis, held, pieces, options.how, notify))
            progress.moved(sources[-1].part.name, 1, 0)
        agreement.report(notify)
        pieces.check()
        fields = {fqn: agreement.variables[fqn] for fqn in fields}
        if options.form in PACKS_AFTERWARDS:
            _refuse_packed(fields)
        times = numbers_of(first.root).get(axis)
        parts = [source.part for source in sources]
        arrangement = arranged(
            parts,
            axis,
            options.how,
            notify,
            times=None if times is None else times.times,
            sorts_sources=True,
            hint="leave one of them out, or join them with 'ncz copy --concat'",
        )
        if not arrangement.is_whole(parts):
            raise JoinError(
                f"files that overlap along {axis} would have to be cut",
                target.display,
                "join them with 'ncz copy --concat'",
            )
        assert arrangement.spans is not None
        sources = [sources[span.source] for span in arrangement.spans if span.stop]
        joined = _joined(first, axis, agreement, held, sources)
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
    """Raise `JoinError` if a variable is packed: this form would pack its values again."""
    for fqn, variable in fields.items():
        if packing_of(variable) != (1.0, 0.0):
            raise JoinError(
                f"the form CF cannot refer to packed values: {fqn} has scale_factor or add_offset",
                hint=f"use {option('modes', 'cfa')}",
            )


class _Pieces:
    """The variables of the files that become aggregated: whether the master can refer to them."""

    def __init__(self, agreement: Agreement, fields: Collection[str]) -> None:
        self._agreement = agreement
        self._fields = fields
        self._seen: dict[tuple[str, NcType, bool, bool], str] = {}

    def add(self, root: Group, name: str) -> None:
        """Add a file."""
        numbers = numbers_of(root)
        for fqn in self._fields:
            own = numbers[fqn]
            packed, unsigned = own.packed_as
            self._seen.setdefault((fqn, own.type, packed is not None, bool(unsigned)), name)

    def check(self) -> None:
        """Raise `JoinError` for values that readers of the master would not convert."""
        for (fqn, nc_type, is_packed, is_unsigned), name in self._seen.items():
            is_unpacked = fqn in self._agreement.unpacked
            is_other = nc_type != self._agreement.variables[fqn].type and not is_packed
            if fqn in self._agreement.converted or (is_unpacked and (is_other or is_unsigned)):
                raise JoinError(
                    f"the values of {fqn} would have to be converted, and a master refers to them"
                    " as they are",
                    name,
                    "join the files with 'ncz copy --concat'",
                )


def _read(
    location: Location,
    agreement: Agreement,
    axis: str,
    held: Sequence[str],
    pieces: _Pieces,
    how: JoinOptions,
    notify: Notify,
) -> _Source:
    """Check a file against the first one, and read what the master holds of it."""
    name = location.display
    with open_dataset(location, notify=notify) as opened:
        agreement.add(opened.dataset, name)
        pieces.add(opened.dataset.root, name)
        alike = agreement.conform(opened.dataset, name)
        variables = dict(variables_by_fqn(alike.root))
        values = {}
        for fqn in held:
            if fqn in agreement.unpacked:
                raise JoinError(
                    f"the packing of {fqn} differs from that of the first file", name,
                    "join the files with 'ncz copy --concat'",
                )  # fmt: skip
            data = variables[fqn].data
            assert data is not None  # checked with the first file
            values[fqn] = read_all(data)
        return _Source(part=axis_part(alike, axis, name, how), location=location, values=values)


def _joined(
    first: Dataset, axis: str, agreement: Agreement, held: Sequence[str], sources: list[_Source]
) -> Dataset:
    """Return the first dataset with the length of all, and all values that the master holds."""
    import numpy as np

    length = sum(source.part.length for source in sources)

    def joined(group: Group, path: str) -> Group:
        variables = []
        for variable in group.variables:
            fqn = join(path, variable.name)
            variable = replace(agreement.variables[fqn], attributes=agreement.attributes(fqn))
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
            attributes=agreement.attributes(path or "/"),
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

"""aggregate: create a master for existing files, sorted along a dimension."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Literal

from ncz.commands.aggregate.master import create_master, name_in_master, refuse_packed
from ncz.commands.aggregate.options import AggregateOptions
from ncz.commands.aggregate.rebuild import rebuild
from ncz.commands.arguments import several
from ncz.commands.functions import Listener, callbacks_of, speaks_python, warn
from ncz.commands.joining.agreement import Agreement
from ncz.commands.joining.axis_coordinate import axis_coordinate
from ncz.commands.joining.axis_order import AxisPart, arrange, axis_part
from ncz.commands.joining.concatenation import dimension_named
from ncz.commands.joining.error import JoinError
from ncz.commands.joining.numbers import numbers_of
from ncz.commands.joining.options import JoinOptions
from ncz.commands.option_error import OptionError
from ncz.commands.references import refuse_query
from ncz.errors import (
    NO_CALLBACKS,
    Callbacks,
    NczError,
    Notify,
    command,
    did_you_mean,
    note_on_interrupt,
    option,
)
from ncz.formats.foreign_names import is_name_of_set
from ncz.formats.opening import masters, open_dataset
from ncz.formats.piece_layout import PieceLayout
from ncz.late import numpy as np
from ncz.model.data import MemoryArray, Values, read_all
from ncz.model.tree import (
    Dataset,
    Group,
    Variable,
    base_name,
    dimensions_by_fqn,
    each_dimension,
    each_variable,
    shape_of,
    variables_by_fqn,
)
from ncz.model.types import NcType
from ncz.parallel.processors import cores
from ncz.parallel.threads import ThreadPool
from ncz.record import record, replace
from ncz.zmap.location import Location, Path, location_of

if TYPE_CHECKING:
    from typing import Unpack

    from ncz.commands.keyword_groups import AgreementKeywords


@record(kw_only=True)
class _Source:
    """One file: its part of the axis, and its values that the master contains itself."""

    part: AxisPart
    location: Location
    values: dict[str, Values]


_MEMORY = 64 << 20
"""Bytes of values that are compared at a time."""


@speaks_python
def aggregate(
    sources: Path | Sequence[Path],
    target: Path,
    *,
    axis: str | None = None,
    mode: Literal["cfa", "cfa0.5", "cfa0.4", "cf"] = "cfa",
    rebuild: bool = False,
    overwrite: bool = False,
    allow_loss: bool = False,
    move: str | None = None,
    notify: Listener = warn,
    **agreement: Unpack[AgreementKeywords],
) -> int:
    """Create a master for existing files or stores, without moving their data.

    They must agree except along the dimension `axis`, and are sorted by its coordinate variable.
    The master contains the coordinates, and refers to the files for other variables.

    Parameters
    ----------
    sources
        Paths or URLs of the files or stores.
    target
        The path or URL of the master: a netCDF file, or a Zarr store if it ends in ``.zarr``.
    axis
        Dimension along which the files follow each other.
    mode
        Form of the master: cfa (CFA 0.5, the default), cfa0.4 or cf (CF 1.13).
    rebuild
        Make a lost master again; the sources are its pieces, or the folders of these.
    overwrite
        Replace an existing store.
    allow_loss
        Write even if the target cannot represent everything; notices name the losses.
    move
        The current folder or URL of the pieces of `target`, without `sources`; no file is
        moved.
    notify
        Receives notices.
    **agreement
        What to do about differences between the files: `attributes`, `unpack`, `tolerance` and
        `overlap`; see `copy`.

    Returns
    -------
    int
        The number of files, or with `move` of names.

    Raises
    ------
    NczError
        If the files do not agree or overlap. The target is unchanged.

    Examples
    --------
    >>> ncz.copy("weather.zarr", "a.zarr", isel={"time": slice(0, 2)}).variables
    6
    >>> ncz.copy("weather.zarr", "b.zarr", isel={"time": slice(2, 4)}).variables
    6
    >>> ncz.aggregate(["a.zarr", "b.zarr"], "all.zarr", axis="time")
    2
    >>> ncz.open("all.zarr").dims["time"]
    4
    """
    if isinstance(target, (list, tuple)) and isinstance(sources, (str, os.PathLike)):
        sources, target = target, sources  # the order of the command line
    options = AggregateOptions(
        target=location_of(target),
        sources=tuple(location_of(each) for each in several(sources)),
        axis=axis,
        mode=mode,
        rebuild=rebuild,
        how=JoinOptions(**agreement),
        overwrite=overwrite,
        allow_loss=allow_loss,
    )
    callbacks = callbacks_of(notify)
    if (move is None) == (not options.sources):
        raise NczError("give sources, or move and no sources", options.target.display)
    if move is not None:
        from ncz.commands.aggregate.relocation import move as move_pieces

        return move_pieces(options.target, move, callbacks.notify)
    return aggregate_files(options, callbacks)


def aggregate_files(
    options: AggregateOptions,
    callbacks: Callbacks = NO_CALLBACKS,
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
    if is_name_of_set(options.target):
        raise OptionError(
            "a master is a netCDF file or a Zarr store, but this is the name of a reference set",
            options.target.display,
            f"use {command('copy')} with the same files and"
            f" {option('concat', options.axis or 'time')}",
        )
    if options.axis is None and not options.rebuild:
        raise OptionError(
            f"the files need {option('axis')}, or {option('rebuild', True)} if they are pieces",
            options.target.display,
            f"the axis is their common dimension, such as {option('axis', 'time')}",
        )
    if options.rebuild:
        if options.axis is not None:
            raise OptionError(
                f"{option('axis')} cannot be used with {option('rebuild', True)}: pieces"
                " state their positions"
            )
        return rebuild(options, callbacks)
    target = options.target
    assert options.axis is not None
    with note_on_interrupt(f"{target.display} was not changed"), ExitStack() as stack:
        first = stack.enter_context(
            open_dataset(options.sources[0], notify=callbacks.notify)
        ).dataset
        axis = _axis_of(first, options.axis, options.sources[0].display)
        fields = {
            fqn: variable
            for fqn, variable in masters().fields(first.root).items()
            if axis in variable.dimensions
        }
        if not fields:
            raise JoinError(f"no variable of numbers has the dimension {axis}")
        known = variables_by_fqn(first.root)
        held = [fqn for fqn, v in known if axis in v.dimensions and fqn not in fields]
        pool = stack.enter_context(ThreadPool(_MEMORY, cores()))
        agreement = Agreement(
            first, options.sources[0].display, {axis}, options.how, pool, keeps_types=True
        )
        callbacks.progress.expect(len(options.sources), "files")
        pieces = _Pieces(agreement, fields)
        sources = []
        for source in options.sources:
            sources.append(
                _read(source, agreement, axis, held, pieces, options.how, callbacks.notify)
            )
            callbacks.progress.advance(sources[-1].part.name, 1, 0)
        agreement.report(callbacks.notify)
        pieces.check()
        fields = {fqn: agreement.variables[fqn] for fqn in fields}
        if options.form.packs_afterwards:
            refuse_packed(fields)
        times = numbers_of(first.root).get(axis)
        parts = [source.part for source in sources]
        arrangement = arrange(
            parts,
            axis,
            options.how,
            callbacks.notify,
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
        joined = _master_dataset(first, axis, agreement, held, sources)
        lengths = dimensions_by_fqn(joined.root)
        layouts = {
            fqn: _layout(fqn, variable, shape_of(variable, lengths), axis, sources, target, options)
            for fqn, variable in fields.items()
        }
        create_master(joined, layouts, options, callbacks.notify)
    return len(sources)


def _axis_of(first: Dataset, name: str, place: str) -> str:
    """Return the FQN of the axis. Raise `JoinError` for a new one, which no file has."""
    known = {base_name(fqn) for fqn in dimensions_by_fqn(first.root)}
    if name.rpartition("/")[2] not in known and not did_you_mean(name, known, ""):
        raise JoinError(
            f"the dimension {name} does not exist, and a master has no new one",
            place,
            f"join the files along it: 'ncz copy --new-dimension {name} FILES... OUT'; no values"
            " are copied if OUT ends in .json",
        )
    return dimension_named(first, name, place)


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
            is_unsigned = own.read_as is not own.type
            self._seen.setdefault((fqn, own.type, own.is_packed, is_unsigned), name)

    def check(self) -> None:
        """Raise `JoinError` for values that readers of the master would not convert."""
        for (fqn, nc_type, is_packed, is_unsigned), name in self._seen.items():
            is_unpacked = fqn in self._agreement.unpacked_variables
            is_other = nc_type != self._agreement.variables[fqn].type and not is_packed
            if fqn in self._agreement.converted_times or (
                is_unpacked and (is_other or is_unsigned)
            ):
                raise JoinError(
                    f"the values of {fqn} would have to be converted, which a master cannot do",
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
    """Check a file against the first one, and read the values for the master."""
    name = location.display
    with open_dataset(location, notify=notify) as opened:
        agreement.add(opened.dataset, name)
        pieces.add(opened.dataset.root, name)
        alike = agreement.conform(opened.dataset, name)
        variables = dict(variables_by_fqn(alike.root))
        values = {}
        for fqn in held:
            if fqn in agreement.unpacked_variables:
                raise JoinError(
                    f"the packing of {fqn} differs from the packing in the first file", name,
                    "join the files with 'ncz copy --concat'",
                )  # fmt: skip
            data = variables[fqn].data
            assert data is not None  # checked with the first file
            values[fqn] = read_all(data)
        by = axis_coordinate(alike, axis, auxiliary=False)
        return _Source(part=axis_part(alike, axis, name, how, by), location=location, values=values)


def _master_dataset(
    first: Dataset, axis: str, agreement: Agreement, held: Sequence[str], sources: list[_Source]
) -> Dataset:
    """Return the first dataset with the length of all, and all values of the master."""
    length = sum(source.part.length for source in sources)

    def join_values(fqn: str, _: Variable) -> Variable:
        variable = agreement.variables[fqn]
        if fqn not in held:
            return variable
        along = variable.dimensions.index(axis)
        values = np.concatenate([source.values[fqn] for source in sources], along)
        return replace(variable, data=MemoryArray(values, variable.type))

    whole = agreement.with_attributes(each_variable(first, join_values))
    return each_dimension(whole, lambda fqn, d: replace(d, size=length) if fqn == axis else d)


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
    return PieceLayout(
        lengths=tuple(lengths),
        files={
            tuple(i if n == along else 0 for n in range(len(shape))): name_in_master(
                source.location, target, is_uri=options.form.has_uris
            )
            for i, source in enumerate(sources)
        },
        address=fqn if fqn.count("/") > 1 else variable.name,
        format="netCDF",
    )

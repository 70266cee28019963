"""Write values after the end of a variable; its dimension becomes longer."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from ncz.commands.append.additions import plan_additions
from ncz.commands.append.command import write_addition
from ncz.commands.append.digests import update_digests
from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.summary import Summary
from ncz.commands.joining.axis_order import Arrangement, Span, arranged_data
from ncz.commands.joining.error import JoinError
from ncz.commands.opened_change import opened_change
from ncz.commands.sources import threads_for
from ncz.errors import Callbacks, NczError, Notify, note_on_interrupt
from ncz.formats.create_options import CreateOptions
from ncz.formats.kinds import GivenDataset
from ncz.formats.opening import masters, open_dataset
from ncz.model.data import MemoryArray, fill_array
from ncz.model.slabs import unwritten_fill
from ncz.model.tree import (
    Dataset,
    Variable,
    dimensions_by_fqn,
    each_dimension,
    each_variable,
    shape_of,
    variables_by_fqn,
)
from ncz.parallel.threads import ThreadPool
from ncz.record import record, replace
from ncz.zmap import WritableZmap
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from ncz.model.data import Values

_MEMORY = 256 << 20
"""Bytes that chunks take while they are encoded."""


@record(kw_only=True)
class _LongerDataset:
    """A dataset with a dimension that becomes longer.

    `old` is the dataset, and `new` has the values behind its end. `axes` has the axis of the
    dimension `along` in each variable that has it.
    """

    old: Dataset
    new: Dataset
    along: str
    axes: dict[str, int]
    arrangement: Arrangement


def append_values(location: Location, fqn: str, axis: int, values: Values, notify: Notify) -> None:
    """Write values behind the end of a variable, as one change.

    Its dimension becomes longer, and all variables that have it: the others get fill values there.

    Parameters
    ----------
    location
        The store, or the netCDF file, which is written again.
    fqn, axis
        The variable, and the axis that becomes longer.
    values
        The values, of the dtype of the variable and with its shape except along the axis.
    notify
        Receives notices.

    Raises
    ------
    NczError
        If the dataset cannot be changed.
    """
    with note_on_interrupt(f"{location.display} was not changed"):
        if masters().may_be_file(location):
            with open_dataset(location) as opened:
                _refuse_aggregation(opened.dataset, location)
                if opened.dataset.provenance.is_netcdf_file:
                    _write_again(
                        _longer_dataset(opened.dataset, fqn, axis, values), location, notify
                    )
                    return
        _change_store(location, fqn, axis, values, notify)


def _refuse_aggregation(dataset: Dataset, location: Location) -> None:
    if dataset.provenance.aggregation is not None:
        raise JoinError(
            "values cannot be added to a variable of an aggregation", location.display,
            "append a dataset: ncz.copy(new, master, append='time')",
        )  # fmt: skip


def _longer_dataset(old: Dataset, fqn: str, axis: int, values: Values) -> _LongerDataset:
    variables, lengths = dict(variables_by_fqn(old.root)), dimensions_by_fqn(old.root)
    if fqn not in variables:
        raise NczError(f"the dataset has no variable {fqn} any more", old.name)
    along, count = variables[fqn].dimensions[axis], values.shape[axis]
    axes = {}
    for name, variable in variables.items():
        if variable.dimensions.count(along) > 1:
            raise JoinError(f"{name} has the dimension {along} twice", old.name)
        if along in variable.dimensions:
            axes[name] = variable.dimensions.index(along)

    def behind(name: str, variable: Variable) -> Variable:
        if name not in axes:
            return variable
        found = values
        if name != fqn:
            shape = [*shape_of(variable, lengths)]
            shape[axes[name]] = count
            found = fill_array(tuple(shape), variable.type, unwritten_fill(variable))
        return replace(variable, data=MemoryArray(found, variable.type))

    length = lengths[along].size
    return _LongerDataset(
        old=old,
        new=each_variable(old, behind),
        along=along,
        axes=axes,
        arrangement=Arrangement(
            length=length + count, spans=(Span(0, 0, length), Span(1, 0, count))
        ),
    )


def _change_store(location: Location, fqn: str, axis: int, values: Values, notify: Notify) -> None:
    with contextlib.ExitStack() as stack:
        change = stack.enter_context(opened_change(location, dry_run=False))
        old, zmap = change.opened.dataset, change.store.zmap
        _refuse_aggregation(old, location)
        for notice in change.unread:
            notify(notice)
        longer = _longer_dataset(old, fqn, axis, values)
        pool = stack.enter_context(ThreadPool(_MEMORY // 2, threads_for(location)))
        additions = [
            replace(each, refers_above=zmap.refers_above, is_set=zmap.refers)
            for each in plan_additions(
                (old, longer.new), {longer.along: longer.arrangement}, longer.axes, change.draft
            )
        ]
        update_digests(change.draft, old, additions, pool)
        callbacks = Callbacks(notify)

        def write(target: WritableZmap, writers: ThreadPool) -> None:
            for addition in additions:
                write_addition(addition, target, writers, Summary(), callbacks.progress)

        change.apply(
            frozenset(key for addition in additions for key in addition.changed_keys()), write,
            replaces=any(addition.replaces for addition in additions), memory=_MEMORY // 2,
            threads=threads_for(location), description=f"Append values to {fqn}",
            progress=callbacks.progress,
        )  # fmt: skip


def _write_again(longer: _LongerDataset, location: Location, notify: Notify) -> None:
    """Write a file again with the new values."""
    from ncz.commands.copy.dataset import copy_dataset

    behind = dict(variables_by_fqn(longer.new.root))

    def join_values(fqn: str, variable: Variable) -> Variable:
        ours, theirs = variable.data, behind[fqn].data
        if fqn not in longer.axes or ours is None or theirs is None:
            return variable
        data = arranged_data((ours, theirs), longer.axes[fqn], longer.arrangement)
        return replace(variable, data=data)

    whole = each_dimension(
        each_variable(longer.old, join_values),
        lambda fqn, d: replace(d, size=longer.arrangement.length) if fqn == longer.along else d,
    )
    source = GivenDataset(name=location.display, open=lambda *_: contextlib.nullcontext(whole))
    options = CopyOptions(
        source=source, target=location, create=CreateOptions(overwrite=True)
    )  # fmt: skip
    copy_dataset(options, Callbacks(notify))

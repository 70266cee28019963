"""The join of a store and the datasets that are appended to it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence

from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.refused_targets import refuse_target
from ncz.commands.copy.source import open_source, open_sources, selected_parts
from ncz.commands.joining.axes import axes_named, with_linked
from ncz.commands.joining.concatenation import Join, check_values
from ncz.commands.joining.error import JoinError
from ncz.commands.joining.new_dimension import with_dimension
from ncz.commands.sources import name_of
from ncz.errors import SHOW_NAMES, Callbacks, LossError, Notice, Notify, one_line, option
from ncz.model.tree import Dataset, variables_by_fqn
from ncz.parallel.threads import ThreadPool
from ncz.zmap.location import Location


def axes_along(dataset: Dataset, dimension: str, name: str) -> dict[str, int]:
    """Return the axis of a dimension, or of one linked to it, in every variable that has it.

    A name without a slash means the dimensions with this name in all groups. `name` is the path or
    URL of the dataset, for messages.

    Raises
    ------
    JoinError
        If no variable has the dimension, or one has it twice.
    """
    axes = {}
    along = with_linked(dataset, axes_named(dataset, dimension), name)
    for fqn, variable in variables_by_fqn(dataset.root):
        found = [axis for axis, each in enumerate(variable.dimensions) if each in along]
        if len(found) > 1:
            raise JoinError(f"{fqn} has the dimension {dimension} twice", option("append"))
        if found:
            axes[fqn] = found[0]
    if not axes:
        raise JoinError(
            f"no variable has the dimension {dimension}", option("append"), f"see {SHOW_NAMES}"
        )
    return axes


@contextlib.contextmanager
def open_new(
    options: CopyOptions, location: Location, callbacks: Callbacks, old: Dataset
) -> Iterator[list[tuple[str, Dataset]]]:
    """Open the sources; several are joined first if a part along the dimension is selected."""
    names = [*map(name_of, options.sources)]
    refuse_target(options, location)
    with open_sources(options, callbacks, like=old) as datasets:
        if options.subset is None or not options.more_sources:
            yield [*zip(names, datasets, strict=True)]
            return
        parts, rest = selected_parts(datasets, options, callbacks.notify)
        if rest is None:
            yield [*zip(names, parts, strict=True)]
            return
    with open_source(options, callbacks, location, like=old) as new:
        yield [(names[0], new)]


def join_of(
    old: Dataset,
    name: str,
    news: Sequence[tuple[str, Dataset]],
    axes: Mapping[str, int],
    options: CopyOptions,
    pool: ThreadPool,
    callbacks: Callbacks,
) -> Join:
    """Return the join of a store and the dataset that is appended to it, in the form of the store.

    Raises `JoinError` if something differs that cannot be joined.
    """
    assert options.append is not None
    names, given = zip((name, old), *news, strict=True)
    datasets = with_dimension(given, names, options.append, options.join, pool)
    along = axes_named(old, options.append)
    found = Join.of(datasets, names, along, options.join, pool, callbacks, is_fixed=True)
    mine, stored = (dict(variables_by_fqn(d.root)) for d in (found.datasets[0], old))
    for fqn in axes:
        if mine[fqn].data is not stored[fqn].data:
            raise JoinError(
                f"the positions in {fqn} would change, but values of the store may not",
                name,
                f"join with {option('concat')} to a new store",
            )
    for new in found.datasets[1:]:
        check_values(new, axes, pool, callbacks.progress)
    return found


def refuse_losses(unread: list[Notice], options: CopyOptions, notify: Notify) -> None:
    for notice in unread:
        if notice.lost and not options.create.allow_loss:
            raise LossError(
                one_line(notice.message, notice.location, notice.hint),
                hint=f"use {option('allow_loss', True)} (nothing was written)",
            )
        notify(notice)

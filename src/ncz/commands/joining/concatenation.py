"""Join datasets along a dimension."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ncz.commands.joining.agreement import Agreement
from ncz.commands.joining.axes import axes_named, with_linked
from ncz.commands.joining.axis_coordinate import axis_coordinate
from ncz.commands.joining.axis_order import Arrange, Arrangement, arrange, arranged_data, axis_parts
from ncz.commands.joining.error import JoinError
from ncz.commands.joining.new_dimension import with_dimension
from ncz.commands.joining.options import JoinOptions
from ncz.commands.joining.packing import each_chunk
from ncz.errors import SHOW_NAMES, Callbacks, Progress, did_you_mean, list_names, option
from ncz.model.data import ChunkSource
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.mapped_source import ConvertedSource, UnwrittenSource
from ncz.model.position_links import counts_in, indexes_in
from ncz.model.shifted_positions import shift_positions
from ncz.model.tree import (
    Dataset,
    Dimension,
    Storage,
    Variable,
    base_name,
    dimensions_by_fqn,
    each_dimension,
    each_variable,
    missing_fill,
    shape_of,
    variables_by_fqn,
)
from ncz.record import record, replace

if TYPE_CHECKING:
    from ncz.parallel.threads import ThreadPool


def concatenate(
    datasets: Sequence[Dataset],
    names: Sequence[str],
    dimension: str,
    options: JoinOptions,
    pool: ThreadPool,
    callbacks: Callbacks,
    *,
    is_new: bool = False,
) -> Dataset:
    """Join datasets along a dimension.

    Parameters
    ----------
    datasets
        The datasets, in order.
    names
        Their paths or URLs, for messages.
    dimension
        The name or the FQN of the dimension.
    options
        What to do about differences.
    pool
        The threads that compare values; its memory is the limit.
    callbacks
        Receives notices of conversions, and of attributes of groups that differ, and the
        values that are read to find their range.
    is_new
        Whether the dimension is new, and each dataset one index of it.

    Returns
    -------
    Dataset
        The joined dataset. Variables without the dimension come from the first dataset.

    Raises
    ------
    JoinError
        If the dimension does not exist, or something differs that cannot be joined.
    """
    datasets = with_dimension(datasets, names, dimension, options, pool, is_new=is_new)
    along = axes_named(datasets[0], dimension)
    return Join.of(datasets, names, along, options, pool, callbacks).dataset


@record(kw_only=True)
class Join:
    """Datasets in one form, and the order of their values along some dimensions.

    Attributes
    ----------
    datasets
        The datasets in the common form.
    names
        Their paths or URLs, for messages.
    agreement
        The agreement of the datasets.
    arrangements
        The order along each dimension, by its FQN.
    """

    datasets: tuple[Dataset, ...]
    names: tuple[str, ...]
    agreement: Agreement
    arrangements: Mapping[str, Arrangement]

    @staticmethod
    def of(
        datasets: Sequence[Dataset],
        names: Sequence[str],
        along: Collection[str],
        options: JoinOptions,
        pool: ThreadPool,
        callbacks: Callbacks,
        *,
        is_fixed: bool = False,
    ) -> Join:
        """Find how datasets join along dimensions; `Agreement` describes the parameters.

        Raises `JoinError` if something differs that cannot be joined.
        """
        notify = callbacks.notify
        linked = with_linked(datasets[0], along, names[0])
        agreement = Agreement(datasets[0], names[0], linked, options, pool, is_fixed=is_fixed)
        for other, name in zip(datasets[1:], names[1:], strict=True):
            agreement.add(other, name)
        agreement.repack(datasets, names, callbacks)
        agreement.refine_times(datasets)
        agreement.report(notify)
        alike = [agreement.conform(d, name) for d, name in zip(datasets, names, strict=True)]
        arrangements = {}
        for axis in sorted(linked):
            how = options if axis in along else replace(options, sort=False, overlap="keep")
            asks = how.sort or how.overlap in ("first", "last")
            by = axis_coordinate(alike[0], axis, auxiliary=asks)
            parts = axis_parts(alike, axis, names, how, by, is_appended=is_fixed)
            arrangements[axis] = arrange(
                parts, by.fqn if by else axis, how, notify, times=by.times if by else None
            )
        return Join(
            datasets=_with_positions(alike, names, arrangements, options),
            names=tuple(names),
            agreement=agreement,
            arrangements=arrangements,
        )

    @property
    def dataset(self) -> Dataset:
        """The joined dataset."""
        return self.arrange_by(arranged_data)

    def arrange_by(self, arrange: Arrange) -> Dataset:
        """Return the joined dataset, whose values a function arranges."""
        whole = arranged_dataset(self.datasets, self.names, self.arrangements, arrange)
        return self.agreement.with_attributes(whole)


def _with_positions(
    datasets: Sequence[Dataset],
    names: Sequence[str],
    arrangements: Mapping[str, Arrangement],
    options: JoinOptions,
) -> tuple[Dataset, ...]:
    """Return datasets that have the counts and indices of the joined dataset.

    Raises `JoinError` if they are not joined one after the other.
    """
    root = datasets[0].root
    indexed = {target: i.variable for i in indexes_in(root) for target in i.targets}
    counted = {counts.counted: counts.variable for counts in counts_in(root)}
    linked = [fqn for fqn in arrangements if fqn in indexed or fqn in counted]
    if not linked:
        return tuple(datasets)
    sizes = [dimensions_by_fqn(dataset.root) for dataset in datasets]
    for fqn, found in arrangements.items():
        if not found.is_given_order([each[fqn].size for each in sizes]):
            by = indexed.get(linked[0]) or counted[linked[0]]
            raise JoinError(
                f"values along {fqn} are sorted or left out, and {by} contains their positions",
                None,
                f"omit {option('sort')}" if options.sort else f"use {option('overlap', 'keep')}",
            )
    offsets, shifted_datasets = dict.fromkeys(arrangements, 0), []
    lengths = {fqn: found.length for fqn, found in arrangements.items()}
    for dataset, name, own in zip(datasets, names, sizes, strict=True):
        shifted_datasets.append(shift_positions(dataset, name, offsets, lengths))
        offsets = {fqn: offset + own[fqn].size for fqn, offset in offsets.items()}
    return tuple(shifted_datasets)


def arranged_dataset(
    datasets: Sequence[Dataset],
    names: Sequence[str],
    arrangements: Mapping[str, Arrangement],
    arrange: Arrange = arranged_data,
) -> Dataset:
    """Return datasets of one form as one; variables without the dimensions are the first's.

    Raises `JoinError` if a variable cannot be joined; `names` are the datasets' names.
    `arrange` joins the data of a variable.
    """
    variables = [dict(variables_by_fqn(dataset.root)) for dataset in datasets]
    sizes = [dimensions_by_fqn(dataset.root) for dataset in datasets]

    def join_variable(fqn: str, variable: Variable) -> Variable:
        axes = [i for i, name in enumerate(variable.dimensions) if name in arrangements]
        if not axes:
            return variable
        if len(axes) > 1:
            both = list_names([variable.dimensions[axis] for axis in axes])
            raise JoinError(f"{fqn} has several dimensions that are joined: {both}", names[0])
        parts: list[ChunkSource] = []
        for known, lengths in zip(variables, sizes, strict=True):
            own = known[fqn]
            shape = shape_of(own, lengths)
            parts.append(own.data or UnwrittenSource(shape, own.type, missing_fill(own)))
        found = arrangements[variable.dimensions[axes[0]]]
        data = arrange(parts, axes[0], found)
        return replace(variable, data=data, storage=_storage_of(variable.storage, data))

    def lengthen(fqn: str, dimension: Dimension) -> Dimension:
        found = arrangements.get(fqn)
        return dimension if found is None else replace(dimension, size=found.length)

    return each_dimension(each_variable(datasets[0], join_variable), lengthen)


def _storage_of(storage: Storage, data: ChunkSource) -> Storage:
    """Return the storage of a joined variable, with the usual length if its chunks differ."""
    if not isinstance(data, EncodedSource) or data.layout.lengths is None:
        return storage
    chunks = data.layout.chunks
    if storage.shards is not None:
        return replace(storage, shards=chunks)
    return replace(storage, chunks=chunks)


def dimension_named(dataset: Dataset, dimension: str, name: str) -> str:
    """Return the FQN of the dimension that a name or an FQN means.

    Raises `JoinError` if it does not exist, or several have the name; `name` is the dataset's.
    """
    found = [fqn for fqn in dimensions_by_fqn(dataset.root) if _is_named(fqn, dimension)]
    if len(found) > 1:
        raise JoinError(
            f"the dimension {dimension} is ambiguous", name, f"give its full name: {found[0]}"
        )
    if not found:
        known = [base_name(fqn) for fqn in dimensions_by_fqn(dataset.root)]
        raise JoinError(
            f"the dimension {dimension} does not exist",
            name,
            did_you_mean(dimension, known, f"see {SHOW_NAMES}"),
        )
    return found[0]


def _is_named(fqn: str, dimension: str) -> bool:
    return dimension in (fqn, base_name(fqn))


def check_values(
    dataset: Dataset, fqns: Iterable[str], pool: ThreadPool, progress: Progress
) -> None:
    """Convert all values of some variables once; raise `JoinError` for one that does not fit."""
    variables = dict(variables_by_fqn(dataset.root))
    converted = {f: data for f in fqns if isinstance(data := variables[f].data, ConvertedSource)}
    if not converted:
        return
    progress.expect(sum(math.prod(data.grid.shape) for data in converted.values()), "values")
    for fqn, data in converted.items():
        for count, size in each_chunk(data, pool, lambda values: (values.size, values.nbytes)):
            progress.advance(fqn, count, size)

"""Several sources that are opened as one dataset, whose values are read on demand."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.source import open_sources
from ncz.commands.joining.concatenation import concatenate
from ncz.commands.joining.error import JoinError
from ncz.commands.joining.found_dimension import found_dimension, order_along
from ncz.commands.joining.merge import merge
from ncz.commands.joining.new_dimension import is_new_name
from ncz.commands.joining.options import JoinOptions
from ncz.commands.sources import Source, name_of
from ncz.errors import Callbacks, Notify, option
from ncz.formats.create_options import AS_DEFAULT
from ncz.formats.kinds import OpenedDataset, OpenOptions
from ncz.model.tree import Dataset, variables_by_fqn
from ncz.parallel.processors import cores
from ncz.parallel.threads import ThreadPool
from ncz.record import record, replace
from ncz.zmap.location import Location

_MEMORY = 256 << 20
"""Bytes of the values that are compared at a time."""


@record(kw_only=True)
class JoinedSource:
    """Several sources, and their combination to one dataset.

    Attributes
    ----------
    name
        A name of all, for messages.
    sources
        The sources, in order.
    concat
        The dimension along which they follow each other; None finds it from their coordinates.
    new_dimension
        A new dimension, with one index for each source.
    """

    name: str
    sources: tuple[Source, ...]
    concat: str | None = None
    new_dimension: str | None = None

    @property
    def location(self) -> Location:
        """A location with the name of all, which nothing can be opened at."""
        first = self.sources[0]
        kind = first.kind if isinstance(first, Location) and first.kind == "remote" else None
        return Location(kind, self.name)

    @property
    def locations(self) -> tuple[Location, ...]:
        """The locations of the sources."""
        return tuple(each for each in self.sources if isinstance(each, Location))

    @contextlib.contextmanager
    def open(self, how: OpenOptions, notify: Notify) -> Iterator[OpenedDataset]:
        """Open all sources until the context ends. Only coordinates are read.

        Raises `JoinError` if they do not fit together, or in several ways.
        """
        first, *more = self.sources
        create = replace(AS_DEFAULT, consolidated=how.consolidated)
        options = CopyOptions(
            source=first, target=self.location, more_sources=tuple(more), dry_run=True,
            create=create,
        )  # fmt: skip
        callbacks = Callbacks(notify)
        with open_sources(options, callbacks) as datasets:
            names = [name_of(source) for source in self.sources]
            with ThreadPool(_MEMORY, cores()) as pool:
                dataset = self._join(datasets, names, pool, callbacks)
            kind = dataset.provenance.netcdf_kind
            yield OpenedDataset(
                dataset=dataset, location=self.location, netcdf_kind=kind, survives_fork=False
            )

    def _join(
        self, datasets: Sequence[Dataset], names: Sequence[str], pool: ThreadPool,
        callbacks: Callbacks,
    ) -> Dataset:  # fmt: skip
        along = self.new_dimension or self.concat
        if along is not None:
            how = JoinOptions()
            is_new = self.new_dimension is not None or is_new_name(datasets, along)
            return concatenate(datasets, names, along, how, pool, callbacks, is_new=is_new)
        kinds: dict[frozenset[str], list[int]] = {}
        for number, dataset in enumerate(datasets):
            known = frozenset(fqn for fqn, _ in variables_by_fqn(dataset.root))
            kinds.setdefault(known, []).append(number)
        parts: list[Dataset] = []
        for numbers in kinds.values():
            those = [datasets[number] for number in numbers]
            own = [names[number] for number in numbers]
            parts.append(_in_order(those, own, pool, callbacks))
        if len(parts) == 1:
            return parts[0]
        try:
            firsts = [names[numbers[0]] for numbers in kinds.values()]
            return merge(parts, firsts, JoinOptions(), pool, callbacks.notify)
        except JoinError as error:
            error.hint = error.hint or f"use {option('concat', 'DIMENSION')}"
            raise


def _in_order(
    datasets: Sequence[Dataset], names: Sequence[str], pool: ThreadPool, callbacks: Callbacks
) -> Dataset:
    """Return datasets of the same variables as one, in the order of their coordinate."""
    if len(datasets) == 1:
        return datasets[0]
    along = found_dimension(datasets, names)
    variable = dict(variables_by_fqn(datasets[0].root)).get(along)
    if variable is None:
        return concatenate(datasets, names, along, JoinOptions(), pool, callbacks)
    order = order_along(datasets, along)
    datasets, names = [datasets[i] for i in order], [names[i] for i in order]
    how = JoinOptions(sort=bool(variable.dimensions))
    return concatenate(datasets, names, along, how, pool, callbacks)

"""info: describe a dataset, its storage, and the values of its variables."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO

from ncz.commands.arguments import source_of
from ncz.commands.coordinate_range import coordinate_range
from ncz.commands.description import DatasetInfo, Statistics, VariableInfo, VariableInfos
from ncz.commands.functions import Listener, Words, callbacks_of, speaks_python, warn, words
from ncz.commands.selected_part import selected_part
from ncz.commands.sources import Source, open_any, threads_for
from ncz.commands.variable_names import variables_of_names
from ncz.errors import NO_CALLBACKS, Callbacks, NczError, StoreExists
from ncz.model.links import links
from ncz.model.tree import (
    Dataset,
    Group,
    base_name,
    dimensions_by_fqn,
    parent,
    shape_of,
    variables_by_fqn,
    walk,
)
from ncz.record import record, replace
from ncz.views.stored_form import format_of
from ncz.zmap.location import Location, Path, path_of
from ncz.zmap.opening import history_of

if TYPE_CHECKING:
    from typing import Unpack

    from ncz.commands.keyword_groups import SelectionKeywords
    from ncz.model.selection import Selection
    from ncz.parallel.threads import ThreadPool
    from ncz.text.times import Times
    from ncz.zmap.source_file import SourceFile


@record(kw_only=True)
class InfoOptions:
    """The properties of a dataset to find out.

    `source` is a location, or a stream. With `partial`, a
    variable that cannot be read becomes a notice and has no statistics; with `keep_going`, a piece
    of an aggregation that cannot be read becomes one and counts as missing. With `sources`, the
    files that the dataset refers to are examined.
    """

    source: Source
    variables: tuple[str, ...] | None = None
    subset: Selection | None = None
    statistics: bool = False
    sources: bool = False
    memory: int | None = None
    threads: int | None = None
    partial: bool = False
    keep_going: bool = False


@speaks_python
def info(
    source: Path | BinaryIO,
    *,
    variables: Words | None = None,
    stats: bool = False,
    sources: bool = False,
    memory: int | None = None,
    threads: int | None = None,
    allow_loss: bool = False,
    keep_going: bool = False,
    html: Path | BinaryIO | None = None,
    notify: Listener = warn,
    **selection: Unpack[SelectionKeywords],
) -> DatasetInfo:
    """Describe a dataset: its format, its variables, and their storage.

    Parameters
    ----------
    source
        A path or a URL, or a binary stream with the bytes of a file, or CDL text.
    variables
        Describe only these variables.
    stats
        Read all values; add minimum, maximum, mean, std and missing counts.
    sources
        List the files that a reference set, an Icechunk repository or an aggregation refers to,
        with their sizes, and whether they have changed.
    memory
        Memory for data in bytes (default: a quarter of free memory, 256MiB to 4GiB).
    threads
        Number of threads (default: one per core).
    allow_loss
        Report data that cannot be read as a notice, and continue with the rest.
    keep_going
        Read fill values for pieces of an aggregation that cannot be read.
    html
        Write a page with attributes, statistics, pictures and chunks.

        It is a path or a binary stream. A file must not exist, unless ncz made it.
    notify
        Receives notices.
    **selection
        The part of the dataset to use; see `open`.

    Returns
    -------
    DatasetInfo
        The format, and for each variable its shape, type, chunks, codecs and sizes in bytes.

    Raises
    ------
    NczError
        If the dataset cannot be read.

    Examples
    --------
    >>> found = ncz.info("weather.zarr", variables="lat")
    >>> [variable.path for variable in found.variables]
    ['/lat']
    """
    options = InfoOptions(
        source=source_of(source),
        variables=None if variables is None else words(variables),
        subset=selected_part(selection),
        statistics=stats,
        sources=sources,
        memory=memory,
        threads=threads,
        partial=allow_loss,
        keep_going=keep_going,
    )
    callbacks = callbacks_of(notify)
    if html is None:
        return dataset_info(options, callbacks)
    contents, page = info_page(options, callbacks)
    if hasattr(html, "write"):
        html.write(page.encode())
    else:
        write_page(page, path_of(html))
    return contents


def dataset_info(
    options: InfoOptions,
    callbacks: Callbacks = NO_CALLBACKS,
) -> DatasetInfo:
    """Describe a dataset.

    Raises
    ------
    NczError
        If the dataset cannot be opened, or part of it cannot be read and `options.partial` is not
        set.
    UnknownName
        If the dataset has no variable that `options` name.
    """
    callbacks = callbacks.partial(options.partial)
    with _open(options, callbacks) as (dataset, pool):
        return _describe(dataset, options, pool, callbacks)


def info_page(
    options: InfoOptions,
    callbacks: Callbacks = NO_CALLBACKS,
) -> tuple[DatasetInfo, str]:
    """Describe a dataset as records, and as an HTML page with pictures; see `info`."""
    from ncz.commands.page import page_of

    callbacks = callbacks.partial(options.partial)
    with _open(options, callbacks) as (dataset, pool):
        found = _describe(dataset, options, pool, callbacks)
        return found, page_of(dataset, found, pool, callbacks.on_error)


def write_page(page: str, path: str) -> None:
    """Write a page to a file, complete or not at all. It replaces only an older page.

    Raises
    ------
    StoreExists
        If something else exists at the path.
    ZmapError
        If the file cannot be written.
    """
    from ncz.views.html import GENERATOR, START

    write_over(page.encode(), path, (START + GENERATOR).encode())


def write_over(data: bytes, path: str, start: bytes) -> None:
    """Write a file, complete or not at all. It replaces only a file with the same beginning.

    Raises
    ------
    StoreExists
        If something else exists at the path.
    ZmapError
        If the file cannot be written.
    """
    from ncz.system_errors import storage_errors
    from ncz.zmap.local.creation import create_output

    if os.path.lexists(path):
        with storage_errors(path, "write"), open(path, "rb") as old:
            if old.read(len(start)) != start:
                raise StoreExists("already exists", path, "use another name, or remove it")
    with create_output(path, overwrite=True) as file:
        file.write(data)


@contextlib.contextmanager
def _open(
    options: InfoOptions,
    callbacks: Callbacks,
) -> Iterator[tuple[Dataset, ThreadPool]]:
    """Open the dataset to describe, and the threads that read it."""
    from ncz.parallel.memory import default_memory
    from ncz.parallel.threads import ThreadPool

    threads = options.threads or threads_for(options.source)
    with (
        open_any(
            options.source, callbacks, subset=options.subset, keep_going=options.keep_going
        ) as dataset,
        ThreadPool(options.memory or default_memory(), threads) as pool,
    ):
        yield dataset, pool


def _describe(
    dataset: Dataset,
    options: InfoOptions,
    pool: ThreadPool,
    callbacks: Callbacks,
) -> DatasetInfo:
    provenance = dataset.provenance
    lengths = dimensions_by_fqn(dataset.root)
    variables = _variables(dataset, options, pool, callbacks)
    return DatasetInfo(
        name=dataset.name,
        format=format_of(provenance) or "text of CDL or JSON",
        writer=provenance.properties,
        consolidated=provenance.consolidated,
        annotated=provenance.annotated,
        groups=sum(1 for _ in walk(dataset.root)),
        attributes=tuple((fqn, group.attributes) for fqn, group in walk(dataset.root)),
        is_part=options.variables is not None,
        dimensions=tuple((fqn, d.size, d.unlimited) for fqn, d in lengths.items()),
        variables=VariableInfos(variables),
        coordinates=tuple(_others(dataset, variables)),
        history=history_of(options.source) if isinstance(options.source, Location) else None,
        sources=_sources(options.source) if options.sources else None,
    )


def _sources(source: Source) -> tuple[SourceFile, ...]:
    if not isinstance(source, Location):
        return ()
    from ncz.commands.source_files import source_files

    return source_files(source)


def _others(dataset: Dataset, described: Sequence[VariableInfo]) -> Iterator[VariableInfo]:
    """Yield the coordinates of dimensions of variables, without described ones."""
    from ncz.commands.variable_storage import describe

    lengths, known = dimensions_by_fqn(dataset.root), dict(variables_by_fqn(dataset.root))
    used = dict.fromkeys(name for variable in described for name in variable.dimensions)
    times_of, paths = _TimesByGroup(dataset), {variable.path for variable in described}
    for fqn in used:
        variable = known.get(fqn)
        if fqn not in paths and variable is not None and variable.dimensions == (fqn,):
            shape = shape_of(variable, lengths)
            span = coordinate_range(variable, shape[0], times_of(fqn))
            one = describe(fqn, variable, shape)
            yield replace(one, attributes=variable.attributes, role="coordinate", range=span)


def _variables(
    dataset: Dataset,
    options: InfoOptions,
    pool: ThreadPool,
    callbacks: Callbacks,
) -> list[VariableInfo]:
    from ncz.commands.statistics import chunks_to_read, statistics
    from ncz.commands.variable_storage import describe, with_census

    lengths = dimensions_by_fqn(dataset.root)
    names = (
        None if options.variables is None else variables_of_names(dataset.root, options.variables)
    )
    variables = {
        fqn: variable
        for fqn, variable in variables_by_fqn(dataset.root)
        if names is None or fqn in names
    }
    if options.statistics:
        callbacks.progress.expect(
            sum(chunks_to_read(v) for v in variables.values() if v.has_numbers)
        )
    else:
        callbacks.progress.expect(len(variables), "variables")
    found = []
    auxiliary = frozenset(link.target for link in links(dataset.root) if link.meaning == _NAMED)
    times_of = _TimesByGroup(dataset)
    for fqn, variable in variables.items():
        shape = shape_of(variable, lengths)
        one = replace(describe(fqn, variable, shape), attributes=variable.attributes)
        if variable.dimensions == (fqn,):
            span = coordinate_range(variable, shape[0], times_of(fqn))
            one = replace(one, role="coordinate", range=span)
        elif fqn in auxiliary:
            one = replace(one, role="auxiliary")
        try:
            one = with_census(one, variable, pool)
            if options.statistics and variable.has_numbers:

                def step(chunks: int, size: int, fqn: str = fqn) -> None:
                    callbacks.progress.advance(fqn, chunks, size)

                found_statistics = statistics(variable, shape, pool, step)
                one = replace(one, statistics=_with_dates(found_statistics, times_of(fqn)))
        except NczError as error:
            callbacks.on_error(error)
        found.append(one)
        if not options.statistics:
            callbacks.progress.advance(fqn, 1, 0)
    return found


_NAMED = "coordinates"
"""The meaning of links to auxiliary coordinates."""


class _TimesByGroup:
    """Finds the times of variables; a group's times are looked for once."""

    def __init__(self, dataset: Dataset) -> None:
        self._groups = dict(walk(dataset.root))
        self._found: dict[str, dict[str, Times]] = {}

    def __call__(self, fqn: str) -> Times | None:
        """Return the times of a variable; None if its values are not times."""
        path = parent(fqn)
        if path not in self._found:
            self._found[path] = self._times(self._groups[path])
        return self._found[path].get(base_name(fqn))

    def _times(self, group: Group) -> dict[str, Times]:
        if not any(variable.attribute("units") for variable in group.variables):
            return {}
        from ncz.text.time_variables import find_times

        return find_times(group, " ")


def _with_dates(found: Statistics, times: Times | None) -> Statistics:
    """Return statistics with the dates of numbers that are times."""
    if times is None:
        return found
    numbers = found.minimum, found.maximum, found.mean
    low, high, mean = (None if n is None else times.format(n) for n in numbers)
    return replace(found, dates=(low, high, mean))

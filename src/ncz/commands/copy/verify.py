"""Verify a copy: read source and target, and compare everything that the target can hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ncz.commands.copy.execution import threads_for
from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.reshape import with_data
from ncz.commands.copy.source import open_source
from ncz.errors import ignore_notice
from ncz.model.chunk.encoded import EncodedSource
from ncz.model.progress import NO_PROGRESS, Progress
from ncz.model.tree import (
    Attribute,
    Dataset,
    Group,
    Variable,
    dimensions_by_fqn,
    shape_of,
    variables_by_fqn,
)
from ncz.record import replace

if TYPE_CHECKING:
    from ncz.zmap.location import Location


def verify(options: CopyOptions, location: Location, progress: Progress = NO_PROGRESS) -> int:
    """Compare the store at `location` with the source.

    In pure Zarr, which holds neither types of attributes nor declared dimensions, those are not
    compared.

    Returns
    -------
    int
        The number of values that were compared.

    Raises
    ------
    DifferenceError
        At the first difference.
    """
    from ncz.formats.netcdf.target.contents import adapted, is_classic
    from ncz.formats.netcdf.target.strings import bytes_as_chars, strings_as_chars
    from ncz.formats.opening import open_dataset
    from ncz.parallel.threads import ThreadPool
    from ncz.transfer.compare import differences
    from ncz.transfer.compare_values import ValueComparison
    from ncz.transfer.difference import difference_error

    with (
        open_source(options, ignore_notice, progress=progress) as expected,
        open_dataset(location, notify=ignore_notice) as opened,
    ):
        found = opened.dataset
        made = found.provenance
        is_pure = made.zarr_format is not None and not made.superblock
        is_typed = not is_pure or made.annotated
        source = expected.provenance
        if is_pure and not (source.superblock or source.annotated or made.annotated):
            expected = replace(expected, root=_without_hints(expected))
        if made.zarr_format == 3 and source.zarr_format == 2 and not source.superblock:
            expected = replace(expected, root=_without_masks(expected))
        if made.kind_of_file is not None:
            expected = bytes_as_chars(expected)
        if made.kind_of_file is not None and is_classic(made.kind_of_file):
            expected, _ = strings_as_chars(expected, made.kind_of_file)
            expected, _ = adapted(expected, made.kind_of_file)
        wanted = with_data(expected.root, options.reshape)
        # Two arrays are held at the same time, and temporary results of comparing them.
        threads = options.threads or threads_for(location, options)
        with ThreadPool(options.data_memory // 3, threads) as pool:
            for difference in differences(
                expected,
                found,
                pool,
                with_data=wanted,
                typed=is_typed,
                extra_attributes=is_typed,
                how=ValueComparison(raw=True),
                progress=progress,
            ):
                raise difference_error(difference, location.display)
        return sum(_sizes(expected, wanted))


def _without_hints(dataset: Dataset) -> Group:
    """Return the root group without attributes that express Zarr dtypes, which pure copies keep."""
    is_stored = any(isinstance(v.data, EncodedSource) for _, v in variables_by_fqn(dataset.root))
    if not is_stored:
        return dataset.root
    return _with_attributes(dataset.root, lambda _, a: a.original is not None)


def _without_masks(dataset: Dataset) -> Group:
    """Return the root group without masks of text and of times, which V3 does not get from V2."""

    def is_kept(variable: Variable, attribute: Attribute) -> bool:
        if attribute.name != "_FillValue" or not isinstance(variable.data, EncodedSource):
            return True
        dtype = variable.data.stored_dtype
        return isinstance(dtype, str) and dtype.lstrip("<>|=")[:1] in ("b", "i", "u", "f", "c")

    return _with_attributes(dataset.root, is_kept)


def _with_attributes(group: Group, is_kept: Callable[[Variable, Attribute], bool]) -> Group:
    """Return the group and those in it with some attributes of variables only."""
    return replace(
        group,
        variables=tuple(
            replace(v, attributes=tuple(a for a in v.attributes if is_kept(v, a)))
            for v in group.variables
        ),
        groups=tuple(_with_attributes(g, is_kept) for g in group.groups),
    )


def _sizes(dataset: Dataset, wanted: frozenset[str]) -> Iterator[int]:
    lengths = dimensions_by_fqn(dataset.root)
    variables: Iterator[tuple[str, Variable]] = variables_by_fqn(dataset.root)
    yield from (math.prod(shape_of(v, lengths)) for fqn, v in variables if fqn in wanted)

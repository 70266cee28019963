"""diff: find everything that differs between two datasets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

from ncz.commands.options import OptionError, is_named
from ncz.commands.sources import open_any
from ncz.errors import SHOW_NAMES, Notify, ignore_notice, raise_error, report_unreadable
from ncz.model.progress import NO_PROGRESS, Progress
from ncz.model.tree import Dataset, variables_by_fqn
from ncz.record import record
from ncz.transfer.compare_values import EXACT, Tolerance

if TYPE_CHECKING:
    from ncz.commands.subsets import Subset
    from ncz.transfer.difference import Difference
    from ncz.zmap.location import Location

DEFAULT_MEMORY = 256 << 20
"""Default memory limit for data, in bytes."""

MOST_LISTED = 20
"""Default number of values that are listed for a variable."""


@record(kw_only=True)
class DiffOptions:
    """What to compare, and how.

    `first` and `second` are locations, or CDL text: a stream, or the path of a file. With
    `partial`, data that cannot be read become a notice, and the rest is compared.
    """

    first: Location | str | BinaryIO
    second: Location | str | BinaryIO
    variables: tuple[str, ...] | None = None
    """Names of the variables to compare; None compares everything."""
    subset: Subset | None = None
    """The part of both datasets to compare; None compares all."""
    header_only: bool = False
    """Whether values are not compared."""
    storage: bool = False
    """Whether chunks, shards, codecs and byte order are compared."""
    tolerance: Tolerance = EXACT
    most: int = MOST_LISTED
    """Most values that are listed for a variable."""
    memory: int | None = None
    threads: int | None = None
    partial: bool = False


def diff(
    options: DiffOptions,
    notify: Notify = ignore_notice,
    progress: Progress = NO_PROGRESS,
) -> Iterator[Difference]:
    """Compare two datasets lazily, in bounded memory.

    Yields
    ------
    Difference
        `expected` belongs to the first dataset and `found` to the second.

    Raises
    ------
    NczError
        If a dataset cannot be opened, or data cannot be read and `options.partial` is not set.
    OptionError
        If neither dataset has a variable that `options` name.
    """
    from ncz.parallel.threads import ThreadPool, cores
    from ncz.transfer.compare import differences
    from ncz.transfer.compare_values import ValueComparison

    how = ValueComparison(tolerance=options.tolerance, limit=options.most, raw=True)
    with (
        open_any(options.first, notify, subset=options.subset, progress=progress) as first,
        open_any(options.second, notify, subset=options.subset, progress=progress) as second,
        ThreadPool(options.memory or DEFAULT_MEMORY, options.threads or cores()) as pool,
    ):
        yield from differences(
            first,
            second,
            pool,
            with_data=frozenset() if options.header_only else None,
            only=_chosen(options.variables, first, second),
            storage=options.storage,
            how=how,
            on_error=report_unreadable(notify) if options.partial else raise_error,
            progress=progress,
        )


def _chosen(
    names: tuple[str, ...] | None, first: Dataset, second: Dataset
) -> frozenset[str] | None:
    """Return the FQNs of the variables that `names` mean in either dataset."""
    if names is None:
        return None
    known = {fqn for dataset in (first, second) for fqn, _ in variables_by_fqn(dataset.root)}
    for name in names:
        if not any(is_named(fqn, name) for fqn in known):
            raise OptionError(
                f"neither dataset has a variable {name!r}", hint=f"list them with {SHOW_NAMES}"
            )
    return frozenset(fqn for fqn in known if any(is_named(fqn, name) for name in names))

"""diff: find everything that differs between two datasets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

from ncz.commands.arguments import source_of
from ncz.commands.copy.attributes import without_attributes
from ncz.commands.functions import Listener, Words, callbacks_of, speaks_python, warn, words
from ncz.commands.index_dates import IndexDates
from ncz.commands.option_error import UnknownName
from ncz.commands.selected_part import selected_part
from ncz.commands.sources import Source, name_of, open_any
from ncz.commands.variable_names import is_named
from ncz.errors import NO_CALLBACKS, SHOW_NAMES, Callbacks, Notice
from ncz.model.tree import Dataset, Dimension, dimensions_by_fqn, variables_by_fqn
from ncz.record import record, replace
from ncz.transfer.tolerance import EXACT, Tolerance

if TYPE_CHECKING:
    from typing import Unpack

    from ncz.commands.keyword_groups import SelectionKeywords
    from ncz.model.selection import Selection
    from ncz.transfer.difference import Difference
    from ncz.zmap.location import Path

MOST_LISTED = 20
"""Default number of values that are listed for a variable."""


@record(kw_only=True)
class DiffOptions:
    """Options of a comparison.

    `first` and `second` are locations, or streams of CDL text. With
    `partial`, data that cannot be read become a notice, and the rest is compared.
    """

    first: Source
    second: Source
    variables: tuple[str, ...] | None = None
    subset: Selection | None = None
    drop_attributes: tuple[str, ...] = ()
    header_only: bool = False
    data_only: bool = False
    storage: bool = False
    digest: bool = False
    tolerance: Tolerance = EXACT
    most: int = MOST_LISTED
    memory: int | None = None
    threads: int | None = None
    partial: bool = False


@speaks_python
def diff(
    first: Path | BinaryIO,
    second: Path | BinaryIO,
    *,
    variables: Words | None = None,
    drop_attributes: Words = (),
    header_only: bool = False,
    data_only: bool = False,
    storage: bool = False,
    digest: bool = False,
    tolerance: float = 0.0,
    rtol: float = 0.0,
    ulp: int = 0,
    most: int = 20,
    memory: int | None = None,
    threads: int | None = None,
    allow_loss: bool = False,
    notify: Listener = warn,
    **selection: Unpack[SelectionKeywords],
) -> list[Difference]:
    """Return everything that differs between two datasets; an empty list if they are equal.

    Parameters
    ----------
    first, second
        Paths or URLs of datasets, or binary streams.
    variables
        Compare these variables only, with their attributes.
    drop_attributes
        Compare without these attributes: NAME or a glob anywhere, V:NAME of a variable, :NAME of
        groups.
    header_only
        Compare metadata only, no values.
    data_only
        Compare shapes and values only.
    storage
        Compare chunks, shards, codecs and byte order too.
    digest
        Trust digests of values that a store keeps, and read only the other side.
    tolerance
        Numbers are equal if they differ by at most this.
    rtol
        Numbers are equal if they differ by at most this part of the larger magnitude.
    ulp
        Numbers are equal if they are at most this number of representable numbers apart.
    most
        Most values that are listed for a variable (default: 20).

        A difference of kind "values" sums up all.
    memory
        Memory for data in bytes (default: a quarter of free memory, 256MiB to 4GiB).
    threads
        Number of threads (default: one per core).
    allow_loss
        Report data that cannot be read as a notice, and continue with the rest.
    notify
        Receives notices.
    **selection
        The part of the dataset to use; see `open`.

    Returns
    -------
    list of Difference
        The differences, in the order of the first dataset.

    Raises
    ------
    NczError
        If a dataset cannot be read.

    Examples
    --------
    >>> ncz.diff("weather.zarr", "weather.cdl")
    []
    """
    options = DiffOptions(
        first=source_of(first),
        second=source_of(second),
        variables=None if variables is None else words(variables),
        subset=selected_part(selection),
        drop_attributes=words(drop_attributes),
        header_only=header_only,
        data_only=data_only,
        storage=storage,
        digest=digest,
        tolerance=Tolerance(absolute=tolerance, relative=rtol, ulp=ulp),
        most=most,
        memory=memory,
        threads=threads,
        partial=allow_loss,
    )
    return list(differences(options, callbacks_of(notify)))


def differences(
    options: DiffOptions,
    callbacks: Callbacks = NO_CALLBACKS,
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
    UnknownName
        If neither dataset has a variable that `options` name.
    """
    from ncz.parallel.memory import default_memory
    from ncz.parallel.processors import cores
    from ncz.parallel.threads import ThreadPool
    from ncz.transfer import compare
    from ncz.transfer.compare_values import ValueComparison

    how = ValueComparison(tolerance=options.tolerance, limit=options.most, raw=True)
    callbacks = callbacks.partial(options.partial)
    with (
        open_any(options.first, callbacks, subset=options.subset) as first,
        open_any(options.second, callbacks, subset=options.subset) as second,
        ThreadPool(options.memory or default_memory(), options.threads or cores()) as pool,
    ):
        first, second = without_attributes([first, second], options.drop_attributes)
        found = compare.differences(
            first,
            second,
            pool,
            with_data=frozenset() if options.header_only else None,
            only=_selected_names(options.variables, first, second),
            metadata=not options.data_only,
            storage=options.storage,
            by_digests=options.digest,
            how=how,
            callbacks=callbacks,
        )
        sides = _Side(first, options.first), _Side(second, options.second)
        dates = IndexDates(first)
        for difference in found:
            if difference.kind == "value" and difference.index is not None:
                date = dates.of(difference.fqn, difference.index)
                difference = replace(difference, date=date)
            note = _note(difference, sides)
            if note is None:
                yield difference
            else:
                callbacks.notify(note)


@record
class _Side:
    """One of the datasets, and its location."""

    dataset: Dataset
    source: Source

    @property
    def is_pure(self) -> bool:
        """Whether the dataset is from pure Zarr, which records lengths of dimensions only."""
        return self.dataset.provenance.is_unannotated_zarr


def _note(difference: Difference, sides: tuple[_Side, _Side]) -> Notice | None:
    """Return a notice if one dataset cannot represent the other; None for other differences."""
    name, expected, found = difference.name, difference.expected, difference.found
    group = difference.fqn
    if difference.kind == "dimension-order":
        pure = next((side for side in sides if side.is_pure), None)
        what = f"the order of the dimensions of {group}"
        return None if pure is None else _missing_record("pure Zarr", what, pure)
    if not isinstance(expected, Dimension) or not isinstance(found, Dimension):
        return None
    if expected.size != found.size:
        return None
    fixed = sides[0] if found.unlimited else sides[1]
    what = f"that dimension {name} of {group} is unlimited"
    if fixed.is_pure:
        return _missing_record("pure Zarr", what, fixed)
    has_other = any(d.unlimited for d in dimensions_by_fqn(fixed.dataset.root).values())
    if fixed.dataset.provenance.has_classic_model and has_other:
        return _missing_record("the classic data model, with one unlimited dimension,", what, fixed)
    return None


def _missing_record(form: str, what: str, side: _Side) -> Notice:
    return Notice("not-recorded", f"{form} does not record {what}", name_of(side.source))


def _selected_names(
    names: tuple[str, ...] | None, first: Dataset, second: Dataset
) -> frozenset[str] | None:
    """Return the FQNs of the variables that `names` mean in either dataset."""
    if names is None:
        return None
    known = {fqn for dataset in (first, second) for fqn, _ in variables_by_fqn(dataset.root)}
    for name in names:
        if not any(is_named(fqn, name) for fqn in known):
            raise UnknownName(
                f"neither dataset has a variable {name!r}", hint=f"list them with {SHOW_NAMES}"
            )
    return frozenset(fqn for fqn in known if any(is_named(fqn, name) for name in names))

"""diff: find everything that differs between two datasets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ncz.commands import fields
from ncz.commands.fields import MEMORY, PARTIAL, SUBSET, THREADS, variables_option
from ncz.commands.option_error import UnknownName
from ncz.commands.sources import Source, name_of, open_any
from ncz.commands.variable_names import is_named
from ncz.errors import NO_CALLBACKS, SHOW_NAMES, Callbacks, Notice
from ncz.model.tree import Dataset, Dimension, dimensions_by_fqn, variables_by_fqn
from ncz.record import record
from ncz.transfer.tolerance import EXACT, Tolerance

if TYPE_CHECKING:
    from ncz.model.selection import Selection
    from ncz.transfer.difference import Difference

MOST_LISTED = 20
"""Default number of values that are listed for a variable."""


def _tolerance(tolerance: float = 0, rtol: float = 0, ulp: int = 0) -> Tolerance:
    return Tolerance(absolute=tolerance, relative=rtol, ulp=ulp)


@record(kw_only=True)
class DiffOptions:
    """What to compare, and how.

    `first` and `second` are locations, or CDL text: a stream, or the path of a file. With
    `partial`, data that cannot be read become a notice, and the rest is compared.
    """

    first: Source
    second: Source
    variables: tuple[str, ...] | None = variables_option(
        help="Compare these variables only, with their attributes.",
        python="The variables to compare; by default everything is compared.",
    )
    subset: Selection | None = SUBSET
    header_only: bool = fields.option(
        "-h",
        "--header-only",
        default=False,
        section="Selection",
        common=True,
        help="Compare metadata only, no values.",
        python="Whether to compare metadata only.",
    )
    data_only: bool = fields.option(
        "--data-only",
        default=False,
        section="Selection",
        common=True,
        help="Compare shapes and values only.",
        python="Whether to compare shapes and values only.",
    )
    storage: bool = fields.option(
        "--storage",
        default=False,
        section="Selection",
        common=True,
        help="Compare chunks, shards, codecs and byte order too.",
        python="Whether to compare chunks, shards, codecs and byte order.",
    )
    tolerance: Tolerance = fields.part(
        EXACT,
        _tolerance,
        tolerance=fields.option(
            "--tolerance",
            default=0.0,
            metavar="X",
            values=fields.number(0),
            section="Tolerance",
            common=True,
            help="Numbers are equal if they differ by at most X.",
            python="Numbers are equal if they differ by at most this.",
            type="float",
        ),
        rtol=fields.option(
            "--rtol",
            default=0.0,
            metavar="X",
            values=fields.number(0),
            section="Tolerance",
            common=True,
            help="The same for X times the larger magnitude.",
            python="Numbers are equal if they differ by at most this part of the larger magnitude.",
            type="float",
        ),
        ulp=fields.option(
            "--ulp",
            default=0,
            metavar="N",
            values=fields.integer(0),
            section="Tolerance",
            help="Numbers are equal if they are at most N representable numbers apart.",
            python="Numbers are equal if they are at most so many representable numbers apart.",
            type="int",
        ),
    )
    most: int = fields.option(
        "--max",
        default=MOST_LISTED,
        metavar="N",
        values=fields.integer(0),
        section="Output",
        common=True,
        help="Most values that are listed for a variable (default: 20).",
        python='Most values that are listed for a variable; a difference of kind "values" sums up'
        " all.",
    )
    memory: int | None = MEMORY
    threads: int | None = THREADS
    partial: bool = PARTIAL


def diff(
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
    from ncz.transfer.compare import differences
    from ncz.transfer.compare_values import ValueComparison

    how = ValueComparison(tolerance=options.tolerance, limit=options.most, raw=True)
    callbacks = callbacks.partial(options.partial)
    with (
        open_any(options.first, callbacks, subset=options.subset) as first,
        open_any(options.second, callbacks, subset=options.subset) as second,
        ThreadPool(options.memory or default_memory(), options.threads or cores()) as pool,
    ):
        found = differences(
            first,
            second,
            pool,
            with_data=frozenset() if options.header_only else None,
            only=_selected_names(options.variables, first, second),
            metadata=not options.data_only,
            storage=options.storage,
            how=how,
            callbacks=callbacks,
        )
        sides = _Side(first, options.first), _Side(second, options.second)
        for difference in found:
            note = _note(difference, sides)
            if note is None:
                yield difference
            else:
                callbacks.notify(note)


@record
class _Side:
    """One of the datasets, and where it is."""

    dataset: Dataset
    source: Source

    @property
    def is_pure(self) -> bool:
        """Whether the dataset is from pure Zarr, which records lengths of dimensions only."""
        found = self.dataset.provenance
        return found.zarr_format is not None and not found.superblock and not found.annotated


def _note(difference: Difference, sides: tuple[_Side, _Side]) -> Notice | None:
    """Return a notice for what one of the datasets cannot hold; None for another difference."""
    name, expected, found = difference.name, difference.expected, difference.found
    group = difference.fqn
    if difference.kind == "dimension-order":
        pure = next((side for side in sides if side.is_pure), None)
        what = f"the order of the dimensions of {group}"
        return None if pure is None else _not_recorded("pure Zarr", what, pure)
    if not isinstance(expected, Dimension) or not isinstance(found, Dimension):
        return None
    if expected.size != found.size:
        return None
    fixed = sides[0] if found.unlimited else sides[1]
    what = f"that dimension {name} of {group} is unlimited"
    if fixed.is_pure:
        return _not_recorded("pure Zarr", what, fixed)
    has_other = any(d.unlimited for d in dimensions_by_fqn(fixed.dataset.root).values())
    if fixed.dataset.provenance.has_classic_model and has_other:
        return _not_recorded("the classic data model, with one unlimited dimension,", what, fixed)
    return None


def _not_recorded(form: str, what: str, side: _Side) -> Notice:
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

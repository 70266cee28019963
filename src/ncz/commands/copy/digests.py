"""Digests of values that a copy keeps in its target, and compares with existing ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ncz.commands.copy.options import CopyOptions, thread_count
from ncz.commands.option_error import OptionError
from ncz.errors import option
from ncz.model.tree import Dataset, Variable, dimensions_by_fqn, shape_of, variables_by_fqn
from ncz.record import replace
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from ncz.commands.copy.plan import CopyPlan
    from ncz.parallel.threads import ThreadPool


def with_digests(plan: CopyPlan, location: Location, options: CopyOptions) -> CopyPlan:
    """Return a plan that also keeps digests of the written values in the target.

    A digest that the source keeps of the same values is compared with them.

    Raises
    ------
    OptionError
        If the target cannot keep digests.
    """

    def sums_of(fqn: str, variable: Variable, shape: tuple[int, ...]) -> str:
        from ncz.parallel.threads import ThreadPool

        with ThreadPool(options.data_memory // 3, thread_count(location, options)) as pool:
            return checked_sums(variable, shape, fqn, pool)

    if options.create.changing_option:
        changing = option(options.create.changing_option, True)
        raise OptionError(f"{option('digest', True)} cannot be used with {changing}")
    target = plan.target.with_sums(sums_of)
    if target is None:
        raise OptionError(
            "only NCZarr, aggregations, and pure Zarr with annotations keep digests",
            location.display,
            f"write one of them, such as mode=nczarr, or omit {option('digest', True)}",
        )
    return replace(plan, target=target)


def checked_sums(variable: Variable, shape: tuple[int, ...], fqn: str, pool: ThreadPool) -> str:
    """Return the sums of the values of a variable.

    Raises
    ------
    DifferenceError
        If its store keeps other sums.
    """
    from ncz.digests.sums import sums_text
    from ncz.digests.variable import variable_sums
    from ncz.transfer.difference import DifferenceError

    found = sums_text(variable_sums(variable, shape, pool))
    kept = None if variable.data is None else variable.data.kept_sums()
    if kept is not None and kept != found:
        raise DifferenceError(
            "the digest of the values differs from the recorded digest",
            fqn,
            "restore them from another copy",
        )
    return found


def check_kept(dataset: Dataset, pool: ThreadPool) -> None:
    """Compare the digests that a dataset keeps with its values; raise `DifferenceError`."""
    lengths = dimensions_by_fqn(dataset.root)
    for fqn, variable in _variables_with_sums(dataset):
        checked_sums(variable, shape_of(variable, lengths), fqn, pool)


def _variables_with_sums(dataset: Dataset) -> Iterator[tuple[str, Variable]]:
    for fqn, variable in variables_by_fqn(dataset.root):
        if variable.data is not None and variable.data.kept_sums() is not None:
            yield fqn, variable

"""Verify a copy: compare everything that the target can contain with the source."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ncz.commands.copy.digests import check_kept
from ncz.commands.copy.options import CopyOptions, thread_count
from ncz.commands.copy.reshape import with_data
from ncz.commands.copy.source import open_source
from ncz.errors import NO_CALLBACKS, Callbacks, ignore_notice
from ncz.model.tree import Dataset, Variable, dimensions_by_fqn, shape_of, variables_by_fqn
from ncz.record import replace
from ncz.zmap.location import Location


def verify(options: CopyOptions, location: Location, callbacks: Callbacks = NO_CALLBACKS) -> int:
    """Compare the store at `location` with the source.

    In pure Zarr without annotations, which contains neither types of attributes nor declared
    dimensions, those are not compared. Annotations are read even if the modes select pure Zarr.

    Returns
    -------
    int
        The number of values that were compared.

    Raises
    ------
    DifferenceError
        At the first difference.
    """
    from ncz.formats.nanoseconds import with_nanoseconds
    from ncz.formats.opening import as_stored, open_dataset
    from ncz.parallel.threads import ThreadPool
    from ncz.transfer.compare import differences
    from ncz.transfer.compare_values import ValueComparison
    from ncz.transfer.difference import difference_error

    callbacks = replace(callbacks, notify=ignore_notice)  # the copy has reported everything
    whole = replace(location, modes=location.modes - {"nczarr", "zarr"})
    with (
        open_source(options, callbacks) as expected,
        open_dataset(whole, notify=callbacks.notify) as opened,
    ):
        found = opened.dataset
        provenance = found.provenance
        is_typed = not provenance.is_unannotated_zarr
        units = {fqn: variable.text("units") for fqn, variable in variables_by_fqn(found.root)}
        alike = {f for f, v in variables_by_fqn(expected.root) if units.get(f) == v.text("units")}
        expected = with_nanoseconds(expected, alike)
        expected = as_stored(expected, provenance)
        wanted = with_data(expected.root, options.reshape)
        # Two arrays are in memory at the same time, with temporary results of comparing them.
        with ThreadPool(options.data_memory // 3, thread_count(location, options)) as pool:
            for difference in differences(
                expected,
                found,
                pool,
                with_data=wanted,
                typed=is_typed,
                extra_attributes=is_typed,
                how=ValueComparison(raw=True),
                callbacks=callbacks,
            ):
                raise difference_error(difference, location.display)
            check_kept(found, pool)
        return sum(_sizes(expected, wanted))


def read_by_others(options: CopyOptions, location: Location, callbacks: Callbacks) -> list[str]:
    """Open the target with the programs that it is for; see `compare_with_readers`."""
    from ncz.formats.opening import open_dataset
    from ncz.transfer.by_readers import compare_with_readers

    whole = replace(location, modes=location.modes - {"nczarr", "zarr"})
    with open_dataset(whole, notify=ignore_notice) as opened:
        memory = options.data_memory // 3  # two arrays, and a comparison
        return compare_with_readers(opened, options.create.audience, memory, callbacks.notify)


def _sizes(dataset: Dataset, wanted: frozenset[str]) -> Iterator[int]:
    lengths = dimensions_by_fqn(dataset.root)
    variables: Iterator[tuple[str, Variable]] = variables_by_fqn(dataset.root)
    yield from (math.prod(shape_of(v, lengths)) for fqn, v in variables if fqn in wanted)

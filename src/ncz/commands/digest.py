"""digest: one line that is the same for equal datasets, regardless of their places and formats."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, BinaryIO

from ncz.commands.arguments import source_of
from ncz.commands.copy.attributes import without_attributes
from ncz.commands.functions import Listener, Words, callbacks_of, speaks_python, warn, words
from ncz.commands.selected_part import selected_part
from ncz.commands.sources import open_any, threads_for
from ncz.commands.variable_names import variables_of_names
from ncz.errors import Callbacks
from ncz.model.tree import (
    Dataset,
    Group,
    Variable,
    dimensions_by_fqn,
    each_group,
    join,
    shape_of,
    variables_by_fqn,
)
from ncz.record import record, replace
from ncz.zmap.location import Path

if TYPE_CHECKING:
    from typing import Unpack

    from ncz.commands.keyword_groups import SelectionKeywords
    from ncz.digests.sums import Sums
    from ncz.parallel.threads import ThreadPool


@record(kw_only=True)
class Digest:
    """The digest of a dataset, and the digests of its parts.

    Attributes
    ----------
    value
        The digest of the whole, 32 hexadecimal digits; None if only some variables were read.
    groups
        The digest of each group by its path; "/" is the root.
    variables
        The digest of each variable by its path.
    decoded
        Whether values were unpacked and masked.
    """

    value: str | None
    groups: Mapping[str, str]
    variables: Mapping[str, str]
    decoded: bool = False

    def __str__(self) -> str:
        return self.value or ""


@speaks_python
def digest(
    source: Path | BinaryIO,
    *,
    variables: Words | None = None,
    drop_attributes: Words = (),
    decoded: bool = False,
    memory: int | None = None,
    threads: int | None = None,
    notify: Listener = warn,
    **selection: Unpack[SelectionKeywords],
) -> Digest:
    """Compute the digest of a dataset: equal datasets have equal digests, however they are stored.

    It depends on names, types, lengths, attributes and values; see docs/reference/digest.md.

    Parameters
    ----------
    source
        A path or a URL, or a binary stream with the bytes of a file, or CDL text.
    variables
        Read these variables only. The dataset and its groups then have no digest.
    drop_attributes
        Leave out these attributes: NAME or a glob anywhere, V:NAME of a variable, :NAME of groups.
    decoded
        Use values as xarray sees them: unpacked, and without the numbers that mark missing data.
    memory
        Memory for data in bytes (default: a quarter of free memory, 256MiB to 4GiB).
    threads
        Number of threads (default: one per core).
    notify
        Receives notices.
    **selection
        The part of the dataset to use; see `open`.

    Returns
    -------
    Digest
        The digest of the whole dataset, of its groups and of its variables.

    Raises
    ------
    NczError
        If the dataset cannot be read.

    Examples
    --------
    >>> ncz.digest("weather.zarr").value == ncz.digest("weather.cdl").value
    True
    """
    from ncz.parallel.memory import default_memory
    from ncz.parallel.threads import ThreadPool

    place, callbacks = source_of(source), callbacks_of(notify)
    with (
        open_any(place, callbacks, subset=selected_part(selection)) as dataset,
        ThreadPool(memory or default_memory(), threads or threads_for(place)) as pool,
    ):
        (dataset,) = without_attributes([dataset], words(drop_attributes))
        chosen = None if variables is None else variables_of_names(dataset.root, words(variables))
        return digest_of_dataset(dataset, pool, callbacks, only=chosen, decoded=decoded)


def digest_of_dataset(
    dataset: Dataset,
    pool: ThreadPool,
    callbacks: Callbacks,
    *,
    only: frozenset[str] | None = None,
    decoded: bool = False,
) -> Digest:
    """Return the digest of a dataset, or of the variables `only`."""
    from ncz.digests.dataset import dataset_digests, is_decoded
    from ncz.digests.variable import ElementConversion, variable_sums
    from ncz.formats.opening import masters
    from ncz.model.packing import packing_of

    dataset = masters().without_conventions(dataset)
    lengths = dimensions_by_fqn(dataset.root)
    if only is not None:
        dataset = _only(dataset, only)
    shapes = [shape_of(variable, lengths) for _, variable in variables_by_fqn(dataset.root)]
    callbacks.progress.expect(sum(map(math.prod, shapes)), "values")

    def sums_of(fqn: str, variable: Variable) -> Sums:
        packing = packing_of(variable) if decoded and is_decoded(variable) else None

        def step(count: int, size: int) -> None:
            callbacks.progress.advance(fqn, count, size)

        shape = shape_of(variable, lengths)
        return variable_sums(variable, shape, pool, ElementConversion(variable.type, packing), step)

    groups, variables = dataset_digests(dataset.root, lengths, sums_of, decoded=decoded)
    if only is not None:
        return Digest(value=None, groups={}, variables=variables, decoded=decoded)
    return Digest(value=groups["/"], groups=groups, variables=variables, decoded=decoded)


def _only(dataset: Dataset, fqns: frozenset[str]) -> Dataset:
    """Return a dataset with these variables alone."""

    def change(path: str, group: Group) -> Group:
        kept = tuple(v for v in group.variables if join(path, v.name) in fqns)
        return replace(group, variables=kept)

    return each_group(dataset, change)

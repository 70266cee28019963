"""Update the digests of a store that becomes longer; only changed values are read."""

from __future__ import annotations

from collections.abc import Sequence

from ncz.commands.append.additions import Addition
from ncz.formats.growth import Growth
from ncz.formats.store_draft import StoreDraft
from ncz.model.grid import Box
from ncz.model.tree import Dataset, variables_by_fqn
from ncz.parallel.threads import ThreadPool
from ncz.record import replace


def update_digests(
    draft: StoreDraft, old: Dataset, additions: list[Addition], pool: ThreadPool
) -> None:
    """Let the draft of a store keep the digests of its longer variables.

    Variables without a kept digest stay without one.
    """
    from ncz.digests.sums import add, read_sums, sums_text
    from ncz.digests.variable import part_sums

    variables = dict(variables_by_fqn(old.root))
    for addition in additions:
        stored, new = variables[addition.fqn].data, addition.source or addition.chunks
        kept = None if stored is None else stored.kept_sums()
        if stored is None or kept is None or new is None:
            continue
        sums = read_sums(kept)
        if addition.replaces:
            sums = add(
                sums, part_sums(stored, _changed_part(addition, stored.grid.shape), pool), -1
            )
        sums = add(sums, part_sums(new, _changed_part(addition, addition.shape), pool))
        draft.keep_sums(addition.array, sums_text(sums))


def with_grown_sums(growths: Sequence[Growth], longer: Dataset, pool: ThreadPool) -> list[Growth]:
    """Return the growths of a master with the sums of the longer variables, if it keeps sums.

    Only the new part of the `longer` dataset is read.
    """
    from ncz.digests.sums import add, read_sums, sums_text
    from ncz.digests.variable import part_sums

    variables, grown = dict(variables_by_fqn(longer.root)), []
    for growth in growths:
        data = variables[growth.fqn].data
        if growth.sums is None or growth.start == growth.stop or data is None:
            grown.append(growth)
            continue
        start = [0] * len(growth.shape)
        start[growth.axis] = growth.start
        sums = part_sums(data, Box(tuple(start), growth.shape), pool)
        grown.append(replace(growth, sums=sums_text(add(read_sums(growth.sums), sums))))
    return grown


def _changed_part(addition: Addition, shape: tuple[int, ...]) -> Box:
    """Return the part of an array of that shape whose values change."""
    start = [0] * len(shape)
    start[addition.axis] = min(addition.start, shape[addition.axis])
    return Box(tuple(start), shape)

"""Compare the values of two variables by digests that their stores keep."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncz.model.tree import Variable
from ncz.parallel.threads import ThreadPool

if TYPE_CHECKING:
    from ncz.transfer.compare_chunks import Step


def have_equal_digests(
    ours: Variable, theirs: Variable, shape: tuple[int, ...], pool: ThreadPool, step: Step
) -> bool:
    """Return whether two variables have the same digest of values; at least one digest is kept.

    Only a variable whose digest is not kept is read. The answer is False if neither is.
    """
    if ours.type != theirs.type:
        return False
    kept = [None if v.data is None else v.data.kept_sums() for v in (ours, theirs)]
    if kept == [None, None]:
        return False
    from ncz.digests.sums import sums_text
    from ncz.digests.variable import variable_sums

    found = [
        sums or sums_text(variable_sums(variable, shape, pool, None, lambda n, _: step(n)))
        for sums, variable in zip(kept, (ours, theirs), strict=True)
    ]
    return found[0] == found[1]

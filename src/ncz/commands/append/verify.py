"""Compare what was appended with its source."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ncz.commands.append.plan import Addition
from ncz.formats.kinds import OpenOptions
from ncz.formats.opening import open_dataset
from ncz.model.progress import Progress
from ncz.model.sources.subset import subset
from ncz.model.tree import Dataset, variables_by_fqn
from ncz.transfer.compare import differences
from ncz.transfer.compare_values import ValueComparison
from ncz.transfer.difference import difference_error

if TYPE_CHECKING:
    from ncz.parallel.threads import ThreadPool
    from ncz.zmap.location import Location


def verify(
    new: Dataset,
    location: Location,
    additions: list[Addition],
    pool: ThreadPool,
    progress: Progress,
) -> int:
    """Read what was appended to the store at `location`, and compare it with `new`.

    Returns
    -------
    int
        The number of values that were compared.

    Raises
    ------
    DifferenceError
        At the first difference.
    """
    with open_dataset(location, OpenOptions(consolidated=None)) as opened:
        variables = dict(variables_by_fqn(opened.dataset.root))
        ranges = {
            variables[a.array.fqn].dimensions[a.axis]: range(a.start, a.stop) for a in additions
        }
        found = subset(opened.dataset, ranges)
        fqns = frozenset(addition.array.fqn for addition in additions)
        for difference in differences(
            new,
            found,
            pool,
            only=fqns,
            typed=False,
            how=ValueComparison(raw=True),
            progress=progress,
        ):
            raise difference_error(difference, location.display)
    return sum(
        math.prod(a.array.layout.shape) // max(1, a.stop) * (a.stop - a.start) for a in additions
    )

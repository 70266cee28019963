"""Compare appended data with their source."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ncz.commands.joining.axis_order import arrange_by_value
from ncz.commands.joining.concatenation import Join, arranged_dataset
from ncz.errors import Callbacks
from ncz.formats.kinds import OpenOptions
from ncz.formats.opening import open_dataset
from ncz.model.tree import dimensions_by_fqn, shape_of, variables_by_fqn
from ncz.parallel.threads import ThreadPool
from ncz.transfer.compare import differences
from ncz.transfer.compare_values import ValueComparison
from ncz.transfer.difference import difference_error
from ncz.zmap.location import Location


def verify(
    joining: Join,
    location: Location,
    axes: Mapping[str, int],
    pool: ThreadPool,
    callbacks: Callbacks,
) -> int:
    """Read the data appended to the store at `location`, and compare them with the sources.

    Returns
    -------
    int
        The number of values that were compared.

    Raises
    ------
    DifferenceError
        At the first difference.
    """
    others = {axis: found.others() for axis, found in joining.arrangements.items()}
    added = {axis: own for axis, (_, own) in others.items()}
    wanted = joining.agreement.with_attributes(
        arranged_dataset(joining.datasets, joining.names, added)
    )
    with open_dataset(location, OpenOptions(consolidated=None)) as opened:
        placed = {axis: joined for axis, (joined, _) in others.items()}
        found = arranged_dataset([opened.dataset], [location.display], placed, arrange_by_value)
        for difference in differences(
            wanted,
            found,
            pool,
            only=frozenset(axes),
            typed=False,
            how=ValueComparison(raw=True),
            callbacks=callbacks,
        ):
            raise difference_error(difference, location.display)
    lengths = dimensions_by_fqn(wanted.root)
    variables = dict(variables_by_fqn(wanted.root))
    return sum(math.prod(shape_of(variables[fqn], lengths)) for fqn in axes)

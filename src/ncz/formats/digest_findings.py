"""Compare values with the digests that a dataset keeps of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ncz.errors import NczError
from ncz.formats.findings import Finding, finding
from ncz.model.tree import Variable


def check_digests(variables: Mapping[str, Variable]) -> Iterator[Finding]:
    """Read the values whose digest is kept; yield the variables that have other values.

    Unreadable values are separate findings.

    Parameters
    ----------
    variables
        The variables of a dataset by their keys.
    """
    kept = {
        key: (variable, variable.data, sums)
        for key, variable in variables.items()
        if variable.data is not None and (sums := variable.data.kept_sums()) is not None
    }
    if not kept:
        return
    from ncz.digests.sums import sums_text
    from ncz.digests.variable import variable_sums
    from ncz.parallel.memory import default_memory
    from ncz.parallel.processors import cores
    from ncz.parallel.threads import ThreadPool

    with ThreadPool(default_memory(), cores()) as pool:
        for key, (variable, data, sums) in kept.items():
            try:
                found = variable_sums(variable, data.grid.shape, pool)
            except NczError:
                continue
            if sums_text(found) != sums:
                yield finding(
                    "digest-mismatch",
                    key,
                    "the digest of the values differs from the recorded digest",
                    "restore them from another copy; if they were changed on purpose, copy the"
                    " dataset with --digest",
                )

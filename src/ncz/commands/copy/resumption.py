"""Whether what an earlier run left, or completed, is what a copy would write."""

from __future__ import annotations

import hashlib

from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.plan import CopyPlan
from ncz.commands.sources import Source
from ncz.errors import NczError
from ncz.record import replace
from ncz.zmap.location import Location


def is_complete(plan: CopyPlan, location: Location) -> bool:
    """Return whether the target exists, and is stored as it is planned.

    An earlier run may have completed it. Whether it has the same values is not known.
    """
    from ncz.formats.opening import open_dataset

    try:
        with open_dataset(location) as opened:
            return plan.target.is_stored(opened.dataset)
    except NczError:  # the copy tells what is wrong
        return False


def fingerprint(plan: CopyPlan, options: CopyOptions) -> str:
    """Return a text that is the same for two copies just if one can resume the other."""
    described = [
        _identity(options.source),
        plan.target.identity,
        *(() if options.subset is None else (repr(options.subset),)),
        *(repr((variable.array.fqn, variable.way)) for variable in plan.variables),
    ]
    text = "\n".join(described).encode("utf-8", "surrogateescape")
    return hashlib.sha256(text).hexdigest()


def _identity(source: Source) -> str:
    """Return the path or URL of a source without what does not change its content."""
    if not isinstance(source, Location):
        return source if isinstance(source, str) else ""
    rest = {key: value for key, value in source.options.items() if key != "timeout"}
    return replace(source, options=rest).exact

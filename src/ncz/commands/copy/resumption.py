"""Compare the result of an earlier run, complete or not, with the plan of a copy."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial

from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.plan import CopyPlan
from ncz.commands.sources import Source
from ncz.errors import NczError
from ncz.record import replace
from ncz.zmap.claim import Claim
from ncz.zmap.kinds import JSON_SUFFIXES, PARQUET_SUFFIXES
from ncz.zmap.location import Location


def is_complete(plan: CopyPlan, location: Location) -> bool:
    """Return whether the target exists and is stored as planned.

    An earlier run may have completed it. Whether it has the same values is not known.
    """
    from ncz.formats.opening import open_dataset

    try:
        with open_dataset(location) as opened:
            return plan.target.is_stored(opened.dataset)
    except NczError:  # the copy reports the error
        return False


def fingerprint(plan: CopyPlan, options: CopyOptions) -> str:
    """Return a text that is the same for two copies just if one can resume the other."""
    described = [
        *map(_identity, options.sources),
        repr((options.concat, options.new_dimension, options.members, options.join)),
        plan.target.identity,
        *(() if options.subset is None else (repr(options.subset),)),
        *(repr((variable.array.fqn, variable.way)) for variable in plan.variables),
    ]
    text = "\n".join(described).encode("utf-8", "surrogateescape")
    return hashlib.sha256(text).hexdigest()


def claim_of(
    fingerprint: str, options: CopyOptions, description: str, kept: Callable[[], int]
) -> Claim:
    """Return the claim of a copy, which can be resumed if its sources can be read again.

    Parameters
    ----------
    fingerprint
        A text that is the same for two copies if and only if one can resume the other.
    options
        The options of the copy.
    description
        The change, in a sentence.
    kept
        Returns the number of chunks that were written.
    """
    is_known = all(map(_has_time, options.sources))
    return Claim(
        fingerprint,
        resume=bool(options.resume) or (options.resume is None and is_known and not options.dask),
        is_asked=bool(options.resume),
        description=description,
        kept=kept,
        is_unchanged=partial(_are_unchanged, options.sources),
    )


def _has_time(source: Source) -> bool:
    """Return whether the system knows when a source changed: it is a local file or store."""
    return isinstance(source, Location) and source.kind not in ("remote", "memory")


def _are_unchanged(sources: Sequence[Source], since: int) -> bool:
    """Return whether no source has changed since a time, in nanoseconds since 1970.

    Files that others refer to are not known, so that a copy of them begins again.
    """
    for source in sources:
        if not isinstance(source, Location):
            return False
        path = source.path
        if path.lower().endswith((*JSON_SUFFIXES, *PARQUET_SUFFIXES, ".nca", ".ncml")):
            return False
        if _newest(path) > since:
            return False
    return True


def _newest(path: str) -> int:
    """Return the time of the newest file at a path; an unreadable one is newer than any."""
    try:
        if not os.path.isdir(path):
            return _change_time(os.stat(path))
        newest = _change_time(os.stat(path))
        for folder, _, names in os.walk(path):
            newest = max(
                newest, *(_change_time(os.stat(os.path.join(folder, n))) for n in names), 0
            )
    except OSError:
        return sys.maxsize
    return newest


def _change_time(status: os.stat_result) -> int:
    # A program can set the time of the last change of the content, but not of the status.
    return max(status.st_mtime_ns, status.st_ctime_ns)


def _identity(source: Source) -> str:
    """Return the path or URL of a source without parts that do not change its content."""
    if not isinstance(source, Location):
        return ""
    rest = {key: value for key, value in source.options.items() if key != "timeout"}
    return replace(source, options=rest).exact

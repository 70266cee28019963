"""The dataset that a page shows, open for its questions."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from ncz.commands.sources import SourceCheck, open_any, threads_for
from ncz.commands.view.answer import Answer
from ncz.commands.view.explorer import Explorer
from ncz.commands.view.view_options import ViewOptions, given_range
from ncz.errors import Callbacks, Notify
from ncz.parallel.threads import ThreadPool
from ncz.zmap.location import Location

MEMORY = 256 << 20
"""Bytes of chunks that are decoded at the same time, and of answers that wait to be sent."""


@contextlib.contextmanager
def exploring(
    options: ViewOptions, notify: Notify, check: SourceCheck | None = None
) -> Iterator[Explorer]:
    """Open a dataset for the questions of a page; `check` refuses one that changes.

    Raises
    ------
    NczError
        If the dataset cannot be opened.
    """
    source = options.source
    is_stored = isinstance(source, Location)
    with open_any(
        source,
        Callbacks(notify),
        subset=options.subset,
        keep_going=options.keep_going,
        check=check,
    ) as dataset:
        if check is not None:
            check.refuse_newer()
        # Only data of stores can be read in several threads.
        with ThreadPool(MEMORY, threads_for(source) if is_stored else 1) as pool:
            is_remote = isinstance(source, Location) and source.kind == "remote"
            yield Explorer(dataset, pool, limit=options.memory, is_remote=is_remote)


def overview(explorer: Explorer, options: ViewOptions) -> Answer:
    """Return the list of variables, and what a page shows first."""
    low, high = given_range(options)
    return {
        **explorer.descriptions.overview(options.variable),
        "colormap": options.colormap or "dusk",
        "reverse": options.reverse,
        "log": options.log,
        "range": options.range,
        "low": low,
        "high": high,
        "stride": options.stride or 1,
    }

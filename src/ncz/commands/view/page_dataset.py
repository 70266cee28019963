"""The dataset that a page shows, open for its questions."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, get_args

from ncz.commands.sources import SourceCheck, name_of, threads_for
from ncz.commands.view.answer import Answer
from ncz.commands.view.chunk_cache import KEPT
from ncz.commands.view.difference import shown_datasets
from ncz.commands.view.explorer import Explorer
from ncz.commands.view.request import ExplorerName
from ncz.commands.view.view_options import ViewOptions, given_range
from ncz.errors import Notify
from ncz.parallel.threads import ThreadPool
from ncz.views.html_text import printable
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from ncz.model.tree import Dataset

MEMORY = 256 << 20
"""Bytes of chunks that are decoded at the same time, and of answers that wait to be sent."""


@contextlib.contextmanager
def open_explorers(
    options: ViewOptions, notify: Notify, check: SourceCheck | None = None
) -> Iterator[Mapping[ExplorerName, Explorer]]:
    """Open a dataset for the questions of a page; `check` refuses one that changes.

    A difference has three explorers: of the difference, and of both datasets.

    Raises
    ------
    NczError
        If the dataset cannot be opened.
    """
    sources = [each for each in (options.source, options.minus) if each is not None]
    is_stored = all(isinstance(each, Location) for each in sources)
    with shown_datasets(options, notify, check) as shown:
        if check is not None:
            check.refuse_newer()
        # Only data of stores can be read in several threads.
        with ThreadPool(MEMORY, threads_for(*sources) if is_stored else 1) as pool:
            is_remote = any(isinstance(s, Location) and s.kind == "remote" for s in sources)

            def explorer(dataset: Dataset, size: int = KEPT // 3) -> Explorer:
                return Explorer(
                    dataset, pool, limit=options.memory, is_remote=is_remote, cache_size=size
                )

            if options.minus is None:
                only = explorer(shown.difference, KEPT)
                yield dict.fromkeys(get_args(ExplorerName), only)
            else:
                datasets = (shown.difference, shown.first, shown.second)
                yield dict(zip(get_args(ExplorerName), map(explorer, datasets), strict=True))


def overview(explorer: Explorer, options: ViewOptions) -> Answer:
    """Return the list of variables, and the first view of a page."""
    low, high = given_range(options)
    return {
        **explorer.descriptions.overview(options.variable),
        "colormap": options.colors,
        "reverse": options.reverse,
        "log": options.log,
        "range": options.range,
        "low": low,
        "high": high,
        "stride": options.stride or 1,
        "difference": None
        if options.minus is None
        else {"a": printable(name_of(options.source)), "b": printable(name_of(options.minus))},
    }

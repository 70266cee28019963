"""Datasets that are opened when they are read, with a limit of open ones.

An aggregation of thousands of pieces, and as many files that are joined, would need more open files
than the system allows.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress

from ncz.formats.kinds import OpenedDataset
from ncz.model.tree import Dataset, Variable, variables_by_fqn
from ncz.zmap.location import Location

MOST_OPEN = 32
"""Number of datasets that are open at the same time, by default."""

_LARGEST_POOL = 1024

_RESERVE = 192
"""File descriptors for the processes of 32 HDF5 files, and for other open files."""


def most_open() -> int:
    """Return the number of local files that may be open: half of the number that the system still
    allows.

    Of less than twice the reserve, a quarter may be, as a file may need three descriptors.
    """
    with suppress(ImportError, OSError, ValueError):
        import resource

        allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if allowed != resource.RLIM_INFINITY:
            free = allowed - len(os.listdir("/dev/fd"))
            most = max(1, free // 4, min(free // 2, free - _RESERVE))
            return min(_LARGEST_POOL, most)
    return MOST_OPEN


OpenOne = Callable[[Location], AbstractContextManager[OpenedDataset]]
"""A function that opens a dataset, until the context ends."""


class OpenDatasets:
    """Datasets that are opened when they are read; those not used for longest are closed first.

    All methods may be called from many threads; one at a time uses a dataset.

    Parameters
    ----------
    open_one
        Opens a dataset.
    most
        The number of datasets that may be open.
    """

    def __init__(self, open_one: OpenOne, most: int = MOST_OPEN) -> None:
        self._open = open_one
        self._most = max(1, most)
        self._opened: OrderedDict[str, tuple[ExitStack, dict[str, Variable]]] = OrderedDict()
        self._lock = threading.RLock()

    @contextmanager
    def variables(self, location: Location) -> Iterator[dict[str, Variable]]:
        """Return the variables of a dataset by FQN, which can be read until the context ends."""
        with self._lock:
            yield self._variables(location)

    def _variables(self, location: Location) -> dict[str, Variable]:
        name = location.exact
        known = self._opened.get(name)
        if known is not None:
            self._opened.move_to_end(name)
            return known[1]
        self._close_oldest()
        stack = ExitStack()
        dataset = stack.enter_context(self._open(location)).dataset
        found = dict(variables_by_fqn(dataset.root))
        self._opened[name] = stack, found
        return found

    def keep(self, location: Location, opened: AbstractContextManager[Dataset]) -> Dataset:
        """Enter the context of a dataset, which stays open like the sources."""
        with self._lock:
            self._close_oldest()
            stack = ExitStack()
            dataset = stack.enter_context(opened)
            same, _ = self._opened.pop(location.exact, (stack, {}))
            if same is not stack:
                same.close()
            self._opened[location.exact] = stack, dict(variables_by_fqn(dataset.root))
        return dataset

    def _close_oldest(self) -> None:
        while len(self._opened) >= self._most:
            _, (oldest, _) = self._opened.popitem(last=False)
            oldest.close()

    def close(self) -> None:
        """Close all datasets."""
        with self._lock:
            while self._opened:
                self._opened.popitem()[1][0].close()

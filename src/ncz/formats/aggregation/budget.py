"""Pieces that are open, of which those that were not used for longest are closed first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

from ncz.formats.kinds import OpenedDataset
from ncz.model.tree import Variable, variables_by_fqn
from ncz.zmap.location import Location

DEFAULT_PIECES = 32
"""Number of pieces that are open at the same time, by default."""

OpenPiece = Callable[[Location], AbstractContextManager[OpenedDataset]]
"""A function that opens the dataset of a piece, until the context ends."""


class OpenPieces:
    """The pieces of one master that are open.

    All methods may be called from many threads; one at a time uses a piece.

    Parameters
    ----------
    open_piece
        Opens a piece.
    most
        The number of pieces that may be open.
    """

    def __init__(self, open_piece: OpenPiece, most: int = DEFAULT_PIECES) -> None:
        self._open = open_piece
        self._most = max(1, most)
        self._opened: OrderedDict[str, tuple[ExitStack, dict[str, Variable]]] = OrderedDict()
        self._lock = threading.RLock()

    @contextmanager
    def variables(self, location: Location) -> Iterator[dict[str, Variable]]:
        """Return the variables of a piece by FQN, which can be read until the context ends."""
        with self._lock:
            yield self._variables(location)

    def _variables(self, location: Location) -> dict[str, Variable]:
        name = location.exact
        known = self._opened.get(name)
        if known is not None:
            self._opened.move_to_end(name)
            return known[1]
        while len(self._opened) >= self._most:
            _, (oldest, _) = self._opened.popitem(last=False)
            oldest.close()
        stack = ExitStack()
        dataset = stack.enter_context(self._open(location)).dataset
        found = dict(variables_by_fqn(dataset.root))
        self._opened[name] = stack, found
        return found

    def close(self) -> None:
        """Close all pieces."""
        with self._lock:
            while self._opened:
                self._opened.popitem()[1][0].close()

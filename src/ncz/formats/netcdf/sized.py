"""Stored chunks whose sizes are known without reading them."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from ncz.model.encoded import EncodedSource
from ncz.model.grid import Index


@runtime_checkable
class SizedChunks(EncodedSource, Protocol):
    """An `EncodedSource` that knows the sizes of its chunks."""

    def stored_size(self, index: Index) -> int | None:
        """Return the number of bytes of a chunk as it is stored; None if it is missing."""
        ...

"""The new values of one variable of a store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ncz.model.data import ChunkSource
from ncz.model.encoded_arrays import EncodedTarget
from ncz.model.grid import Index
from ncz.model.overlaid_source import Place
from ncz.record import record


@record(kw_only=True)
class Patch:
    """The new values of one variable.

    Attributes
    ----------
    array
        How the chunks of the variable are encoded.
    values
        The new values, as the store has numbers.
    places
        Where they are, along each dimension.
    whole
        The old and the new values as one array.
    indices
        The chunks that get new values.
    """

    array: EncodedTarget
    values: ChunkSource
    places: tuple[Place, ...]
    whole: ChunkSource
    indices: tuple[Index, ...]

    @property
    def row(self) -> Mapping[str, Any]:
        """The plan for people and scripts."""
        return {
            "variable": self.array.fqn,
            "indices": [[int(p.indices[0]), int(p.indices[-1]) + 1] for p in self.places],
            "chunks": len(self.indices),
        }

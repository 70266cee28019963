"""The kinds of keys of an open dataset of any format; for listing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from ncz.model.data import Values

Kind = Literal["group", "array", "attributes", "chunk", "piece", "other"]


class KeyRoles(ABC):
    """The kinds of keys, and facts of the format about their objects."""

    @abstractmethod
    def kind(self, key: str, *, is_object: bool) -> Kind:
        """Return the kind of an object, or of a prefix of objects."""

    @abstractmethod
    def decode(self, key: str) -> Values:
        """Return the values of a chunk. Raises `NczError` if it is not a chunk or is damaged."""

    def places(self, key: str) -> Sequence[str]:
        """Return the paths or URLs of a piece of an aggregation, in the order of preference."""
        return ()

    def is_document(self, key: str) -> bool:
        """Return whether an object is JSON text."""
        return False

    def documents(self) -> list[str] | None:
        """Return the keys of all documents, from consolidated metadata; None if it is missing."""
        return None

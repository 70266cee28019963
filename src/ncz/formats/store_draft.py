"""The documents of a store of any format while they are edited."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, Protocol

from ncz.formats.edits import Change, Request
from ncz.zmap.journal import Changes

if TYPE_CHECKING:
    from ncz.formats.write_plan import WritePlan
    from ncz.model.chunks import ChunkLayout
    from ncz.model.encoded_arrays import EncodedTarget
    from ncz.model.tree import Variable


class DraftNode(Protocol):
    """A group or a variable in a draft."""

    @property
    def key(self) -> str:
        """Its path after the edits so far, without a slash before it."""
        ...

    @property
    def origin(self) -> str:
        """Its path in the store."""
        ...

    @property
    def visible_attributes(self) -> Mapping[str, Any]:
        """The current attributes, which must not be changed."""
        ...


class StoreDraft(ABC):
    """A store with its edits; nothing is written before its `changes` are carried out."""

    @property
    @abstractmethod
    def is_pure(self) -> bool:
        """Whether the store is pure Zarr, and not NCZarr."""

    @property
    @abstractmethod
    def modes(self) -> Sequence[str]:
        """The modes of a location for a store of the same form."""

    @property
    @abstractmethod
    def is_annotated(self) -> bool:
        """Whether the store has annotations of facts that pure Zarr cannot express."""

    @property
    @abstractmethod
    def nodes(self) -> Mapping[str, DraftNode]:
        """The groups and variables by their paths, in the order of the store."""

    @abstractmethod
    def edit(self, request: Request) -> list[Change]:
        """Carry out a request in the draft.

        Raises
        ------
        FormatError
            If something does not exist, or its new name does or is not valid.
        """

    @abstractmethod
    def lengthen(
        self, fqn: str, variable: Variable, axis: int, layout: ChunkLayout
    ) -> EncodedTarget | None:
        """Give a variable of the store a new length along an axis.

        `layout` is the store's, with the new length and the lengths of new chunks.

        Returns
        -------
        EncodedTarget or None
            How its chunks are stored then; None if its values are not in the store.
        """

    @abstractmethod
    def add(self, plan: WritePlan, complete: Set[str]) -> None:
        """Add the groups, dimensions and variables of a plan; variables replace the store's.

        Attributes of groups that the store has stay.

        Parameters
        ----------
        plan
            The plan of a store of the same form.
        complete
            The variables whose chunks are all stored.
        """

    def keep_sums(self, array: EncodedTarget, sums: str) -> None:  # noqa: B027 (not all can)
        """Let the store keep the sums of the values of an array, if it can."""

    @abstractmethod
    def changes(self, *, is_structural: bool) -> Changes:
        """Return the plan of the changes.

        Parameters
        ----------
        is_structural
            Whether names change, or values that readers see.
        """

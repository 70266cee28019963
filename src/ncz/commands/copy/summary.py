"""What a copy did, and how its progress is reported."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ncz.errors import CodecError

if TYPE_CHECKING:
    from ncz.transfer.move import Way


@dataclass(slots=True, kw_only=True)
class Summary:
    """What a copy did."""

    variables: int = 0
    chunks: int = 0
    """Number of chunks written."""
    size: int = 0
    """Their size in bytes, as stored."""
    kept: int = 0
    """Number of chunks that an interrupted run had written."""
    ways: dict[Way, int] = field(default_factory=dict)
    """Number of variables copied in each way."""
    compared: int = 0
    """Number of values compared, with `verify`."""
    damaged: list[CodecError] = field(default_factory=list)
    """The errors of damaged chunks that were copied as they are, with `keep_going`."""

    def refuse_damage(self, location: str) -> None:
        """Raise `CodecError` if damaged chunks were copied to the target at `location`."""
        if self.damaged:
            count = len(self.damaged)
            raise CodecError(
                f"{count} damaged chunk{'s were' if count > 1 else ' was'} copied unchanged",
                location,
                "restore them from another copy",
            )

"""The sums of values that a dataset keeps; docs/reference/digest.md specifies them."""

from __future__ import annotations

import re
from typing import Any

from ncz.record import record


@record
class KeptSums:
    """The sums of the values of an array, and the shape that it had."""

    shape: tuple[int, ...]
    sums: str

    def to_json(self) -> dict[str, Any]:
        """Return the JSON of the sums."""
        return {"shape": list(self.shape), "sums": self.sums}

    @staticmethod
    def from_json(note: Any) -> KeptSums | None:
        """Return the sums of a note; None if none exist, or they are not valid."""
        if not isinstance(note, dict):
            return None
        shape, sums = note.get("shape"), note.get("sums")
        if not isinstance(shape, list) or not all(isinstance(length, int) for length in shape):
            return None
        if not isinstance(sums, str) or not re.fullmatch("[0-9a-f]{32}", sums):
            return None
        return KeptSums(tuple(shape), sums)

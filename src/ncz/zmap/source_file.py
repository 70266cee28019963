"""A file that a store refers to, and whether it has changed since the store was written."""

from __future__ import annotations

from typing import Literal

from ncz.record import record

State = Literal["unchanged", "changed", "missing", "present", "not permitted", "unknown"]
"""The state of a file: "present" without a known state, "unknown" if it cannot be checked."""


@record(kw_only=True)
class SourceFile:
    """A file that a store refers to.

    Attributes
    ----------
    url
        Its absolute path, or its URL without a query.
    state
        Its state.
    size
        The number of its bytes now; None if that is not known.
    reason
        How it has changed, or why it cannot be read.
    """

    url: str
    state: State
    size: int | None = None
    reason: str = ""

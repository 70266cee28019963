"""What to do about differences between datasets that are joined."""

from __future__ import annotations

from typing import Literal

from ncz.record import record

AttributeRule = Literal["identical", "first", "agreeing", "none"]
"""What becomes of attributes that differ."""

OverlapRule = Literal["first", "last", "keep"]
"""Which of several values with one coordinate stay."""


@record(kw_only=True)
class JoinOptions:
    """What to do about differences between datasets that are joined."""

    attributes: AttributeRule | None = None
    unpack: bool = False
    repack: str | None = None
    headroom: float | None = None
    tolerance: float | None = None
    sort: bool = False
    overlap: OverlapRule | None = None

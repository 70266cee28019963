"""Decisions about differences between datasets that are joined."""

from __future__ import annotations

from typing import Literal

from ncz.record import record

AttributeRule = Literal["identical", "first", "agreeing", "none"]
"""The choice between attributes that differ."""

OverlapRule = Literal["first", "last", "keep"]
"""The choice between values with the same coordinate."""


@record(kw_only=True)
class JoinOptions:
    """Decisions about differences between datasets that are joined."""

    attributes: AttributeRule | None = None
    unpack: bool = False
    repack: str | None = None
    headroom: float | None = None
    tolerance: float | None = None
    sort: bool = False
    overlap: OverlapRule | None = None

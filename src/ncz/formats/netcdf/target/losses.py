"""Texts about what a kind of netCDF file loses of a dataset."""

from __future__ import annotations

from collections.abc import Sequence

HINT = "write netCDF-4 (--kind netCDF-4) to keep it"

_NAMED = 5
"""Examples that one notice gives."""


def listed(what: str, names: Sequence[str]) -> str:
    """Return the message about these attributes, dimensions or variables."""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{what}: {', '.join(names[:_NAMED])}{more}"

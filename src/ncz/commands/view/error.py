"""The error of a variable that cannot be shown."""

from __future__ import annotations

from ncz.errors import NczError


class ViewError(NczError, ValueError):
    """A variable that has no picture, or one that needs too much."""

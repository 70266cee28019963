"""The error of datasets that cannot be joined."""

from ncz.errors import NczError


class JoinError(NczError, ValueError):
    """Datasets that cannot be joined."""

"""Differences that do not count for digests, as docs/reference/digest.md says."""

from __future__ import annotations

from collections.abc import Iterable

from ncz.model.tree import Dimension
from ncz.transfer.difference import Difference


def any_counts(differences: Iterable[Difference]) -> bool:
    """Return whether one of the differences counts."""
    return not all(map(_is_of_unlimited_dimensions, differences))


def _is_of_unlimited_dimensions(difference: Difference) -> bool:
    """Return whether two dimensions differ only in being unlimited, or in their order."""
    one, other = difference.expected, difference.found
    if isinstance(one, Dimension) and isinstance(other, Dimension):
        return one.size == other.size
    return difference.kind == "dimension-order"

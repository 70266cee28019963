"""The part of a dataset to use: indices, values of coordinates, and variables."""

from __future__ import annotations

from collections.abc import Mapping

from ncz.record import field, record

Index = int | slice | tuple[int, ...]
"""An index of a dimension, a slice of indices as in Python, or a list of indices."""

Value = str | int | float
"""A number, or a text: a date, a part of a date such as "2026-01", or a name."""


@record
class Between:
    """All values from one to another, both included; None for an end without a limit.

    `written` is the text of both, if any: it may also be a name with a colon. Of the
    selected values, every `step`-th is kept; a negative step reverses them.
    """

    low: Value | None = None
    high: Value | None = None
    written: str = field(default="", compare=False)
    step: int = 1


@record
class OneOf:
    """Several values. Their indices are selected in this order."""

    values: tuple[Value, ...]


ByValue = Value | Between | OneOf
"""Values of a coordinate that select indices."""


@record(kw_only=True)
class Selection:
    """The part of a dataset to use.

    Attributes
    ----------
    by_index
        The indices to use, by names of dimensions.
    by_value
        The values to use, by names of dimensions or coordinates.
    nearest
        Whether a single value selects the coordinate that is nearest to it.
    drops
        The names among them of dimensions and coordinates whose dimension is left out, if one
        index of it is selected.
    vars, exclude
        Globs of the variables to use and to leave out. Variables that the others need are kept.
    """

    by_index: Mapping[str, Index] = field(default_factory=dict)
    by_value: Mapping[str, ByValue] = field(default_factory=dict)
    nearest: bool = False
    drops: tuple[str, ...] = ()
    vars: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    @property
    def selects(self) -> bool:
        """Whether it is not the whole dataset."""
        return bool(self.cuts or self.vars or self.exclude)

    @property
    def cuts(self) -> bool:
        """Whether dimensions become shorter."""
        return bool(self.by_index or self.by_value)

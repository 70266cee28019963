"""The part of a dataset that the keyword arguments of a function select."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ncz.commands.option_error import OptionError
from ncz.errors import option

if TYPE_CHECKING:
    from ncz.commands.keyword_groups import SelectionKeywords
    from ncz.model.selection import Index, Selection


def selected_part(selection: SelectionKeywords) -> Selection | None:
    """Return the part that is selected; None for a whole dataset.

    Raises
    ------
    TypeError
        If an index is not an integer, a slice or a list of integers.
    """
    if not any(selection.values()):
        return None
    from ncz.commands.subsets.python_values import selection_of

    return selection_of(**selection)


def region_of(into: str | Mapping[str, Any] | None) -> Mapping[str, Index] | None:
    """Return the indices of a region of a store by dimension; none if coordinates choose all.

    Raises
    ------
    OptionError
        If a text is not "auto", or an index has a step.
    TypeError
        If an index is not an integer, a slice or a list of integers.
    """
    if into is None:
        return None
    if isinstance(into, str):
        if into != "auto":
            raise OptionError(f"{option('into')} cannot be {into!r}; write auto, or DIM=FIRST:STOP")
        return {}
    from ncz.commands.subsets.python_values import selection_of

    chosen = selection_of(isel=into)
    region = {} if chosen is None else chosen.by_index
    for name, index in region.items():
        if isinstance(index, slice) and index.step not in (None, 1):
            raise OptionError(f"{option('into')}: the indices of {name} cannot have a step")
    return region

"""The part of a dataset that the keyword arguments of a function select."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ncz.commands.keyword_groups import SelectionKeywords
    from ncz.model.selection import Selection


def selected_part(selection: SelectionKeywords) -> Selection | None:
    """Return the part that is selected; None for a whole dataset.

    Raises
    ------
    TypeError
        If an index is neither an integer nor a slice.
    """
    if not any(selection.values()):
        return None
    from ncz.commands.subsets.python_values import selection_of

    return selection_of(**selection)

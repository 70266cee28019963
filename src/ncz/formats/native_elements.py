"""The elements of a variable as programs without ncz read them from its store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ncz.record import record

if TYPE_CHECKING:
    from ncz.model.data import Values


@record(kw_only=True)
class NativeElements:
    """The elements of a variable in a store.

    Attributes
    ----------
    item_size
        Bytes of an element; 0 for objects.
    length_of_bytes
        The length of elements that are bytes of one length; None for others.
    are_bytes
        Whether they are bytes of any length, and not marked as text.
    is_complex
        Whether they are complex numbers.
    time_dtype
        The dtype of elements of datetime64 or timedelta64; None for others.
    times
        Returns those elements for numbers of the variable.
    has_fill
        Whether the store gives a value of missing chunks.
    fill_is_mask
        Whether programs take the value of missing chunks for the mask.
    codecs
        Returns the documents of the codecs that encode the smallest readable chunk.
    """

    item_size: int
    length_of_bytes: int | None
    are_bytes: bool
    is_complex: bool
    time_dtype: str | None
    times: Callable[[Values], Values]
    has_fill: bool
    fill_is_mask: bool
    codecs: Callable[[], Sequence[Any]]

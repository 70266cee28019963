"""What callers give to functions: a path, a URL or an open file, and one text or several."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from typing import BinaryIO, TypeVar

Path = str | os.PathLike[str]
"""A path or a URL."""

Words = str | Sequence[str]
"""Several texts, or one."""

_Text = TypeVar("_Text", bound=str)
_Stream = TypeVar("_Stream", bound=BinaryIO)


def path_or_stream(given: Path | _Stream) -> str | _Stream:
    """Return a path or a URL as text, and an open file as it is."""
    return path_of(given) if isinstance(given, (str, bytes, os.PathLike)) else given


def path_of(given: Path) -> str:
    """Return a path or a URL as text; bytes are a path too, as for `open`."""
    try:
        return os.fsdecode(given)
    except TypeError:
        raise TypeError(f"a path or a URL is expected, not {type(given).__name__}") from None


def words(given: _Text | Collection[_Text]) -> tuple[_Text, ...]:
    """Return several texts; a single one is not taken for its characters."""
    return (given,) if isinstance(given, str) else tuple(given)


def words_or_none(given: Words | None) -> tuple[str, ...] | None:
    """Return several texts; None means all."""
    return None if given is None else words(given)

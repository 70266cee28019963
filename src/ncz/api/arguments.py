"""What callers give to functions: a path, a URL or an open file, and one text or several."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import BinaryIO, TypeVar

Path = str | os.PathLike[str]
"""A path or a URL."""

Words = str | Sequence[str]
"""Several texts, or one."""

_Stream = TypeVar("_Stream", bound=BinaryIO)


def path_or_stream(given: Path | _Stream) -> str | _Stream:
    """Return a path or a URL as text, and an open file as it is."""
    return os.fspath(given) if isinstance(given, (str, os.PathLike)) else given


def words(given: Words) -> tuple[str, ...]:
    """Return several texts; a single one is not taken for its characters."""
    return (given,) if isinstance(given, str) else tuple(given)

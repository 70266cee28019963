"""Where callers say that a dataset is: a path, a URL, or an open file."""

from __future__ import annotations

import os
from typing import BinaryIO, TypeVar

Path = str | os.PathLike[str]
"""A path or a URL."""

_Stream = TypeVar("_Stream", bound=BinaryIO)


def path_or_stream(given: Path | _Stream) -> str | _Stream:
    """Return a path or a URL as text, and an open file as it is."""
    return os.fspath(given) if isinstance(given, (str, os.PathLike)) else given

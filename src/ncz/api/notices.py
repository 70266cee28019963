"""Notices as Python warnings."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

from ncz.api.options import in_python
from ncz.errors import Notice


class NczWarning(UserWarning):
    """A `Notice` as a Python warning."""


def warn(notice: Notice) -> None:
    """Turn a notice into a Python warning about the caller's line; the default of `notify`."""
    level = 1
    frame: FrameType | None = sys._getframe()
    while frame is not None and _is_ours(frame):
        frame, level = frame.f_back, level + 1
    warnings.warn(NczWarning(in_python(str(notice))), stacklevel=level)


def _is_ours(frame: FrameType) -> bool:
    """Return whether a frame is of ncz, or of what ncz calls to call itself."""
    package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    return package in ("ncz", "contextlib", "functools")

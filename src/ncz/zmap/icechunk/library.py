"""The library icechunk: import it, and find what its version can do."""

from __future__ import annotations

import os
import sys
from typing import Any

from ncz.errors import ZmapError

INSTALL = "pip install 'ncz[icechunk]'"


def load_library(url: str) -> Any:
    """Import and return the library; raise `ZmapError` if it is not installed."""
    is_first = "icechunk" not in sys.modules
    try:
        import icechunk
    except ImportError as error:
        raise ZmapError(
            "this is an Icechunk repository, and the package icechunk is required to read it",
            url, INSTALL,
        ) from error  # fmt: skip
    if is_first and "ICECHUNK_LOG" not in os.environ:
        icechunk.set_logs_filter("off")  # it warns of commits, and errors are raised too
    return icechunk


def is_old(library: Any) -> bool:
    """Return whether the library is older than icechunk 2."""
    return int(library.__version__.partition(".")[0]) < 2


def newer_needed(library: Any, what: str, url: str) -> ZmapError:
    """Return the error for what only icechunk 2 can do; `what` completes "icechunk 1.1 cannot"."""
    major, minor = sys.version_info[:2]
    hint = "install icechunk 2"
    if (major, minor) < _NEEDED:
        needed = ".".join(map(str, _NEEDED))
        hint = f"icechunk 2 needs Python {needed} or newer, and this is Python {major}.{minor}"
    return ZmapError(f"icechunk {library.__version__} cannot {what}", url, hint)


_NEEDED = (3, 12)
"""The oldest version of Python for which icechunk 2 exists."""

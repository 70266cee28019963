"""The library icechunk: import it, find the features of its version, and translate its errors."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ncz.errors import NczError, ZmapError

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


def newer_library_error(library: Any, what: str, url: str) -> ZmapError:
    """Return the error that icechunk 2 is needed; `what` completes "icechunk 1.1 cannot"."""
    major, minor = sys.version_info[:2]
    hint = "install icechunk 2"
    if (major, minor) < _NEEDED:
        needed = ".".join(map(str, _NEEDED))
        hint = f"icechunk 2 needs Python {needed} or newer, and this is Python {major}.{minor}"
    return ZmapError(f"icechunk {library.__version__} cannot {what}", url, hint)


_NEEDED = (3, 12)
"""The oldest version of Python that icechunk 2 supports."""


_MARKS = ("x ", "|-> ", "`-> ")
"""The beginning of the lines with the causes in a message of the library."""


@contextlib.contextmanager
def library_errors(
    where: str, limit: float, verb: str, refused: Callable[[], Mapping[str, NczError]] = dict
) -> Iterator[None]:
    """Raise the library's errors as `ZmapError`.

    Parameters
    ----------
    where
        The object that is read or written, for messages.
    limit
        The time in seconds that the library may take.
    verb
        The action of the library that fails: "read" or "write".
    refused
        Returns the errors known so far for virtual chunks below some URLs.
    """
    try:
        yield
    except NczError:
        raise
    except TimeoutError as error:
        raise ZmapError(
            f"Icechunk gives no answer within {limit:g} s", where,
            "the repository may be damaged; restore it from a copy",
        ) from error  # fmt: skip
    except Exception as error:  # the library also raises ValueError, and panics of Rust
        text = str(error)
        for prefix, known in refused().items():
            if prefix in text:
                raise ZmapError(known.message, where, known.hint) from error
        raise ZmapError(f"Icechunk cannot {verb} this: {_reason(text)}", where) from error


def _reason(error: str) -> str:
    """Return a message of the library, which has many lines, on one line."""
    reasons: list[str] = []
    for line in error.splitlines():
        text = line.strip()
        mark = next((mark for mark in _MARKS if text.startswith(mark)), None)
        reason = text.removeprefix(mark or "")
        if mark is not None and not any(reason in known for known in reasons):
            reasons.append(reason)
    return ": ".join(reasons[:2]) or error.strip().partition("\n")[0]

"""Recognise CDL text."""

from __future__ import annotations

import re

from ncz.formats.kinds import TEXT_SUFFIXES, Source

_BEGINNING = re.compile(rb"\s*netcdf\s+(?:[^\s{\\]|\\.)+(?:\s*\{|\\?\Z)")
"""``netcdf NAME {``, or as much of it as the first bytes of a file have."""


def is_text(source: Source) -> bool:
    """Return whether a file is CDL text, by the end of its name or by its first bytes."""
    if not source.start:
        return False
    named = source.location.path.lower().endswith(TEXT_SUFFIXES)
    return named or _BEGINNING.match(source.start) is not None

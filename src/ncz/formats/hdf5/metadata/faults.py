"""Reasons that metadata of an HDF5 file cannot be read."""

from __future__ import annotations

from struct import error as StructError


class UnreadableError(Exception):
    """A part of a file cannot be read; the message names it."""


class DamageError(UnreadableError):
    """The file breaks a rule of the specification."""


class UnsupportedError(UnreadableError):
    """The file is correct, as far as is known, but has something that ncz does not read."""


class TruncationError(DamageError):
    """The file is shorter than it says."""


class OpenForWritingError(UnreadableError):
    """A program has the file open for writing, or ended without closing it."""


PARSE_ERRORS = (StructError, IndexError, ValueError, KeyError, OverflowError, RecursionError)
"""Exceptions that Python raises when damaged bytes are parsed."""

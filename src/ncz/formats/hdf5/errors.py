"""Errors of HDF5 files that cannot be read, as people see them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from ncz.errors import CodecError, FormatError
from ncz.formats.hdf5.metadata.faults import (
    DamageError,
    OpenForWritingError,
    TruncationError,
    UnreadableError,
    UnsupportedError,
)

DAMAGED = "the file is damaged; restore it from a copy"
TRUNCATED = "it was not completely copied or written; copy it again"
WRITING = "wait until it has closed the file; if it has ended, run h5clear -s of HDF5 on the file"
CONVERT = "h5repack of HDF5 may convert it"


@contextlib.contextmanager
def metadata_errors(location: str) -> Iterator[None]:
    """Turn errors of metadata into a `FormatError`."""
    try:
        yield
    except UnreadableError as error:
        raise format_error(error, location) from error


def format_error(error: UnreadableError, location: str) -> FormatError:
    """Return the error for metadata that cannot be read."""
    if isinstance(error, UnsupportedError):
        return FormatError(f"ncz does not read this HDF5 file: {error}", location, CONVERT)
    if isinstance(error, OpenForWritingError):
        return FormatError(str(error), location, WRITING)
    if isinstance(error, TruncationError):
        return FormatError(f"the file is truncated: {error}", location, TRUNCATED)
    return FormatError(f"the HDF5 file is damaged: {error}", location, DAMAGED)


@contextlib.contextmanager
def value_errors(location: str) -> Iterator[None]:
    """Turn errors of values of variable length into a `CodecError` with their location."""
    try:
        yield
    except DamageError as error:
        raise CodecError(str(error), location, DAMAGED) from error
    except CodecError as error:
        if error.location:
            raise
        raise CodecError(error.message, location, error.hint) from error

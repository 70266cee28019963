"""Errors of HDF5 files: their messages and hints."""

from __future__ import annotations

import pytest

from ncz.errors import CodecError, FormatError
from ncz.formats.hdf5.errors import metadata_errors, value_errors
from ncz.formats.hdf5.metadata.faults import (
    DamageError,
    OpenForWritingError,
    TruncationError,
    UnreadableError,
    UnsupportedError,
)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            UnsupportedError("a heap of version 9"),
            "ncz does not read this .*: a heap .*h5repack",
        ),
        (
            OpenForWritingError("a program writes it"),
            "a program writes it; wait until",
        ),
        (TruncationError("5 bytes are missing"), "the file is truncated: 5 bytes .*copy it again"),
        (DamageError("a wrong sum"), "the HDF5 file is damaged: a wrong sum; the file is damaged"),
    ],
)
def test_each_fault_has_its_cure(error: UnreadableError, text: str):
    with pytest.raises(FormatError, match=f"^a.nc: {text}"), metadata_errors("a.nc"):
        raise error


def raise_in_values() -> None:
    with value_errors("a.nc: /v"):
        raise DamageError("a wrong sum")


def test_damaged_values_are_errors_of_their_chunk():
    with pytest.raises(CodecError, match=r"^a\.nc: /v: a wrong sum; .*restore"):
        raise_in_values()


@pytest.mark.parametrize(("location", "found"), [(None, "a.nc: /v"), ("chunk 5", "chunk 5")])
def test_an_error_of_a_codec_keeps_its_place(location: str | None, found: str):
    with pytest.raises(CodecError) as error, value_errors("a.nc: /v"):
        raise CodecError("damaged", location, "restore it")
    assert (error.value.location, error.value.hint) == (found, "restore it")


def test_other_errors_pass():
    for context in (metadata_errors, value_errors):
        with pytest.raises(ValueError, match=r"^x$"), context("a.nc"):
            raise ValueError("x")

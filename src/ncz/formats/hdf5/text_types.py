"""Names and texts in HDF5: their bytes and their types."""

from __future__ import annotations

from typing import Any

from ncz.formats.hdf5.h5py_import import load_h5py


def encode_name(name: str) -> bytes:
    """Return the bytes of a name."""
    return name.encode("utf-8", "surrogateescape")


def fixed_text(size: int) -> Any:
    """Return the HDF5 type of text of a fixed number of bytes."""
    h5t = load_h5py().h5t
    text = h5t.C_S1.copy()
    text.set_size(size)
    text.set_strpad(h5t.STR_NULLTERM)
    return text


def string_type() -> Any:
    """Return the HDF5 type of a string of variable length, in UTF-8."""
    h5t = load_h5py().h5t
    text = h5t.C_S1.copy()
    text.set_size(h5t.VARIABLE)
    text.set_cset(h5t.CSET_UTF8)
    return text

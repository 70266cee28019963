"""Convert values of a program to the dtype of a variable."""

from __future__ import annotations

from typing import Any

from ncz.late import numpy as np
from ncz.model.data import Values


def represent(values: Any, dtype: np.dtype[Any]) -> Values:
    """Return values in the dtype of a variable.

    Parameters
    ----------
    values
        Anything that numpy makes an array of.
    dtype
        The dtype, as `ncz.api.values.numpy_dtype` returns it.

    Returns
    -------
    ndarray
        The values, not necessarily a copy.

    Raises
    ------
    TypeError
        If the dtype cannot represent one of them.
    """
    given = np.asarray(values)
    if dtype.kind == "S":
        return _characters(given, dtype)
    if dtype.kind not in "iuf" or given.dtype == dtype:
        return given
    if given.dtype.kind not in "biuf":
        raise TypeError(f"a variable of dtype {dtype} cannot represent {given.dtype}")
    with np.errstate(all="ignore"):
        found = given.astype(dtype)
    is_finite = np.isfinite(given) if given.dtype.kind == "f" else np.ones(given.shape, bool)
    is_lost = found != given if dtype.kind in "iu" else is_finite & ~np.isfinite(found)
    if is_lost.any():
        first = given[is_lost].flat[0]
        raise TypeError(f"a variable of dtype {dtype} cannot represent {first}")
    return found


def _characters(given: Values, dtype: np.dtype[Any]) -> Values:
    """Return bytes. Raises `TypeError` if a text is longer than the dtype."""
    texts = given if given.dtype.kind == "S" else np.char.encode(given.astype("U"), "utf-8")
    if texts.dtype.itemsize > dtype.itemsize:
        first = texts[np.char.str_len(texts) > dtype.itemsize].flat[0]
        raise TypeError(
            f"a variable of dtype {dtype} cannot represent {first!r}; netCDF4.stringtochar"
            " divides texts into characters"
        )
    return texts.astype(dtype)

"""Assign all values of a variable: ``ds["t"] = values``."""

from __future__ import annotations

from typing import Any

from ncz.late import numpy as np
from ncz.model.packing import PACKING


def assign_whole(variable: Any, values: Any) -> None:
    """Assign all values of a variable, which are stored values or values of xarray.

    Raises `TypeError` for values of xarray if the stored values are packed.
    """
    if type(values).__module__.partition(".")[0] != "xarray":
        variable[...] = values
        return
    if not {*PACKING}.isdisjoint(variable.attrs):
        raise TypeError(
            f"values of xarray are unpacked, and the values of {variable.path} are packed; assign"
            " stored values, or write with ncz.copy(..., into='auto')"
        )
    found = np.asarray(values.transpose(*variable.dims).values)
    mask = variable.attrs.get("_FillValue")
    if found.dtype.kind == "f" and mask is not None:
        found = np.where(np.isnan(found), mask, found)
    variable[...] = found

"""All values of a variable, which a program assigns to its name: ``ds["t"] = values``."""

from __future__ import annotations

from typing import Any

from ncz.late import numpy as np
from ncz.model.packing import PACKING


def assign_whole(variable: Any, values: Any) -> None:
    """Assign all values of a variable, which are as stored, or those of xarray.

    Raises `TypeError` for values of xarray where those that are stored are packed.
    """
    if type(values).__module__.partition(".")[0] != "xarray":
        variable[...] = values
        return
    if not {*PACKING}.isdisjoint(variable.attrs):
        raise TypeError(
            f"values of xarray are unpacked, and those of {variable.path} are packed; assign"
            " stored values, or write with ncz.copy(..., into='auto')"
        )
    found = np.asarray(values.transpose(*variable.dims).values)
    mask = variable.attrs.get("_FillValue")
    if found.dtype.kind == "f" and mask is not None:
        found = np.where(np.isnan(found), mask, found)
    variable[...] = found

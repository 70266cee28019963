"""The view that a reader has of a store, in one form for all readers, and differences of views."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ncz.record import record
from tests.interop.plain import Values

Names = tuple[str, ...] | None
"""Names of dimensions; "" means no name, and None means that the reader has no names."""


@record
class SeenArray:
    """One array or variable.

    `values` are as `tests.interop.plain.plain` makes them.
    """

    dimensions: Names
    values: Values
    is_coordinate: bool = False


@record
class Seen:
    """The view of a reader; `attributes` are by the path of their variable or group."""

    arrays: Mapping[str, SeenArray]
    attributes: Mapping[str, Mapping[str, Any]]


def differences(before: Seen, after: Seen, *, netcdf: bool, stored: bool) -> dict[str, str]:
    """Return the differences of two views, by path; {} if they are equal.

    Parameters
    ----------
    netcdf
        Accept changes of types to netCDF's without a change of value: float16 as float, a
        list of one number as the number.
    stored
        The views are of stored values: netCDF has bool as ubyte, and times as int64 with units as
        an attribute.
    """
    found: dict[str, str] = {}
    for path, array in sorted(before.arrays.items()):  # zarr-python lists them in any order
        other = after.arrays.get(path)
        if other is None:
            found[path] = "is missing"
            continue
        reason = _differs(array, other, netcdf=netcdf, stored=stored)
        if reason:
            found[path] = reason
    for path in sorted(after.arrays.keys() - before.arrays.keys()):
        found[path] = "is new"
    for path, reason in _attribute_differences(before, after, netcdf=netcdf, stored=stored):
        found.setdefault(path, reason)
    return found


def _differs(before: SeenArray, after: SeenArray, *, netcdf: bool, stored: bool) -> str | None:
    if not _same_names(before.dimensions, after.dimensions, netcdf=netcdf):
        return f"dimensions {before.dimensions} became {after.dimensions}"
    if before.is_coordinate != after.is_coordinate:
        return "is no coordinate any more" if before.is_coordinate else "became a coordinate"
    return value_difference(before.values, after.values, netcdf=netcdf, stored=stored)


def _same_names(before: Names, after: Names, *, netcdf: bool) -> bool:
    """Whether dimensions have the same names; netCDF names anonymous ones."""
    if before is None or after is None:
        return True
    return len(before) == len(after) and all(
        a == b or (netcdf and not a and b.startswith("_Anonymous"))
        for a, b in zip(before, after, strict=True)
    )


def value_difference(before: Values, after: Values, *, netcdf: bool, stored: bool) -> str | None:
    """Return the differences of values in shape, type and value, or None. NaN equals NaN."""
    if before.shape != after.shape:
        return f"shape {before.shape} became {after.shape}"
    if netcdf and stored and before.dtype.kind in "mM" and after.dtype == "i8":
        before = before.view("i8")
    if not _same_dtype(before.dtype, after.dtype, netcdf=netcdf, stored=stored):
        return f"dtype {before.dtype} became {after.dtype}{_first(before, after)}"
    unequal = _unequal(before, after)
    if not unequal.any():
        return None
    return f"{int(unequal.sum())} of {unequal.size} values{_first(before, after)}"


def _unequal(before: Values, after: Values) -> Any:
    if before.dtype.names:
        return np.array([a.tobytes() != b.tobytes() for a, b in zip(before, after, strict=True)])
    unequal = before != after
    if before.dtype.kind in "mM":
        return unequal & ~(np.isnat(before) & np.isnat(after))
    if before.dtype.kind in "fc":
        unequal &= ~(np.isnan(before) & np.isnan(after))
    if before.dtype.kind == "f" and after.dtype.kind == "f":
        unequal |= (before == 0) & (np.signbit(before) != np.signbit(after))
    return np.asarray(unequal, bool)


def _first(before: Values, after: Values) -> str:
    try:
        places = np.argwhere(_unequal(before, after))
    except (TypeError, ValueError):
        return ""
    if not len(places):
        return ""
    place = tuple(places[0])
    return f": {before[place]!r} became {after[place]!r}"


def _same_dtype(before: Any, after: Any, *, netcdf: bool, stored: bool) -> bool:
    """Whether dtypes are the same, for times with any units; or netCDF's for one another."""
    if before == after or (before.kind == after.kind and before.kind in "mM"):
        return True
    if not netcdf:
        return False
    is_half = before.kind == after.kind == "f" and (before.itemsize, after.itemsize) == (2, 4)
    return is_half or (stored and (before.kind, after.kind) == ("b", "u"))


def _attribute_differences(
    before: Seen, after: Seen, *, netcdf: bool, stored: bool
) -> Iterator[tuple[str, str]]:
    for path, old in sorted(before.attributes.items()):
        new = after.attributes.get(path, {})
        array = before.arrays.get(path)
        is_translated = netcdf and stored and array is not None and array.values.dtype.kind in "mMb"
        for name in {**old, **new}:
            if name not in new:
                yield f"{path}@{name}", f"attribute {old[name]!r} is missing"
            elif name not in old and not (is_translated and name in _OF_TYPES):
                yield f"{path}@{name}", f"attribute {new[name]!r} is new"
            elif name in old and not same_attribute(old[name], new[name], netcdf=netcdf):
                yield f"{path}@{name}", f"{old[name]!r} became {new[name]!r}"


_OF_TYPES = ("units", "calendar", "dtype", "_FillValue")
"""Attributes of netCDF that correspond to the dtype of a time or bool in Zarr."""


def same_attribute(before: Any, after: Any, *, netcdf: bool) -> bool:
    """Whether attributes are equal as JSON is: NaN equals NaN, an integer never a truth value."""
    before, after = _json(before), _json(after)
    if netcdf:  # its attributes are text, never bytes
        before, after = _alone(before), _alone(after)
        before = before.decode() if isinstance(before, bytes) else before
    if isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and all(
            same_attribute(a, b, netcdf=netcdf) for a, b in zip(before, after, strict=True)
        )
    if isinstance(before, dict) and isinstance(after, dict):
        return before.keys() == after.keys() and all(
            same_attribute(before[key], after[key], netcdf=netcdf) for key in before
        )
    if before != before:
        return bool(after != after)
    if isinstance(before, bool) != isinstance(after, bool) and not netcdf:
        return False
    return bool(before == after)


def _json(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    return list(value) if isinstance(value, tuple) else value


def _alone(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else value

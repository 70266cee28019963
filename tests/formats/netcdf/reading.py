"""Files compared as netCDF4 reads them: everything that it shows of two files."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def same(one: object, other: object) -> bool:
    """Compare two values with their types; NaN equals NaN."""
    left, right = np.asarray(one), np.asarray(other)
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    equal_nan = left.dtype.kind == "f"
    return bool(np.array_equal(left, right, equal_nan=equal_nan))


def differences(one, other, path: str = "") -> list[str]:
    """Compare two groups as netCDF4 reads them."""
    found = []
    for what, ours, theirs in (
        ("dimensions", one.dimensions, other.dimensions),
        ("variables", one.variables, other.variables),
        ("groups", one.groups, other.groups),
    ):
        if list(ours) != list(theirs):
            found.append(f"{path}: {what} {list(ours)} != {list(theirs)}")
    for name, ours in one.dimensions.items():
        theirs = other.dimensions[name]
        if (len(ours), ours.isunlimited()) != (len(theirs), theirs.isunlimited()):
            found.append(f"{path}/{name}: {ours} != {theirs}")
    found += attributes(one, other, path)
    for name, ours in one.variables.items():
        theirs = other.variables[name]
        where = f"{path}/{name}"
        if (ours.dtype, ours.dimensions) != (theirs.dtype, theirs.dimensions):
            found.append(f"{where}: {ours.dtype}{ours.dimensions} != {theirs.dtype}")
        found += attributes(ours, theirs, where)
        for variable in (ours, theirs):
            variable.set_auto_maskandscale(False)
            variable.set_auto_chartostring(False)
        if len(set(ours.dimensions)) < len(ours.dimensions):
            continue  # netCDF4 1.7 cannot read a variable with the same dimension twice
        if not same(ours[...], theirs[...]):
            found.append(f"{where}: {ours[...]} != {theirs[...]}")
    for name, group in one.groups.items():
        found += differences(group, other.groups[name], f"{path}/{name}")
    return found


def attributes(one, other, where: str) -> list[str]:
    if one.ncattrs() != other.ncattrs():
        return [f"{where}: attributes {one.ncattrs()} != {other.ncattrs()}"]
    return [
        f"{where}:{name}: {one.getncattr(name)!r} != {other.getncattr(name)!r}"
        for name in one.ncattrs()
        if not same(one.getncattr(name), other.getncattr(name))
    ]


def read_differences(one: Path, other: Path) -> list[str]:
    """Return the differences of the second file from the first."""
    import netCDF4

    with netCDF4.Dataset(one) as ours, netCDF4.Dataset(other) as theirs:
        return differences(ours, theirs)

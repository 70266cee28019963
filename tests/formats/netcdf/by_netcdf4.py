"""Files that netCDF4 makes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np


def _created(path: Path, **options: Any) -> Any:
    import netCDF4

    return netCDF4.Dataset(path, "w", **options)


def dense_attributes(path: Path) -> None:
    """Attributes of more than 64 KiB, and too many for HDF5 to store them in the header."""
    with _created(path) as root:
        root.createDimension("x", 3)
        v = root.createVariable("v", "f4", ("x",))
        v[:] = 1
        for number in range(30):
            v.setncattr(f"a{number:02d}", number)
            root.setncattr(f"g{number}", np.float32(number))
        v.setncattr("long", "y" * 70_000)
        v.setncattr("numbers", np.arange(10_000, dtype="f8"))


def classic_model(path: Path) -> None:
    """The classic model in HDF5, with a fill value and text."""
    with _created(path, format="NETCDF4_CLASSIC") as root:
        root.createDimension("t", None)
        root.createDimension("s", 4)
        v = root.createVariable("v", "i2", ("t", "s"), zlib=True, fill_value=-1)
        v[0:2] = [[1, 2, 3, 4], [5, 6, 7, 8]]
        root.createVariable("c", "S1", ("t", "s"))[0] = list("abcd")


def nothing_in_it(path: Path) -> None:
    """Unlimited dimensions of length 0, and scalars of the largest numbers."""
    with _created(path) as root:
        root.createDimension("t", None)
        root.createDimension("u", None)
        root.createDimension("x", 2)
        root.createVariable("a", "f4", ("t", "x"))
        root.createVariable("b", str, ("t",))
        root.createVariable("c", "S1", ("t", "u"))
        root.createVariable("never", "f8", ("x",))
        root.createVariable("least", "i8", ())[...] = -(2**63)
        root.createVariable("most", "u8", ())[...] = 2**64 - 1
        root.createVariable("text", str, ())[...] = "text"
        root.createVariable("char", "S1", ())[...] = b"q"


def special_numbers(path: Path) -> None:
    """NaN, infinities, -0, the limits of all types, and fill values that are such numbers."""
    with _created(path) as root:
        root.createDimension("x", 8)
        for dtype in ("f4", "f8"):
            limits = np.finfo(dtype)
            special = [np.nan, np.inf, -np.inf, 0.0, -0.0, limits.max, limits.tiny, 0.5]
            v = root.createVariable(dtype, dtype, ("x",))
            v.set_auto_mask(False)
            v[:] = np.array(special, dtype)
            v.setncattr("special", np.array(special, dtype))
        root.createVariable("nan", "f4", ("x",), fill_value=np.nan)[0:3] = 1
        root.createVariable("infinite", "f8", ("x",), fill_value=-np.inf)[0:3] = 1
        for dtype in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"):
            integers = np.iinfo(dtype)
            v = root.createVariable(dtype, dtype, ("x",))
            v.set_auto_mask(False)
            v[0:4] = np.array([integers.min, integers.max, 0, 1], dtype)
            v.setncattr("range", np.array([integers.min, integers.max], dtype))


def strings(path: Path) -> None:
    """Strings with a fill value, quotes, control characters, and letters of several bytes."""
    with _created(path) as root:
        root.createDimension("x", 4)
        root.createDimension("t", None)
        v = root.createVariable("v", str, ("x",), fill_value="missing")
        v[:] = np.array(["one", "é", "missing", "日本語 𝄞"], object)
        w = root.createVariable("w", str, ("t", "x"), chunksizes=(2, 3))
        w[0:3] = np.array([['a "quoted" \\ back\nline\ttab', "b", " ", "c"]] * 3, object)
        w.setncattr("list", ["a", "b"])
        w.setncattr("letters", "日本語 𝄞")
        w.setncattr_string("single", "one")


ODD = [
    "with space", "日本", "a+b", "a.b", "x@y", "1st", "a#b", "a(b)", "a{b}", "a:b", "a;b", "a'b",
    'a"b', "a\\b", "a,b", "a=b", "a*b", "nan", "inf", "NaN", "byte", "_under", "a&b<c>", "a!b?",
    "x" * 200, "é",
]  # fmt: skip
"""Names that netCDF allows, and CDL must escape."""


def odd_names(path: Path) -> None:
    """Names with spaces, signs and reserved words, of everything that has a name."""
    with _created(path) as root:
        root.createDimension("with space", 2)
        for name in ODD:
            v = root.createVariable(name, "i1", ("with space",))
            v[:] = 1
            v.setncattr("an attribute", 1)
        group = root.createGroup("a group")
        group.createDimension("µ", 2)
        group.createVariable("µ", "f4", ("µ",))[:] = 1


def layouts(path: Path) -> None:
    """Chunks along several unlimited dimensions, contiguous data, byte orders, quantized data."""
    with _created(path) as root:
        for name, size in (("t", None), ("u", None), ("x", 100), ("y", 7)):
            root.createDimension(name, size)
        two = root.createVariable("two", "f4", ("t", "u"), chunksizes=(2, 3))
        two[0:5, 0:4] = np.arange(20).reshape(5, 4)
        root.createVariable("automatic", "f8", ("t", "x"))[0:3] = 1
        big = root.createVariable("big", ">i4", ("x",), endian="big", contiguous=True)
        big[:] = np.arange(100)
        root.createVariable("sum", "<i2", ("x", "y"), endian="little", fletcher32=True)[:] = 3
        for mode in ("BitGroom", "GranularBitRound", "BitRound"):
            options = {"significant_digits": 3, "quantize_mode": mode, "zlib": True}
            root.createVariable(mode, "f8", ("x",), **options)[:] = np.arange(100) / 4


def characters(path: Path) -> None:
    """Arrays of char of several ranks, an encoding, and a fill value that is not NUL."""
    import netCDF4

    with _created(path) as root:
        for name, size in (("a", 2), ("b", 3), ("c", 4), ("t", None)):
            root.createDimension(name, size)
        v = root.createVariable("v", "S1", ("a", "b", "c"))
        words = np.array([["ab", "cdef", "g"], ["", "x y", "zz"]], "S4")
        v[:] = netCDF4.stringtochar(words)
        v.setncattr("_Encoding", "utf-8")
        w = root.createVariable("w", "S1", ("t", "c"), fill_value=b"-")
        w[0:2] = netCDF4.stringtochar(np.array(["abcd", "efgh"], "S4"))


def deep_groups(path: Path) -> None:
    """Groups within each other whose variables have dimensions of all groups above."""
    with _created(path) as group:
        for depth in range(8):
            group.createDimension(f"d{depth}", depth + 1)
            names = tuple(f"d{number}" for number in range(max(0, depth - 3), depth + 1))
            group.createVariable("v", "i4", names, zlib=True)[...] = depth
            group.setncattr("depth", depth)
            group = group.createGroup(f"g{depth}")


FILES = (
    dense_attributes, classic_model, nothing_in_it, special_numbers, strings, odd_names, layouts,
    characters, deep_groups,
)  # fmt: skip

"""Numbers: every type, packed or not, with a mask or none, with chunks that are missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.interop.contents.writing import by_xarray, no_fill

INTEGERS = ("i1", "i2", "i4", "i8")
UNSIGNED = ("u1", "u2", "u4", "u8")


def _dataset(variables: Mapping[str, Any], **attrs: Any) -> Any:
    import xarray

    return xarray.Dataset(variables, attrs=attrs)


def _extremes(dtype: str) -> Any:
    limits = np.iinfo(dtype)
    return "x", np.array([limits.min, 0, 1, limits.max], dtype)


def integers() -> Any:
    """Both ends of each type, and zeros, without a mask."""
    return _dataset({dtype: _extremes(dtype) for dtype in INTEGERS})


def unsigned() -> Any:
    """As `integers`; 255 and 65535 are netCDF's default fills."""
    return _dataset({dtype: _extremes(dtype) for dtype in UNSIGNED})


def boolean() -> Any:
    """bool, with and without True."""
    return _dataset(
        {"land": ("x", np.array([True, False, True])), "ice": (("x",), np.zeros(3, bool))}
    )


def half() -> Any:
    """float16."""
    return _dataset({"h": ("x", np.array([0, 0.5, -2, np.nan, np.inf], "f2"))})


def floats() -> Any:
    """NaN, infinities, both zeros; xarray adds a mask of NaN."""
    values = [0.0, -0.0, 1.5, np.nan, np.inf, -np.inf]
    return _dataset({t: ("x", np.array(values, t)) for t in ("f4", "f8")})


def doubles() -> Any:
    """Doubles that need 17 digits, as data and as attributes."""
    exact = [0.1 + 0.2, 1 / 3, 2 / 3, 1e-320, 1.7976931348623157e308]
    attrs = {"offset": 0.1 + 0.2, "limits": [1 / 3, 2 / 3]}
    return _dataset({"d": ("x", np.array(exact), attrs)}, third=1 / 3)


def complex_numbers() -> Any:
    """complex64 and complex128, with zeros."""
    values = [0, 1 + 2j, -1j, complex(np.nan, 1)]
    return _dataset({t: ("x", np.array(values, t)) for t in ("c8", "c16")})


def _temperatures(*, gaps: bool) -> Any:
    values = np.array([[273.15, 280.0, 300.25], [250.0, 273.15, 273.16]])
    if gaps:
        values[1, 0] = np.nan
    return _dataset({"t": (("y", "x"), values, {"units": "K"})})


def _packed(dtype: str, fill: int | None, offset: float = 273.15) -> Mapping[str, Any]:
    return {"t": {"dtype": dtype, "scale_factor": 0.01, "add_offset": offset, "_FillValue": fill}}


def masked(types: tuple[str, ...], fill: str) -> Any:
    """Explicit masks: the data have zeros, which are not masked, and one value that is."""

    def value(dtype: str) -> int:
        limits = np.iinfo(dtype)
        return int(limits.min if fill == "min" else limits.max)

    def dataset() -> Any:
        found = {}
        for dtype in types:
            values = ("x", np.array([0, 1, value(dtype)], dtype), {"_FillValue": value(dtype)})
            found[dtype] = values
        return _dataset(found)

    return dataset


def fill_zero() -> Any:
    """A mask of zero."""
    return _dataset(
        {
            "i": ("x", np.array([0, 1, 2], "i2"), {"_FillValue": np.int16(0)}),
            "f": ("x", np.array([np.nan, 1, 2], "f4")),
        }
    )


def fill_floats() -> Any:
    """Masks of -999 and 1e20, and none."""
    return _dataset(
        {
            "a": ("x", np.array([0, np.nan, 2.5])),
            "b": ("x", np.array([0, np.nan, 2.5], "f4")),
            "c": ("x", np.array([0, -1, 2.5], "f4")),
        }
    )


def no_masks() -> Any:
    """Floats whose zeros and NaN are data, without a ``_FillValue``."""
    return _dataset({"a": ("x", np.zeros(3)), "b": ("x", np.array([0, np.nan, 1], "f4"))})


def missing_value() -> Any:
    """The attribute ``missing_value``, with ``_FillValue`` and alone."""
    return _dataset(
        {
            "both": (
                "x",
                np.array([0, -9, 3], "i2"),
                {"_FillValue": np.int16(-9), "missing_value": np.int16(-9)},
            ),
            "alone": ("x", np.array([0, -9, 3], "i2"), {"missing_value": np.int16(-9)}),
        }
    )


def _sparse(dtype: str) -> Any:
    values = np.zeros((4, 4), dtype)
    values[:2, :2] = [[1, 2], [3, 0]]
    return values


def missing_integers() -> Any:
    """Chunks with only fill values, which are not written: zero, and a mask."""
    masked_values = _sparse("i4").astype("f8")
    masked_values[2:] = np.nan
    return _dataset(
        {
            "zero": (("y", "x"), _sparse("i4")),
            "mask": (("y", "x"), masked_values),
            "full": (("y", "x"), np.ones((4, 4), "u1")),
        }
    )


def missing_floats() -> Any:
    """Missing chunks of NaN, which is the mask; and of zeros, which are data."""
    values = _sparse("f4")
    values[2:] = np.nan
    return _dataset({"nan": (("y", "x"), values), "zero": (("y", "x"), _sparse("f8"))})


def missing_packed() -> Any:
    """Missing chunks of packed data, with a mask and without."""
    values = np.full((4, 4), 5.0)
    values[:2, :2] = [[1, 2], [3, 4]]
    gaps = values.copy()
    gaps[2:] = np.nan
    return _dataset({"plain": (("y", "x"), values), "gaps": (("y", "x"), gaps)})


_CHUNKS = {"chunks": (2, 2)}

KINDS = {
    "integers": by_xarray(integers),
    "unsigned": by_xarray(unsigned),
    "bool": by_xarray(boolean),
    "float16": by_xarray(half),
    "floats": by_xarray(floats),
    "doubles": by_xarray(doubles, no_fill("d")),
    "complex": by_xarray(complex_numbers),
    "packed-int16": by_xarray(lambda: _temperatures(gaps=False), _packed("i2", None)),
    "packed-int16-masked": by_xarray(lambda: _temperatures(gaps=True), _packed("i2", -32768)),
    "packed-uint16-masked": by_xarray(lambda: _temperatures(gaps=True), _packed("u2", 65535, 0)),
    "packed-unsigned": by_xarray(
        lambda: _dataset({"t": ("x", np.array([0, 100, 200, 254.0]))}),
        {"t": {"dtype": "i1", "_Unsigned": "true", "_FillValue": -1, "scale_factor": 1.0}},
    ),
    "masked-integers": by_xarray(masked(INTEGERS, "min")),
    "masked-unsigned": by_xarray(masked(UNSIGNED, "max")),
    "masked-zero": by_xarray(fill_zero, {"f": {"_FillValue": np.float32(0)}}),
    "masked-floats": by_xarray(
        fill_floats, {"a": {"_FillValue": -999.0}, "b": {"_FillValue": 1e20}, **no_fill("c")}
    ),
    "unmasked-floats": by_xarray(no_masks, no_fill("a", "b")),
    "missing-value": by_xarray(missing_value),
    "missing-chunks-integers": by_xarray(
        missing_integers,
        {
            "zero": _CHUNKS,
            "mask": {"dtype": "i4", "_FillValue": -1, **_CHUNKS},
            "full": _CHUNKS,
        },
        write_empty_chunks=False,
    ),
    "missing-chunks-floats": by_xarray(
        missing_floats,
        {"nan": _CHUNKS, "zero": {"_FillValue": None, **_CHUNKS}},
        write_empty_chunks=False,
    ),
    "missing-chunks-packed": by_xarray(
        missing_packed,
        {
            "plain": {"dtype": "i2", "scale_factor": 0.5, "add_offset": 5.0, **_CHUNKS},
            "gaps": {"dtype": "i2", "scale_factor": 0.5, "_FillValue": -1, **_CHUNKS},
        },
        write_empty_chunks=False,
    ),
}

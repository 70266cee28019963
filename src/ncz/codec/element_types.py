"""Types of numbers that codecs convert: facts that need no numpy, and numpy dtypes.

numpy has no numbers of less than a byte, and no floats of eight bits or of bfloat16. The package
ml_dtypes adds them. Each is stored in one or two bytes.

Source: the data types of zarr-extensions; ml_dtypes.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from ncz.errors import CodecMissing
from ncz.late import numpy as np
from ncz.record import record

_NAME = re.compile(r"(u?int|b?float|complex_b?float)(\d+)(_e\dm\d\w*)?")
_SHORT = re.compile(r"[<>|=]?([iufcb])(\d+)")

_MINIFLOATS = frozenset(
    {
        "float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn", "float8_e3m4", "float8_e4m3",
        "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
        "float8_e8m0fnu",
    }
)  # fmt: skip

_OTHERS = frozenset({"int2", "int4", "uint2", "uint4", "bfloat16"})

NARROW = _MINIFLOATS | _OTHERS
"""The types that numpy has only with ml_dtypes, as Zarr V3 and tensorstore name them."""


_COMPLEX = "complex_"

NARROW_COMPLEX = frozenset(_COMPLEX + part for part in (*_MINIFLOATS, "bfloat16", "float16"))
"""The complex numbers that numpy does not have, as Zarr V3 names them."""


def is_narrow(dtype: Any) -> bool:
    """Return whether numpy lacks a dtype of a document."""
    return isinstance(dtype, str) and (dtype in NARROW or dtype in NARROW_COMPLEX)


def narrow_part(dtype: Any) -> str | None:
    """Return the type of both parts of a complex number that numpy does not have, or None."""
    is_complex = isinstance(dtype, str) and dtype in NARROW_COMPLEX
    return dtype.removeprefix(_COMPLEX) if is_complex else None


def complex_part(dtype: np.dtype[Any]) -> np.dtype[Any] | None:
    """Return the dtype of both parts of a complex number; None for another dtype.

    Complex numbers are also structures of two parts, as in HDF5.
    """
    if dtype.kind == "c":
        return np.dtype(f"{dtype.str[0]}f{dtype.itemsize // 2}")
    names = dtype.names or ()
    if names != _PARTS:
        return None
    real, imaginary = (dtype[name] for name in names)
    return real if real == imaginary and number_type(real) is not None else None


_PARTS = ("r", "i")


_NUMBERS = frozenset(
    {
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64"),
    }
)
"""The numbers of numpy that codecs name."""


@record
class NumberType:
    """Properties of a type of real numbers: its kind, and the bits and bytes of a number."""

    kind: Literal["i", "u", "f"]
    bits: int
    item_size: int


def number_type(dtype: Any) -> NumberType | None:
    """Return the properties of a dtype or of its name; None if it has no real numbers."""
    name = dtype if isinstance(dtype, str) else getattr(dtype, "name", "")
    if name in NARROW or name in _NUMBERS:
        kind: Any = "f" if "float" in name else name[0]
        bits = int("".join(re.findall(r"\d+", name.partition("_")[0])))
        return NumberType(kind, bits, max(1, bits // 8))
    short = _SHORT.fullmatch(name)
    if short is None or short[1] in "cb":
        return None
    size = int(short[2])
    kind = short[1]
    return NumberType(kind, 8 * size, size)


def numpy_type(dtype: Any) -> np.dtype[Any]:
    """Return the numpy dtype of a number, in native byte order unless the dtype has another.

    Raises `CodecMissing` if it needs ml_dtypes, which is not installed.
    """
    plain: np.dtype[Any]
    part = narrow_part(dtype)
    if part is not None:
        plain = np.dtype([(name, numpy_type(part)) for name in _PARTS])
        return plain
    if not isinstance(dtype, str) or dtype not in NARROW:
        plain = np.dtype(dtype)
        return plain
    try:
        import ml_dtypes
    except ImportError as error:
        raise CodecMissing(
            f"the data type {dtype} needs the package ml_dtypes", hint="pip install 'ncz[ml]'"
        ) from error
    if not hasattr(ml_dtypes, dtype):
        raise CodecMissing(
            f"ml_dtypes {ml_dtypes.__version__} has no {dtype}", hint="pip install -U ml_dtypes"
        )
    plain = np.dtype(getattr(ml_dtypes, dtype))
    return plain


def integer_range(dtype: np.dtype[Any]) -> tuple[int, int] | None:
    """Return the smallest and the largest integer of a dtype; None if it has no integers."""
    known = number_type(dtype)
    if known is None or known.kind == "f":
        return None
    if known.kind == "u":
        return 0, 2**known.bits - 1
    return -(2 ** (known.bits - 1)), 2 ** (known.bits - 1) - 1


def largest_float(dtype: np.dtype[Any]) -> float:
    """Return the largest finite number of a dtype of floats."""
    if dtype.isbuiltin == 1:
        return float(np.finfo(dtype).max)
    import ml_dtypes

    finfo: Any = ml_dtypes.finfo
    return float(finfo(dtype).max)


def scalar(value: Any, dtype: np.dtype[Any]) -> Any:
    """Return a number that Zarr V3 spells as a fill value, as an array of shape ().

    Raises `ValueError` for a value that is not a number of the dtype.
    """
    known = number_type(dtype)
    limits = integer_range(dtype)
    if known is None or isinstance(value, bool):
        raise ValueError(f"{value!r} is not a number of the type {dtype.name}")
    if isinstance(value, str) and value[:2] in ("0x", "0X") and known.kind == "f":
        data = bytes.fromhex(value[2:])
        if len(data) != known.item_size:
            raise ValueError(f"{value} does not have {known.item_size} bytes")
        return np.frombuffer(data[::-1], dtype.newbyteorder("=")).reshape(())
    number = _number(value, is_float=known.kind == "f")
    if number is None or (limits is not None and not limits[0] <= number <= limits[1]):
        raise ValueError(f"{value!r} is not a number of the type {dtype.name}")
    return np.array(number).astype(dtype.newbyteorder("="))


def _number(value: Any, *, is_float: bool) -> Any:
    try:
        if is_float:
            return float(value)
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if isinstance(value, str) or number == value else None

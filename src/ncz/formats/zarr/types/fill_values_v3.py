"""Convert the fill values of Zarr V3 to fill values of Zarr V2, and back.

Source: the Zarr core specification version 3, "Fill value list"; stores of zarr-python 3.1.
"""

from __future__ import annotations

import base64
import math
import re
import struct

from ncz.codec.element_types import is_narrow, narrow_part, numpy_type, scalar
from ncz.errors import CodecMissing, FormatError
from ncz.formats.zarr.json import Json, show_json
from ncz.formats.zarr.types.dtypes import V2_DTYPE
from ncz.model.json_text import print_json


def fill_to_v2(value: Json, dtype: Json) -> Json:
    """A V3 fill value as V2 says it for the V2 `dtype`. Raises `FormatError`.

    A structure has a list of its fields' fill values, with None for a field without one.
    """
    if isinstance(dtype, list):
        if isinstance(value, dict):
            return [
                fill_to_v2(value[name], inner) if name in value else None
                for name, inner, *_ in dtype
            ]
        if not isinstance(value, str):
            raise FormatError(
                f"fill_value of a structure must be an object, not {show_json(value)}"
            )
    part = narrow_part(dtype)
    if part is not None and isinstance(value, list) and len(value) == 2:
        return [_half(each, part) for each in value]
    if is_narrow(dtype):
        return _narrow(value, dtype)
    kind, size = _kind(dtype)
    if kind in ("S", "U", "V", "O") and not isinstance(value, str | list):
        raise FormatError(f"fill_value must be a text, not {show_json(value)}")
    if kind == "f":
        return _real(value, size)
    if kind == "c" and isinstance(value, list) and len(value) == 2:
        return [_real(part, size // 2) for part in value]
    if kind in ("V", "S", "O") and isinstance(value, list):
        return base64.b64encode(_bytes(value)).decode()
    return value


def _half(value: Json, part: str) -> Json:
    """Return a part of a complex number that numpy does not have."""
    return _real(value, 2) if part == "float16" else _narrow(value, part)


def _narrow(value: Json, dtype: str) -> Json:
    """Return a number of few bits, which hexadecimal digits may spell."""
    if not isinstance(value, str) or value[:2] not in ("0x", "0X"):
        return value
    try:
        return float(scalar(value, numpy_type(dtype)))
    except CodecMissing as error:
        raise FormatError(error.message, hint=error.hint) from error
    except ValueError as error:
        raise FormatError(f"fill_value {print_json(value)} is not valid: {error}") from error


def _kind(dtype: Json) -> tuple[str, int]:
    match = V2_DTYPE.fullmatch(dtype) if isinstance(dtype, str) else None
    return (match[2], int(match[3] or 0)) if match else ("", 0)


def _real(value: Json, size: int) -> Json:
    if isinstance(value, str) and value.startswith(("0x", "0X")):
        digits = value[2:]
        form = {2: ">e", 4: ">f", 8: ">d"}.get(size)
        if form is None or len(digits) != 2 * size or not re.fullmatch(r"[0-9a-fA-F]+", digits):
            raise FormatError(f"fill_value {print_json(value)} does not have {size} bytes")
        return float(struct.unpack(form, bytes.fromhex(digits))[0])
    return value


def _bytes(value: list[Json]) -> bytes:
    if not all(type(n) is int and 0 <= n < 256 for n in value):
        raise FormatError(f"fill_value {show_json(value)} is not a list of bytes")
    return bytes(value)


_ZERO = {"b": False, "f": 0.0, "S": "", "U": "", "O": ""}


def fill_to_v3(value: Json, dtype: Json, size: int) -> Json:
    """The V3 fill value for a V2 one; zero for null, which V3 has not. `size`: of an element."""
    kind, _ = _kind(dtype)
    if narrow_part(dtype) is not None:
        kind = "c"
    elif is_narrow(dtype) and "float" in dtype:
        kind = "f"
    if value is None:
        if kind in ("c",):
            return [0.0, 0.0]
        if kind == "V" or isinstance(dtype, list):
            return base64.b64encode(bytes(size)).decode()
        return _ZERO.get(kind, 0)
    if kind == "f" and isinstance(value, int | float):
        return float(value) if math.isfinite(value) else print_json(float(value)).strip('"')
    return value

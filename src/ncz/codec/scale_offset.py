"""The codec scale_offset: it subtracts an offset from numbers, and multiplies them.

Source: zarr-extensions, "scale_offset".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ncz.codec import ArraySpec, Codec, Configuration, Parameter, Stage, V3Spelling
from ncz.codec.element_types import integer_range, number_type, numpy_type, scalar
from ncz.errors import CodecError
from ncz.late import numpy as np
from ncz.record import replace

if TYPE_CHECKING:
    from ncz.codec import Bytes, Elements


class ScaleOffset(Codec):
    """The codec scale_offset. The dtype stays the same; numbers beyond it are errors."""

    id = "scale_offset"
    kind = "array filter"
    parameters = (Parameter("offset", default=0), Parameter("scale", default=1))
    v3 = V3Spelling("scale_offset")
    takes_arrays = True
    keeps_size = True
    is_v2 = False
    is_extension = True

    def narrows(self, configuration: Configuration) -> bool:
        """Return True: a number may be beyond the dtype after the offset and the scale."""
        return True

    def result(self, array: ArraySpec, configuration: Configuration) -> ArraySpec:
        """Return the same array, with another fill value."""
        if array.dtype is not None and number_type(array.dtype) is None:
            raise CodecError(f"scale_offset encodes numbers, not elements of {array.dtype}")
        if array.fill is None:
            return array
        return replace(array, fill=_encode(array.fill, configuration))

    def encode(self, value: Bytes | Elements, stage: Stage) -> Elements:
        """Subtract the offset and multiply. Raises `CodecError` for a number beyond the dtype."""
        return _encode(value, stage.configuration)

    def decode(self, value: Bytes | Elements, stage: Stage) -> Elements:
        """Divide by the scale, and add the offset."""
        elements, offset, scale = _operands(value, stage.configuration)
        limits = integer_range(elements.dtype)
        with np.errstate(all="ignore"):
            if limits is None:
                decoded: Elements = elements / scale + offset
                return decoded
            if not elements.size:
                unchanged: Elements = elements
                return unchanged
            integers, factor, start = _wide(elements), _wide(scale), _wide(offset)
            if (integers % factor).any():
                raise ValueError(f"a number is not a multiple of the scale {scale}")
            ends = {int(end) // int(scale) + int(offset) for end in _ends(integers)}
            _check_range(ends, limits, elements.dtype)
            narrow: Elements = (integers // factor + start).astype(elements.dtype)
            return narrow


def _encode(value: Any, configuration: Configuration) -> Elements:
    elements, offset, scale = _operands(value, configuration)
    limits = integer_range(elements.dtype)
    with np.errstate(all="ignore"):
        if limits is None:
            encoded: Elements = (elements - offset) * scale
            return encoded
        if not elements.size:
            unchanged: Elements = elements
            return unchanged
        ends = {(int(end) - int(offset)) * int(scale) for end in _ends(elements)}
        try:
            _check_range(ends, limits, elements.dtype)
        except ValueError as error:
            raise CodecError(
                f"scale_offset cannot store {error}", hint="use another scale and offset"
            ) from error
        # A result in range is exact, though the steps may wrap around.
        integers = (_wide(elements) - _wide(offset)) * _wide(scale)
        narrow: Elements = integers.astype(elements.dtype)
        return narrow


def _operands(value: Any, configuration: Configuration) -> tuple[Any, Any, Any]:
    """Return the elements in native byte order, the offset and the scale, in the same dtype."""
    dtype = numpy_type(value.dtype).newbyteorder("=")
    if number_type(dtype) is None:
        raise CodecError(f"scale_offset encodes numbers, not elements of {dtype}")
    dtype = numpy_type(dtype.name)
    offset = scalar(configuration.get("offset", 0), dtype)
    scale = scalar(configuration.get("scale", 1), dtype)
    if not scale:
        raise CodecError("scale_offset: the scale must not be 0")
    return np.asarray(value, dtype), offset, scale


def _wide(numbers: Any) -> Any:
    """Return integers of at least a byte, in a dtype of numpy."""
    known = number_type(numbers.dtype)
    assert known is not None
    return numbers if known.bits >= 8 else numbers.astype(np.dtype(f"{known.kind}1"))


def _ends(integers: Any) -> tuple[int, int]:
    wide = _wide(integers)
    return int(wide.min()), int(wide.max())


def _check_range(ends: set[int], limits: tuple[int, int], dtype: Any) -> None:
    """Raise `ValueError` for an integer beyond a dtype."""
    for end in ends:
        if not limits[0] <= end <= limits[1]:
            raise ValueError(f"{end} as {dtype.name}")


CODECS = (ScaleOffset(),)

"""The codec bitround of Zarr V3: floats with fewer bits of the mantissa, and rounded integers.

An integer keeps the bits from its most significant one that is set. The codec of the same name in
numcodecs rounds floats only.

Source: zarr-extensions, "bitround".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ncz.codec import ArraySpec, Codec, Configuration, Parameter, Stage, V3Spelling
from ncz.codec.element_types import complex_part, numpy_type
from ncz.errors import CodecError
from ncz.late import numpy as np

if TYPE_CHECKING:
    from ncz.codec import Bytes, Elements

_MANTISSAS = {"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52}


class BitRounding(Codec):
    """The codec bitround."""

    id = "zarr.bitround"
    kind = "array filter"
    parameters = (Parameter("keepbits", "integer", None, 0, 64, required=True),)
    effort = ("keepbits",)
    v3 = V3Spelling("bitround")
    takes_arrays = True
    keeps_size = True
    is_v2 = False
    is_extension = True

    def result(self, array: ArraySpec, configuration: Configuration) -> ArraySpec:
        """Return the array. Raises `CodecError` for elements that are not numbers."""
        if array.dtype is not None and (array.is_boolean or not _is_rounded(array.dtype)):
            raise CodecError(f"bitround encodes numbers, not elements of {array.dtype}")
        return array

    def encode(self, value: Bytes | Elements, stage: Stage) -> Elements:
        """Round numbers."""
        elements: Any = value
        keepbits = stage.configuration["keepbits"]
        native = elements.astype(elements.dtype.newbyteorder("="))
        parts = _parts(native)
        codes = parts.reshape(-1).view(f"u{parts.dtype.itemsize}").copy()
        mantissa = _MANTISSAS.get(parts.dtype.name)
        if mantissa is None:
            used = _used_bits(codes)
        else:
            if keepbits > mantissa:
                raise CodecError(f"bitround: {parts.dtype.name} has {mantissa} bits to keep")
            used = np.full(codes.shape, mantissa, codes.dtype)
        rounded = _round_codes(codes, used, keepbits).view(parts.dtype).reshape(parts.shape)
        result: Any = rounded.reshape(-1).view(native.dtype).reshape(native.shape)
        ordered: Elements = result.astype(elements.dtype, copy=False)
        return ordered

    def decode(self, value: Bytes | Elements, stage: Stage) -> Elements:
        """Return the elements, which were rounded when they were encoded."""
        elements: Elements = np.asarray(value)
        return elements


def _is_rounded(dtype: Any) -> bool:
    """Return whether elements of a dtype are numbers of the specification, or times."""
    known = numpy_type(dtype)
    part = complex_part(known)
    number = known if part is None else part
    return number.kind in "iufmM" or number.name == "bfloat16"


def _parts(numbers: Any) -> Any:
    """Return complex numbers as pairs of floats, times as integers, and others unchanged."""
    if numbers.dtype.kind in "mM":
        return numbers.view("i8")
    part = complex_part(numbers.dtype)
    return numbers if part is None else numbers.reshape(-1).view(part)


def _used_bits(codes: Any) -> Any:
    """Return the number of bits of each integer up to the most significant one that is set."""
    used = np.zeros(codes.shape, codes.dtype)
    left = codes.copy()
    step = 4 * codes.dtype.itemsize
    while step:
        high = left >> codes.dtype.type(step)
        is_wide = high != 0
        used[is_wide] += codes.dtype.type(step)
        left = np.where(is_wide, high, left)
        step //= 2
    used[left != 0] += codes.dtype.type(1)
    return used


def _round_codes(codes: Any, used: Any, keepbits: int) -> Any:
    """Round codes to `keepbits` bits: to nearest and then to even.

    A number that would need another bit than the type has is rounded down.
    """
    whole = codes.dtype.type
    is_rounded = used > min(keepbits, 8 * codes.dtype.itemsize)
    dropped = np.where(is_rounded, used - whole(min(keepbits, 255)), whole(1))
    half = (whole(1) << (dropped - whole(1))) - whole(1)
    added = ((codes >> dropped) & whole(1)) + half
    most = np.iinfo(codes.dtype).max
    sums = np.where(codes > most - added, most, codes + added)
    return np.where(is_rounded, (sums >> dropped) << dropped, codes)


CODECS = (BitRounding(),)

"""Filters of numbers and booleans; their input and output are arrays.

Some store numbers in a smaller type. A number that does not fit would be stored as another one,
without an error of the library, so it is refused here.

Source: numcodecs' modules of the same names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ncz.codec import (
    DTYPE,
    ArraySpec,
    Codec,
    Configuration,
    Parameter,
    Stage,
    V3Spelling,
    by_numcodecs,
    view,
)
from ncz.errors import CodecError
from ncz.late import numpy as np
from ncz.record import replace

if TYPE_CHECKING:
    from ncz.codec import Bytes, Elements

_ASTYPE = Parameter("astype", "text")


class _NumberFilter(Codec):
    """A filter that converts numbers from one dtype to another."""

    kind = "array filter"
    before, after = "dtype", "astype"  # the parameters with the dtypes

    def narrows(self, configuration: Configuration) -> bool:
        """Return whether the dtypes differ."""
        before, after = self._dtypes(configuration)
        return before != after and before is not None and before.kind in "iuf"

    def element_size(self, configuration: Configuration, size: int) -> int:
        """Return the size of the dtype after the codec."""
        after = configuration.get(self.after) or configuration.get(self.before)
        try:
            return size if after is None else np.dtype(after).itemsize
        except TypeError:  # the codec is refused before it encodes
            return size

    def result(self, array: ArraySpec, configuration: Configuration) -> ArraySpec:
        """Return the same array in the dtype after the codec."""
        after = configuration.get(self.after) or configuration.get(self.before)
        if after is None:
            return array
        size = self.element_size(configuration, array.item_size)
        return replace(array, dtype=after, item_size=size)

    def _dtypes(self, configuration: Configuration) -> tuple[Any, Any]:
        """Return the numpy dtypes before and after the codec; None if one is not given."""
        before, after = configuration.get(self.before), configuration.get(self.after)
        if before is None or after is None:
            return None, None

        return np.dtype(before), np.dtype(after)

    def check(self, data: Bytes, stage: Stage) -> None:
        """Compare the size that the elements of `data` have after decoding."""
        before = stage.configuration.get(self.before)
        after = stage.configuration.get(self.after)
        to, of = np.dtype(before or after or "u1"), np.dtype(after or before or "u1")
        stage.refuse_longer(len(data) // max(1, of.itemsize) * to.itemsize)

    def encode(self, value: Bytes | Elements, stage: Stage) -> Bytes | Elements:
        """Convert numbers. Raises `CodecError` if one of them cannot be stored."""
        configuration = stage.configuration
        codec = self.load(configuration)
        if self.narrows(configuration) and not isinstance(value, (bytes, bytearray, memoryview)):
            self._check_fits(configuration, codec, value)
        encoded: Bytes | Elements = codec.encode(value)
        return encoded

    def decode(self, value: Bytes | Elements, stage: Stage) -> Bytes | Elements:
        """Convert numbers back; a scale of 0 makes them infinite or NaN, as in numcodecs."""
        with np.errstate(all="ignore"):
            return super().decode(value, stage)

    def _check_fits(self, configuration: Configuration, codec: Any, elements: Elements) -> None:
        before, after = self._dtypes(configuration)
        values = elements.view(before).reshape(-1)
        with np.errstate(all="ignore"):
            fits = self._can_store(values, after, codec)
        if not fits.all():
            raise CodecError(
                f"{self.id} cannot store {values[np.argmin(fits)]} as {after.str}",
                hint="use a wider astype, or another scale and offset",
            )

    def _can_store(self, values: Elements, after: Any, codec: Any) -> Elements:
        """Return which values the codec of numcodecs can store."""
        if after.kind in "iu":
            limits = np.iinfo(after)
            within: Elements = (values >= limits.min) & (values <= limits.max)
            return within
        finite: Elements = np.isfinite(values.astype(after)) | ~np.isfinite(values)
        return finite


class Delta(_NumberFilter):
    """The codec delta: differences between neighbouring numbers."""

    id = "delta"
    parameters = (DTYPE, _ASTYPE)
    v3 = by_numcodecs("delta")

    def _can_store(self, values: Elements, after: Any, codec: Any) -> Elements:
        """Return which differences can be stored; integer differences may wrap around and back."""
        differences = np.diff(values, prepend=values.dtype.type(0))
        if values.dtype.kind in "iu" and after.kind in "iu":
            fits: Elements = np.cumsum(differences.astype(after), dtype=values.dtype) == values
            return fits
        return super()._can_store(differences, after, codec)


class FixedScaleOffset(_NumberFilter):
    """The codec fixedscaleoffset: whole numbers, after an offset and a scale."""

    id = "fixedscaleoffset"
    parameters = (
        Parameter("scale", "number", required=True),
        Parameter("offset", "number", required=True),
        DTYPE,
        _ASTYPE,
    )
    v3 = by_numcodecs("fixedscaleoffset")

    def _can_store(self, values: Elements, after: Any, codec: Any) -> Elements:
        """Return which scaled values can be stored."""
        scaled = np.around((values - codec.offset) * codec.scale)
        return super()._can_store(scaled, after, codec)


class Quantize(_NumberFilter):
    """The codec quantize: floats rounded to decimal digits; not netCDF's quantization."""

    id = "quantize"
    parameters = (
        Parameter("digits", "integer", None, -308, 308, required=True),
        DTYPE,
        _ASTYPE,
    )
    v3 = V3Spelling("numcodecs.quantize", equal=("dtype", "astype"))


class AsType(_NumberFilter):
    """The codec astype: numbers of another dtype."""

    id = "astype"
    parameters = (
        Parameter("encode_dtype", "text", required=True),
        Parameter("decode_dtype", "text", required=True),
    )
    v3 = by_numcodecs("astype")
    before, after = "decode_dtype", "encode_dtype"


class Categorize(_NumberFilter):
    """The codec categorize: numbers in place of labels, which may be objects."""

    id = "categorize"
    parameters = (Parameter("labels", required=True), DTYPE, Parameter("astype", "text", "u1"))

    def encodes_objects(self, configuration: Configuration) -> bool:
        """Return whether the labels are objects."""
        return configuration.get("dtype") in ("|O", "O", "object")

    def element_size(self, configuration: Configuration, size: int) -> int:
        """Return the size of the number of a label."""
        return super().element_size({"astype": "u1", **configuration}, size)

    def result(self, array: ArraySpec, configuration: Configuration) -> ArraySpec:
        """Return an array of the numbers of labels."""
        return super().result(array, {"astype": "u1", **configuration})


class BitRound(Codec):
    """The codec bitround: floats with fewer bits of the mantissa."""

    id = "bitround"
    kind = "array filter"
    parameters = (Parameter("keepbits", "integer", None, 0, 52, required=True),)
    effort = ("keepbits",)
    v3 = by_numcodecs("bitround")
    keeps_size = True


class PackBits(Codec):
    """The codec packbits: eight booleans a byte, after the number of padding bits."""

    id = "packbits"
    kind = "array filter"
    v3 = by_numcodecs("packbits")

    def element_size(self, configuration: Configuration, size: int) -> int:
        """Return the size of eight booleans."""
        return 1

    def result(self, array: ArraySpec, configuration: Configuration) -> ArraySpec:
        """Return an array of bytes."""
        return ArraySpec((1 + -(-array.count // 8),), 1, "u1")

    def max_encoded_size(
        self, size: int, array: ArraySpec, configuration: Configuration, most: int
    ) -> int:
        """Return the number of bytes for `size` booleans."""
        return 1 + -(-size // 8)

    def encode(self, value: Bytes | Elements, stage: Stage) -> Bytes | Elements:
        """Pack booleans. Raises `CodecError` for a byte that is neither 0 nor 1."""
        booleans = np.frombuffer(view(value), "u1")
        if booleans.size and booleans.max() > 1:
            raise CodecError(
                f"{self.id} cannot store {booleans[booleans > 1][0]}, but only 0 and 1",
                hint="use another codec",
            )
        return super().encode(value, stage)

    def check(self, data: Bytes, stage: Stage) -> None:
        """Check the number of booleans, one byte each."""
        if not data or data[0] > 7 or data[0] > 8 * (len(data) - 1):
            raise ValueError("it does not start with the number of bits that are padding")
        stage.refuse_longer(8 * (len(data) - 1) - data[0])


CODECS = (
    Delta(), FixedScaleOffset(), Quantize(), BitRound(), AsType(), PackBits(), Categorize()
)  # fmt: skip

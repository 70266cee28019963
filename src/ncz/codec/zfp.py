"""The codec zfp of Zarr V3: numbers that zfp compresses, without the header of a stream.

Numbers of fewer than 32 bits are stored as numbers of 32 bits. The expert mode is only decoded,
because zfpy cannot write it.

Source: zarr-extensions, "zfp"; zfp's ``zfp.c`` for the header and the mode of a stream.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ncz.codec import (
    ArraySpec,
    Codec,
    Configuration,
    Json,
    Parameter,
    Stage,
    TooLong,
    V3Spelling,
    choice,
    to_bytes,
)
from ncz.codec.array_compressors import bytes_of_blocks, longest_block
from ncz.codec.element_types import NumberType, number_type, numpy_type
from ncz.errors import CodecError, CodecMissing
from ncz.late import numpy as np

if TYPE_CHECKING:
    from ncz.codec import Bytes, Elements

_MOST_AXES = 4
_EXPERT = ("minbits", "maxbits", "maxprec", "minexp")

_PARAMETERS: dict[str, tuple[str, ...]] = {
    "reversible": (),
    "expert": _EXPERT,
    "fixed_accuracy": ("tolerance",),
    "fixed_rate": ("rate",),
    "fixed_precision": ("precision",),
}
"""The parameters of each mode."""

_MAGIC = b"zfp\5"
_TYPES = {"i4": 0, "i8": 1, "f4": 2, "f8": 3}  # as the header numbers them
_LEAST_BITS = {"f4": 9, "f8": 12}  # of a block at a fixed rate: its first bit and the exponent


class Zfp(Codec):
    """The codec zfp."""

    id = "zfp"
    kind = "serializer"
    parameters = (
        choice("mode", None, *_PARAMETERS),
        Parameter("tolerance", "number"),
        Parameter("rate", "number"),
        Parameter("precision", "integer", None, 0, 2**31 - 1),
        Parameter("minbits", "integer", None, 0, 2**31 - 1),
        Parameter("maxbits", "integer", None, 0, 2**31 - 1),
        Parameter("maxprec", "integer", None, 0, 2**31 - 1),
        Parameter("minexp", "integer", None, -(2**31), 2**31 - 1),
    )
    v3 = V3Spelling("zfp")
    takes_arrays = True
    is_v2 = False
    is_extension = True
    install = "pip install 'ncz[zfp]'"

    def narrows(self, configuration: Configuration) -> bool:
        """Return whether numbers may be stored as others."""
        return configuration.get("mode") != "reversible"

    def result(self, array: ArraySpec, configuration: Configuration) -> ArraySpec:
        """Return the array. Raises `CodecError` for one that zfp does not encode."""
        mode = configuration.get("mode")
        if mode not in _PARAMETERS:
            raise CodecError(f"zfp needs a mode, one of {', '.join(_PARAMETERS)}")
        given = {name for name, value in configuration.items() if value is not None}
        if given - {"id", "mode"} != set(_PARAMETERS[mode]):
            needed = " and ".join(_PARAMETERS[mode]) or "no parameter"
            raise CodecError(f"zfp: the mode {mode} has {needed}")
        for name in given & {"tolerance", "rate"}:
            if not configuration[name] >= 0:
                raise CodecError(f"zfp: the {name} must not be below zero")
        if len(array.shape) > _MOST_AXES:
            raise CodecError(f"zfp encodes arrays of at most {_MOST_AXES} axes")
        if array.dtype is not None:
            _number(array)
        return array

    def max_encoded_size(
        self, size: int, array: ArraySpec, configuration: Configuration, most: int
    ) -> int:
        """Return the most bytes that zfp stores for numbers of the widest type."""
        shape = array.shape or (1,)
        bits = _rate_bits(configuration, len(shape), "f8") or longest_block(8, len(shape))
        return bytes_of_blocks(shape, bits)

    def encode(self, value: Bytes | Elements, stage: Stage) -> bytes:
        """Encode numbers."""
        zfpy = self._library()
        mode = stage.configuration["mode"]
        if mode == "expert":
            raise CodecError(
                "zfpy cannot write the expert mode of zfp",
                hint="use another mode, or another codec",
            )
        array: Any = value
        numbers = _promote(array.reshape(array.shape or (1,)), _number(stage.array))
        if mode != "reversible" and numbers.dtype.kind == "f" and not np.isfinite(numbers).all():
            raise CodecError(
                "zfp cannot store NaN and infinity in this mode",
                hint="use the mode reversible, or another codec",
            )
        _check_rate(stage.configuration, numbers)
        options = {name: stage.configuration[name] for name in _PARAMETERS[mode]}
        encoded: bytes = zfpy.compress_numpy(numbers, write_header=False, **options)
        return encoded

    def decode(self, value: Bytes | Elements, stage: Stage) -> Elements:
        """Decode from a buffer with padding, because zfp may read beyond its data."""
        zfpy = self._library()
        configuration, array = stage.configuration, stage.array
        known = _number(array)
        stored = np.dtype(_stored_type(known))
        shape = array.shape or (1,)
        bits = _rate_bits(configuration, len(shape), stored.str[1:])
        size = bytes_of_blocks(shape, bits or longest_block(stored.itemsize, len(shape)))
        if size > 4 * stage.limit + (64 << 20):
            raise TooLong(stage.limit)
        data = to_bytes(value).ljust(size + 64, b"\0")
        decoded: Any
        if configuration["mode"] == "expert":
            decoded = zfpy.decompress_numpy(_with_header(data, configuration, shape, stored))
        else:
            options = {name: configuration[name] for name in _PARAMETERS[configuration["mode"]]}
            number = {"tolerance": -1.0, "rate": -1.0, "precision": -1, **options}
            ztype = zfpy.dtype_to_ztype(stored)
            decoded = zfpy._decompress(data, ztype, shape, **number)
        elements: Elements = _demote(decoded, known, numpy_type(array.dtype)).reshape(array.shape)
        return elements

    def _library(self) -> Any:
        try:
            import zfpy
        except ImportError as error:
            raise CodecMissing(
                "the codec 'zfp' needs the package zfpy", hint=self.install
            ) from error
        return zfpy


def _number(array: ArraySpec) -> NumberType:
    """Return the properties of the numbers of an array. Raises `CodecError` for others."""
    known = None if array.is_boolean else number_type(array.dtype)
    if known is None:
        raise CodecError(f"zfp encodes numbers, not elements of {array.dtype}")
    return known


def _stored_type(known: NumberType) -> str:
    """Return the type that zfp uses for numbers: 32 or 64 bits, and signed integers."""
    size = 8 if known.bits == 64 else 4
    return f"f{size}" if known.kind == "f" else f"i{size}"


def _promote(numbers: Any, known: NumberType) -> Elements:
    """Convert numbers to the type that zfp uses for them."""
    stored = np.dtype(_stored_type(known))
    if known.kind == "f" or (known.kind == "i" and known.bits >= 32):
        return np.ascontiguousarray(numbers.astype(stored))
    if known.bits >= 32:
        if numbers.size and int(numbers.max()) > np.iinfo(stored).max:
            raise CodecError(
                f"zfp cannot store {numbers.max()}, but integers up to {np.iinfo(stored).max}",
                hint="use another codec",
            )
        return np.ascontiguousarray(numbers.astype(stored))
    zero = 1 << (known.bits - 1) if known.kind == "u" else 0
    wide = (numbers.astype("i8") - zero) << (31 - known.bits)
    return np.ascontiguousarray(wide.astype(stored))


def _demote(numbers: Any, known: NumberType, dtype: Any) -> Any:
    """Return numbers of zfp in their own type; integers beyond it become its limits."""
    if known.kind == "f" or (known.kind == "i" and known.bits >= 32):
        with np.errstate(over="ignore"):  # damaged data have any number
            return numbers.astype(dtype)
    if known.bits >= 32:
        return np.maximum(numbers, 0).astype(dtype)
    half = 1 << (known.bits - 1)
    low, high = (0, 2 * half - 1) if known.kind == "u" else (-half, half - 1)
    zero = half if known.kind == "u" else 0
    return np.clip((numbers >> (31 - known.bits)) + zero, low, high).astype(dtype)


def _check_rate(configuration: Configuration, numbers: Any) -> None:
    """Raise `CodecError` for a rate that makes zfpy write beyond its memory."""
    if configuration["mode"] != "fixed_rate":
        return
    bits = int(4**numbers.ndim * float(configuration["rate"]) + 0.5)
    least = _LEAST_BITS.get(numbers.dtype.str[1:], 0) + 1
    if bits < least:
        raise CodecError(
            f"zfp: the rate gives a block {bits} bits, and it needs {least}",
            hint="use a higher rate",
        )


def _rate_bits(configuration: Configuration, axes: int, stored: str) -> int | None:
    """Return the bits of a block if the configuration fixes them; None if the data do."""
    mode = configuration.get("mode")
    if mode == "fixed_rate":
        # A rate is limited here as its memory must be counted before it is allocated.
        rate = min(max(float(configuration["rate"]), 0.0), 2.0**31)
        return max(int(4**axes * rate + 0.5), _LEAST_BITS.get(stored, 1))
    if mode == "expert":
        most = min(int(configuration["maxbits"]), longest_block(8, axes))
        return max(int(configuration["minbits"]), most, 1)
    return None


def _with_header(
    data: bytes, configuration: Configuration, shape: tuple[int, ...], stored: Any
) -> bytes:
    """Return the data after a header that contains the type, the shape and the expert mode."""
    bits = 48 // len(shape)
    if max(shape) > 1 << bits:
        raise CodecError(f"zfp: the expert mode is read along axes of at most {1 << bits} elements")
    meta = _TYPES[stored.str[1:]] | (len(shape) - 1) << 2
    for number, length in enumerate(reversed(shape)):
        meta |= (length - 1) << 4 + bits * number
    least, most, precision, exponent = _expert(configuration)
    mode = (((exponent << 7 | precision) << 15 | most) << 15 | least) << 12 | 0xFFF
    # The header has 148 bits, so that the data begin in the middle of a byte.
    codes = np.frombuffer(data, "u1")
    moved = np.zeros(len(codes) + 1, "u1")
    moved[:-1] = codes << 4
    moved[1:] |= codes >> 4
    header = bytearray((meta | mode << 52).to_bytes(15, "little"))
    moved[0] |= header.pop()
    return _MAGIC + bytes(header) + moved.tobytes()


def _expert(configuration: Configuration) -> tuple[int, int, int, int]:
    """Return the numbers of the expert mode in the header."""

    def within(name: str, most: int) -> int:
        value: Json = configuration[name]
        return max(1, min(int(value), most)) - 1

    exponent = max(0, min(int(configuration["minexp"]) + 16495, 0x7FFF))
    return within("minbits", 0x8000), within("maxbits", 0x8000), within("maxprec", 0x80), exponent


CODECS = (Zfp(),)

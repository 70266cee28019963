"""The codec conditional of Zarr V3: each chunk names its codecs, out of several lists.

Source: zarr-extensions, "conditional".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ncz.codec import (
    ArraySpec,
    Codec,
    Configuration,
    EncodedBytes,
    Parameter,
    Stage,
    V3Spelling,
    to_bytes,
    view,
)
from ncz.codec.bounds import of_bytes, stages
from ncz.codec.catalogue import codec_of
from ncz.errors import CodecError
from ncz.record import replace

if TYPE_CHECKING:
    from ncz.codec import Bytes, Elements

_MOST_BITS = 8192
"""Most bits of a header; the specification names no limit."""


class Conditional(Codec):
    """The codec conditional. A chunk is encoded with each codec that makes it shorter."""

    id = "conditional"
    kind = "compressor"
    parameters = (
        Parameter("codecs", required=True),
        Parameter("header_bits", "integer", None, 8, _MOST_BITS),
    )
    holds_codecs = True
    v3 = V3Spelling("conditional")
    is_v2 = False
    is_extension = True

    def result(self, array: ArraySpec, configuration: Configuration) -> ArraySpec:
        """Return the array. Raises `CodecError` for a header without a bit for each codec."""
        bits = configuration.get("header_bits")
        if bits is not None and (bits % 8 or bits < len(configuration["codecs"])):
            raise CodecError(
                "conditional: header_bits must be whole bytes with a bit for each codec"
            )
        return array

    def max_encoded_size(
        self, size: int, array: ArraySpec, configuration: Configuration, most: int
    ) -> int:
        """Return the most bytes after all of the codecs."""
        longest = size
        for each in configuration["codecs"]:
            size = codec_of(each).max_encoded_size(size, array, each, most)
            longest = max(longest, size)
        return longest + header_size(configuration)

    def looks_whole(
        self, data: EncodedBytes, size: int | None, array: ArraySpec, configuration: Configuration
    ) -> bool:
        """Return whether the header names codecs that there are."""
        length = header_size(configuration)
        bits = int.from_bytes(data[:length], "little")
        return len(data) >= length and bits >> len(configuration["codecs"]) == 0

    def encode(self, value: Bytes | Elements, stage: Stage) -> bytes:
        """Encode bytes with each of the codecs that makes them shorter."""
        data = to_bytes(value)
        bits = 0
        for number, each in enumerate(stage.configuration["codecs"]):
            codec = codec_of(each)
            shorter = to_bytes(codec.encode(data, replace(stage, configuration=each)))
            if len(shorter) < len(data):
                data, bits = shorter, bits | 1 << number
        return bits.to_bytes(header_size(stage.configuration), "little") + data

    def decode(self, value: Bytes | Elements, stage: Stage) -> Bytes | Elements:
        """Undo the codecs that the header names."""
        data = view(value)
        codecs = stage.configuration["codecs"]
        length = header_size(stage.configuration)
        if len(data) < length:
            raise CodecError("it is shorter than the header of its codecs")
        bits = int.from_bytes(data[:length], "little")
        if bits >> len(codecs):
            raise CodecError("its header names codecs that the array does not have")
        applied = [each for number, each in enumerate(codecs) if bits >> number & 1]
        rest: Bytes | Elements = data[length:]
        for step in reversed(_steps(applied, stage)):
            codec = codec_of(step.configuration)
            codec.check(view(rest), step)
            rest = codec.decode(rest, step)
        stage.refuse_longer(len(view(rest)))
        return rest


def _steps(codecs: Sequence[Configuration], stage: Stage) -> list[Stage]:
    """Return the stages of decoding by codecs that are within a stage."""
    bounded = stages(codecs, of_bytes(stage.limit), stage.limit)
    return [replace(each, array=stage.array, row=stage.row) for each in bounded]


def header_size(configuration: Configuration) -> int:
    """Return the bytes of the header."""
    bits = configuration.get("header_bits")
    return -(-(len(configuration["codecs"]) if bits is None else bits) // 8)


CODECS = (Conditional(),)

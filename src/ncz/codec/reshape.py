"""The codec reshape: the elements of an array along other axes.

Source: zarr-extensions, "reshape".
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

from ncz.codec import ArraySpec, Codec, Configuration, Parameter, Stage, V3Spelling
from ncz.errors import CodecError
from ncz.record import replace

if TYPE_CHECKING:
    from ncz.codec import Bytes, Elements

_MOST_AXES = 64


class Reshape(Codec):
    """The codec reshape."""

    id = "reshape"
    kind = "array filter"
    parameters = (Parameter("shape", required=True),)
    v3 = V3Spelling("reshape")
    takes_arrays = True
    moves_elements = True
    is_v2 = False
    is_extension = True

    def result(self, array: ArraySpec, configuration: Configuration) -> ArraySpec:
        """Return the same array in the other shape."""
        return replace(array, shape=new_shape(array.shape, configuration["shape"]))

    def encode(self, value: Bytes | Elements, stage: Stage) -> Elements:
        """Return the elements in the other shape."""
        array: Any = value
        other: Elements = array.reshape(self.result(stage.array, stage.configuration).shape)
        return other

    def decode(self, value: Bytes | Elements, stage: Stage) -> Elements:
        """Return the elements in the shape of the array."""
        array: Any = value
        original: Elements = array.reshape(stage.array.shape)
        return original


def new_shape(shape: tuple[int, ...], wanted: Any) -> tuple[int, ...]:
    """Return the shape that a configuration gives an array.

    An entry is a length, -1 for the remaining length, or a list of axes whose lengths are
    multiplied. Raises `CodecError` if the elements do not fit.
    """
    if not isinstance(wanted, (list, tuple)) or not 0 <= len(wanted) <= _MOST_AXES:
        raise CodecError("reshape: the shape must be a list")
    axes = [axis for entry in wanted if isinstance(entry, (list, tuple)) for axis in entry]
    is_known = all(type(axis) is int and 0 <= axis < len(shape) for axis in axes)
    if not is_known or any(a >= b for a, b in itertools.pairwise(axes)):
        raise CodecError("reshape: the axes of the shape must exist, and increase")
    lengths: list[int | None] = []
    for entry in wanted:
        if isinstance(entry, (list, tuple)):
            lengths.append(math.prod(shape[axis] for axis in entry))
        elif type(entry) is int and (entry > 0 or entry == -1):
            lengths.append(None if entry == -1 else entry)
        else:
            raise CodecError("reshape: the shape must have lengths, -1 or lists of axes")
    total = math.prod(shape)
    known = math.prod(n for n in lengths if n is not None)
    if lengths.count(None) == 1 and known and total % known == 0:
        lengths[lengths.index(None)] = total // known
    if None in lengths or math.prod(n or 0 for n in lengths) != total:
        raise CodecError(f"reshape: {_text(wanted)} does not fit chunks of {_text(shape)}")
    result = tuple(n or 0 for n in lengths)
    for at, entry in enumerate(wanted):
        if isinstance(entry, (list, tuple)) and entry:
            before = math.prod(result[:at]) == math.prod(shape[: entry[0]])
            if not before or math.prod(result[at + 1 :]) != math.prod(shape[entry[-1] + 1 :]):
                raise CodecError(f"reshape: {_text(wanted)} would move elements between axes")
    return result


def _text(lengths: Any) -> str:
    return str(list(lengths))[:60]


CODECS = (Reshape(),)

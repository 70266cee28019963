"""The codec transpose: the axes of an array in another order.

Source: the Zarr specification of the codec transpose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ncz.codec import ArraySpec, Codec, Configuration, Parameter, Stage, V3Spelling
from ncz.errors import CodecError
from ncz.record import replace

if TYPE_CHECKING:
    from ncz.codec import Bytes, Elements


class Transpose(Codec):
    """The codec transpose; in Zarr V2, the member ``order`` of the document."""

    id = "transpose"
    kind = "array filter"
    parameters = (Parameter("order", required=True),)
    v3 = V3Spelling("transpose")
    takes_arrays = True
    moves_elements = True
    is_v2 = False

    def result(self, array: ArraySpec, configuration: Configuration) -> ArraySpec:
        """Return the same array with its axes in the order of the configuration."""
        order = configuration["order"]
        if sorted(order) != list(range(len(array.shape))):
            raise CodecError(f"transpose: {list(order)} is not an order of {len(array.shape)} axes")
        return replace(array, shape=tuple(array.shape[axis] for axis in order))

    def encode(self, value: Bytes | Elements, stage: Stage) -> Elements:
        """Return a view of an array."""
        array: Any = value
        transposed: Elements = array.transpose(stage.configuration["order"])
        return transposed

    def decode(self, value: Bytes | Elements, stage: Stage) -> Elements:
        """Return a view of an array, with its axes in their own order."""
        array: Any = value
        order = stage.configuration["order"]
        original: Elements = array.transpose(sorted(range(len(order)), key=order.__getitem__))
        return original


CODECS = (Transpose(),)

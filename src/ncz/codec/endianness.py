"""The codec bytes: the elements of an array one after the other, in a byte order.

A chain has it only where the byte order differs from the dtype's, as after a codec that changes the
dtype. Everywhere else an array becomes its bytes without a codec.

Source: the Zarr specification of the codec bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ncz.codec import Codec, Stage, V3Parameter, V3Spelling, choice, view
from ncz.codec.element_types import complex_part, numpy_type
from ncz.late import numpy as np

if TYPE_CHECKING:
    from ncz.codec import Bytes, Elements

_ORDERS = {"little": "<", "big": ">"}


class ByteOrder(Codec):
    """The codec bytes."""

    id = "bytes"
    kind = "serializer"
    parameters = (choice("endian", "little", *_ORDERS),)
    v3 = V3Spelling("bytes", (V3Parameter("endian", "little"),))
    takes_arrays = True
    keeps_size = True
    is_v2 = False

    def encode(self, value: Bytes | Elements, stage: Stage) -> Elements:
        """Return the elements in the byte order."""
        array: Any = value
        order = _ORDERS[stage.configuration.get("endian", "little")]
        size = _item_of_ml_dtypes(array.dtype)
        if size:
            words = np.ascontiguousarray(array).reshape(-1).view(f"u{size}")
            codes: Elements = words.astype(f"{order}u{size}", copy=False)
            return codes
        ordered: Elements = array.astype(array.dtype.newbyteorder(order), copy=False)
        return ordered

    def decode(self, value: Bytes | Elements, stage: Stage) -> Elements:
        """Return the elements in the byte order of the array."""
        array = stage.array
        dtype = numpy_type(array.dtype)
        order = _ORDERS[stage.configuration.get("endian", "little")]
        data = view(value)
        if len(data) != array.size:
            raise ValueError(f"it has {len(data)} bytes, not {array.size}")
        size = _item_of_ml_dtypes(dtype)
        if size:
            codes = np.frombuffer(data, f"{order}u{size}").astype(f"u{size}", copy=False)
            return codes.view(dtype).reshape(array.shape)
        ordered: Any = dtype
        stored = np.frombuffer(data, ordered.newbyteorder(order)).reshape(array.shape)
        return stored.astype(dtype, copy=False)


def _item_of_ml_dtypes(dtype: Any) -> int:
    """Return the bytes of a number of ml_dtypes, which have one byte order; 0 for others."""
    part = complex_part(dtype)
    number = dtype if part is None else part
    return number.itemsize if number.isbuiltin == 2 else 0


CODECS = (ByteOrder(),)

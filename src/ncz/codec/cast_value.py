"""The codec cast_value: numbers in another type.

Source: zarr-extensions, "cast_value".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ncz.codec import ArraySpec, Codec, Configuration, Parameter, Stage, V3Spelling, choice
from ncz.codec.casting import ROUNDING, cast
from ncz.codec.element_types import number_type, numpy_type, scalar
from ncz.errors import CodecError
from ncz.late import numpy as np
from ncz.record import replace

if TYPE_CHECKING:
    from ncz.codec import Bytes, Elements

_MOST_ENTRIES = 4096
"""Most entries of a map of scalars: all elements are compared with each entry."""


class CastValue(Codec):
    """The codec cast_value. A number without a place in the other type is an error."""

    id = "cast_value"
    kind = "array filter"
    parameters = (
        Parameter("data_type", "text", required=True),
        choice("rounding", ROUNDING[0], *ROUNDING),
        choice("out_of_range", None, "clamp", "wrap"),
        Parameter("scalar_map"),
    )
    v3 = V3Spelling("cast_value")
    takes_arrays = True
    is_v2 = False
    is_extension = True

    def narrows(self, configuration: Configuration) -> bool:
        """Return True: the fill value may have no place in the other type."""
        return True

    def element_size(self, configuration: Configuration, size: int) -> int:
        """Return the bytes of a number of the other type."""
        known = number_type(configuration["data_type"])
        return size if known is None else known.item_size

    def result(self, array: ArraySpec, configuration: Configuration) -> ArraySpec:
        """Return the array in the other type."""
        name = configuration["data_type"]
        known = number_type(name)
        if known is None:
            raise CodecError(f"cast_value has no numbers of the type {str(name)[:40]!r}")
        if configuration.get("out_of_range") == "wrap" and known.kind == "f":
            raise CodecError(f"cast_value cannot wrap numbers around in the type {name}")
        if array.dtype is not None and number_type(array.dtype) is None:
            raise CodecError(f"cast_value encodes numbers, not elements of {array.dtype}")
        fill = array.fill
        if fill is not None:
            fill = _convert(fill, numpy_type(name), configuration, "encode")
        return replace(array, dtype=name, item_size=known.item_size, fill=fill, order="<")

    def encode(self, value: Bytes | Elements, stage: Stage) -> Elements:
        """Convert numbers to the other type."""
        dtype = numpy_type(stage.configuration["data_type"])
        return _convert(value, dtype, stage.configuration, "encode")

    def decode(self, value: Bytes | Elements, stage: Stage) -> Elements:
        """Convert numbers back to the type of the array."""
        return _convert(value, numpy_type(stage.array.dtype), stage.configuration, "decode")


def _convert(value: Any, dtype: Any, configuration: Configuration, direction: str) -> Elements:
    native = numpy_type(value.dtype.newbyteorder("=").name)
    elements = np.asarray(value, native)
    target = numpy_type(dtype.newbyteorder("=").name)
    entries = _entries(configuration, direction)
    masks = []
    if entries:
        pairs = [(scalar(key, native), scalar(to, target)) for key, to in entries]
        masks = [(elements != elements if key != key else elements == key, to) for key, to in pairs]
        mapped = np.logical_or.reduce([mask for mask, _ in masks])
        elements = np.where(mapped, np.zeros((), native), elements)
    rounding = configuration.get("rounding") or ROUNDING[0]
    out_of_range = configuration.get("out_of_range")
    try:
        result = cast(elements, target, rounding, out_of_range)
    except ValueError as error:
        raise CodecError(
            f"cast_value: {error}", hint="use a scalar_map, out_of_range or another data_type"
        ) from error
    for mask, to in reversed(masks):  # the first entry counts
        result = np.where(mask, to, result)
    converted: Elements = result.astype(dtype, copy=False)
    return converted


def _entries(configuration: Configuration, direction: str) -> list[tuple[Any, Any]]:
    """Return the pairs of scalars that are mapped explicitly. Raises `CodecError`."""
    scalar_map = configuration.get("scalar_map") or {}
    entries = scalar_map.get(direction) or [] if isinstance(scalar_map, dict) else None
    if (
        not isinstance(entries, (list, tuple))
        or len(entries) > _MOST_ENTRIES
        or not all(isinstance(entry, (list, tuple)) and len(entry) == 2 for entry in entries)
    ):
        raise CodecError("cast_value: scalar_map must have lists of pairs")
    return [(key, to) for key, to in entries]


CODECS = (CastValue(),)

"""The elements of an array of Zarr as zarr-python returns them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ncz.formats.native_elements import NativeElements
from ncz.formats.zarr.arrays.array import ZarrArray
from ncz.formats.zarr.arrays.strings import are_bytes
from ncz.formats.zarr.documents.codecs_v3 import print_chain
from ncz.formats.zarr.types.user_types import is_complex_type
from ncz.model.tree import Provenance, Variable
from ncz.model.types import Atomic
from ncz.record import replace

if TYPE_CHECKING:
    from ncz.model.data import Values


def native_elements(variable: Variable, stored: Provenance) -> NativeElements | None:
    """Return the elements of a variable; None if its values are not stored as Zarr.

    Parameters
    ----------
    variable
        The variable.
    stored
        How its dataset is stored.
    """
    data = variable.data
    if not isinstance(data, ZarrArray):
        return None
    is_text, time = variable.type is Atomic.STRING, data.encoding.time
    return NativeElements(
        item_size=data.item_size,
        length_of_bytes=_length_of_bytes(data, stored) if is_text else None,
        are_bytes=is_text and are_bytes(variable) and not (stored.superblock or stored.annotated),
        is_complex=is_complex_type(variable.type),
        time_dtype=None if time is None else time.dtype,
        times=partial(_times, data, variable.name),
        has_fill=data.has_fill,
        fill_is_mask=not data.keys.marked,
        codecs=partial(_codecs, data),
    )


def _length_of_bytes(data: ZarrArray, stored: Provenance) -> int | None:
    """Return the length of strings that are ``|S5`` in pure Zarr, or single bytes."""
    is_fixed = str(data.encoding.dtype).startswith("|S")
    return data.item_size if is_fixed and (not stored.superblock or data.item_size == 1) else None


def _times(data: ZarrArray, name: str, numbers: Values) -> Values:
    time = data.encoding.time
    assert time is not None
    return time.elements(numbers, name).astype("i8").view(time.dtype)


def _codecs(data: ZarrArray) -> Sequence[Any]:
    chain = data.layout.inner_codecs
    if not data.keys.marked:
        return [codec.to_json() for codec in chain]
    layout = replace(data.layout, codecs=chain, shard=None, first_codecs=())
    return print_chain(layout, endian="<", item_size=data.item_size)

"""The storage of values of user-defined types, and the types that an array can contain.

An enum is stored as its base type, an opaque value as raw bytes, a compound of fixed size as a
structure, or as a complex number if its fields are named after its parts. All other values are the
JSON text of docs/reference/json.md, except for a vlen of numbers in Zarr V2 without such an
annotation, which is an object of the codec vlen-array. docs/reference/user-types.md explains the
reasons.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ncz.codec.catalogue import codec_of
from ncz.errors import FormatError
from ncz.formats.zarr.json import Json, show_json
from ncz.formats.zarr.types.dtypes import VLEN_DTYPE, Encoding, encoding_for
from ncz.model.filters import Filter, make_filter
from ncz.model.tree import Endianness
from ncz.model.type_sizes import fixed_size
from ncz.model.types import Atomic, Compound, Enumeration, Field, NcType, Opaque, UserType, Vlen
from ncz.model.user_types import packed_layout
from ncz.record import replace


def encoding_of(
    nc_type: UserType,
    *,
    endianness: Endianness | None,
    zarr_format: int,
    pure: bool,
    arrays: bool = False,
) -> Encoding:
    """Return the encoding for writing a variable of a user-defined type.

    An enum is little-endian by default, and a structure always. With `arrays`, vlens of numbers are
    objects of vlen-array and not text.
    """
    if isinstance(nc_type, Enumeration):
        plain = encoding_for(
            nc_type.base, endianness=endianness, string_length=None, char=">S1", pure=pure
        )
        return replace(plain, type=nc_type)
    size = fixed_size(nc_type)
    if size:
        dtype = _flat(nc_type) if zarr_format == 2 else _nested_dtype(nc_type)
        return Encoding(
            type=nc_type,
            dtype=f"<c{size}" if is_complex_type(nc_type) else dtype,
            stored_dtype=packed_layout(nc_type, "<"),
            item_size=size,
            base64_fill=True,
        )
    text = Encoding(type=nc_type, dtype="|O", stored_dtype="O", item_size=0, is_json=True)
    if arrays and item_dtype(nc_type) is not None:
        return replace(text, stored_dtype=VLEN_DTYPE, is_json=False)
    return text


def is_complex_type(nc_type: NcType) -> bool:
    """Return whether a compound has the parts of a complex number of numpy."""
    return isinstance(nc_type, Compound) and nc_type.fields in _COMPLEX


_COMPLEX = tuple(
    (Field(name=real, type=part), Field(name=imaginary, type=part))
    for real, imaginary in (("r", "i"), ("real", "imag"))
    for part in (Atomic.FLOAT, Atomic.DOUBLE)
)
"""The fields of complex numbers: as h5py and netCDF4 name them, and as numpy does."""


def object_codec_of(encoding: Encoding) -> Filter | None:
    """Return the codec that the objects of a user-defined type need; None for other elements."""
    if encoding.is_json:
        return make_filter("vlen-utf8")
    dtype = item_dtype(encoding.type) if encoding.dtype == "|O" else None
    return None if dtype is None else make_filter("vlen-array", dtype=dtype)


def item_dtype(nc_type: NcType) -> Json:
    """Return the dtype of the items of a vlen that vlen-array can contain; None for other types."""
    base = nc_type.base if isinstance(nc_type, Vlen) else None
    if base is None or isinstance(base, Compound) or not fixed_size(base):
        return None
    return _nested_dtype(base)


def _nested_dtype(nc_type: NcType) -> Json:
    """Return the dtype of a document; an array within a compound is raw bytes."""
    match nc_type:
        case Compound(fields=fields):
            return [[field.name, _of_field(field)] for field in fields]
        case Opaque(size=size):
            return f"|V{size}"
        case Enumeration(base=base):
            return _nested_dtype(base)
        case Atomic.CHAR:
            return "|S1"
        case Atomic():
            return f"{'|' if nc_type.size == 1 else '<'}{nc_type.dtype}"
        case _:
            raise TypeError(f"{nc_type} has no fixed size")


def _of_field(field: Field) -> Json:
    count = math.prod(field.shape)
    if not field.shape:
        return _nested_dtype(field.type)
    return f"|S{count}" if field.type is Atomic.CHAR else f"|V{count * fixed_size(field.type)}"


def _flat(nc_type: NcType) -> Json:
    """Return the dtype with the fields of all compounds in one list, as zarr-python 3 reads V2."""
    nested = _nested_dtype(nc_type)
    return (
        [[name, dtype] for name, dtype in _leaves(nested)] if isinstance(nested, list) else nested
    )


def _leaves(dtype: list[Json]) -> Iterator[tuple[str, Json]]:
    """Yield the fields of a structure and its inner structures, with unique names such as "a.b"."""
    names: set[str] = set()
    for name, inner in _paths(dtype, ""):
        while name in names:
            name += "_"
        names.add(name)
        yield name, inner


def _paths(dtype: list[Json], prefix: str) -> Iterator[tuple[str, Json]]:
    for name, inner, *shape in dtype:
        if isinstance(inner, list) and not shape:
            yield from _paths(inner, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", [inner, *shape] if shape else inner


def as_noted(encoding: Encoding, nc_type: UserType, codecs: Sequence[Filter]) -> Encoding:
    """Return the encoding of an array whose elements are noted to be of a user-defined type.

    Parameters
    ----------
    encoding
        The encoding by the array's dtype alone.
    nc_type
        The noted type.
    codecs
        The codecs of the array.

    Raises
    ------
    FormatError
        If elements of the dtype are not values of the type.
    """
    size = fixed_size(nc_type)
    if isinstance(nc_type, Enumeration) and encoding.type is nc_type.base and not encoding.hints:
        return replace(encoding, type=nc_type)
    if isinstance(nc_type, Opaque) and encoding.dtype == f"|V{size}":
        return replace(encoding, type=nc_type)
    if is_complex_type(nc_type) and _is_item(encoding.dtype, f"<c{size}"):
        layout = packed_layout(nc_type, str(encoding.dtype)[:1])
        return replace(encoding, type=nc_type, stored_dtype=layout)
    if isinstance(nc_type, Compound) and size and isinstance(encoding.dtype, list):
        order = _order_of(encoding.dtype, _nested_dtype(nc_type))
        if order is not None:
            return replace(
                encoding, type=nc_type, stored_dtype=packed_layout(nc_type, order), item_size=size
            )
    if not size and encoding.dtype == "|O":
        item_dtypes = [c.get("dtype") for c in codecs if codec_of(c.to_json()).objects == "arrays"]
        if item_dtypes and _is_item(item_dtypes[0], item_dtype(nc_type)):
            return replace(encoding, type=nc_type, stored_dtype=VLEN_DTYPE)
        if not item_dtypes and encoding.type is Atomic.STRING and not encoding.base64_fill:
            return replace(encoding, type=nc_type, is_json=True)
    raise FormatError(
        f"its dtype {show_json(encoding.dtype)} does not represent values of its type"
        f" {nc_type.name}"
    )


def _is_item(found: Json, expected: Json) -> bool:
    """Return whether the items of vlen-array have the expected dtype, in either byte order."""
    if not isinstance(found, str) or not isinstance(expected, str):
        return False
    return found.lstrip("<>|=") == expected.lstrip("<>|=")


def _order_of(found: list[Json], expected: list[Json]) -> str | None:
    """Return the byte order of a structure; None if it has other fields than expected."""
    ours, theirs = list(_leaves(expected)), list(_leaves(found))
    if len(ours) != len(theirs):
        return None
    orders = set()
    for (name, dtype), (other_name, other) in zip(ours, theirs, strict=True):
        if name != other_name or not _is_item(other, dtype):
            return None
        if dtype.startswith("<"):
            orders.add(">" if other.startswith(">") else "<")
    return None if len(orders) > 1 else orders.pop() if orders else "<"

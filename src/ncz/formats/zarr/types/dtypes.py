"""Convert Zarr dtypes to netCDF types and back, and numbers in JSON.

The mapping (source: the Zarr specification version 2, "Data type encoding"; numpy's array
interface; the NCZarr document, Appendix D; netcdf-c 4.10.1 where it reads the type at all):

=======================  =========================================================================
dtype                    netCDF type
=======================  =========================================================================
i1..i8, u1..u8, f4, f8   the type of that kind and size, in either byte order
f2                       float
b1                       ubyte, with the attribute dtype = "bool", so that xarray makes bool
>S1                      char in NCZarr (and |S1 where NCZarr notes the type), else string
<U1                      char of one byte in NCZarr, where netcdf-c 4.9 wrote it, else string
|Sn, <Un                 string; all NULs is NIL
|O                       string, by the codec vlen-utf8, vlen-bytes, json2, ...; vlen by vlen-array
<M8[unit]                int64, with the attribute units = "UNIT since 1970-01-01"; see native_times
<m8[unit]                int64, with the attributes units = "UNIT" and dtype = "timedelta64[..]"
<M8, <m8                 int64: a generic time has no unit
<c8, <c16                compound of r and i
int4, bfloat16, ...      byte, ubyte or float; tensorstore writes these names in Zarr V2 too
complex_bfloat16, ...    compound of r and i, of type float
a list of fields         compound
|Vn                      opaque(n)
=======================  =========================================================================

numpy is not imported, because a header is read without it. Values are converted by `conversion`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ncz.errors import FormatError
from ncz.formats.zarr.json import Json, show_json
from ncz.model.tree import Attribute, Endianness
from ncz.model.types import NOT_A_TIME, Atomic, Compound, Enumeration, Field, NcType, Opaque, Vlen
from ncz.record import record, replace

V2_DTYPE = re.compile(r"([<>|=]?)([biufcSUVmMO])(\d*)(?:\[(\d*)([A-Za-z]+)\])?")

if TYPE_CHECKING:
    from ncz.formats.zarr.types.native_times import NativeTime
    from ncz.model.filters import Filter

_ATOMIC = {(t.kind, t.size): t for t in Atomic if t.kind in "iuf"}
_ENDIANNESS: dict[str, Endianness] = {"<": "little", ">": "big"}
_LONGEST_ITEM = 2**31 - 1
_LARGEST_FACTOR = 2**31 - 1
"""The largest multiple of a unit of time that numpy has."""

VLEN_DTYPE = "object"
"""The stored dtype of the arrays that the codec vlen-array encodes. It means "O" to numpy, but is
another text than the stored dtype of strings, whose codecs cannot encode arrays."""

BOOLEAN = "|b1"
"""The dtype of booleans."""


@record(kw_only=True)
class Encoding:
    """The storage of elements of `type`.

    `dtype` is the dtype in `.zarray`. `stored_dtype` is the numpy dtype of an element on disk, and
    `item_size` its bytes, 0 for objects, whose size varies. `hints` are attributes that the mapping
    adds if the store does not have them. `base64_fill` is true if text in `fill_value` is base64,
    as zarr-python writes it. `is_struct` is true if Zarr V3 spells a structure as ``struct``, with
    a fill value for each field, and not as ``structured``. `is_json` is true if an element is the
    JSON text of a value of a user-defined type. `keeps_empty` is true if empty strings are values,
    and not NIL. `is_narrow` is true if numpy has the numbers only with ml_dtypes, such as bfloat16.
    `time` has the unit of elements of datetime64 or timedelta64.
    """

    type: NcType
    dtype: Json
    stored_dtype: Json
    item_size: int
    endianness: Endianness | None = None
    string_length: int | None = None
    hints: tuple[Attribute, ...] = ()
    base64_fill: bool = False
    is_struct: bool = False
    is_json: bool = False
    keeps_empty: bool = False
    time: NativeTime | None = None
    is_narrow: bool = False


def read_encoding(
    dtype: Json,
    *,
    nczarr: bool,
    alias: str | None = None,
    codecs: Sequence[Filter] = (),
    type_name: str = "/element",
) -> Encoding:
    """Return the encoding of an array's elements.

    Parameters
    ----------
    dtype
        The dtype in `.zarray`.
    nczarr
        Whether the store is NCZarr, where a dtype can mean another type.
    alias
        The type that NCZarr notes if the dtype could mean two.
    codecs
        The codecs of the array, with one that encodes objects.
    type_name
        FQN of the type if it is user-defined.

    Raises
    ------
    FormatError
        For a dtype that is not supported.
    """
    if isinstance(dtype, list):
        return _record(dtype, type_name)
    match = V2_DTYPE.fullmatch(dtype) if isinstance(dtype, str) else None
    if match is None:
        return _narrow(dtype, type_name)
    order, kind, digits, count, unit = match.groups()
    if unit is not None and kind not in "mM":
        raise _unknown(dtype)
    if kind == "O":
        return _object(dtype, codecs, type_name)
    is_wide = digits not in ("1", "") or kind == "U"
    if kind not in "SV" and is_wide and order not in ("<", ">"):
        raise _unknown(dtype)  # its byte order is not known
    size = int(digits) if digits and len(digits) < 11 else 0
    if size == 0 or size * (4 if kind == "U" else 1) > _LONGEST_ITEM:
        raise _unknown(dtype)
    has_order = kind == "U" or (size > 1 and kind not in "SV")
    plain = Encoding(
        type=_ATOMIC.get((kind, size), Atomic.STRING),
        dtype=dtype,
        stored_dtype=f"{order if has_order else ''}{kind}{size}",
        item_size=size,
        endianness=_ENDIANNESS[order] if has_order and kind != "U" else None,
    )
    match kind:
        case "i" | "u" | "f" if (kind, size) in _ATOMIC:
            return plain
        case "f" if size == 2:
            return replace(plain, type=Atomic.FLOAT)
        case "b" if size == 1:
            hints = (_hint("dtype", "bool"),)
            return replace(plain, type=Atomic.UBYTE, stored_dtype="u1", hints=hints)
        case "S" | "U" if size == 1 and (alias == "char" or (nczarr and order != "|")):
            return replace(plain, type=Atomic.CHAR, stored_dtype="S1", base64_fill=not nczarr)
        case "S":
            return replace(plain, string_length=size, base64_fill=not nczarr)
        case "U":
            return replace(plain, item_size=4 * size, string_length=4 * size)
        case "V":
            return replace(plain, type=Opaque(name=type_name, size=size), base64_fill=True)
        case "c" if size in (8, 16):
            return _complex(plain, type_name)
        case "m" | "M" if size == 8:
            from ncz.formats.zarr.types.native_times import NativeTime, is_unit

            factor = int(count[:11]) if count else 1
            if not 0 < factor <= _LARGEST_FACTOR or not (unit is None or is_unit(unit)):
                raise _unknown(dtype)
            is_date = kind == "M"
            time = NativeTime(is_date=is_date, unit=unit, count=factor) if unit else None
            return _of_times(plain, time)
        case _:
            raise _unknown(dtype)


def _narrow(dtype: Json, type_name: str) -> Encoding:
    """Return the encoding of numbers that numpy does not have; see `element_types`."""
    from ncz.codec.element_types import is_narrow, narrow_part, number_type

    part = number_type(narrow_part(dtype))
    if part is not None:
        return Encoding(
            type=Compound(name=type_name, fields=_complex_fields(Atomic.FLOAT)),
            dtype=dtype,
            stored_dtype=dtype,
            item_size=2 * part.item_size,
            is_narrow=True,
        )
    known = number_type(dtype) if is_narrow(dtype) else None
    if known is None:
        raise _unknown(dtype)
    return Encoding(
        type={"i": Atomic.BYTE, "u": Atomic.UBYTE, "f": Atomic.FLOAT}[known.kind],
        dtype=dtype,
        stored_dtype=dtype,
        item_size=known.item_size,
        is_narrow=True,
    )


def as_little_endian(encoding: Encoding) -> Encoding:
    """Return the encoding with elements, and fields of elements, in little-endian order."""
    return replace(
        encoding,
        dtype=_little(encoding.dtype),
        stored_dtype=_little(encoding.stored_dtype),
        endianness=encoding.endianness and "little",
    )


def _little(dtype: Json) -> Json:
    if isinstance(dtype, list):  # of fields: a name, a dtype, and a shape if it has one
        return [
            [field[0], _little(field[1]), *field[2:]] if isinstance(field, list) else field
            for field in dtype
        ]
    if isinstance(dtype, str) and dtype.startswith(">") and dtype != ">S1":
        return f"<{dtype[1:]}"
    return dtype


def _unknown(dtype: Json) -> FormatError:
    return FormatError(f"dtype {show_json(dtype)} is not supported")


def _of_times(plain: Encoding, time: NativeTime | None) -> Encoding:
    """Return the encoding of times; numpy's generic ones have no unit."""
    mask = Attribute(name="_FillValue", type=Atomic.INT64, values=(NOT_A_TIME,))
    hints = (*(time.hints if time is not None else ()), mask)
    order = plain.stored_dtype[0]
    # The text of the dtype differs where the numbers do, which are not copied raw then.
    is_plain = time is None or time.is_plain
    stored_dtype = f"{order}i8" if is_plain or time is None else f"{order}{time.dtype}"
    return replace(plain, type=Atomic.INT64, stored_dtype=stored_dtype, hints=hints, time=time)


def _hint(name: str, text: str) -> Attribute:
    return Attribute(name=name, type=Atomic.CHAR, values=(text,))


def _complex(plain: Encoding, type_name: str) -> Encoding:
    part = Atomic.FLOAT if plain.item_size == 8 else Atomic.DOUBLE
    half = f"{plain.stored_dtype[0]}f{part.size}"
    return replace(
        plain,
        type=Compound(name=type_name, fields=_complex_fields(part)),
        stored_dtype=[["r", half], ["i", half]],
    )


def _complex_fields(part: Atomic) -> tuple[Field, ...]:
    """Return the fields of complex numbers, as h5py names them."""
    return Field(name="r", type=part), Field(name="i", type=part)


def _record(dtype: list[Json], type_name: str, depth: int = 0) -> Encoding:
    fields, stored_dtype, size = [], [], 0
    if not dtype or depth > 16:
        raise _unknown(dtype)
    for entry in dtype:
        if not isinstance(entry, list) or len(entry) not in (2, 3) or not entry[0]:
            raise _unknown(dtype)
        name, inner = entry[0], entry[1]
        shape = tuple(entry[2]) if len(entry) == 3 and isinstance(entry[2], list) else ()
        if not isinstance(name, str) or not all(type(n) is int and n > 0 for n in shape):
            raise _unknown(dtype)
        named = f"{type_name}_{name}"
        field = (
            _record(inner, named, depth + 1) if isinstance(inner, list) else _of_field(inner, named)
        )
        if field.item_size == 0:
            raise _unknown(dtype)
        fields.append(Field(name=name, type=field.type, shape=shape))
        stored_dtype.append([name, field.stored_dtype, *([list(shape)] if shape else [])])
        size += field.item_size * math.prod(shape)
    names = [f.name for f in fields]
    if len(set(names)) != len(names) or size > _LONGEST_ITEM:
        raise _unknown(dtype)
    return Encoding(
        type=Compound(name=type_name, fields=tuple(fields)),
        dtype=dtype,
        stored_dtype=stored_dtype,
        item_size=size,
        base64_fill=True,
    )


def _of_field(dtype: Json, type_name: str) -> Encoding:
    """Return the encoding of a field, which has no attributes: times are the stored numbers."""
    encoding = read_encoding(dtype, nczarr=False, type_name=type_name)
    if encoding.time is None:
        return encoding
    return replace(encoding, stored_dtype=f"{encoding.stored_dtype[0]}i8", time=None)


def _object(dtype: Json, codecs: Sequence[Filter], type_name: str) -> Encoding:
    from ncz.codec.catalogue import codec_of

    encoding = Encoding(type=Atomic.STRING, dtype=dtype, stored_dtype="O", item_size=0)
    for codec in codecs:
        entry = codec_of(codec.to_json())
        if entry.objects == "arrays":
            element = read_encoding(codec.get("dtype"), nczarr=False, type_name=f"{type_name}_of")
            return replace(
                encoding, type=Vlen(name=type_name, base=element.type), stored_dtype=VLEN_DTYPE
            )
        if entry.encodes_objects(codec.to_json()):
            return replace(encoding, base64_fill=entry.objects == "bytes")
    raise FormatError('dtype "|O" needs a codec for objects, such as vlen-utf8')


def encoding_for(
    nc_type: Atomic,
    *,
    endianness: Endianness | None,
    string_length: int | None,
    char: str,
    pure: bool = False,
) -> Encoding:
    """Return the encoding for writing a variable, by default little-endian.

    `char` is the dtype of char. A type of one byte has the byte order ``|``, because other readers
    accept no other.
    """
    if nc_type is Atomic.CHAR:
        return Encoding(type=nc_type, dtype=char, stored_dtype="S1", item_size=1, base64_fill=pure)
    if nc_type is Atomic.STRING:
        size = string_length or 1
        return Encoding(
            type=nc_type,
            dtype=f"|S{size}",
            stored_dtype=f"S{size}",
            item_size=size,
            string_length=size,
            base64_fill=pure,
        )
    order = "|" if nc_type.size == 1 else ">" if endianness == "big" else "<"
    dtype = f"{order}{nc_type.kind}{nc_type.size}"
    order_of_bytes = None if nc_type.size == 1 else endianness or "little"
    return Encoding(
        type=nc_type,
        dtype=dtype,
        stored_dtype=dtype.lstrip("|"),
        item_size=nc_type.size,
        endianness=order_of_bytes,
    )


def is_time(encoding: Encoding) -> bool:
    """Return whether elements are stored as datetime64 or timedelta64."""
    return kind_of(encoding) in ("m", "M")


def is_complex(encoding: Encoding) -> bool:
    """Return whether elements are complex numbers."""
    return kind_of(encoding) == "c"


def is_maskable(encoding: Encoding) -> bool:
    """Return whether xarray masks a value of the type; numbers of an enum are annotated."""
    return isinstance(encoding.type, Atomic | Enumeration) or is_complex(encoding)


def has_void_elements(encoding: Encoding) -> bool:
    """Return whether elements are structures, raw bytes or arrays, of a user-defined type."""
    return not is_maskable(encoding) and not encoding.is_json


def kind_of(encoding: Encoding) -> str:
    """Return numpy's letter for the kind of the stored dtype; "" for a structure."""
    if encoding.is_narrow:
        return encoding.type.kind if isinstance(encoding.type, Atomic) else "c"
    return encoding.dtype.lstrip("<>|=")[:1] if isinstance(encoding.dtype, str) else ""

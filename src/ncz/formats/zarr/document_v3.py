"""The Zarr V3 document `zarr.json`: a JSON object to and from checked records.

Source: the Zarr core specification version 3, "Metadata". NCZarr's annotations are in `nczarr`.
"""

from __future__ import annotations

import base64
import itertools
import math
import re
import struct
from collections.abc import Mapping, Sequence

from ncz.codec import V3Parameter
from ncz.codec.catalogue import codec_of, find_v3, is_kind, parameter_fault
from ncz.errors import FormatError
from ncz.formats.zarr.document import (
    ArrayDocument,
    ChunkKeys,
    axis_lengths,
    check_rank,
    check_required,
    check_version,
    chunk_lengths,
)
from ncz.formats.zarr.dtypes import V2_DTYPE, Encoding, read_encoding
from ncz.formats.zarr.elements import read_fill, write_fill
from ncz.formats.zarr.json import Json, from_base64, show_json
from ncz.model.chunks import ChunkLayout, Shard, in_order
from ncz.model.filters import Filter, make_filter
from ncz.model.json_text import print_json
from ncz.model.types import Atomic, Compound, NcType, Value
from ncz.record import record, replace

# Convert the list of codecs of a Zarr V3 array to a layout of chunks, and back.
#
# V3 lists codecs by name: any number from array to array, one from array to bytes, and any number
# from bytes to bytes. In a layout these are the order of axes, the byte order of the dtype or a
# shard, and filters as numcodecs configures them. `ncz.codec` has the names and
# parameters. Source: the Zarr core specification version 3, "Chunk encoding", the specifications of
# the codecs, and zarr-python's ``numcodecs.*``.

_NUMCODECS = "numcodecs."
_ARRAY_TO_BYTES = ("bytes", "sharding_indexed")
"""Codecs that are part of the layout of chunks; the others are in the catalogue of codecs."""

_SHARD_MEMBERS = ("chunk_shape", "codecs", "index_codecs", "index_location")

_INDEX_CODECS = (make_filter("crc32c", location="end"),)


@record(kw_only=True)
class Chain:
    """What a list of codecs says about the chunks of one array."""

    order: tuple[int, ...]
    endian: str = "<"
    filters: tuple[Filter, ...] = ()
    shard: Shard | None = None


def read_chain(value: Json, chunks: tuple[int, ...], where: str, depth: int = 0) -> Chain:
    """Read a `codecs` member. Raises `FormatError`, which names what is not known or not valid."""
    if not isinstance(value, list) or depth > 8:
        raise FormatError(f"codecs must be a list, not {show_json(value)}", where)
    rank = len(chunks)
    order = in_order(rank)
    endian, shard = "<", None
    filters: list[Filter] = []
    has_bytes = False
    for codec in value:
        name, configuration = _codec(codec, where)
        if name == "transpose":
            if has_bytes:
                raise FormatError(
                    "codecs: transpose must come before the codec that makes bytes", where
                )
            order = tuple(order[axis] for axis in _permutation(configuration, rank, where))
        elif name in _ARRAY_TO_BYTES or _makes_bytes(name):
            if has_bytes:
                raise FormatError(
                    f"codecs: {name} must not follow another codec that makes bytes", where
                )
            has_bytes = True
            if name == "sharding_indexed":
                if order != in_order(rank) or filters:
                    raise FormatError(
                        "codecs: sharding_indexed after a filter or transpose is not supported",
                        where,
                    )
                shard, endian = _read_shard(configuration, chunks, where, depth)
            elif _makes_bytes(name):
                filters.append(filter_of(name, configuration, where))
            else:
                endian = _read_endian(configuration, where)
        else:
            codec_filter = filter_of(name, configuration, where)
            if has_bytes == _is_array_filter(codec_filter):
                raise FormatError(f"codecs: {name} is in the wrong place", where)
            filters.append(codec_filter)
    if not has_bytes:
        raise FormatError("codecs: there must be a codec that makes bytes of an array", where)
    if endian == ">" and any(map(_is_array_filter, filters)):
        raise FormatError("codecs: array filters before big-endian bytes are not supported", where)
    return Chain(order=order, endian=endian, filters=tuple(filters), shard=shard)


def _codec(value: Json, where: str) -> tuple[str, dict[str, Json]]:
    name_and_configuration = _named(value, "codecs: {}", where)
    if name_and_configuration is None:
        raise FormatError(f'codecs: a codec needs a "name", not {show_json(value)}', where)
    return name_and_configuration


def _named(value: Json, what: str, where: str) -> tuple[str, dict[str, Json]] | None:
    """Return the name and the configuration of an object; None if it has no name.

    `what` names it in messages, with ``{}`` for its name. Raises `FormatError`.
    """
    if isinstance(value, str):
        return value, {}
    name = value.get("name") if isinstance(value, dict) else None
    if not isinstance(name, str):
        return None
    configuration = value.get("configuration", {})
    if not isinstance(configuration, dict):
        shown = show_json(configuration)
        text = f"{what.format(name)}: configuration must be an object, not {shown}"
        raise FormatError(text, where)
    return name, configuration


def check_members(
    configuration: dict[str, Json], allowed: Sequence[str], what: str, where: str
) -> None:
    """Raise `FormatError` for a member of a configuration that is not allowed.

    It could change what the others mean.
    """
    for name in configuration:
        if name not in allowed:
            raise FormatError(f"{what}: the parameter {name[:40]!r} is not known", where)


def _read_endian(configuration: dict[str, Json], where: str) -> str:
    check_members(configuration, ("endian",), "codecs: bytes", where)
    endian = configuration.get("endian", "little")
    for order, name in _ENDIAN.items():
        if endian == name:
            return order
    raise FormatError(
        f'codecs: bytes: endian must be "little" or "big", not {show_json(endian)}', where
    )


def _permutation(configuration: dict[str, Json], rank: int, where: str) -> tuple[int, ...]:
    check_members(configuration, ("order",), "codecs: transpose", where)
    value = configuration.get("order")
    if isinstance(value, list) and all(type(axis) is int for axis in value):
        axes = tuple(value)
        if sorted(axes) == list(range(rank)):
            return axes
    raise FormatError(f"codecs: transpose: {show_json(value)} is not a valid order", where)


def _makes_bytes(name: str) -> bool:
    """Return whether a codec of the catalogue makes bytes of an array, as pcodec does."""
    entry = find_v3(name)
    return entry is not None and entry.place == "array to bytes"


def _is_array_filter(codec: Filter) -> bool:
    return is_kind(codec.to_json(), "array filter")


def filter_of(name: str, configuration: dict[str, Json], where: str) -> Filter:
    """Return the numcodecs configuration of a codec that changes bytes, or an array's values."""
    codec = find_v3(name)
    if codec is None or codec.v3 is None:
        if name.startswith(_NUMCODECS):
            return make_filter(name.removeprefix(_NUMCODECS), **configuration)
        raise FormatError(f"codecs: the codec {name!r} is not available", where)
    spelling = codec.v3
    if spelling.parameters is None:
        return make_filter(codec.id, **configuration)
    if spelling.parameters:
        check_members(
            configuration, [p.name for p in spelling.parameters], f"codecs: {name}", where
        )
    values = {
        parameter.name: _from_v3(parameter, configuration, name, where)
        for parameter in spelling.parameters
    }
    sizes = {p.name for p in spelling.parameters if p.is_item_size}
    made = make_filter(
        codec.id,
        **{key: value for key, value in values.items() if key not in sizes},
        **dict(spelling.fixed),
    )
    fault = parameter_fault(made.to_json())
    if fault is not None:
        raise FormatError(f"codecs: {fault}", where)
    return made


def _from_v3(parameter: V3Parameter, configuration: dict[str, Json], name: str, where: str) -> Json:
    value = configuration.get(parameter.name, parameter.default)
    if parameter.is_item_size:
        is_size = type(value) is int and value > 0
        if parameter.name in configuration and not is_size:
            raise FormatError(
                f"codecs: {name}: {show_json(value)} is not a valid {parameter.name}", where
            )
    if not parameter.words:
        return value
    if value not in parameter.words:
        raise FormatError(
            f"codecs: {name}: {show_json(value)} is not a valid {parameter.name}", where
        )
    return parameter.words.index(value)


def _read_shard(
    configuration: dict[str, Json], chunks: tuple[int, ...], where: str, depth: int
) -> tuple[Shard, str]:
    check_members(configuration, _SHARD_MEMBERS, "codecs: sharding_indexed", where)
    inner = configuration.get("chunk_shape")
    if (
        not isinstance(inner, list)
        or not all(type(n) is int and n > 0 for n in inner)
        or len(inner) != len(chunks)
        or any(n % m for n, m in zip(chunks, inner, strict=True))
    ):
        raise FormatError(
            f"codecs: chunk_shape {show_json(inner)} does not divide the shard", where
        )
    chain = read_chain(configuration.get("codecs"), tuple(inner), where, depth + 1)
    index = read_chain(
        configuration.get("index_codecs"), (*(1 for _ in chunks), 2), where, depth + 1
    )
    if index.shard is not None or index.order != in_order(len(chunks) + 1):
        raise FormatError("codecs: index_codecs must have neither transpose nor shards", where)
    location = configuration.get("index_location", "end")
    if location not in ("start", "end"):
        raise FormatError(
            f'codecs: index_location must be "start" or "end", not {show_json(location)}',
            where,
        )
    shard = Shard(
        chunks=tuple(inner),
        order=chain.order,
        codecs=chain.filters,
        shard=chain.shard,
        index_codecs=index.filters,
        index_order=index.endian,
        at_end=location == "end",
    )
    return shard, chain.endian


# --- layout to codecs -----------------------------------------------------------------------------


def print_chain(
    order: tuple[int, ...],
    filters: Sequence[Filter],
    shard: Shard | None,
    *,
    endian: str | None,
    item_size: int,
) -> list[Json]:
    """Return the `codecs` member. `endian` is None where elements have no byte order.

    Raises `FormatError` for a filter that Zarr V3 has no name for.
    """
    codecs: list[Json] = []
    if shard is not None:
        codecs.append(_print_shard(shard, endian, item_size))
    else:
        if order != in_order(len(order)):
            codecs.append({"name": "transpose", "configuration": {"order": list(order)}})
        arrays = [f for f in filters if _is_array_filter(f)]
        if arrays != list(filters[: len(arrays)]):
            raise FormatError(
                f"Zarr V3 does not allow the array filter {arrays[-1].id} after a codec of bytes"
            )
        codecs += [_print_filter(f, item_size) for f in arrays]
        filters = filters[len(arrays) :]
        makers = [f for f in filters if _makes_bytes_in_v2(f)]
        if makers:
            if endian == ">":
                raise FormatError(f"Zarr V3 has no byte order for the codec {makers[0].id}")
            if makers != list(filters[:1]):
                raise FormatError(
                    f"Zarr V3 does not allow the codec {makers[-1].id} after a codec of bytes"
                )
            codecs.append(_print_filter(makers[0], item_size))
            filters = filters[1:]
        elif endian is None:
            codecs.append({"name": "bytes"})
        else:
            codecs.append({"name": "bytes", "configuration": {"endian": _ENDIAN[endian]}})
    return [*codecs, *(_print_filter(f, item_size) for f in filters)]


_ENDIAN = {"<": "little", ">": "big"}


def _makes_bytes_in_v2(codec: Filter) -> bool:
    entry = codec_of(codec.to_json())
    return entry.needs_array or entry.encodes_objects(codec.to_json())


def _print_filter(codec: Filter, item_size: int) -> Json:
    configuration = codec.to_json()
    entry = codec_of(configuration)
    name = entry.id
    del configuration["id"]
    if entry.kind == "unknown":
        return {"name": _NUMCODECS + name, "configuration": configuration}
    if entry.v3 is None:
        raise FormatError(f"Zarr V3 has no codec for {name}")
    dtypes = {
        str(configuration[key]).lstrip("<=|") for key in entry.v3.equal if key in configuration
    }
    if len(dtypes) > 1:
        raise FormatError(
            f"Zarr V3 has no codec for {name} to another dtype, {' and '.join(sorted(dtypes))}"
        )
    fixed = all(configuration.get(key) == value for key, value in entry.v3.fixed)
    if entry.v3.parameters is None or not fixed:
        return {"name": _NUMCODECS + name, "configuration": configuration}
    fault = parameter_fault(codec.to_json())
    if fault is not None:
        raise FormatError(f"Zarr V3 does not allow this: {fault}")
    if entry.v3.fixed:
        return {"name": entry.v3.name}
    defaults = {parameter.name: parameter.default for parameter in entry.parameters}
    values = {
        parameter.name: max(1, item_size)
        if parameter.is_item_size
        else _to_v3(
            parameter, configuration.get(parameter.name, defaults[parameter.name]), item_size
        )
        for parameter in entry.v3.parameters
    }
    return {"name": entry.v3.name, "configuration": values}


def _to_v3(parameter: V3Parameter, value: Json, item_size: int) -> Json:
    if value == -1 and parameter.automatic is not None:  # chosen by the size of an element
        of_bytes, of_others = parameter.automatic
        return of_bytes if item_size == 1 else of_others
    return parameter.words[value] if parameter.words else value


def _print_shard(shard: Shard, endian: str | None, item_size: int) -> Json:
    index_chain = [
        {"name": "bytes", "configuration": {"endian": _ENDIAN[shard.index_order]}},
        *(_print_filter(f, 8) for f in shard.index_codecs),
    ]
    return {
        "name": "sharding_indexed",
        "configuration": {
            "chunk_shape": list(shard.chunks),
            "codecs": print_chain(
                shard.order, shard.codecs, shard.shard, endian=endian, item_size=item_size
            ),
            "index_codecs": index_chain,
            "index_location": "end" if shard.at_end else "start",
        },
    }


def plain_shard(chunks: tuple[int, ...], codecs: tuple[Filter, ...]) -> Shard:
    """Return a shard of chunks of that shape, with its index and a checksum at the end."""
    return Shard(
        chunks=chunks, order=in_order(len(chunks)), codecs=codecs, index_codecs=_INDEX_CODECS
    )


# The lengths of chunks along one dimension of a rectilinear chunk grid, in runs of equal ones.
#
# Source: zarr-extensions, "Rectilinear chunk grid". A list has lengths, and pairs of a length and
# how often it is repeated. Instead of a list, zarr-python also writes one length for all chunks.
# Like zarr-python, ncz takes lengths that sum up to more than the array: the last chunk is as long
# as it says, and longer than what the array has of it.

Run = tuple[int, int]
"""A length, and the number of successive chunks that have it."""

_LONGEST = 2**63 - 1

_MOST_CHUNKS = 10_000_000
"""Number of chunks along one dimension, up to which lengths that differ are read."""


def read_lengths(value: Json, total: int, location: str) -> list[Run]:
    """Return the lengths of the chunks along a dimension of length `total`.

    Successive runs have different lengths, and chunks beyond the array are left out. Raises
    `FormatError` for lengths that are not valid, or do not cover the array.
    """
    if _is_length(value):
        return [(value, -(-total // value))] if total else []
    if not isinstance(value, list):
        raise FormatError(
            f"chunk_shapes must be lists of lengths, not {show_json(value)}", location
        )
    runs: list[Run] = []
    covered = 0
    for entry in value:
        length, count = entry if isinstance(entry, list) and len(entry) == 2 else (entry, 1)
        if not _is_length(length) or not _is_length(count):
            raise FormatError(
                f"chunk_shapes: {show_json(entry)} is not a valid length, or run of lengths",
                location,
            )
        count = min(count, -(-(total - covered) // length))
        if count <= 0:
            continue
        covered += length * count
        if runs and runs[-1][0] == length:
            count += runs.pop()[1]
        runs.append((length, count))
    if covered < total:
        raise FormatError(
            f"chunk_shapes cover {covered} of {total} elements along a dimension", location
        )
    return runs


def _is_length(value: Json) -> bool:
    return type(value) is int and 0 < value <= _LONGEST


def expand_lengths(runs: Sequence[Run], location: str) -> tuple[int, ...]:
    """Return the length of every chunk. Raises `FormatError` if there are too many."""
    if sum(count for _, count in runs) > _MOST_CHUNKS:
        raise FormatError(
            f"chunk_shapes have more than {_MOST_CHUNKS} chunks along a dimension", location
        )
    return tuple(itertools.chain.from_iterable(itertools.repeat(n, count) for n, count in runs))


def print_lengths(lengths: Sequence[int]) -> Json:
    """Return the lengths of all chunks along a dimension, in runs where they are equal."""
    printed: list[Json] = []
    for length, equal in itertools.groupby(lengths):
        count = sum(1 for _ in equal)
        printed.append([length, count] if count > 1 else length)
    return printed


# Zarr V3's data types and fill values, in the words of Zarr V2, and back.
#
# One mapping of dtypes to netCDF types stands in `ncz.formats.zarr.dtypes`; V3 spells the same
# dtypes in other words and keeps the byte order in a codec. Source: the Zarr core specification
# version 3, "Data types" and "Fill value list"; the data types of zarr-extensions; what zarr-python
# 3.1 writes.

_PLAIN = {
    "bool": "b1",
    "int8": "i1",
    "uint8": "u1",
    "int16": "i2",
    "uint16": "u2",
    "int32": "i4",
    "uint32": "u4",
    "int64": "i8",
    "uint64": "u8",
    "float16": "f2",
    "float32": "f4",
    "float64": "f8",
    "complex64": "c8",
    "complex128": "c16",
}
_NAMES = {dtype: name for name, dtype in _PLAIN.items()}
_OBJECTS = ("string", "bytes", "variable_length_bytes", "variable_length_utf8")
_RAW = re.compile(r"r([1-9]\d{0,9})")
_TIMES = {"numpy.datetime64": "M8", "numpy.timedelta64": "m8"}
_MICROSECOND = "\u03bcs"
"""Another spelling of the unit "us", with the letter mu."""


def dtype_of(data_type: Json, order: str) -> Json:
    """The V2 dtype of a V3 data type whose elements have byte order `order` ("<" or ">").

    Raises `FormatError` for a data type that is not known.
    """
    name, configuration = _parts(data_type)
    if name in _PLAIN and configuration:
        raise _unknown(data_type)
    if name in _PLAIN:
        plain = _PLAIN[name]
        return f"|{plain}" if plain.endswith("1") and len(plain) == 2 else f"{order}{plain}"
    if name in _OBJECTS:
        return "|O"
    raw = _RAW.fullmatch(name)
    if raw and int(raw[1]) % 8 == 0:
        return f"|V{int(raw[1]) // 8}"
    size = configuration.get("length_bytes")
    if isinstance(size, int) and size > 0:
        if name == "fixed_length_utf32" and size % 4 == 0:
            return f"{order}U{size // 4}"
        if name == "null_terminated_bytes":
            return f"|S{size}"
        if name == "raw_bytes":
            return f"|V{size}"
    unit, factor = configuration.get("unit"), configuration.get("scale_factor", 1)
    if name in _TIMES and isinstance(unit, str) and type(factor) is int and factor > 0:
        if unit == "generic":
            return f"{order}{_TIMES[name]}"
        unit = "us" if unit == _MICROSECOND else unit
        return f"{order}{_TIMES[name]}[{'' if factor == 1 else factor}{unit}]"
    fields = configuration.get("fields")
    if name in ("structured", "struct") and isinstance(fields, list):
        return [_field(field, order, data_type) for field in fields]
    raise _unknown(data_type)


def _field(field: Json, order: str, data_type: Json) -> list[Json]:
    if isinstance(field, dict):
        field = [field.get("name"), field.get("data_type")]
    if not isinstance(field, list) or len(field) != 2 or not isinstance(field[0], str):
        raise _unknown(data_type)
    return [field[0], dtype_of(field[1], order)]


def _parts(data_type: Json) -> tuple[str, dict[str, Json]]:
    if isinstance(data_type, str):
        return data_type, {}
    if isinstance(data_type, dict) and isinstance(data_type.get("name"), str):
        configuration = data_type.get("configuration", {})
        return data_type["name"], configuration if isinstance(configuration, dict) else {}
    raise _unknown(data_type)


def _unknown(data_type: Json) -> FormatError:
    return FormatError(f"data_type {show_json(data_type)} is not known")


def is_struct(data_type: Json) -> bool:
    """Return whether a data type is the extension ``struct``, whose fields are objects."""
    return isinstance(data_type, dict) and data_type.get("name") == "struct"


def data_type_of(dtype: Json, *, is_bytes: bool = False, is_struct: bool = False) -> Json:
    """The V3 data type of a V2 dtype.

    `is_bytes` is true if "|O" holds bytes rather than text, `is_struct` if a structure becomes a
    ``struct``, which zarr-python reads since 3.4, and not ``structured``, which all versions read.
    """
    if isinstance(dtype, list):
        fields: list[Json] = []
        for name, inner, *shape in dtype:
            if shape:
                raise FormatError(f"the field {name} is an array, which Zarr V3 has no type for")
            field = data_type_of(inner, is_struct=is_struct)
            fields.append({"name": name, "data_type": field} if is_struct else [name, field])
        name = "struct" if is_struct else "structured"
        return {"name": name, "configuration": {"fields": fields}}
    match = V2_DTYPE.fullmatch(str(dtype))
    assert match is not None, dtype  # it was read, or made, as a V2 dtype
    _, kind, digits, count, unit = match.groups()
    plain = f"{kind}{digits}"
    if plain in _NAMES:
        return _NAMES[plain]
    match kind:
        case "O":
            return "variable_length_bytes" if is_bytes else "string"
        case "U":
            size = 4 * int(digits)
            return {"name": "fixed_length_utf32", "configuration": {"length_bytes": size}}
        case "S":
            return {"name": "null_terminated_bytes", "configuration": {"length_bytes": int(digits)}}
        case "V":
            return {"name": "raw_bytes", "configuration": {"length_bytes": int(digits)}}
        case "M" | "m":
            name = "numpy.datetime64" if kind == "M" else "numpy.timedelta64"
            configuration = {"unit": unit or "generic", "scale_factor": int(count or 1)}
            return {"name": name, "configuration": configuration}
        case _:
            raise FormatError(f"Zarr V3 has no data type for the dtype {dtype}")


def order_of(dtype: Json) -> str | None:
    """The byte order of a V2 dtype, "<" or ">"; None where it has none."""
    if isinstance(dtype, list):
        return next((o for _, inner, *_ in dtype if (o := order_of(inner))), None)
    text = str(dtype)
    return text[0] if text[:1] in ("<", ">") else None


# --- fill values ----------------------------------------------------------------------------------


def fill_to_v2(value: Json, dtype: Json) -> Json:
    """A V3 fill value as V2 says it for the V2 `dtype`. Raises `FormatError`.

    That of a structure is a list of those of its fields, with None for a field without one.
    """
    if isinstance(dtype, list):
        if isinstance(value, dict):
            return [
                fill_to_v2(value[name], inner) if name in value else None
                for name, inner, *_ in dtype
            ]
        if not isinstance(value, str):
            raise FormatError(
                f"fill_value of a structure must be an object, not {show_json(value)}"
            )
    kind, size = _kind(dtype)
    if kind in ("S", "U", "V", "O") and not isinstance(value, str | list):
        raise FormatError(f"fill_value must be a text, not {show_json(value)}")
    if kind == "f":
        return _real(value, size)
    if kind == "c" and isinstance(value, list) and len(value) == 2:
        return [_real(part, size // 2) for part in value]
    if kind in ("V", "S", "O") and isinstance(value, list):
        return base64.b64encode(_bytes(value)).decode()
    return value


def _kind(dtype: Json) -> tuple[str, int]:
    match = V2_DTYPE.fullmatch(dtype) if isinstance(dtype, str) else None
    return (match[2], int(match[3] or 0)) if match else ("", 0)


def _real(value: Json, size: int) -> Json:
    if isinstance(value, str) and value.startswith(("0x", "0X")):
        digits = value[2:]
        form = {2: ">e", 4: ">f", 8: ">d"}.get(size)
        if form is None or len(digits) != 2 * size or not re.fullmatch(r"[0-9a-fA-F]+", digits):
            raise FormatError(f"fill_value {print_json(value)} does not have {size} bytes")
        return float(struct.unpack(form, bytes.fromhex(digits))[0])
    return value


def _bytes(value: list[Json]) -> bytes:
    if not all(type(n) is int and 0 <= n < 256 for n in value):
        raise FormatError(f"fill_value {show_json(value)} is not a list of bytes")
    return bytes(value)


_ZERO = {"b": False, "f": 0.0, "S": "", "U": "", "O": ""}


def fill_to_v3(value: Json, dtype: Json, size: int) -> Json:
    """The V3 fill value for a V2 one; zero for null, which V3 has not. `size`: of an element."""
    kind, _ = _kind(dtype)
    if value is None:
        if kind in ("c",):
            return [0.0, 0.0]
        if kind == "V" or isinstance(dtype, list):
            return base64.b64encode(bytes(size)).decode()
        return _ZERO.get(kind, 0)
    if kind == "f" and isinstance(value, int | float):
        return float(value) if math.isfinite(value) else print_json(float(value)).strip('"')
    return value


_KNOWN = frozenset(
    {
        "zarr_format", "node_type", "shape", "data_type", "chunk_grid", "chunk_key_encoding",
        "fill_value", "codecs", "attributes", "dimension_names", "storage_transformers",
        "consolidated_metadata",
    }
)  # fmt: skip
_REQUIRED = ("shape", "data_type", "chunk_grid", "chunk_key_encoding", "codecs")


@record(kw_only=True)
class ArrayDocumentV3(ArrayDocument):
    """A checked `zarr.json` of an array, with `dtype` and `fill_value` as Zarr V2 spells them."""

    layout: ChunkLayout
    dtype: Json
    fill_value: Json
    dimension_names: Json = None
    keys: ChunkKeys = ChunkKeys("/", marked=True)
    is_struct: bool = False
    """Whether the data type is the extension ``struct``."""
    data_type: Json = None
    """The data type, as the document has it."""
    lacks_fill: bool = False
    raw_fill: Json = None
    """The value of missing chunks, as the document has it."""

    @property
    def rank(self) -> int:
        """The number of axes."""
        return self.layout.rank

    @property
    def fill_is_mask(self) -> bool:
        """False: readers of V3 mask only the attribute ``_FillValue``."""
        return False

    def as_scalar(self) -> ArrayDocumentV3:
        """Return the document itself: V3 has arrays of shape []."""
        return self

    def encoding(self, *, nczarr: bool, alias: str | None, type_name: str) -> Encoding:
        """Return how elements are stored. Raises `FormatError` for an unsupported data type."""
        if nczarr and alias == "char" and self.dtype == "|u1":
            return Encoding(type=Atomic.CHAR, dtype="|S1", stored_dtype="S1", item_size=1)
        dtype = self.dtype
        if nczarr and alias == "string" and str(dtype).startswith("|V"):
            dtype = f"|S{str(dtype)[2:]}"
        inner = self.layout
        codecs = inner.shard.codecs if inner.shard is not None else inner.codecs
        encoding = read_encoding(
            dtype, nczarr=False, alias=alias, codecs=codecs, type_name=type_name
        )
        return replace(encoding, is_struct=True) if self.is_struct else encoding

    def fill(self, encoding: Encoding) -> Value:
        """Return the value of missing chunks, or None. Raises `FormatError`."""
        value = self.fill_value
        if encoding.type is Atomic.CHAR and isinstance(value, int):
            value = chr(value) if 0 < value < 256 else ""
        return read_fill(value, encoding)

    def read_fill_attribute(self, value: Json, nc_type: NcType) -> Json:
        """Return the JSON of the attribute ``_FillValue`` as Zarr V2 spells it.

        xarray writes the eight little-endian bytes of a floating-point number in base64, and two
        such texts for a complex number; NCZarr writes the number of a char.
        """
        if nc_type is Atomic.CHAR and type(value) is int and 0 <= value < 256:
            return chr(value)
        if isinstance(nc_type, Atomic) and nc_type.is_floating and isinstance(value, str):
            return _double_of(value)
        if isinstance(nc_type, Compound) and isinstance(value, list) and len(value) == 2:
            parts = [_double_of(part) if isinstance(part, str) else part for part in value]
            if all(isinstance(part, float) for part in parts):
                return [parts]
        return value


def _double_of(text: str) -> float | str:
    """Return the double whose eight bytes a text holds in base64, and other texts as they are."""
    data = from_base64(text)
    return text if data is None or len(data) != 8 else float(struct.unpack("<d", data)[0])


def check_node(document: Mapping[str, Json], location: str) -> str:
    """Return the node's type, "array" or "group".

    Raises `FormatError` for a document that is not a node, or has an extension that a reader must
    understand and ncz does not.
    """
    check_version(document, 3, location)
    kind = document.get("node_type")
    if kind not in ("array", "group"):
        raise FormatError(f'node_type must be "array" or "group", not {show_json(kind)}', location)
    for name, value in document.items():
        optional = isinstance(value, dict) and value.get("must_understand") is False
        if name not in _KNOWN and not optional:
            raise FormatError(
                f"the extension {name!r} is not supported, and readers must understand it", location
            )
    transformers = document.get("storage_transformers")
    if transformers:
        raise FormatError(
            f"storage_transformers {show_json(transformers)} are not supported", location
        )
    return str(kind)


def attributes_of(document: Mapping[str, Json], location: str) -> Mapping[str, Json]:
    """Return the `attributes` of a node. Raises `FormatError` if they are not an object."""
    attributes = document.get("attributes")
    if attributes is None:
        return {}
    if not isinstance(attributes, dict):
        raise FormatError(f"attributes must be an object, not {show_json(attributes)}", location)
    return attributes


def read_array(document: Mapping[str, Json], location: str) -> ArrayDocumentV3:
    """Check a `zarr.json` of an array.

    Parameters
    ----------
    document
        The JSON object, of which `check_node` says that it is an array.
    location
        Where it is, for messages.

    Raises
    ------
    FormatError
        Names the member that is wrong.
    """
    check_required(document, _REQUIRED, location)
    shape = axis_lengths(document["shape"], "shape", location)
    chunks, lengths = _chunks(document, shape, location)
    # An inner chunk divides all chunks if it divides their greatest common divisor.
    common = chunks if lengths is None else tuple(math.gcd(*axis) or 1 for axis in lengths)
    chain = read_chain(document["codecs"], common, location)
    try:
        dtype = dtype_of(document["data_type"], chain.endian)
        stored_fill = document.get("fill_value")  # which betas of zarr-python leave out
        fill_value = None if stored_fill is None else fill_to_v2(stored_fill, dtype)
    except FormatError as error:
        raise FormatError(error.message, location) from error
    layout = ChunkLayout(
        shape=shape,
        chunks=chunks,
        order=chain.order,
        codecs=chain.filters,
        shard=chain.shard,
        lengths=lengths,
    )
    return ArrayDocumentV3(
        layout=layout,
        dtype=dtype,
        fill_value=fill_value,
        dimension_names=_dimension_names(document, len(shape), location),
        keys=_keys(document, location),
        is_struct=is_struct(document["data_type"]),
        data_type=document["data_type"],
        raw_fill=stored_fill,
        lacks_fill="fill_value" not in document,
    )


def _chunks(
    document: Mapping[str, Json], shape: tuple[int, ...], location: str
) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...] | None]:
    """Return the shape of the longest chunk, and the lengths of all if they differ."""
    grid, configuration = _name_and_configuration(document, "chunk_grid", location)
    if grid == "regular":
        check_members(configuration, ("chunk_shape",), "chunk_grid", location)
        chunks = axis_lengths(configuration.get("chunk_shape"), "chunk_shape", location)
        check_rank(chunks, shape, location)
        return chunk_lengths(shape, chunks, "chunk_shape has", location), None
    if grid != "rectilinear":
        raise FormatError(f"chunk_grid {grid!r} is not supported", location)
    check_members(configuration, ("kind", "chunk_shapes"), "chunk_grid", location)
    lengths = configuration.get("chunk_shapes")
    if configuration.get("kind") != "inline" or not isinstance(lengths, list):
        raise FormatError("chunk_grid 'rectilinear' must have inline chunk_shapes", location)
    check_rank(lengths, shape, location)
    axes = [read_lengths(n, total, location) for n, total in zip(lengths, shape, strict=True)]
    longest = tuple(max((n for n, _ in runs), default=1) for runs in axes)
    if all(len(runs) < 2 for runs in axes):
        return longest, None
    return longest, tuple(expand_lengths(runs, location) for runs in axes)


def _dimension_names(document: Mapping[str, Json], rank: int, location: str) -> Json:
    names = document.get("dimension_names")
    if names is None:
        return None
    if not isinstance(names, list) or not all(n is None or isinstance(n, str) for n in names):
        raise FormatError(
            f"dimension_names must be a list of names, not {show_json(names)}", location
        )
    if len(names) != rank:
        raise FormatError(f"dimension_names has {len(names)} names for {rank} dimensions", location)
    return names


def _keys(document: Mapping[str, Json], location: str) -> ChunkKeys:
    name, configuration = _name_and_configuration(document, "chunk_key_encoding", location)
    if name not in ("default", "v2"):
        raise FormatError(f"chunk_key_encoding {name!r} is not supported", location)
    check_members(configuration, ("separator",), "chunk_key_encoding", location)
    separator = configuration.get("separator", "/" if name == "default" else ".")
    if separator not in ("/", "."):
        raise FormatError(f'separator must be "." or "/", not {show_json(separator)}', location)
    return ChunkKeys(separator, marked=name == "default")


def _name_and_configuration(
    document: Mapping[str, Json], member: str, location: str
) -> tuple[str, dict[str, Json]]:
    value = document.get(member)
    name_and_configuration = _named(value, member, location)
    if name_and_configuration is None:
        raise FormatError(f'{member} must have a "name", not {show_json(value)}', location)
    return name_and_configuration


def print_array(
    layout: ChunkLayout,
    encoding: Encoding,
    fill: Value,
    *,
    keys: ChunkKeys,
    attributes: Mapping[str, Json],
    dimension_names: list[Json] | None,
) -> dict[str, Json]:
    """Return the `zarr.json` of an array.

    Raises `FormatError` if V3 has no data type for the elements, or no name for a codec.
    """
    is_char = encoding.type is Atomic.CHAR and encoding.dtype == "|u1"
    inner = layout.shard.codecs if layout.shard is not None else layout.codecs
    is_bytes = any(codec_of(f.to_json()).objects == "bytes" for f in inner)
    fill_value: Json
    if is_char:
        fill_value = ord(fill) if isinstance(fill, str) and fill else 0
    elif encoding.is_struct:
        fill_value = _print_fields(fill, encoding)
    else:
        fill_value = fill_to_v3(write_fill(fill, encoding), encoding.dtype, encoding.item_size)
    document: dict[str, Json] = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(layout.shape),
        "data_type": data_type_of(encoding.dtype, is_bytes=is_bytes, is_struct=encoding.is_struct),
        "chunk_grid": _print_grid(layout),
        "chunk_key_encoding": {
            "name": "default" if keys.marked else "v2",
            "configuration": {"separator": keys.separator},
        },
        "fill_value": fill_value,
        "codecs": print_chain(
            layout.order,
            layout.codecs,
            layout.shard,
            endian=order_of(encoding.dtype),
            item_size=encoding.item_size,
        ),
        "attributes": dict(attributes),
    }
    if dimension_names is not None:
        document["dimension_names"] = dimension_names
    document["storage_transformers"] = []
    return document


def _print_grid(layout: ChunkLayout) -> Json:
    """Return the `chunk_grid`: regular, or rectilinear if the chunks have different lengths."""
    if layout.lengths is None:
        return {"name": "regular", "configuration": {"chunk_shape": list(layout.chunks)}}
    shapes = [print_lengths(lengths) for lengths in layout.lengths]
    return {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": shapes}}


def _print_fields(fill: Value, encoding: Encoding) -> Json:
    """Return the fill value of a ``struct``: an object with that of each field; None is zero."""
    values = {}
    parts = [None] * len(encoding.dtype) if fill is None else fill
    for part, (name, dtype, *_) in zip(parts, encoding.dtype, strict=True):
        field = read_encoding(dtype, nczarr=False, type_name=name)
        if isinstance(dtype, list):
            values[name] = _print_fields(part, field)
        else:
            values[name] = fill_to_v3(write_fill(part, field, padded=False), dtype, field.item_size)
    return values


def print_group(attributes: Mapping[str, Json]) -> dict[str, Json]:
    """Return the `zarr.json` of a group."""
    return {"zarr_format": 3, "node_type": "group", "attributes": dict(attributes)}

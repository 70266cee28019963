"""The list of codecs of a Zarr V3 array to a layout of chunks, and back.

V3 lists codecs by name: any number from array to array, one from array to bytes, and any number
from bytes to bytes. In a layout these are the order of axes, the byte order of the dtype or a
shard, and filters as numcodecs configures them. `ncz.codec` has the names and
parameters. Source: the Zarr core specification version 3, "Chunk encoding", the specifications of
the codecs, and zarr-python's ``numcodecs.*``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ncz.codec import V3Parameter
from ncz.codec.catalogue import codec_of, find_v3, is_kind, parameter_fault
from ncz.errors import FormatError
from ncz.formats.zarr.extensions_v3 import check_members, read_extension
from ncz.formats.zarr.json import Json, show_json
from ncz.model.chunks import Shard, in_order
from ncz.model.filters import Filter, make_filter
from ncz.record import record

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
    name_and_configuration = read_extension(value, "codecs: {}", where)
    if name_and_configuration is None:
        raise FormatError(f'codecs: a codec needs a "name", not {show_json(value)}', where)
    return name_and_configuration


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

"""Convert the list of codecs of a Zarr V3 array to a layout of chunks, and back.

V3 lists codecs by name: any number from array to array, one from array to bytes, and any number
from bytes to bytes. In a layout these are the order of axes, the byte order of the dtype or a
shard, and filters as numcodecs configures them. `ncz.codec` has the names and
parameters. Source: the Zarr core specification version 3, "Chunk encoding", the specifications of
the codecs, and zarr-python's ``numcodecs.*``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ncz.codec import ArraySpec, Codec, V3Parameter
from ncz.codec.bounds import arrays_between
from ncz.codec.catalogue import codec_of, find_v3, is_kind, parameter_fault
from ncz.codec.element_types import is_narrow
from ncz.errors import CodecError, FormatError
from ncz.formats.zarr.documents.extensions_v3 import check_members, read_extension
from ncz.formats.zarr.json import Json, show_json
from ncz.model.chunks import ChunkLayout, Shard, in_order
from ncz.model.filters import Filter, make_filter
from ncz.record import record

_NUMCODECS = "numcodecs."
_DEEPEST = 8
"""How many codecs a list of codecs may be in."""

_TOO_LATE = "codecs: {} must come before the codec that makes bytes"

_SHARD_MEMBERS = ("chunk_shape", "codecs", "index_codecs", "index_location")

_INDEX_CODECS = (make_filter("crc32c", location="end"),)


@record(kw_only=True)
class Chain:
    """The meaning of a list of codecs for the chunks of one array; see `ChunkLayout`."""

    order: tuple[int, ...]
    endian: str = "<"
    filters: tuple[Filter, ...] = ()
    shard: Shard | None = None
    first: tuple[Filter, ...] = ()


def read_chain(
    value: Json,
    chunks: tuple[int, ...],
    where: str,
    depth: int = 0,
    *,
    dtype: Json = None,
    is_changed: bool = False,
) -> Chain:
    """Read a `codecs` member.

    Parameters
    ----------
    value
        The list of codecs.
    chunks
        The shape of the array that the first of them encodes.
    where
        Where the list is, for messages.
    depth
        How many shards it is in.
    dtype
        The dtype of that array; None if it does not matter.
    is_changed
        Whether codecs before the list change elements.

    Raises
    ------
    FormatError
        Names the codec that is not known or not valid.
    """
    if not isinstance(value, list) or depth > _DEEPEST:
        raise FormatError(f"codecs must be a list, not {show_json(value)}", where)
    arrays: list[Filter] = []
    filters: list[Filter] = []
    dtype = dtype if isinstance(dtype, str) else None
    array = ArraySpec(chunks, 1, dtype)
    is_changed = is_changed or is_narrow(dtype)  # whose dtypes have one byte order
    endian, shard = "<", None
    has_bytes = False
    for codec in value:
        name, configuration = _codec(codec, where)
        if name == "transpose" and has_bytes:  # whose order cannot be checked
            raise FormatError(_TOO_LATE.format(name), where)
        made = _read_codec(name, configuration, array, where, depth)
        known = codec_of(made.to_json())
        if known.place == "bytes to bytes":
            if not has_bytes:
                raise FormatError(f"codecs: {name} is in the wrong place", where)
            _result(known, array, made, where)
            filters.append(made)
            continue
        if has_bytes:
            raise FormatError(
                _TOO_LATE.format(name)
                if known.place == "array to array"
                else f"codecs: {name} must not follow another codec that makes bytes",
                where,
            )
        has_bytes = known.place == "array to bytes"
        if not has_bytes:
            array = _result(known, array, made, where)
            arrays.append(made)
        elif known.holds_chunks:
            shard, endian = _read_shard(
                configuration, array, where, depth,
                is_changed=is_changed or _change_elements(arrays),
            )  # fmt: skip
        elif known.id != "bytes":
            _result(known, array, made, where)
            filters.append(made)
        elif made.get("endian") == "big":
            if is_changed or _change_elements(arrays):  # the dtype belongs to other elements
                filters.append(made)
            else:
                endian = ">"
    if not has_bytes:
        raise FormatError("codecs: there must be a codec that makes bytes of an array", where)
    first, order, others = _split(arrays, len(chunks), has_shard=shard is not None)
    return Chain(order=order, endian=endian, filters=(*others, *filters), shard=shard, first=first)


def _change_elements(codecs: Sequence[Filter]) -> bool:
    """Return whether one of the codecs changes more than the shape of an array."""
    return any(not codec_of(codec.to_json()).moves_elements for codec in codecs)


def _result(known: Codec, array: ArraySpec, codec: Filter, where: str) -> ArraySpec:
    """Return the array as a codec encodes it. Raises `FormatError` if that is not possible."""
    try:
        return known.result(array, codec.to_json())
    except CodecError as error:
        raise FormatError(f"codecs: {error.message}", where) from error


def _split(
    codecs: Sequence[Filter], rank: int, *, has_shard: bool
) -> tuple[tuple[Filter, ...], tuple[int, ...], tuple[Filter, ...]]:
    """Divide codecs from array to array into those before an order of axes, it, and the others.

    Several orders after each other are one. Before a shard, and after a codec that gives an array
    another rank, there are no others.
    """
    moving = [n for n, codec in enumerate(codecs) if codec_of(codec.to_json()).moves_elements]
    if not moving:
        kept = tuple(codecs)
        return (kept, in_order(rank), ()) if has_shard else ((), in_order(rank), kept)
    end = moving[-1] + 1
    start = end
    while start and codecs[start - 1].id == "transpose":
        start -= 1
    orders = [codec.get("order") for codec in codecs[start:end]]
    if (has_shard and end < len(codecs)) or any(len(order) != rank for order in orders):
        end = len(codecs) if has_shard else end
        start, orders = end, []
    order = in_order(rank)
    for each in orders:
        order = tuple(order[axis] for axis in each)
    return tuple(codecs[:start]), order, tuple(codecs[end:])


def _codec(value: Json, where: str) -> tuple[str, dict[str, Json]]:
    name_and_configuration = read_extension(value, "codecs: {}", where)
    if name_and_configuration is None:
        raise FormatError(f'codecs: a codec needs a "name", not {show_json(value)}', where)
    return name_and_configuration


def _read_codec(
    name: str, configuration: dict[str, Json], array: ArraySpec, where: str, depth: int
) -> Filter:
    """Return the configuration of a codec. Raises `FormatError`."""
    if name == "sharding_indexed":
        return make_filter(name)
    if name == "transpose":
        return make_filter(name, order=_permutation(configuration, len(array.shape), where))
    if name == "bytes":
        _check_endian(configuration, where)
    known = find_v3(name)
    if known is not None and known.holds_codecs:
        configuration = _with_nested(known, configuration, len(array.shape), where, depth + 1)
    return filter_of(name, configuration, where)


def _with_nested(
    known: Codec, configuration: dict[str, Json], rank: int, where: str, depth: int
) -> dict[str, Json]:
    """Return a configuration with the codecs of bytes within it, as numcodecs configures them.

    Members that every such configuration has are left out. Raises `FormatError`.
    """
    codecs = configuration.get("codecs")
    firsts = known.first_within(rank)
    if not isinstance(codecs, list) or len(codecs) < len(firsts):
        raise FormatError(f"codecs: {known.id} needs a list of codecs", where)
    for value, (name, expected) in zip(codecs, firsts, strict=False):
        found = _codec(value, where)
        if found[0] != name or {**expected, **found[1]} != expected:
            raise FormatError(
                f"codecs: {known.id}: {name} must have {show_json(expected)} and be in its place",
                where,
            )
    nested = [_of_bytes(value, where, depth).to_json() for value in codecs[len(firsts) :]]
    return {**configuration, "codecs": nested}


def _of_bytes(value: Json, where: str, depth: int) -> Filter:
    """Return the configuration of a codec that must take bytes. Raises `FormatError`."""
    name, configuration = _codec(value, where)
    if depth > _DEEPEST:
        raise FormatError(f"codecs: {name} is in too many others", where)
    made = _read_codec(name, configuration, ArraySpec((1,), 1), where, depth)
    if codec_of(made.to_json()).place != "bytes to bytes":
        raise FormatError(f"codecs: {name} is in the wrong place", where)
    return made


def _check_endian(configuration: dict[str, Json], where: str) -> None:
    check_members(configuration, ("endian",), "codecs: bytes", where)
    endian = configuration.get("endian", "little")
    if endian not in _ENDIAN.values():
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
        made = make_filter(codec.id, **configuration)
        fault = None if codec.is_v2 else parameter_fault(made.to_json())
        if fault is not None:
            raise FormatError(f"codecs: {fault}", where)
        return made
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
    configuration: dict[str, Json],
    array: ArraySpec,
    where: str,
    depth: int,
    *,
    is_changed: bool,
) -> tuple[Shard, str]:
    chunks = array.shape
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
    codecs = configuration.get("codecs")
    chain = read_chain(
        codecs, tuple(inner), where, depth + 1, dtype=array.dtype, is_changed=is_changed
    )
    index = read_chain(
        configuration.get("index_codecs"), (*(1 for _ in chunks), 2), where, depth + 1
    )
    if index.shard is not None or index.order != in_order(len(chunks) + 1) or index.first:
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
        first_codecs=chain.first,
    )
    return shard, chain.endian


def print_chain(layout: ChunkLayout | Shard, *, endian: str | None, item_size: int) -> list[Json]:
    """Return the `codecs` member of an array, or of the chunks of a shard.

    `endian` is None if elements have no byte order. Raises `FormatError` for a codec that Zarr V3
    has no name for, or that is in an invalid place.
    """
    arrays, order = list(layout.first_codecs), layout.order
    if endian is None and any(map(_widens, (*layout.first_codecs, *layout.codecs))):
        endian = "<"
    if order != in_order(len(order)):
        arrays.append(make_filter("transpose", order=list(order)))
    others = list(layout.codecs)
    if layout.shard is not None:
        maker = _print_shard(layout.shard, endian, item_size)
    else:
        while others and _is_array_filter(others[0]):
            arrays.append(others.pop(0))
        maker = _print_maker(others, endian, item_size, _rank_after(layout, arrays))
    printed = [_print_filter(codec, item_size) for codec in arrays]
    for codec in others:
        _refuse_place(codec)
    return [*printed, maker, *(_print_filter(codec, item_size) for codec in others)]


def _widens(codec: Filter) -> bool:
    """Return whether elements of a byte, which have no byte order, are longer after a codec."""
    configuration = codec.to_json()
    return codec_of(configuration).element_size(configuration, 1) > 1


def _rank_after(layout: ChunkLayout | Shard, codecs: Sequence[Filter]) -> int:
    """Return the rank of a chunk after codecs from array to array."""
    configurations = [codec.to_json() for codec in codecs]
    return len(arrays_between(configurations, ArraySpec(layout.chunks, 1))[-1].shape)


def _print_maker(others: list[Filter], endian: str | None, item_size: int, rank: int) -> Json:
    """Return the codec that makes bytes, which is taken from `others` if they begin with it."""
    if others and _makes_bytes_in_v2(others[0]):
        if endian == ">":
            raise FormatError(f"Zarr V3 has no byte order for the codec {others[0].id}")
        return _print_filter(others.pop(0), item_size, rank)
    if endian is None:
        return {"name": "bytes"}
    return {"name": "bytes", "configuration": {"endian": _ENDIAN[endian]}}


def _refuse_place(codec: Filter) -> None:
    """Raise `FormatError` for a codec that takes no bytes."""
    if _is_array_filter(codec):
        raise FormatError(
            f"Zarr V3 does not allow the array filter {codec.id} after a codec of bytes"
        )
    if _makes_bytes_in_v2(codec):
        raise FormatError(f"Zarr V3 does not allow the codec {codec.id} after a codec of bytes")


_ENDIAN = {"<": "little", ">": "big"}


def _makes_bytes_in_v2(codec: Filter) -> bool:
    entry = codec_of(codec.to_json())
    return entry.makes_bytes or entry.encodes_objects(codec.to_json())


def _print_filter(codec: Filter, item_size: int, rank: int = 1) -> Json:
    """Return a codec as Zarr V3 spells it; `rank` is the rank of the array that it encodes."""
    configuration = codec.to_json()
    entry = codec_of(configuration)
    name = entry.id
    del configuration["id"]
    if entry.holds_codecs:
        firsts = [{"name": n, "configuration": c} for n, c in entry.first_within(rank)]
        within = [
            _print_filter(Filter.from_json(each), item_size) for each in configuration["codecs"]
        ]
        configuration["codecs"] = [*firsts, *within]
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
    if entry.v3.parameters is None:
        return {"name": entry.v3.name, "configuration": configuration}
    if not fixed:
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
            "codecs": print_chain(shard, endian=endian, item_size=item_size),
            "index_codecs": index_chain,
            "index_location": "end" if shard.at_end else "start",
        },
    }


def plain_shard(chunks: tuple[int, ...], codecs: tuple[Filter, ...]) -> Shard:
    """Return a shard of chunks of that shape, with its index and a checksum at the end."""
    return Shard(
        chunks=chunks, order=in_order(len(chunks)), codecs=codecs, index_codecs=_INDEX_CODECS
    )

"""Zarr V3's chain of codecs as a layout of chunks, and back.

V3 lists codecs by name: from array to array, one from array to bytes, and from bytes to bytes. In a
layout these are the order of axes, the byte order of the dtype or a shard, and filters as numcodecs
configures them. Source: the Zarr core specification version 3, "Chunk encoding", the specifications
of the codecs, and zarr-python's ``numcodecs.*``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ncz.codec.chain import is_object_codec
from ncz.errors import FormatError
from ncz.formats.zarr.array.layout import Shard, in_order
from ncz.formats.zarr.document.json import Json, print_json
from ncz.model.filters import Filter, make_filter
from ncz.record import record

_ARRAY_FILTERS = frozenset(
    {"delta", "fixedscaleoffset", "quantize", "bitround", "astype", "packbits", "categorize"}
)
_SHUFFLES = {"noshuffle": 0, "shuffle": 1, "bitshuffle": 2}
_SHUFFLE_NAMES = {number: name for name, number in _SHUFFLES.items()}
_INDEX_CODECS = (make_filter("crc32c", location="end"),)


@record(kw_only=True)
class Chain:
    """What a list of codecs says about chunks of one array."""

    order: tuple[int, ...]
    endian: str = "<"
    filters: tuple[Filter, ...] = ()
    shard: Shard | None = None


def read_chain(value: Json, chunks: tuple[int, ...], where: str, depth: int = 0) -> Chain:
    """The chain of a `codecs` member. Raises `FormatError`, naming what is not known."""
    if not isinstance(value, list) or depth > 8:
        raise FormatError(f"codecs must be a list, not {print_json(value)[:60]}", where)
    rank = len(chunks)
    order = in_order(rank)
    endian, shard = "<", None
    filters: list[Filter] = []
    has_bytes = False
    for codec in value:
        name, configuration = _codec(codec, where)
        if name == "transpose":
            if has_bytes:
                raise FormatError("codecs: transpose after the bytes were made", where)
            order = tuple(order[axis] for axis in _permutation(configuration, rank, where))
        elif name in ("bytes", "endian", "vlen-utf8", "vlen-bytes", "sharding_indexed"):
            if has_bytes:
                raise FormatError(f"codecs: {name} after the bytes were made", where)
            has_bytes = True
            if name == "sharding_indexed":
                if order != in_order(rank) or filters:
                    raise FormatError("codecs: shards of arrays that are changed first", where)
                shard, endian = _read_shard(configuration, chunks, where, depth)
            elif name.startswith("vlen"):
                filters.append(make_filter(name))
            else:
                endian = ">" if configuration.get("endian") == "big" else "<"
        else:
            codec_filter = _filter(name, configuration, where)
            if has_bytes == (codec_filter.id in _ARRAY_FILTERS):
                raise FormatError(f"codecs: {name} is in the wrong place", where)
            filters.append(codec_filter)
    if not has_bytes:
        raise FormatError("codecs: none makes bytes of an array", where)
    if endian == ">" and any(f.id in _ARRAY_FILTERS for f in filters):
        raise FormatError("codecs: filters of arrays whose bytes are big-endian", where)
    return Chain(order=order, endian=endian, filters=tuple(filters), shard=shard)


def _codec(value: Json, where: str) -> tuple[str, dict[str, Json]]:
    if isinstance(value, str):
        return value, {}
    if isinstance(value, dict) and isinstance(value.get("name"), str):
        configuration = value.get("configuration") or {}
        if isinstance(configuration, dict):
            return value["name"], configuration
    raise FormatError(f'codecs: a codec needs a "name", not {print_json(value)[:60]}', where)


def _permutation(configuration: dict[str, Json], rank: int, where: str) -> tuple[int, ...]:
    value = configuration.get("order")
    if value in ("C", "F"):
        return in_order(rank, value)
    if isinstance(value, list) and sorted(map(str, value)) == sorted(map(str, range(rank))):
        return tuple(int(axis) for axis in value)
    raise FormatError(f"codecs: transpose has the order {print_json(value)[:60]}", where)


def _filter(name: str, configuration: dict[str, Json], where: str) -> Filter:
    """The numcodecs configuration of a codec that changes bytes, or an array's values."""
    if name.startswith("numcodecs."):
        return make_filter(name.removeprefix("numcodecs."), **configuration)
    match name:
        case "gzip":
            return make_filter("gzip", level=configuration.get("level", 5))
        case "zstd":
            checksum = bool(configuration.get("checksum", False))
            return make_filter("zstd", level=configuration.get("level", 0), checksum=checksum)
        case "blosc":
            shuffle = configuration.get("shuffle", "noshuffle")
            if shuffle not in _SHUFFLES:
                raise FormatError(f"codecs: blosc has the shuffle {print_json(shuffle)}", where)
            return make_filter(
                "blosc",
                cname=configuration.get("cname", "zstd"),
                clevel=configuration.get("clevel", 5),
                shuffle=_SHUFFLES[shuffle],
                blocksize=configuration.get("blocksize", 0),
            )
        case "crc32c":
            return make_filter("crc32c", location="end")
        case "zlib" | "lz4" | "bz2" | "lzma" | "shuffle" | "fletcher32" | "adler32" | "crc32":
            return make_filter(name, **configuration)
        case _:
            raise FormatError(f"codecs: there is no codec {name!r} here", where)


def _read_shard(
    configuration: dict[str, Json], chunks: tuple[int, ...], where: str, depth: int
) -> tuple[Shard, str]:
    inner = configuration.get("chunk_shape")
    if (
        not isinstance(inner, list)
        or not all(type(n) is int and n > 0 for n in inner)
        or len(inner) != len(chunks)
        or any(n % m for n, m in zip(chunks, inner, strict=True))
    ):
        raise FormatError(f"codecs: shards of {print_json(inner)[:60]} do not divide chunks", where)
    chain = read_chain(configuration.get("codecs"), tuple(inner), where, depth + 1)
    index = read_chain(
        configuration.get("index_codecs"), (*(1 for _ in chunks), 2), where, depth + 1
    )
    if index.shard is not None or index.order != in_order(len(chunks) + 1):
        raise FormatError("codecs: the index of a shard must be plain", where)
    location = configuration.get("index_location", "end")
    if location not in ("start", "end"):
        raise FormatError(f"codecs: index_location is {print_json(location)[:60]}", where)
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
    """The `codecs` member. `endian` is None where elements have no byte order.

    Raises `FormatError` for a filter that Zarr V3 has no name for.
    """
    codecs: list[Json] = []
    if shard is not None:
        codecs.append(_print_shard(shard, endian, item_size))
    else:
        if order != in_order(len(order)):
            codecs.append({"name": "transpose", "configuration": {"order": list(order)}})
        arrays = [f for f in filters if f.id in _ARRAY_FILTERS]
        if arrays != list(filters[: len(arrays)]):
            raise FormatError(
                f"Zarr V3 has no place for the filter {arrays[-1].id} after one of bytes"
            )
        codecs += [_print_filter(f, item_size) for f in arrays]
        filters = filters[len(arrays) :]
        objects = [f for f in filters if is_object_codec(f.to_json())]
        if objects:
            codecs.append({"name": objects[0].id, "configuration": {}})
            filters = [f for f in filters if f not in objects]
        elif endian is None:
            codecs.append({"name": "bytes"})
        else:
            codecs.append({"name": "bytes", "configuration": {"endian": _ENDIAN[endian]}})
    return [*codecs, *(_print_filter(f, item_size) for f in filters)]


_ENDIAN = {"<": "little", ">": "big"}


def _print_filter(codec: Filter, item_size: int) -> Json:
    configuration = codec.to_json()
    name = str(configuration.pop("id"))
    match name:
        case "gzip":
            return {"name": name, "configuration": {"level": configuration.get("level", 1)}}
        case "zstd":
            level = configuration.get("level", 0)
            checksum = bool(configuration.get("checksum", False))
            return {"name": name, "configuration": {"level": level, "checksum": checksum}}
        case "blosc":
            shuffle = configuration.get("shuffle", 1)
            if shuffle == -1:  # numcodecs' choice by the size of an element
                shuffle = 2 if item_size == 1 else 1
            said = {
                "typesize": max(1, item_size),
                "cname": configuration.get("cname", "lz4"),
                "clevel": configuration.get("clevel", 5),
                "shuffle": _SHUFFLE_NAMES.get(shuffle, "noshuffle"),
                "blocksize": configuration.get("blocksize", 0),
            }
            return {"name": name, "configuration": said}
        case "crc32c" if configuration.get("location") == "end":
            return {"name": name}
        case "pickle" | "json2" | "json" | "msgpack2" | "msgpack" | "vlen-array" | "szip":
            raise FormatError(f"Zarr V3 has no codec for {name}")
        case _:
            return {"name": f"numcodecs.{name}", "configuration": configuration}


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
    """A shard of chunks of that shape, with its index at the end and checked."""
    return Shard(
        chunks=chunks, order=in_order(len(chunks)), codecs=codecs, index_codecs=_INDEX_CODECS
    )

"""Checks of stored chunks that are copied without decoding.

Lengths, headers, checksums and the indexes of shards are compared with what the document of the
array says.
"""

from __future__ import annotations

import math

from ncz.codec import Encoded
from ncz.codec.bounds import encoded_size
from ncz.codec.catalogue import is_kind
from ncz.codec.probe import Probe, probe_for
from ncz.errors import CodecError
from ncz.formats.zarr.shards import ABSENT, index_size, read_index
from ncz.model.chunks import ChunkLayout, Shard
from ncz.model.filters import Filter


def chunk_probe(layout: ChunkLayout, item_size: int) -> Probe:
    """Return the check of stored chunks that need not be decoded for it."""
    if layout.shard is None:
        return probe_for(_configurations(layout.codecs), layout.chunk_size, item_size)
    if layout.codecs:  # of whole shards, whose size varies
        return probe_for(_configurations(layout.codecs), layout.chunk_size, 0)
    return _shard_probe(layout.shard, layout.chunks, item_size)


def _configurations(codecs: tuple[Filter, ...]) -> list[dict[str, object]]:
    return [codec.to_json() for codec in codecs]


def _shard_probe(shard: Shard, chunks: tuple[int, ...], item_size: int) -> Probe:
    """Return the check of a shard: its index, where the chunks in it are, and their checksums.

    Chunks without checksums are not read, because a shard may hold thousands of small chunks.
    """
    size = index_size(shard, chunks)
    configurations = _configurations(shard.codecs)
    inner = None
    probe = _inner_probe(shard, configurations, item_size)
    if shard.shard is None:
        inner = encoded_size(configurations, math.prod(shard.chunks) * item_size)

    def looks_whole(data: Encoded) -> bool:
        if len(data) < size:
            return False
        try:
            index = read_index(data[-size:] if shard.at_end else data[:size], shard, chunks, "")
        except CodecError:
            return False
        entries = index.reshape(-1, 2)
        entries = entries[(entries != ABSENT).any(axis=1)]
        starts, counts = entries.T
        is_within = (counts <= len(data)) & (starts <= len(data) - counts)
        if not is_within.all() or not (inner is None or (counts == inner).all()):
            return False
        if probe is None:
            return True
        whole = data[:]
        return all(probe(whole[start : start + count]) for start, count in entries.tolist())

    return looks_whole


def _inner_probe(
    shard: Shard, configurations: list[dict[str, object]], item_size: int
) -> Probe | None:
    """Return the check of the chunks in a shard; None if they have no checksums."""
    if shard.shard is not None and not configurations:
        return _shard_probe(shard.shard, shard.chunks, item_size)
    if not any(is_kind(each, "checksum") for each in configurations):
        return None
    return probe_for(configurations, math.prod(shard.chunks), 0 if shard.shard else item_size)

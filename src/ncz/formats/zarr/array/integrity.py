"""Stored chunks that are checked when they are copied without decoding.

Lengths, headers, checksums and the indexes of shards are compared with what the array's document
says (`ncz.codec.chain`). A chunk that does not agree is decoded, and so is every chunk if asked
for: the error of decoding names the chunk and the reason.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, cast

from ncz.codec.base import Encoded
from ncz.codec.catalogue import is_kind
from ncz.codec.chain import Probe, encoded_size, probe_for
from ncz.errors import CodecError, CodecMissing
from ncz.formats.zarr.array.shards import ABSENT, index_size, read_index
from ncz.model.chunk.layout import ChunkLayout, Shard
from ncz.model.filters import Filter
from ncz.model.grid import Index
from ncz.zmap import FileZmap, WritableFileZmap, WritableZmap

if TYPE_CHECKING:
    from ncz.formats.zarr.array.array import ZarrArray


class CheckedChunks:
    """The encoded chunks of an array; reading a damaged one raises `CodecError`.

    Parameters
    ----------
    array
        The array.
    decodes
        Whether every chunk is decoded; otherwise only those whose length or header is suspicious.
    """

    def __init__(self, array: ZarrArray, *, decodes: bool) -> None:
        self._array = array
        self._limit = array.most_stored
        self._probe = chunk_probe(array.layout, array.item_size)
        self._decodes = decodes

    def encoded(self, index: Index) -> bytes | None:
        """Return stored chunk `index` without decoding it; None if it is missing."""
        key = self._array.keys.key(self._array.key, index)
        data = self._array.zmap.get(key, self._limit)
        if data is None:
            self._array.refuse_folder(key)
        else:
            self._check(data, index)
        return data

    def copy_encoded(self, index: Index, zmap: WritableZmap, key: str) -> int | None:
        """Copy stored chunk `index` to `key`; see `EncodedSource.copy_encoded`."""
        from ncz.zmap.local.move import move_object

        at = self._array.keys.key(self._array.key, index)
        size = move_object(
            self._array.zmap, at, zmap, key, self._limit, lambda data: self._check(data, index)
        )
        if size is None:
            self._array.refuse_folder(at)
        return size

    def copy_many(
        self, indices: Sequence[Index], zmap: WritableFileZmap, keys: Sequence[str]
    ) -> Iterator[int | None]:
        """Copy stored chunks that look undamaged; see `BatchedChunks`."""
        array = self._array
        if self._decodes or array.layout.lengths is not None:
            return repeat(None, len(indices))
        ours = array.keys.keys(array.key, indices)
        return zmap.put_many_from(keys, cast("FileZmap", array.zmap), ours, self._probe)

    def _check(self, data: Encoded, index: Index) -> None:
        array = self._array
        if not self._decodes and self._probe_of(index)(data):
            return
        try:
            array.decoded(data[:], index)
        except CodecMissing:
            if self._decodes:
                raise

    def _probe_of(self, index: Index) -> Probe:
        """Return the check of one chunk; all chunks of one shape have the same."""
        layout = self._array.layout
        if layout.lengths is None:
            return self._probe
        return chunk_probe(layout.at(index), self._array.item_size)


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

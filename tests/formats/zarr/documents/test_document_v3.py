"""Zarr V3: arrays, types, codecs and shards, as zarr-python has them too."""

from __future__ import annotations

import json
import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.formats.zarr.arrays.array import ZarrArray
from ncz.formats.zarr.documents.codecs_v3 import plain_shard
from ncz.formats.zarr.documents.document_v3 import print_array, read_array
from ncz.formats.zarr.types.dtypes import encoding_for
from ncz.formats.zarr.writing.array_plan import ArrayPlan
from ncz.model.chunks import ChunkLayout
from ncz.model.data import MemoryArray, read_all
from ncz.model.filters import make_filter
from ncz.model.tree import Variable
from ncz.model.types import Atomic
from ncz.parallel.threads import ThreadPool
from ncz.transfer.move import move_chunks, transfer_for
from ncz.zmap.key import ChunkKeys
from ncz.zmap.memory import MemoryZmap
from tests.chunks import write_chunks
from tests.sampled import share_of

NUMBERS = [t for t in Atomic if t.kind in "iuf"]
COMPRESSORS = [
    (),
    (make_filter("gzip", level=1),),
    (make_filter("zstd", level=3, checksum=True),),
    (make_filter("blosc", cname="lz4", clevel=3, shuffle=1, blocksize=0),),
    (make_filter("zstd", level=0, checksum=False), make_filter("crc32c", location="end")),
    (make_filter("shuffle", elementsize=4), make_filter("zlib", level=2)),
]


@st.composite
def cases(draw):
    """Values, their chunks, and all codecs of V3."""
    nc_type = draw(st.sampled_from(NUMBERS))
    rank = draw(st.integers(0, 3))
    shape = tuple(draw(st.integers(0, 7)) for _ in range(rank))
    inner = tuple(draw(st.integers(1, 4)) for _ in range(rank))
    seed = draw(st.integers(0, 2**32 - 1))
    random = np.random.default_rng(seed)
    count = math.prod(shape)
    values = np.frombuffer(random.bytes(count * nc_type.size), nc_type.dtype).reshape(shape)
    fill = values.reshape(-1)[0].item() if count and draw(st.booleans()) else 0
    if nc_type.is_floating:
        fill = float(draw(st.sampled_from([0.0, -0.0, math.inf, -math.inf, math.nan, 1.5])))
        values = np.nan_to_num(values)
    values = np.where(random.random(shape) < 0.5, np.array(fill, values.dtype), values)
    codecs = draw(st.sampled_from(COMPRESSORS))
    if codecs and codecs[0].id == "shuffle":
        codecs = (make_filter("shuffle", elementsize=nc_type.size), *codecs[1:])
    order = tuple(draw(st.permutations(range(rank))))
    keys = ChunkKeys(draw(st.sampled_from("./")), draw(st.booleans()))
    shard = None
    chunks = inner
    if rank and draw(st.booleans()):
        chunks = tuple(n * draw(st.integers(1, 3)) for n in inner)
        shard = plain_shard(inner, codecs)
        if draw(st.booleans()):
            shard = replace(shard, at_end=False, index_order=draw(st.sampled_from("<>")))
    layout = ChunkLayout(
        shape=shape,
        chunks=chunks,
        order=order if shard is None else tuple(range(rank)),
        codecs=codecs if shard is None else (),
        shard=shard,
    )
    endianness = draw(st.sampled_from(["little", "big"]))
    encoding = encoding_for(
        nc_type, endianness=endianness, string_length=None, char="|S1", pure=True
    )
    return values, nc_type, layout, keys, encoding, fill


def same(ours, theirs):
    assert ours.shape == theirs.shape
    np.testing.assert_array_equal(ours, theirs.astype(ours.dtype))


@settings(deadline=None, max_examples=share_of(150))
@given(cases())
def test_written_values_are_read_by_us_and_by_zarr_python(case):
    values, nc_type, layout, keys, encoding, fill = case
    zmap = MemoryZmap({})
    source = MemoryArray(values, nc_type, fill=fill)
    write_chunks(zmap, "v", source, layout, encoding, fill, keys)
    document = print_array(layout, encoding, fill, keys=keys, attributes={}, dimension_names=None)
    text = json.dumps(document)  # strict
    assert "NaN," not in text
    described = read_array(json.loads(text), "v")
    assert (described.layout, described.keys) == (layout, keys)
    array = ZarrArray(
        zmap, "v", described.layout, encoding, described.fill(encoding), described.keys
    )
    same(values, read_all(array))
    for index in array.grid.indices():
        chunk = array.chunk(index)
        if chunk is not None:
            assert chunk.shape == array.grid.box(index).shape
    zarr = pytest.importorskip("zarr", reason="the peer zarr is not installed")
    objects = {key: zmap.get(key) for key in zmap.walk()} | {"v/zarr.json": text.encode()}
    buffers = {k: zarr.core.buffer.cpu.Buffer.from_bytes(v) for k, v in objects.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of codecs that have no specification yet
        store = zarr.storage.MemoryStore(buffers)
        theirs = zarr.open_array(store, path="v", mode="r", zarr_format=3)
        same(values, np.asarray(theirs[...]))
        assert math.isnan(theirs.fill_value) if fill != fill else theirs.fill_value == fill


@settings(deadline=None, max_examples=share_of(60))
@given(cases(), st.sampled_from(COMPRESSORS))
def test_a_shard_moves_whole_or_is_taken_apart(case, codecs):
    values, nc_type, layout, keys, encoding, fill = case
    zmap, target = MemoryZmap({}), MemoryZmap({})
    given = MemoryArray(values, nc_type, fill=fill)
    write_chunks(zmap, "v", given, layout, encoding, fill, keys)
    source = ZarrArray(zmap, "v", layout, encoding, fill, keys)
    other = ChunkLayout(shape=layout.shape, chunks=layout.chunks, order=layout.order, codecs=codecs)
    for made in (layout, other):
        array = ArrayPlan(
            fqn="/w", variable=Variable(name="w", type=nc_type), layout=made, encoding=encoding,
            fill=fill,
        )  # fmt: skip
        transfer = transfer_for(source, array)
        assert made is not layout or transfer.way == "raw"
        with ThreadPool(1 << 20, 1) as pool:
            move_chunks(transfer, target, pool, lambda _: None, None)
        same(values, read_all(ZarrArray(target, "w", made, encoding, fill)))


@pytest.mark.parametrize("position", ["start", "end"])
def test_nested_shards(position):
    """zarr-python reads documents of ncz, and ncz reads documents of zarr-python."""
    zarr = pytest.importorskip("zarr", reason="the peer zarr is not installed")
    from zarr.codecs import BytesCodec, Crc32cCodec, ShardingCodec, ZstdCodec

    inner = ShardingCodec(
        chunk_shape=(2, 2), codecs=[BytesCodec(), ZstdCodec()], index_location=position,
        index_codecs=[BytesCodec(), Crc32cCodec()],
    )  # fmt: skip
    outer = ShardingCodec(chunk_shape=(4, 4), codecs=[inner], index_location=position)
    store = zarr.storage.MemoryStore()
    array = zarr.create_array(
        store, name="v", shape=(10, 9), chunks=(8, 8), dtype="i4", fill_value=7,
        serializer=outer, compressors=None,
    )  # fmt: skip
    values = np.arange(90, dtype="i4").reshape(10, 9)
    values[:5, :5] = 7
    array[...] = values
    zmap = MemoryZmap({k: v.to_bytes() for k, v in store._store_dict.items()})
    document = json.loads(zmap.get("v/zarr.json") or b"")
    described = read_array(document, "v")
    encoding = described.encoding(nczarr=False, alias=None, type_name="/v_t")
    ours = ZarrArray(
        zmap, "v", described.layout, encoding, described.fill(encoding), described.keys
    )
    assert ours.grid.chunks == (4, 4)
    same(values, read_all(ours))
    again = MemoryZmap({})
    write_chunks(again, "v", ours, described.layout, encoding, 7, described.keys)
    objects = {k: again.get(k) for k in again.walk()} | {"v/zarr.json": zmap.get("v/zarr.json")}
    buffers = {k: zarr.core.buffer.cpu.Buffer.from_bytes(v) for k, v in objects.items()}
    theirs = zarr.open_array(zarr.storage.MemoryStore(buffers), path="v", mode="r")
    same(values, np.asarray(theirs[...]))


def test_only_a_part_of_a_shard_is_read():
    ranges: list[tuple[int, int]] = []

    class Counting(MemoryZmap):
        def get(self, key, limit=0):
            raise AssertionError("it is read whole")

        def get_range(self, key, start, count):
            ranges.append((start, count))
            value = objects[key]
            return value[start:][:count] if start < 0 else value[start : start + count]

    layout = ChunkLayout(
        shape=(64,),
        chunks=(64,),
        order=(0,),
        shard=plain_shard((4,), ()),
    )
    encoding = encoding_for(Atomic.INT, endianness=None, string_length=None, char="|S1")
    objects: dict[str, bytes] = {}
    keys = ChunkKeys("/", True)
    source = MemoryArray(np.arange(64, dtype="i4"), Atomic.INT)
    write_chunks(MemoryZmap(objects), "v", source, layout, encoding, -1, keys)
    zmap = Counting(objects)
    array = ZarrArray(zmap, "v", layout, encoding, -1, keys)
    values = array.chunk((5,))
    assert values is not None
    assert values.tolist() == [20, 21, 22, 23]
    assert ranges == [(-(16 * 16 + 4), 16 * 16 + 4), (5 * 16, 16)]

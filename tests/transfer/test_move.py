"""Chunks from store to store: every way gives the same values, and missing chunks stay missing."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.errors import CodecError, ZmapError
from ncz.formats.zarr.arrays.array import ZarrArray, encode_elements
from ncz.formats.zarr.types.dtypes import encoding_for
from ncz.formats.zarr.writing.array_plan import ArrayPlan
from ncz.model.chunks import ChunkLayout, in_order
from ncz.model.data import read_all
from ncz.model.filters import make_filter
from ncz.model.grid import ChunkGrid
from ncz.model.tree import Variable
from ncz.model.types import Atomic
from ncz.parallel.threads import ThreadPool
from ncz.transfer.blocks import Pieces, blocks_for
from ncz.transfer.move import MoveResult, move_chunks, transfer_for
from ncz.transfer.rechunk import plan_rechunk, rechunk_chunks
from ncz.zmap.key import ChunkKeys
from ncz.zmap.memory import MemoryZmap
from tests.sampled import share_of

CHAINS = [
    (),
    (make_filter("zlib", level=1),),
    (make_filter("shuffle", elementsize=4), make_filter("zlib", level=5)),
    (make_filter("zstd", level=1),),
]
FILL = -7
PLAIN = ChunkKeys()


def encoding(nc_type=Atomic.INT, endianness="little"):
    return encoding_for(nc_type, endianness=endianness, string_length=8, char=">S1")


def stored(shape, chunks, order, codecs, missing=(), keys=PLAIN):
    """An array that contains 0, 1, 2, ... except for the chunks that are missing."""
    layout = ChunkLayout(
        shape=shape, chunks=chunks, order=in_order(len(shape), order), codecs=codecs
    )
    values = np.arange(math.prod(shape), dtype="<i4").reshape(shape)
    zmap = MemoryZmap({})
    array = ZarrArray(zmap, "a/v", layout, encoding(), FILL, keys)
    for index in array.grid.indices():
        box = array.grid.box(index)
        if index in missing:
            continue
        whole = np.full(chunks, 99, "<i4")  # beyond the edge there may be anything
        whole[tuple(slice(0, n) for n in box.shape)] = values[box.slices]
        data = encode_elements(whole, layout, array.encoding, "v")
        assert data is not None
        zmap.put(keys.key("a/v", index), data)
    return array


def planned(source, chunks, order="C", codecs=(), endianness="little", keys=PLAIN):
    shape = source.layout.shape
    layout = ChunkLayout(
        shape=shape, chunks=chunks, order=in_order(len(shape), order), codecs=codecs
    )
    return ArrayPlan(
        fqn="/v",
        variable=Variable(name="v", type=Atomic.INT),
        layout=layout,
        encoding=encoding(endianness=endianness),
        fill=FILL,
        keys=keys,
    )


def transferred(source, array, memory=1 << 20, threads=2):
    """Carry it out, and give the way and the new array."""
    transfer = transfer_for(source, array)
    zmap = MemoryZmap({})
    moved: list[MoveResult] = []
    with ThreadPool(memory, threads) as pool:
        run = rechunk_chunks if transfer.way == "rechunk" else move_chunks
        run(transfer, zmap, pool, moved.append, None)
    new = ZarrArray(zmap, array.key, array.layout, array.encoding, FILL, array.keys)
    assert sum(m.chunks for m in moved) == len(list(zmap.walk()))
    assert sum(m.size for m in moved) == sum(len(zmap.get(k) or b"") for k in zmap.walk())
    return transfer, new


@st.composite
def cases(draw):
    rank = draw(st.integers(0, 3))
    shape = tuple(draw(st.integers(0, 9)) for _ in range(rank))
    cuts = [tuple(draw(st.integers(1, 10)) for _ in shape) for _ in range(2)]
    indices = list(ChunkGrid(shape, cuts[0]).indices())
    missing = draw(st.sets(st.sampled_from(indices))) if indices else set()
    return shape, cuts, missing


KEYS = st.builds(ChunkKeys, st.sampled_from("./"), st.booleans())


@settings(max_examples=share_of(150), deadline=None)
@given(
    cases(),
    st.tuples(st.sampled_from("CF"), st.sampled_from("CF")),
    st.tuples(st.sampled_from(CHAINS), st.sampled_from(CHAINS)),
    st.tuples(KEYS, KEYS),
    st.sampled_from(["little", "big"]),
    st.sampled_from([1, 200, 10_000]),
    st.integers(1, 3),
)
def test_every_way_keeps_the_values(case, orders, codecs, keys, endianness, memory, threads):
    shape, cuts, missing = case
    source = stored(shape, cuts[0], orders[0], codecs[0], missing, keys[0])
    array = planned(source, cuts[1], orders[1], codecs[1], endianness, keys[1])
    transfer, new = transferred(source, array, memory, threads)
    assert read_all(new).tolist() == read_all(source).tolist()
    assert (transfer.way == "rechunk") == (cuts[0] != cuts[1])
    # A chunk exists only if the source has one of its parts.
    for index in new.grid.indices():
        box = new.grid.box(index)
        has = any(i not in missing for i in source.grid.indices(box)) or not box.shape
        if not shape:
            has = not missing
        assert (new.chunk_elements(index) is not None) == has


@pytest.mark.parametrize("codecs", CHAINS)
def test_equal_chunks_are_copied_raw(codecs):
    source = stored((5, 7), (2, 3), "C", codecs, keys=ChunkKeys("/", True))
    transfer, new = transferred(source, planned(source, (2, 3), codecs=codecs))
    assert transfer.way == "raw"
    for index in source.grid.indices():
        theirs = source.zmap.get(source.keys.key("a/v", index))
        assert new.zmap.get(new.keys.key("v", index)) == theirs


def test_two_spellings_of_one_codec_are_the_same():
    def named(size):
        return (make_filter("shuffle", elementsize=size), make_filter("zlib", level=1))

    source = stored((4,), (2,), "C", named(4))
    netcdf = ZarrArray(
        source.zmap, source.key, planned(source, (2,), codecs=named(0)).layout, encoding(), FILL
    )
    assert transfer_for(netcdf, planned(source, (2,), codecs=named(4))).way == "raw"
    other = (make_filter("zlib", level=1), make_filter("shuffle", elementsize=4))
    assert transfer_for(netcdf, planned(source, (2,), codecs=other)).way == "recode"
    level = (make_filter("shuffle", elementsize=4), make_filter("zlib", level=2))
    assert transfer_for(netcdf, planned(source, (2,), codecs=level)).way == "recode"


def test_fortran_order_of_one_axis_is_c_order():
    source = stored((4, 1), (4, 1), "F", ())
    assert transfer_for(source, planned(source, (4, 1))).way == "raw"
    square = stored((4, 2), (4, 2), "F", ())
    assert transfer_for(square, planned(square, (4, 2))).way == "recode"


def test_only_existing_chunks_are_checked():
    source = stored((40, 10), (1, 10), "C", ())
    huge = ChunkLayout(shape=(10**12, 10), chunks=(1, 10), order=(0, 1))
    sparse = ZarrArray(source.zmap, "a/v", huge, encoding(), FILL, source.keys)
    source.zmap.put("a/v/.zarray", b"{}")
    source.zmap.put("a/v/notes.txt", b"")
    source.zmap.put("a/v/00.0", b"")
    source.zmap.put("a/v/7.3", b"")  # beyond the grid
    assert sorted(sparse.present()) == [(i, 0) for i in range(40)]


def test_a_store_that_joins_neighbours_knows_which_chunks_are_read():
    announced: list[str] = []

    class Joining(MemoryZmap):
        joins_neighbours = True

        def expect(self, wanted):
            announced.extend(key for key, _ in wanted)

    chunks = stored((4, 2), (2, 2), "C", ())
    zmap = Joining({key: chunks.zmap.get(key) for key in chunks.zmap.walk()})
    source = ZarrArray(zmap, "a/v", chunks.layout, encoding(), FILL, PLAIN)
    transferred(source, planned(source, (2, 2)))
    assert announced == ["a/v/0.0", "a/v/1.0"]


def test_a_sparse_giant_costs_its_stored_chunks():
    few = stored((6, 4), (1, 4), "C", ())
    huge = ChunkLayout(shape=(10**9, 4), chunks=(1, 4), order=(0, 1))
    sparse = ZarrArray(few.zmap, "a/v", huge, encoding(), FILL)
    _, new = transferred(sparse, planned(sparse, (10**6, 2)), 1 << 26)
    assert sorted(new.zmap.walk()) == ["v/0.0", "v/0.1"]
    assert new.chunk((0, 1))[:7].tolist() == [[4 * i + 2, 4 * i + 3] for i in range(6)] + [
        [FILL] * 2
    ]


@settings(max_examples=share_of(200), deadline=None)
@given(cases(), st.integers(1, 200))
def test_pieces_fill_the_array_once(case, limit):
    shape, cuts, _ = case
    blocks = blocks_for(ChunkGrid(shape, cuts[0]), ChunkGrid(shape, cuts[1]), limit)
    assert all(b % c == 0 for b, c in zip(blocks.shape, cuts[1], strict=True))
    assert math.prod(blocks.shape) <= max(limit, math.prod(cuts[1]))
    pieces = Pieces(blocks)
    if not shape:
        return
    ends = []
    for chunk in blocks.source.indices():
        for index, box in pieces.of_chunk(chunk):
            ends.append((pieces.offset(index, chunk), box.size))
    ends.sort()
    assert [start for start, _ in ends] == list(
        itertools.accumulate([0] + [size for _, size in ends[:-1]])
    )[: len(ends)]
    assert sum(size for _, size in ends) == math.prod(shape)
    most = max((len(list(pieces.of_chunk(c))) for c in blocks.source.indices()), default=1)
    assert most <= blocks.reads


def test_the_worst_axis_goes_by_way_of_a_file():
    source = stored((40, 20, 20), (1, 20, 20), "C", ())
    array = planned(source, (40, 1, 1))
    memory = 2 * 1600 + 2000  # two source chunks next to a block
    transfer = transfer_for(source, array)
    rechunk = plan_rechunk(transfer, memory)
    assert rechunk.spills
    assert rechunk.blocks.shape == (40, 4, 3)
    assert rechunk.spill_size == 40 * (20 * 20 - 4 * 3) * 4  # all except the first block
    assert rechunk.reads == 1
    _, new = transferred(source, array, memory)
    assert read_all(new).tolist() == read_all(source).tolist()
    assert not plan_rechunk(transfer, 1 << 20).spills


def test_no_room_for_the_file_is_one_line(monkeypatch, tmp_path):
    source = stored((40, 20, 20), (1, 20, 20), "C", ())
    transfer = transfer_for(source, planned(source, (40, 1, 1)))
    with ThreadPool(4000, 1) as pool, pytest.raises(ZmapError) as caught:
        rechunk_chunks(transfer, MemoryZmap({}), pool, print, None, str(tmp_path / "absent"))
    assert "cannot write a temporary file: No such file or directory" in str(caught.value)

    class Usage:
        free = 10

    monkeypatch.setattr("shutil.disk_usage", lambda folder: Usage)
    with ThreadPool(4000, 1) as pool, pytest.raises(ZmapError, match="only 0 MiB are free"):
        rechunk_chunks(transfer, MemoryZmap({}), pool, print, None, "/tmp")


def test_a_store_that_cannot_list_keeps_missing_chunks_missing():
    class Blind(MemoryZmap):
        can_list = False

        def walk(self, prefix=""):
            raise AssertionError("it cannot list")

    listed = stored((40, 4), (1, 4), "C", (), missing={(i, 0) for i in range(40) if i != 3})
    blind = Blind({k: listed.zmap.get(k) for k in listed.zmap.walk()})
    source = ZarrArray(blind, "a/v", listed.layout, listed.encoding, FILL)
    for chunks in ((1, 4), (2, 2)):
        _, new = transferred(source, planned(source, chunks))
        assert read_all(new).tolist() == read_all(listed).tolist()
        assert len(list(new.zmap.walk())) == (1 if chunks == (1, 4) else 2)


def test_results_come_in_order_and_within_the_memory():
    import threading

    held, most, lock = 0, 0, threading.Lock()

    def call(item):
        nonlocal held, most
        with lock:
            held += 1
            most = max(most, held)
        return item

    with ThreadPool(5 << 20, 4) as pool:
        results = []
        for item in pool.each(call, range(100), 1 << 20):
            results.append(item)
            with lock:
                held -= 1
    assert results == list(range(100))
    assert most <= 6  # five, and the one that is taken


def test_an_error_in_a_thread_comes_out():
    def call(item):
        if item == 50:
            raise ZmapError("broken")
        return item

    with ThreadPool(1 << 20, 3) as pool, pytest.raises(ZmapError, match="broken"):
        list(pool.each(call, range(1000), 1 << 16))


@pytest.mark.parametrize("codecs", CHAINS, ids=lambda chain: "+".join(f.id for f in chain) or "raw")
@pytest.mark.parametrize("order", ["C", "F"])
def test_chunks_that_are_read_together_equal_chunks_that_are_read_alone(codecs, order):
    array = stored((7, 5), (3, 2), order, codecs, missing={(1, 1), (2, 0)})
    indices = list(array.grid.indices())
    for many, one in (
        (array.values_of(indices), array.chunk),
        (array.elements(indices), array.chunk_elements),
    ):
        for values, index in zip(many, indices, strict=True):
            alone = one(index)
            assert (values is None) == (alone is None) == (index in {(1, 1), (2, 0)})
            if values is not None and alone is not None:
                assert values.dtype == alone.dtype
                assert values.tolist() == alone.tolist()
    assert array.encoded_chunks(indices) == [array.encoded_chunk(index) for index in indices]


@pytest.mark.parametrize("codecs", CHAINS, ids=lambda chain: "+".join(f.id for f in chain) or "raw")
def test_a_damaged_one_of_chunks_that_are_read_together_is_named(codecs):
    array = stored((7, 5), (3, 2), "C", codecs)
    assert isinstance(array.zmap, MemoryZmap)
    array.zmap.put("a/v/1.2", b"damaged")
    indices = list(array.grid.indices())
    for read in (array.values_of, array.elements, array.with_checks(decodes=True).encoded_chunks):
        with pytest.raises(CodecError, match=r"/a/v/1\.2"):
            read(indices)

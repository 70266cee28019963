"""Chunks behind keys: ncz and zarr-python read written values, on any grid."""

from __future__ import annotations

import json
import math
import weakref
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.errors import CodecError, FormatError, LossError, ZmapError
from ncz.formats.zarr.arrays.array import ZarrArray
from ncz.formats.zarr.documents.document_v2 import ArrayDocumentV2, read_array
from ncz.formats.zarr.types.dtypes import encoding_for, read_encoding
from ncz.model.data import ChunkSource, MemoryArray, read_all, read_box
from ncz.model.filters import Filter, make_filter
from ncz.model.grid import Box
from ncz.model.types import Atomic, Compound, Field, Opaque, Vlen
from ncz.zmap.key import ChunkKeys
from ncz.zmap.memory import MemoryZmap
from tests.chunks import write_chunks

CHAINS = [
    (),
    (make_filter("zlib", level=1),),
    (make_filter("shuffle", elementsize=0), make_filter("zlib", level=1)),
    (make_filter("crc32"), make_filter("blosc", cname="lz4", clevel=1, shuffle=1, blocksize=0)),
    (make_filter("zstd", level=1),),
]


def memory() -> MemoryZmap:
    return MemoryZmap({}, "memory://test")


def store(values, nc_type, chunks, *, order="C", separator=".", codecs=(), endianness=None, fill=0):
    """Write `values` and give the zmap with the array that reads them again."""
    encoding = encoding_for(nc_type, endianness=endianness, string_length=8, char=">S1")
    document = ArrayDocumentV2(
        shape=values.shape,
        chunks=chunks,
        dtype=encoding.dtype,
        fill_value=None,
        order=order,
        filters=codecs,
        separator=separator,
    )
    zmap = memory()
    source = MemoryArray(values, nc_type)
    write_chunks(zmap, "v", source, document.layout, encoding, fill, document.keys)
    return zmap, ZarrArray(zmap, "v", document.layout, encoding, fill, document.keys)


def described(array, order="C"):
    """The `.zarray` of an array that `store` wrote with at most one codec."""
    layout = array.layout
    return ArrayDocumentV2(
        shape=layout.shape,
        chunks=layout.chunks,
        dtype=array.encoding.dtype,
        fill_value=None,
        order=order,
        compressor=layout.codecs[0] if layout.codecs else None,
        separator=array.keys.separator,
    )


@st.composite
def arrays(draw):
    nc_type = draw(st.sampled_from([t for t in Atomic if t.kind in "iuf"]))
    shape = tuple(draw(st.lists(st.integers(0, 5), max_size=3)))
    chunks = tuple(draw(st.integers(1, 7)) for _ in shape)
    size = math.prod(shape) * nc_type.size
    data = draw(st.binary(min_size=size, max_size=size))
    return np.frombuffer(data, nc_type.dtype).reshape(shape), nc_type, chunks


@settings(deadline=None)
@given(
    arrays(),
    st.sampled_from("CF"),
    st.sampled_from("./"),
    st.sampled_from(CHAINS),
    st.sampled_from(["little", "big"]),
)
def test_written_values_are_read(case, order, separator, codecs, endianness):
    values, nc_type, chunks = case
    _, array = store(
        values, nc_type, chunks,
        order=order, separator=separator, codecs=codecs, endianness=endianness,
    )  # fmt: skip
    again = read_all(array)
    assert again.dtype == values.dtype
    assert again.tobytes() == values.tobytes()


FOREIGN = [
    ("<i4", np.arange(6, dtype="<i4").reshape(2, 3)),
    (">f8", np.linspace(0, 1, 6).reshape(2, 3).astype(">f8")),
    ("<f2", np.linspace(0, 1, 6).reshape(2, 3).astype("<f2")),
    ("|b1", np.array([[True, False, True], [False, True, True]])),
    ("|S4", np.array([[b"a", b"", b"abcd"], [b"\xc3\xa9", b"x", b"yz"]], "S4")),
    ("<U3", np.array([["a", "", "abc"], ["é", "日本語", "yz"]], "<U3")),
]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("dtype", "values"), FOREIGN, ids=[row[0] for row in FOREIGN])
def test_stores_of_zarr_python_are_read(tmp_path, dtype, values, order):
    zarr = pytest.importorskip("zarr", reason="the peer zarr is not installed")
    made = zarr.create_array(
        tmp_path / "x.zarr", shape=values.shape, chunks=(2, 2), dtype=values.dtype, order=order,
        zarr_format=2,
    )  # fmt: skip
    made[...] = values
    array = opened(tmp_path / "x.zarr")
    expected = values
    if values.dtype.kind in "SU":
        listed = [v.decode() if isinstance(v, bytes) else v for v in values.reshape(-1).tolist()]
        expected = np.array([v or None for v in listed], "O").reshape(values.shape)
    np.testing.assert_array_equal(read_all(array), expected)


def opened(path) -> ZarrArray:
    """The array at the root of a directory, read without the rest of the format."""
    zmap = memory()
    for file in path.iterdir():
        if file.is_file():
            zmap.put(file.name, file.read_bytes())
    described = read_array(json.loads((path / ".zarray").read_text()), "")
    encoding = read_encoding(
        described.dtype, nczarr=False, codecs=described.codecs, type_name="/v_t"
    )
    return ZarrArray(zmap, "", described.layout, encoding, None, described.keys)


def only_chunk(array: ZarrArray) -> Any:
    """The values of an array that is one chunk, and not missing."""
    values = array.chunk((0,) * len(array.grid.shape))
    assert values is not None
    return values


def raw(dtype, shape, chunk: bytes, *codecs) -> ZarrArray:
    zmap = memory()
    zmap.put("v/0", chunk)
    document = ArrayDocumentV2(
        shape=shape, chunks=shape, dtype=dtype, fill_value=None, filters=codecs
    )
    encoding = read_encoding(dtype, nczarr=False, codecs=codecs, type_name="/v_t")
    return ZarrArray(zmap, "v", document.layout, encoding, None)


def test_objects_of_variable_length():
    import numcodecs

    texts = np.array(["one", "", "drei"], "O")
    chunk = bytes(numcodecs.VLenUTF8().encode(texts))
    assert only_chunk(raw("|O", (3,), chunk, make_filter("vlen-utf8"))).tolist() == [
        "one",
        None,
        "drei",
    ]
    mixed = np.array([1, "a", {"b": [1, 2]}, None], "O")
    chunk = bytes(numcodecs.JSON().encode(mixed))
    codec = Filter.from_json(numcodecs.JSON().get_config())
    assert only_chunk(raw("|O", (4,), chunk, codec)).tolist() == ["1", "a", '{"b": [1,2]}', None]
    lists = np.empty(2, "O")
    lists[:] = [np.array([1, 2], "<i4"), np.array([], "<i4")]
    chunk = bytes(numcodecs.VLenArray("<i4").encode(lists))
    array = raw("|O", (2,), chunk, make_filter("vlen-array", dtype="<i4"))
    assert array.type == Vlen(name="/v_t", base=Atomic.INT)
    assert only_chunk(array).tolist() == [(1, 2), ()]


def test_records_complex_numbers_and_opaque_bytes():
    dtype = [["a", "<i2"], ["b", "|S3"], ["c", "<f4", [2]]]
    values = np.array(
        [(1, b"x", (0.5, 1.5)), (2, b"", (2.5, 3.5))], [("a", "<i2"), ("b", "S3"), ("c", "<f4", 2)]
    )
    array = raw(dtype, (2,), values.tobytes())
    assert only_chunk(array).tolist() == [(1, "x", (0.5, 1.5)), (2, None, (2.5, 3.5))]
    numbers = np.array([1 + 2j, -0.5j], "<c8")
    assert only_chunk(raw("<c8", (2,), numbers.tobytes())).tolist() == [(1.0, 2.0), (0.0, -0.5)]
    assert only_chunk(raw("|V2", (2,), b"\1\2\3\0")).tolist() == [b"\1\2", b"\3\0"]


def test_a_user_defined_scalar_is_one_element():
    record = Compound(name="/v_t", fields=(Field(name="a", type=Atomic.INT),))
    array = raw([["a", "<i4"]], (), np.array([7], "<i4").tobytes())
    assert array.type == record
    assert only_chunk(array)[()] == (7,)
    assert raw("|V3", (), b"abc").type == Opaque(name="/v_t", size=3)


def test_times_are_their_numbers():
    values = np.array(["2026-11-20", "NaT"], "<M8[D]")
    array = raw("<M8[D]", (2,), values.tobytes())
    assert only_chunk(array).tolist() == [20777, -(2**63)]


def test_strings_that_are_not_utf8_keep_their_bytes():
    array = raw("|S3", (2,), b"a\xff\0" + b"\0\0\0")
    assert only_chunk(array).tolist() == ["a\udcff", None]


def test_chunks_without_a_value_are_not_written():
    class Half(ChunkSource):
        type = Atomic.INT
        fill = -1
        grid = MemoryArray(np.zeros(4, "i4"), Atomic.INT, chunks=(2,)).grid

        def values_of(self, indices):
            return [self._values(index) for index in indices]

        def _values(self, index):
            return None if index == (0,) else np.array([5, 6], "i4")

    encoding = encoding_for(Atomic.INT, endianness=None, string_length=None, char=">S1")
    document = ArrayDocumentV2(shape=(4,), chunks=(1,), dtype="<i4", fill_value=-1)
    zmap = memory()
    write_chunks(zmap, "v", Half(), document.layout, encoding, -1)
    assert list(zmap.walk()) == ["v/2", "v/3"]
    array = ZarrArray(zmap, "v", document.layout, encoding, -1)
    assert array.chunk((0,)) is None
    assert read_all(array).tolist() == [-1, -1, 5, 6]


def test_an_edge_chunk_is_padded_with_the_fill_value():
    zmap, _ = store(np.array([1, 2, 3], "i2"), Atomic.SHORT, (2,), fill=-9)
    assert np.frombuffer(zmap.get("v/1"), "<i2").tolist() == [3, -9]


@pytest.mark.parametrize(
    ("shape", "chunks", "separator", "keys"),
    [
        ((), (), ".", ["v/0"]),
        ((3,), (2,), ".", ["v/0", "v/1"]),
        ((2, 3), (2, 2), ".", ["v/0.0", "v/0.1"]),
        ((2, 3), (2, 2), "/", ["v/0/0", "v/0/1"]),
        ((0, 3), (1, 3), ".", []),
    ],
)
def test_the_keys_of_chunks(shape, chunks, separator, keys):
    zmap, _ = store(np.zeros(shape, "i4"), Atomic.INT, chunks, separator=separator)
    assert list(zmap.walk()) == keys


def test_a_string_that_is_too_long_is_never_cut():
    with pytest.raises(LossError, match=r"/v has a string of 9 bytes.*_nczarr_maxstrlen = 9"):
        store(np.array(["123456789"], "O"), Atomic.STRING, (1,))


def test_a_tiny_part_of_an_absurd_array_is_read():
    array = raw("<i4", (4,), np.arange(4, dtype="<i4").tobytes())
    wide = ArrayDocumentV2(shape=(10**18,), chunks=(4,), dtype="<i4", fill_value=0)
    huge = ZarrArray(array.zmap, "v", wide.layout, array.encoding, 0)
    assert read_box(huge, Box((2,), (6,))).tolist() == [2, 3, 0, 0]


def test_an_absurd_chunk_is_refused_before_memory_is_taken():
    array = raw("<i4", (4,), b"1234")
    wide = ArrayDocumentV2(shape=(10**12,), chunks=(10**12,), dtype="<i4", fill_value=0)
    with pytest.raises(CodecError, match="1000000000000"):
        ZarrArray(array.zmap, "v", wide.layout, array.encoding, 0).chunk((0,))


@settings(deadline=None)
@given(
    st.binary(max_size=40),
    st.sampled_from(["<i4", "|S3", "<U2", "<c8", "|V5", "<M8[s]", "|O"]),
    st.sampled_from([(), (make_filter("zlib", level=1),), (make_filter("vlen-utf8"),)]),
)
def test_arbitrary_bytes_as_a_chunk_give_values_or_one_clean_error(data, dtype, codecs):
    try:
        values = only_chunk(raw(dtype, (2,), data, *codecs))
    except (CodecError, FormatError, ZmapError):
        return
    assert values.shape == (2,)


@pytest.mark.parametrize("keys", [ChunkKeys(), ChunkKeys("/"), ChunkKeys("/", True)])
@pytest.mark.parametrize("array", ["", "g/v", "a%db"])
@pytest.mark.parametrize("indices", [[(0, 0), (10, 3)], [(7,)], [()]])
def test_the_keys_of_many_chunks(keys, array, indices):
    assert keys.keys(array, indices) == [keys.key(array, index) for index in indices]


def test_a_chunk_is_freed_before_the_next_one_is_read():
    made: list[weakref.ref[Any]] = []

    class Counted(MemoryArray):
        def values_of(self, indices):
            return [self._values(index) for index in indices]

        def _values(self, index):
            assert not any(each() is not None for each in made)
            values = np.array(super().values_of([index])[0])
            made.append(weakref.ref(values))
            return values

    encoding = encoding_for(Atomic.INT, endianness=None, string_length=None, char=">S1")
    document = ArrayDocumentV2(shape=(8,), chunks=(2,), dtype="<i4", fill_value=0)
    source = Counted(np.arange(8, dtype="i4"), Atomic.INT, (2,))
    assert write_chunks(memory(), "v", source, document.layout, encoding, 0) == 4
    assert len(made) == 4

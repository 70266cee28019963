"""Arrays of consecutive elements in a file."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ncz.commands.view.explorer import Explorer
from ncz.commands.view.request import Request
from ncz.formats.linear_array import LinearArray, linear_layout, stored_dtype_of
from ncz.model.data import read_all
from ncz.model.types import Atomic
from ncz.parallel.threads import ThreadPool
from ncz.record import replace
from ncz.zmap.byte_range import ByteRange
from tests.commands.view.test_explorer import explorer_of, whole


def test_little_is_read_of_values_that_are_not_in_chunks():
    """Any part of an array of a classic netCDF file can be read, with `LinearArray`."""
    shape = (50, 200, 300)
    content: bytes = whole(shape).astype("<i4").tobytes()
    read: list[int] = []

    def read_bytes(start: int, size: int) -> bytes:
        read.append(size)
        return content[start : start + size]

    source = LinearArray(
        layout=linear_layout(shape, 4), type=Atomic.INT, stored_dtype="<i4", item_size=4, fill=0,
        read=read_bytes, where="x",
    )  # fmt: skip
    explorer, _ = explorer_of(shape, shape)
    (variable,) = explorer.dataset.root.variables
    root = replace(explorer.dataset.root, variables=(replace(variable, data=source),))
    explorer = Explorer(replace(explorer.dataset, root=root), ThreadPool(1 << 28, 2))
    found = explorer.series(Request(at=(0, 7, 9), along=0))
    assert found["values"] == whole(shape)[:, 7, 9].tolist()
    assert sum(read) <= 51 << 16
    read.clear()
    values = explorer.picture(Request(x=2, y=1, at=(20,)))[1]
    assert values is not None
    assert values.tolist() == whole(shape)[20].tolist()
    assert sum(read) <= 200 * 300 * 4 + (2 << 16)
    assert ["Chunks", "50x200x300"] in map(list, explorer.descriptions.storage(Request())["rows"])


VALUES = np.arange(30, dtype=">i2").reshape(5, 6)


def array_of(chunks: tuple[int, ...] = (2, 6), **given: Any) -> LinearArray:
    """Return an array at byte 100 of a file in memory."""
    data = VALUES.tobytes()
    members: dict[str, Any] = {
        "layout": replace(linear_layout((5, 6), 2), chunks=chunks),
        "type": Atomic.SHORT, "stored_dtype": ">i2", "item_size": 2, "fill": 0, "where": "f: /v",
        "read": lambda start, count: data[start : start + count],
        "find": lambda start, count: ByteRange("f", 100 + start, count),
    }  # fmt: skip
    return LinearArray(**{**members, **given})


def test_values_and_bytes_of_chunks():
    array = array_of()
    np.testing.assert_array_equal(read_all(array), VALUES)
    assert array.encoded_chunk((1, 0)) == VALUES[2:4].tobytes()
    assert array.encoded_chunk((2, 0)) == VALUES[4:].tobytes() + bytes(12)
    assert [array.stored_size((n, 0)) for n in range(3)] == [24, 24, 12]
    assert array.encoded_part((1, 0), 2, 4) == VALUES[2:4].tobytes()[2:6]
    padded = array.chunk_elements((2, 0))
    assert padded is not None
    assert padded.tolist() == [VALUES[4].tolist(), [0] * 6]


def test_whole_chunks_have_places():
    array = array_of()
    assert array.place((1, 0)) == ByteRange("f", 124, 24)
    assert array.place((2, 0)) is None
    (table,), others = array.places()
    assert (table.indices.tolist(), table.offsets.tolist()) == ([[0, 0], [1, 0]], [100, 124])
    assert others == [(2, 0)]
    assert array_of(find=None).place((0, 0)) is None


def test_nothing_was_written():
    array = array_of().without_file()
    assert list(array.present()) == []
    assert array.values_of([(0, 0)]) == array.encoded_chunks([(0, 0)]) == [None]
    assert array.stored_size((0, 0)) is None


@pytest.mark.parametrize(
    ("chunks", "found"),
    [((5, 6), (5, 6)), ((9, 6), (9, 6)), ((1, 3), (2, 6)), ((2, 3), (2, 6))],
    ids=["whole", "longer", "small", "not consecutive"],
)
def test_chunks_of_another_shape(chunks, found):
    array = array_of()
    assert array.rechunk(chunks).layout.chunks == found
    assert array_of(has_all=False).rechunk(chunks).layout.chunks == (2, 6)


def test_chunks_of_a_few_bytes():
    assert array_of().split(12).layout.chunks == (1, 6)
    assert array_of(by_record=True).referable().layout.chunks == (1, 6)
    assert array_of().referable().layout.chunks == (5, 6)


def test_dtypes_of_stored_elements():
    assert [stored_dtype_of(Atomic.INT, big) for big in (True, False)] == [">i4", "<i4"]
    assert stored_dtype_of(Atomic.BYTE, True) == "i1"

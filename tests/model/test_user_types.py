"""Values of user-defined types as packed elements, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ncz.model.types import Atomic, Compound, Enumeration, Field, NcType, Opaque, Vlen
from ncz.model.user_types import (
    from_elements,
    numpy_dtype,
    pack,
    packed_layout,
    unpack,
    unpack_values,
)

FLAG = Enumeration(name="/flag", base=Atomic.SHORT, members=(("off", 0), ("on", 1)))
INNER = Compound(name="/inner", fields=(Field(name="o", type=Opaque(name="/o", size=2)),))
OUTER = Compound(
    name="/outer",
    fields=(
        Field(name="i", type=Atomic.INT),
        Field(name="a", type=Atomic.FLOAT, shape=(2, 2)),
        Field(name="f", type=FLAG),
        Field(name="c", type=INNER),
    ),
)
VALUE = (5, (1.0, 2.0, 3.0, 4.0), 1, (b"\1\2",))


def test_a_layout_has_the_fields_and_their_shapes():
    layout = packed_layout(OUTER, ">")
    assert layout == [["i", ">i4"], ["a", "<f4", [2, 2]], ["f", ">i2"], ["c", [["o", "V2"]]]]
    assert numpy_dtype(layout).itemsize == 4 + 16 + 2 + 2
    assert packed_layout(Atomic.BYTE, ">") == Atomic.BYTE.dtype


def test_a_sequence_has_no_fixed_size():
    with pytest.raises(TypeError, match="has no fixed size"):
        packed_layout(Vlen(name="/v", base=Atomic.INT), "<")


@pytest.mark.parametrize("order", ["<", ">"])
def test_records_are_packed_and_unpacked(order: str):
    dtype = numpy_dtype(packed_layout(OUTER, order))
    elements = pack([VALUE, VALUE], OUTER, dtype)
    assert elements.dtype == dtype
    assert unpack(elements, OUTER) == [VALUE, VALUE]
    found = unpack_values(elements.reshape(1, 2), OUTER)
    assert found.shape == (1, 2)
    assert found[0, 1] == VALUE


@pytest.mark.parametrize(
    ("nc_type", "dtype", "values"),
    [
        (Atomic.INT, "<i4", [1, -2]),
        (FLAG, ">i2", [0, 1]),
        (Opaque(name="/o", size=3), "V3", [b"abc", b"\0\0\1"]),
        (Atomic.CHAR, "S1", ["a", "\xff"]),
    ],
)
def test_each_kind_of_type(nc_type: NcType, dtype: str, values: list[Any]):
    assert unpack(pack(values, nc_type, np.dtype(dtype)), nc_type) == values


def test_texts_may_be_nil_and_sequences_empty():
    strings = np.array([b"a", None, "b", ""], object)
    assert unpack(strings, Atomic.STRING) == ["a", None, "b", None]
    sequences = np.empty(3, object)
    sequences[:] = [np.array([1, 2]), None, np.array([], "i4")]
    assert unpack(sequences, Vlen(name="/v", base=Atomic.INT)) == [(1, 2), (), ()]


def test_a_complex_number_is_a_record_of_two():
    pair = Compound(
        name="/c", fields=(Field(name="r", type=Atomic.FLOAT), Field(name="i", type=Atomic.FLOAT))
    )
    elements = np.array([1 + 2j, 3], "c8")
    assert unpack(elements, pair) == [(1, 2), (3, 0)]
    assert pack([(1, 2)], pair, np.dtype("c8")).tolist() == [1 + 2j]


def test_numbers_get_the_order_of_this_computer():
    assert from_elements(np.array([1, 2], ">i4"), Atomic.INT).dtype.isnative
    assert from_elements(np.array([1], ">i2"), FLAG).tolist() == [1]

"""Digests as docs/reference/digest.md specifies them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from ncz.digests.sums import FillSums, add, box_sums, sums_text
from ncz.digests.variable import ElementConversion, variable_sums
from ncz.digests.weights import total_weight
from ncz.model.data import ChunkSource, MemoryArray, Values, fill_array
from ncz.model.grid import Box
from ncz.model.tree import Variable
from ncz.model.types import Atomic, Compound, Enumeration, Field, NcType, Opaque, Vlen
from ncz.parallel.threads import ThreadPool
from tests.digests import specified
from tests.sampled import share_of

PAGE = (Path(__file__).parents[2] / "docs/reference/digest.md").read_text()

NUMBERS = [t for t in Atomic if t not in (Atomic.STRING, Atomic.CHAR)]


def elements(values: Values, nc_type: Atomic) -> list[bytes]:
    """Return the bytes of elements by the rules of the page."""
    flat = values.reshape(-1).tolist()
    if nc_type.is_floating:
        return [specified.float_bits(value, nc_type.size) for value in flat]
    if nc_type is Atomic.CHAR:
        return [value or b"\0" for value in flat]
    if nc_type is Atomic.STRING:
        return [specified.text_bits(value or "") for value in flat]
    return [value.to_bytes(nc_type.size, "little", signed=nc_type.kind == "i") for value in flat]


VECTORS: list[tuple[str, Atomic, Any]] = [
    ("int 1, 2, 3", Atomic.INT, [1, 2, 3]),
    ("byte 1, 2, 3, 4, -1", Atomic.BYTE, [1, 2, 3, 4, -1]),
    ("short 1, 2050 times", Atomic.SHORT, [1] * 2050),
    ("the scalar double 1", Atomic.DOUBLE, 1.0),
    (
        "float 1, -0, NaN, 2.5 of shape (2, 2)",
        Atomic.FLOAT,
        [[1, -0.0], [float("nan"), 2.5]],
    ),
    ('string "a", "", "Ø"', Atomic.STRING, ["a", None, "Ø"]),
]


@pytest.mark.parametrize(("name", "nc_type", "values"), VECTORS)
def test_sums_match_the_page(name: str, nc_type: Atomic, values: Any) -> None:
    (expected,) = re.findall(rf"\| {re.escape(name)} \| `(\w+)` \|", PAGE)
    array = np.array(values, nc_type.dtype)
    assert sums_of(MemoryArray(array, nc_type)) == expected
    assert specified.sums(elements(array, nc_type), array.shape) == expected


def sums_of(data: ChunkSource, shape: tuple[int, ...] | None = None, threads: int = 2) -> str:
    variable = Variable(name="v", type=data.type, data=data)
    with ThreadPool(1 << 26, threads) as pool:
        return sums_text(variable_sums(variable, shape or data.grid.shape, pool))


SHAPES = arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5) | st.sampled_from(
    [(2100,), (1030, 3), (2, 1500), (3, 2, 1100), (4100,)]
)


@st.composite
def number_arrays(draw: st.DrawFn) -> tuple[Atomic, Values]:
    nc_type = draw(st.sampled_from(NUMBERS))
    shape = draw(SHAPES)
    if nc_type.is_floating:
        few = st.sampled_from([0.0, -0.0, 1.5, float("nan"), float("inf"), -3.0])
    else:
        few = st.integers(*nc_type.limits)
    values = draw(arrays.arrays(nc_type.dtype, shape, elements=few, fill=few))
    return nc_type, values


@given(number_arrays(), st.data())
@settings(max_examples=share_of(300), deadline=None)
def test_sums_are_as_specified_for_any_chunks(
    array: tuple[Atomic, Values], data: st.DataObject
) -> None:
    nc_type, values = array
    chunks = tuple(data.draw(st.integers(1, max(1, n))) for n in values.shape)
    expected = specified.sums(elements(values, nc_type), values.shape)
    assert sums_of(MemoryArray(values, nc_type, chunks)) == expected


@given(number_arrays(), st.data())
@settings(max_examples=share_of(200), deadline=None)
def test_sums_of_equal_elements_need_not_be_read(
    array: tuple[Atomic, Values], data: st.DataObject
) -> None:
    nc_type, values = array
    fill = values.reshape(-1)[0].item() if values.size else 0
    start = tuple(data.draw(st.integers(0, n)) for n in values.shape)
    box = Box(start, values.shape)
    filled = FillSums(ElementConversion(nc_type).fill(fill), values.ndim)
    part = fill_array(box.shape, nc_type, fill)
    assert filled.of(box) == box_sums(ElementConversion(nc_type).elements(part), start)


NANS = {
    4: [0x7FC00000, 0xFFC00000, 0x7F800001, 0x7FFFFFFF, 0xFFFFFFFF],
    8: [0x7FF8 << 48, 0xFFF8 << 48, (0x7FF0 << 48) + 1, (0x8000 << 48) - 1, (1 << 64) - 1],
}
"""The bits of some NaNs: the NaN of the page, and others with a sign, with signals, with a load."""

ORDINARY = st.sampled_from([0.0, -0.0, 1.5, -3.0, float("inf"), -float("inf")])


@given(st.data())
@settings(max_examples=share_of(200), deadline=None)
def test_every_nan_is_one_and_every_zero(data: st.DataObject) -> None:
    nc_type = data.draw(st.sampled_from([Atomic.FLOAT, Atomic.DOUBLE]))
    size = nc_type.size
    dtype = f"<u{size}"
    bits = [np.array(n, nc_type.dtype).view(dtype).item() for n in data.draw(st.lists(ORDINARY))]
    bits += data.draw(st.lists(st.sampled_from(NANS[size])))
    values = np.array(data.draw(st.permutations(bits)), dtype).view(nc_type.dtype)
    expected = specified.sums(elements(values, nc_type), values.shape)
    assert sums_of(MemoryArray(values, nc_type)) == expected


def test_weights_are_made_once_for_chunks_of_one_place(monkeypatch):
    """Only the weights along the first axis are others in each chunk."""
    from ncz.digests import weights as module

    made = []
    numbers = module._numbers

    def counted(which: int, axis: int, *rest: int) -> Any:
        made.append(axis)
        return numbers(which, axis, *rest)

    monkeypatch.setattr(module, "_numbers", counted)
    values = np.arange(40 * 5 * 700, dtype="i4").reshape(40, 5, 700)
    sums_of(MemoryArray(values, Atomic.INT, (1, 5, 700)), threads=1)
    made.clear()
    sums_of(MemoryArray(values + 1, Atomic.INT, (1, 5, 700)), threads=1)
    assert set(made) <= {0}


def test_huge_sparse_arrays_cost_little():
    """Weights of 10^9 indices are added up without an array of this length."""
    total = total_weight(0, 0, 5, 10**9)
    parts = [
        total_weight(0, 0, a, b) for a, b in ((5, 4096), (4096, 10**8 + 1), (10**8 + 1, 10**9))
    ]
    assert total == sum(parts) & specified.MASK
    filled = FillSums(ElementConversion(Atomic.UBYTE).fill(3), 2)
    assert add(
        filled.of(Box((0, 0), (10**6, 10**8))), filled.of(Box((0, 10**8), (10**6, 10**9)))
    ) == (filled.of(Box((0, 0), (10**6, 10**9))))


PAIR = Compound(
    name="/pair",
    fields=(Field(name="n", type=Atomic.SHORT), Field(name="x", type=Atomic.FLOAT, shape=(2,))),
)
LIST = Vlen(name="/list", base=Atomic.INT)
COLOUR = Enumeration(name="/colour", base=Atomic.UBYTE, members=(("red", 1), ("blue", 2)))


@pytest.mark.parametrize(
    ("nc_type", "value", "encoded"),
    [
        (PAIR, (5, (1.5, -0.0)), "05000000c03f00000000"),
        (PAIR, (5, (float("nan"), 2.0)), "05000000c07f00000040"),
        (LIST, (1, 2), "02000000000000000100000002000000"),
        (LIST, (), "0000000000000000"),
        (Opaque(name="/o", size=3), b"abc", "616263"),
    ],
)
def test_elements_of_user_defined_types(nc_type: NcType, value: Any, encoded: str) -> None:
    values = np.empty(1, "O")
    values[0] = value
    expected = specified.sums([specified.hashed(bytes.fromhex(encoded))], (1,))
    assert sums_of(MemoryArray(values, nc_type)) == expected


def test_enums_are_their_integers():
    values = np.array([1, 2, 1], "O")
    assert sums_of(MemoryArray(values, COLOUR)) == specified.sums([b"\1", b"\2", b"\1"], (3,))


def test_nothing_is_zero():
    assert sums_of(MemoryArray(np.zeros((3, 0), "f4"), Atomic.FLOAT)) == "0" * 32
    assert sums_of(MemoryArray(np.zeros((3, 9), "f4"), Atomic.FLOAT)) == "0" * 32

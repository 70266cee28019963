"""Data lists: every value is exact for any grid, and memory is limited to blocks."""

from __future__ import annotations

import math
import random
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.cdl.data_list import block_index
from ncz.cdl.data_list.array import CdlArray
from ncz.cdl.reader import read_cdl
from ncz.errors import CdlError
from ncz.model.data import MemoryArray, read_all
from ncz.model.types import Atomic
from tests.counted_calls import calls_of

NUMERIC = [t for t in Atomic if t.kind in "iuf"]


def source_of(text: str, word: str, shape: tuple[int, ...]) -> CdlArray:
    """The data of a variable of that type and shape, given by `text`."""
    names = [f"d{axis}" for axis in range(len(shape))]
    lengths = " ".join(f"{name} = {n} ;" for name, n in zip(names, shape, strict=True))
    dimensions = f"dimensions: {lengths}" if shape else ""
    over = f"({', '.join(names)})" if shape else ""
    cdl = f"netcdf t {{ {dimensions} variables: {word} v{over} ; data: v = {text} ; }}"
    dataset = read_cdl(cdl.encode(), source="t")
    data = dataset.root.variables[0].data
    assert isinstance(data, CdlArray)
    return data


SUFFIXES = {
    Atomic.BYTE: "bB", Atomic.UBYTE: ["ub", "UB"], Atomic.SHORT: "sS", Atomic.USHORT: ["us", "US"],
    Atomic.INT: ["", "l", "L"], Atomic.UINT: "uU", Atomic.INT64: ["ll", "LL"],
    Atomic.UINT64: ["ull", "ULL"],
}  # fmt: skip


@st.composite
def spelled(draw, nc_type: Atomic):
    """A value of the type with one of its spellings; `_` is spelled for the fill value."""
    if draw(st.integers(0, 9)) == 0:
        return nc_type.default_fill, "_"
    if nc_type.is_integer:
        value = draw(st.integers(*nc_type.limits))
        suffix = draw(st.sampled_from(["", "", *SUFFIXES[nc_type]]))
        return value, f"{value}{suffix}"
    value = draw(st.floats(width=32 if nc_type is Atomic.FLOAT else 64))
    single = nc_type is Atomic.FLOAT
    if math.isnan(value):
        return value, draw(st.sampled_from(["NaN", "nan", "NaNf"]))
    if math.isinf(value):
        return value, ("-" if value < 0 else "") + draw(st.sampled_from(["Infinity", "Infinityf"]))
    text = draw(st.sampled_from([f"{value:.17g}", repr(value), f"{value:.17e}"]))
    with_point = "." in text or "e" in text
    suffix = draw(st.sampled_from(["", "", "f" if single else "d"])) if with_point else ""
    return value, text + suffix


@st.composite
def lists(draw):
    """A type, a shape, its values in order, and a text that spells them."""
    nc_type = draw(st.sampled_from(NUMERIC))
    shape = tuple(draw(st.lists(st.integers(1, 6), max_size=3)))
    count = math.prod(shape)
    drawn = draw(st.lists(spelled(nc_type), min_size=count, max_size=count))
    blank = st.sampled_from(["", " ", "\n  ", "\t", " /* 1, 2 */ ", " // 3, 4\n"])
    text = ",".join(draw(blank) + spelling + draw(blank) for _, spelling in drawn)
    return nc_type, shape, [value for value, _ in drawn], text


def bits(values: object, nc_type: Atomic) -> bytes:
    """The bytes of the values; all NaNs are one to CDL."""
    array = np.array(values, nc_type.dtype)
    if nc_type.is_floating:
        array[np.isnan(array)] = np.nan
    return array.tobytes()


@settings(deadline=None)
@given(lists())
def test_every_value_is_exact(case):
    nc_type, shape, values, text = case
    found = read_all(source_of(text, nc_type.word, shape))
    assert found.shape == shape
    assert found.dtype == np.dtype(nc_type.dtype)
    assert bits(found, nc_type) == bits(np.array(values, nc_type.dtype), nc_type)


@settings(deadline=None)
@given(lists(), st.data())
def test_any_cut_gives_the_same_values(case, data):
    nc_type, shape, _, text = case
    whole = source_of(text, nc_type.word, shape)
    chunks = tuple(data.draw(st.integers(1, n)) for n in shape)
    cut = whole.rechunk(chunks)
    assert cut.grid.chunks == chunks
    assert bits(read_all(cut), nc_type) == bits(read_all(whole), nc_type)


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5)


def quoted(text: str) -> str:
    escapes = {'"': '\\"', "\\": "\\\\"}
    return '"' + "".join(escapes.get(c, c) for c in text) + '"'


@settings(deadline=None)
@given(st.lists(st.one_of(TEXTS, st.none()), min_size=1, max_size=12), st.integers(1, 60))
def test_strings_keep_every_character(values, size):
    text = ", ".join("NIL" if v is None else quoted(v) for v in values)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_index, "BLOCK", size)
        found = read_all(source_of(text, "string", (len(values),)))
    assert found.tolist() == values


@pytest.mark.parametrize("wrong", [r"\400", r"\1", r"\x4", r"\19a", r"\12"])
@pytest.mark.parametrize("word", ["char", "string"])
def test_a_wrong_escape_is_reported_with_its_place(wrong, word):
    shape = (2, 9) if word == "char" else (2,)
    with pytest.raises(CdlError) as caught:
        read_all(source_of(f'"\\n", "ab{wrong}"', word, shape))
    error = caught.value
    assert error.source_line is not None
    assert error.column is not None
    assert error.source_line[error.column - 1 :].startswith(wrong)


@pytest.mark.parametrize("escape", ["", r"\t"], ids=["plain", "escaped"])
def test_no_function_is_called_for_each_row_of_chars(escape):
    def read(count: int) -> None:
        text = ", ".join([f'"Exeter{escape}"'] * count)
        read_all(source_of(text, "char", (count, 10)))

    assert calls_of(read, 5000) - calls_of(read, 1000) < 100


def test_chunks_beyond_the_list_are_missing():
    source = source_of("1, 2, 3", "int", (4, 2)).rechunk((1, 2))
    assert [source.chunk((row, 0)) is None for row in range(4)] == [False, False, True, True]
    assert read_all(source).tolist()[1] == [3, Atomic.INT.default_fill]


def test_strings_that_are_all_fill_are_a_missing_chunk_and_nil_is_not():
    source = source_of('_, _, NIL, "a"', "string", (4,)).rechunk((2,))
    assert source.chunk((0,)) is None
    assert read_all(source).tolist() == ["", "", None, "a"]


def test_ints_by_the_hundred_thousand_match_python():
    generator = random.Random(3)
    values = [generator.randint(-(2**63), 2**63 - 1) for _ in range(100_000)]
    text = ",\n".join(map(str, values))
    assert read_all(source_of(text, "int64", (len(values),))).tolist() == values


def test_floats_by_the_hundred_thousand_match_python():
    generator = random.Random(4)
    values = [
        generator.uniform(-1, 1) * 10.0 ** generator.randint(-300, 300) for _ in range(100_000)
    ]
    text = ", ".join(map(repr, values))
    assert read_all(source_of(text, "double", (len(values),))).tolist() == values
    single = [v for v in values if abs(v) < 1e38]
    found = read_all(source_of(", ".join(map(repr, single)), "float", (len(single),)))
    np.testing.assert_array_equal(found, np.array(single, "f8").astype("f4"))


def test_memory_is_bounded_by_blocks_and_chunks_not_by_the_list():
    count = 3_000_000
    text = ", ".join(["12345"] * count)  # 21 MB, and 12 MB of values
    source = source_of(text, "int", (count,)).rechunk((100_000,))
    del text
    tracemalloc.start()
    total = 0
    for number in range(30):
        values = source.chunk((number,))
        assert values is not None
        total += int(values.sum())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert total == 12345 * count
    assert peak < 12_000_000, f"{peak} bytes at the peak"


def test_a_printed_array_reads_back():
    from ncz.cdl.printer import CdlOptions, print_cdl
    from ncz.model.tree import Dataset, Dimension, Group, Variable
    from ncz.text.format_values import Precision

    values = np.linspace(-1, 1, 24, dtype="f4").reshape(2, 3, 4)
    group = Group(
        dimensions=tuple(Dimension(name=n, size=s) for n, s in zip("zyx", (2, 3, 4), strict=True)),
        variables=(
            Variable(
                name="v",
                type=Atomic.FLOAT,
                dimensions=("/z", "/y", "/x"),
                data=MemoryArray(values, Atomic.FLOAT),
            ),
        ),
    )
    parts: list[bytes] = []
    print_cdl(Dataset(name="t", root=group), CdlOptions(precision=Precision(9, 17)), parts.append)
    data = read_cdl(b"".join(parts), source="t").root.variables[0].data
    assert data is not None
    np.testing.assert_array_equal(read_all(data), values)

"""The table of types: every dtype that stores have, and fill values in every spelling."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.errors import FormatError
from ncz.formats.zarr.types.dtypes import encoding_for, read_encoding
from ncz.formats.zarr.types.fill_values import read_fill, write_fill
from ncz.model.filters import make_filter
from ncz.model.types import Atomic, Compound, Field, Opaque, Vlen

TABLE = [
    ("<i1", Atomic.BYTE, 1, None),
    ("|i1", Atomic.BYTE, 1, None),
    (">u1", Atomic.UBYTE, 1, None),
    ("<i2", Atomic.SHORT, 2, "little"),
    (">i2", Atomic.SHORT, 2, "big"),
    ("<u2", Atomic.USHORT, 2, "little"),
    (">u4", Atomic.UINT, 4, "big"),
    ("<i8", Atomic.INT64, 8, "little"),
    (">f4", Atomic.FLOAT, 4, "big"),
    ("<f8", Atomic.DOUBLE, 8, "little"),
    ("<f2", Atomic.FLOAT, 2, "little"),
    ("|b1", Atomic.UBYTE, 1, None),
    ("|S6", Atomic.STRING, 6, None),
    ("<U5", Atomic.STRING, 20, None),
    ("<M8[ns]", Atomic.INT64, 8, "little"),
    (">m8[s]", Atomic.INT64, 8, "big"),
]


@pytest.mark.parametrize(("dtype", "nc_type", "item_size", "endianness"), TABLE)
def test_the_type_of_a_dtype(dtype, nc_type, item_size, endianness):
    encoding = read_encoding(dtype, nczarr=False)
    assert (encoding.type, encoding.item_size, encoding.endianness) == (
        nc_type,
        item_size,
        endianness,
    )


@pytest.mark.parametrize(
    ("dtype", "nczarr", "alias", "expected"),
    [
        (">S1", True, None, Atomic.CHAR),
        ("|S1", True, None, Atomic.STRING),
        ("|S1", True, "char", Atomic.CHAR),
        ("<U1", True, None, Atomic.CHAR),  # netcdf-c 4.9.0
        (">S1", False, None, Atomic.STRING),
        ("|S1", False, None, Atomic.STRING),
        ("<U1", False, None, Atomic.STRING),
    ],
)
def test_one_character_is_char_or_string(dtype, nczarr, alias, expected):
    encoding = read_encoding(dtype, nczarr=nczarr, alias=alias)
    assert encoding.type is expected
    if expected is Atomic.CHAR:
        assert encoding.item_size == 1, "each element is one byte, even of the dtype <U1"


@pytest.mark.parametrize(
    ("dtype", "units"),
    [
        ("<M8[ns]", "nanoseconds since 1970-01-01"),
        ("<M8[D]", "days since 1970-01-01"),
        ("<M8[10s]", "seconds since 1970-01-01"),
        ("<M8[Y]", "days since 1970-01-01"),
        ("<M8[W]", "days since 1970-01-01"),
        ("<m8[6h]", "hours"),
        ("<m8[M]", "months"),
        ("<m8[h]", "hours"),
    ],
)
def test_times_say_their_units(dtype, units):
    hints = {a.name: a.values for a in read_encoding(dtype, nczarr=False).hints}
    assert hints["units"] == (units,)
    assert hints["_FillValue"] == (-(2**63),)
    assert ("calendar" in hints) == ("M8" in dtype)


def test_complex_numbers_and_records_are_compounds():
    pair = read_encoding("<c16", nczarr=False, type_name="/z_t")
    assert pair.type == Compound(
        name="/z_t",
        fields=(Field(name="r", type=Atomic.DOUBLE), Field(name="i", type=Atomic.DOUBLE)),
    )
    record = read_encoding(
        [["a", "<i4"], ["b", "|S3", [2]], ["c", [["d", ">f8"]]]], nczarr=False, type_name="/r"
    )
    assert record.item_size == 4 + 6 + 8
    inner = Compound(name="/r_c", fields=(Field(name="d", type=Atomic.DOUBLE),))
    assert record.type == Compound(
        name="/r",
        fields=(
            Field(name="a", type=Atomic.INT),
            Field(name="b", type=Atomic.STRING, shape=(2,)),
            Field(name="c", type=inner),
        ),
    )


def test_bytes_without_meaning_are_opaque():
    assert read_encoding("|V16", nczarr=False, type_name="/k").type == Opaque(name="/k", size=16)


def test_objects_have_the_type_of_their_codec():
    text = read_encoding("|O", nczarr=False, codecs=(make_filter("vlen-utf8"),))
    assert text.type is Atomic.STRING
    lists = read_encoding(
        "|O", nczarr=False, codecs=(make_filter("vlen-array", dtype="<i4"),), type_name="/l"
    )
    assert lists.type == Vlen(name="/l", base=Atomic.INT)
    with pytest.raises(FormatError, match="vlen-utf8"):
        read_encoding("|O", nczarr=False)


@pytest.mark.parametrize(
    "dtype",
    ["<i3", "<f16", "", "int32", None, 4, {}, [], [["a"]], [["a", "<i4"], ["a", "<i4"]], "<c4",
     "i4", "|u8", "=f8", "<M8[fortnight]", "<M8[0s]", "<M8[2147483648s]",
     "|S0", "|S99999999999999999999", [["a", "|O"]], "<i4[s]", "<M4[s]",
     [["a", "<i4", [0]]], [["", "<i4"]], [["a", "<i4", "x"], 3]],
)  # fmt: skip
def test_unknown_words_are_named(dtype):
    with pytest.raises(FormatError, match="dtype"):
        read_encoding(dtype, nczarr=False)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=6,
)


@given(json_values | st.text("<>|iufbScVOMm0123456789[]ns", max_size=8))
def test_any_dtype_gives_an_encoding_or_a_format_error(dtype):
    try:
        encoding = read_encoding(dtype, nczarr=False)
    except FormatError:
        return
    assert encoding.item_size >= 0


@given(json_values, st.sampled_from([row[0] for row in TABLE] + ["<c8", "|V4", [["a", "<i4"]]]))
def test_any_fill_value_gives_a_value_or_a_format_error(value, dtype):
    try:
        read_fill(value, read_encoding(dtype, nczarr=False))
    except FormatError:
        return


@pytest.mark.parametrize(
    ("dtype", "value", "expected"),
    [
        ("<f4", "NaN", math.nan),
        ("<f8", math.nan, math.nan),
        ("<f8", "-Infinity", -math.inf),
        ("<f4", 0.1, 0.10000000149011612),
        ("<u8", 18446744073709551614, 18446744073709551614),
        ("<i8", -9223372036854775808, -9223372036854775808),
        ("|b1", True, 1),
        ("|b1", False, 0),
        ("<M8[ns]", "NaT", -(2**63)),
        ("<M8[ns]", 0, 0),
        ("<i4", None, None),
        ("<c16", [1.5, -2.0], (1.5, -2.0)),
        ("<c8", 0, (0.0, 0.0)),
        ("|V2", "AQI=", b"\1\2"),
        ([["a", "<i2"], ["b", "<i2"]], "AQACAA==", (1, 2)),
    ],
)
def test_fill_values(dtype, value, expected):
    encoding = read_encoding(dtype, nczarr=False)
    fill = read_fill(value, encoding)
    assert fill == expected or (math.isnan(fill) and math.isnan(expected))
    again = read_fill(write_fill(fill, encoding), encoding)
    assert again == fill or (math.isnan(fill) and math.isnan(again))


@pytest.mark.parametrize(
    ("dtype", "value", "nczarr", "expected"),
    [
        ("|S3", "YWJj", False, "abc"),  # zarr-python: base64
        ("|S4", "YWJj", True, "YWJj"),  # NCZarr: the text itself
        ("|S3", "", False, ""),
        ("|S3", 0, False, ""),
        ("|S5", "AAAAAAA=", False, ""),
    ],
)
def test_fill_values_of_strings(dtype, value, nczarr, expected):
    assert read_fill(value, read_encoding(dtype, nczarr=nczarr)) == expected


def test_text_in_documents_of_netcdf_c_may_look_like_base64():
    encoding = read_encoding("|S4", nczarr=False)
    assert read_fill("none", encoding, is_literal=True) == "none"
    assert read_fill("none", encoding) == b"\x9e\x89\xde".decode("utf-8", "surrogateescape")


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("<i2", 40000),
        ("<i4", 1.5),
        ("<u1", -1),
        ("<i4", "x"),
        ("<i4", [1]),
        ("|S3", 7),
        ("<f4", {}),
        ("<c8", [[], []]),
        ("<c8", [[1, 2], 3]),
    ],
)
def test_a_fill_value_that_does_not_fit_is_an_error(dtype, value):
    with pytest.raises(FormatError, match="fill_value"):
        read_fill(value, read_encoding(dtype, nczarr=False))


NUMERIC = [t for t in Atomic if t.kind in "iuf"]


@given(st.data(), st.sampled_from(NUMERIC), st.booleans())
def test_fill_values_are_written_so_that_they_read_back(data, nc_type, pure):
    if nc_type.is_integer:
        fill = data.draw(st.integers(*nc_type.limits))
    else:
        fill = data.draw(st.floats(width=8 * nc_type.size))
    encoding = encoding_for(nc_type, endianness=None, string_length=None, char=">S1", pure=pure)
    again = read_fill(write_fill(fill, encoding), encoding)
    assert again == fill or (math.isnan(again) and math.isnan(fill))
    assert math.copysign(1, again) == math.copysign(1, fill) or math.isnan(fill)


@given(st.text(max_size=8), st.booleans())
def test_string_fill_values_read_back(text, pure):
    text = text.replace("\0", "")
    encoding = encoding_for(Atomic.STRING, endianness=None, string_length=40, char=">S1", pure=pure)
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    assert read_fill(write_fill(text, encoding), encoding) == text


@pytest.mark.parametrize("nc_type", NUMERIC)
@pytest.mark.parametrize("endianness", [None, "little", "big"])
def test_written_values_are_read_back_as_the_same_type(nc_type, endianness):
    written = encoding_for(nc_type, endianness=endianness, string_length=None, char=">S1")
    read = read_encoding(written.dtype, nczarr=True)
    assert (read.type, read.item_size) == (nc_type, nc_type.size)
    assert read.endianness == (None if nc_type.size == 1 else endianness or "little")
    assert written.dtype[0] == ("|" if nc_type.size == 1 else ">" if endianness == "big" else "<")

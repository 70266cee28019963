"""Errors in CDL are one line: the place, the fault, and mostly a hint."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.cdl.reader import read_cdl
from ncz.errors import CdlError
from ncz.model.data import read_all
from ncz.model.tree import walk
from tests.conftest import EXAMPLES
from tests.sampled import sampled


def read_whole(text: bytes) -> None:
    """Read all that the text declares, data too."""
    dataset = read_cdl(text, source="f.cdl")
    for _, group in walk(dataset.root):
        for variable in group.variables:
            if variable.data is not None:
                read_all(variable.data)


def error_of(text: str) -> CdlError:
    with pytest.raises(CdlError) as caught:
        read_whole(text.encode())
    return caught.value


# The marks enclose the place of the error; the text is the body of a dataset.
ROWS = [
    ("variables: int a; data: a = »099«;", "octal"),
    ("dimensions: n=3; variables: int c(n); data: c = 1,2,3,»4,5«;", "too many values: /c holds 3"),
    ('dimensions: w=4; variables: char a(w); data: a = »"abcdefgh"«;', "too many chars"),
    ("variables: int v; data: v = »5000000000«;", "does not fit int"),
    ("variables: byte v; data: v = »300«;", "does not fit byte"),
    ("variables: uint v; data: v = »-1«;", "does not fit uint"),
    ("variables: uint v; data: v = »-1u«;", "signed"),
    ("variables: float v; data: v = »1e39«;", "too large for float"),
    ("variables: double v; data: v = »1e400«;", "too large for double"),
    ("variables: int v; data: v = »1.5«;", "whole number"),
    ("variables: int v; data: v = »1e10«;", "does not fit int"),
    ('variables: int v; data: v = »"x"«;', "not a number"),
    ("variables: int v; data: v = 1,»2«;", "too many values: /v holds 1"),
    ("variables: int v; data: »v =«;", "the data list of /v is empty"),
    ("dimensions: n=2; variables: int v(n); data: v = »{1,2}«;", "braces are not needed"),
    ("variables: int v; data: v = »NIL«;", "NIL"),
    ("variables: int v; data: v = »infinity«;", "write NaN, Infinity or -Infinity"),
    ("variables: char v; data: v = »65«;", "quotes"),
    ("dimensions: n=2; variables: int v(»m«);", "dimension `m` is not declared"),
    ("variables: int v; int »v«;", "`v` is declared twice"),
    ("dimensions: n=1; »n«=2;", "`n` is declared twice"),
    ("group: g {} group: »g« {}", "`g` is declared twice"),
    ("types: int enum e {a=1, »a«=2};", "twice"),
    (':a = »1,"x"«;', "text and numbers"),
    (":a = »_«;", "_"),
    ("variables: »foo« v;", "type `foo` is not declared"),
    ("variables: int v; data: »w« = 1;", "`w` is not declared"),
    ("dimensions: n = »-1«;", "cannot be -1"),
    (":a = 1,»,2«;", "a value is missing"),
    (":a = 1,»;", "a value is missing"),
    (
        "dimensions: u=UNLIMITED; v=UNLIMITED; variables: int a(u,v); data: a = {1},»,«{2};",
        "missing b",
    ),
    (
        "dimensions: u=UNLIMITED; v=UNLIMITED; variables: int a(u,v); data: a = {1},»}«;",
        "missing b",
    ),
    (':a = "x" »"y"«;', "comma"),
    (':a = »"abc', "this string is not terminated"),
    ("»/* abc", "this comment is not terminated"),
    ("variables: int v; v:_FillValue = »1, 2«;", "one value"),
    ('variables: int v; v:_Storage = »"round"«;', "_Storage"),
    ('variables: int v; v:_Filter = »"99999"«;', "99999"),
    (
        'variables: int v; v:_Filter = »"4,141,4"«;',
        "ncz reads the HDF5 filter 4 (szip), but does not write it",
    ),
    ('variables: int v; v:_Filter = »"2|32000"«;', "HDF5 filter 32000 (lzf)"),
    ('variables: int v; v:_Endianness = »"middle"«;', "_Endianness"),
    ("variables: int v; v:_DeflateLevel = »10«;", "_DeflateLevel"),
    ("dimensions: u=UNLIMITED; v=UNLIMITED; variables: int a(u,v); data: a = »1«;", "braces"),
    ("types: compound c {int a;}; variables: c v; data: v = »{1, 2}«;", "c"),
    ("types: opaque(1) o; variables: o v; data: v = »0x010203«;", "o"),
    (':_Format = »"netCDF-9"«;', '"netCDF-9" is not a netCDF format; write "netCDF-4"'),
    (":a = »18446744073709551616«;", "18446744073709551616 does not fit 64 bits"),
    (":a = »-9223372036854775809«;", "-9223372036854775809 does not fit 64 bits"),
    (":a = 1, »NIL«;", "cannot infer a type from NIL; write the type before the attribute"),
    ("char :a = »65«;", "a whole number is not text, and the type is char; write the value in"),
    ("char :a = »{1}«;", "expected text, not braces"),
    ('variables: char v; v:_FillValue = »"ab"«;', "_FillValue needs exactly one char"),
    (
        "dimensions: x=8; variables: int v(x); v:_ChunkSizes = 3; v:_ShardSizes = »8«;",
        "a shard of 8 is not a whole number of chunks of 3; use multiples of _ChunkSizes",
    ),
    ("dimensions: x=8; variables: int v(x); v:_ShardSizes = »-2«;", "shard size cannot be negat"),
    ("dimensions: x=8; variables: int v(x); v:_ChunkSizes = »-2«;", "chunk size cannot be negat"),
    ("dimensions: x=8; variables: int v(x,x); v:_ChunkSizes = »2«;", "1 size for 2 dimensions"),
    (
        "dimensions: x=8; variables: int v(x); v:_ChunkSizes = »9223372036854775808ULL«;",
        "a chunk size is too large",
    ),
    (f":a = »{'1' * 4000}«;", "does not fit 64 bits"),
    (f":a = »{'1' * 4001}«;", "this number has too many digits"),
    (r"dimensions: »a\/b« = 2;", "the name of a dimension cannot contain a slash"),
    (r"group: »a\/b« {}", "the name of a group cannot contain a slash"),
]


@pytest.mark.parametrize(("marked", "words"), ROWS)
def test_an_error_says_where_and_what(marked, words):
    before, _, rest = f"netcdf t {{\n  {marked}\n}}\n".partition("»")
    error = error_of(before + rest.replace("«", ""))
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    assert words in str(error)
    place = str(error).split(": ")[0]
    assert place.startswith(f"f.cdl:{line}:"), str(error)
    width = len(marked.partition("»")[2].partition("«")[0])
    assert column <= int(place.rpartition(":")[2]) <= column + width, str(error)
    assert error.column is not None
    assert error.source_line is not None
    text = f"{before}{rest}".replace("«", "").splitlines()[line - 1]
    at_the_caret = text[int(place.rpartition(":")[2]) - 1 :][:3]
    assert error.source_line[error.column - 1 :].startswith(at_the_caret)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "this is not CDL"),
        ("netcdf", "this is not CDL"),
        ("hdf5 x {}", "this is not CDL"),
        ("netcdf x {", "ends too early"),
        ("netcdf x {} y", "after the end"),
        ("netcdf x { dimensions: n = 1; variables: int n(n) }", "unexpected `}`; expected"),
        ("netcdf x { variables: int v; dimensions: n = 1; }", "unexpected `dimensions:`"),
        ("netcdf x { variables: int v; v:a = 1; types: n = 1; }", "unexpected `types:`"),
        ("netcdf x { variables: int v w; }", "unexpected `w`; expected `(`, `,`, `:` or `;`"),
        ("netcdf x { dimensions: n = many; }", "`many`; expected a whole number, `UNLIMITED` or"),
        ("netcdf x { dimensions: a/b = 1; }", "unexpected `a/b`; expected a name"),
        ("netcdf x { types: int enum e {a = 1; } }", "unexpected `;`; expected `,` or `}`"),
        ("netcdf x " + "// no brace\n" * 100, "this is not CDL"),
        ("netcdf x {\nvariables:\n int a:\n}", "unexpected `}`; expected a name"),
        ("netcdf x { types: compound c { ; } }", "unexpected `;`; expected a name or a type"),
    ],
)
def test_texts_that_are_no_dataset(text, words):
    assert words in str(error_of(text))


@pytest.mark.parametrize("bom", [b"\xff\xfe", b"\xfe\xff", b"\0"])
def test_other_encodings_are_refused(bom):
    with pytest.raises(
        CdlError, match=r"f\.cdl:1:1: this is not UTF-8 text; save the file as UTF-8"
    ):
        read_whole(bom + "netcdf x {}".encode("utf-16-le"))


def test_text_that_is_not_utf8_is_refused_with_its_place():
    with pytest.raises(CdlError) as caught:
        read_whole(b"netcdf x {\nvariables: int caf\xe9 ;\n}")
    assert str(caught.value).startswith("f.cdl:2:")


def test_lines_are_counted_through_comments_and_strings():
    text = 'netcdf x {\n/* one\n two */\n:a = "three\nfour" ;\nvariables: int v ; bad\n}'
    assert str(error_of(text)).startswith(("f.cdl:6:", "f.cdl:7:"))


@pytest.mark.parametrize("number", sampled([777_777, 0, 1, 999_999], 4))
def test_the_place_of_one_bad_value_among_a_million(number):
    values = ["1"] * 1_000_000
    values[number] = "1x"
    rows = ",\n".join(", ".join(values[n : n + 100]) for n in range(0, len(values), 100))
    error = error_of(
        f"netcdf x {{ dimensions: n = 1000000; variables: int v(n); data:\nv =\n{rows} ;\n}}"
    )
    assert error.location == f"f.cdl:{3 + number // 100}:{1 + 3 * (number % 100)}"


@pytest.mark.parametrize("depth", [150, 20_000])
@pytest.mark.parametrize(
    ("opening", "says"),
    [
        ("group: g { ", "too early"),
        ("variables: int v; data: v = {", "unexpected"),
        (":a = {", "is not terminated"),
        ("types: compound c { ", "unexpected"),
    ],
)
def test_braces_that_are_never_closed_are_an_error_and_no_crash(opening, says, depth):
    error = error_of("netcdf x { " + opening * depth)
    assert str(error).startswith("f.cdl:")
    assert says in str(error)


def nested_groups(depth: int) -> str:
    openings = "".join(f"group: g{n} {{ " for n in range(depth))
    return f"netcdf x {{ {openings}{'}' * depth} }}"


def nested_types(depth: int) -> str:
    types = "".join(f"t{n}(*) t{n + 1} ; " for n in range(depth))
    return f"netcdf x {{ types: int(*) t0 ; {types}}}"


def test_a_hundred_groups_may_be_nested():
    read_whole(nested_groups(100).encode())


@pytest.mark.parametrize("depth", [101, 150, 20_000])
def test_groups_nested_deeper_are_an_error_and_no_crash(depth):
    assert "nested more than 100 levels deep" in str(error_of(nested_groups(depth)))


def test_types_may_be_nested():
    read_whole(nested_types(40).encode())


@pytest.mark.parametrize("depth", [100, 20_000])
def test_types_nested_too_deep_are_an_error_and_no_crash(depth):
    assert "nested too deep" in str(error_of(nested_types(depth)))


@pytest.mark.parametrize("depth", [1, 150, 20_000])
@pytest.mark.parametrize(
    ("before", "says"), [("variables: int v; data: v", "not needed"), (":a", "need a type")]
)
def test_braces_around_a_value_without_braces(before, says, depth):
    assert says in str(error_of(f"netcdf x {{ {before} = {'{' * depth}1{'}' * depth} ; }}"))


FRAGMENTS = [
    "netcdf", " x ", "{", "}", ";", ":", "=", ",", "(", ")", "dimensions:", "variables:", "data:",
    "types:", "group:", "int ", "char ", "string ", "enum ", "compound ", "opaque", "(*)", " n ",
    " v ", "1", "-1b", "0x1f", "1e5", "NaN", "_", "NIL", '"a"', "'b'", "UNLIMITED", "/", "//", "/*",
    "*/", "\\", "\n", "é", "_FillValue", "_ChunkSizes", "_Filter", "time(",
]  # fmt: skip


@settings(deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=40))
def test_any_sequence_of_words_is_read_or_refused_cleanly(words):
    try:
        read_whole("".join(words).encode())
    except CdlError:
        return
    assert "{" in words


@settings(deadline=None)
@given(st.data())
def test_any_change_of_a_real_text_is_read_or_refused_cleanly(data):
    text = bytearray(data.draw(st.sampled_from(EXAMPLES)).read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text) - 1))
        stop = at + data.draw(st.integers(0, 4))
        text[at:stop] = data.draw(st.binary(max_size=3) | st.sampled_from([b"{", b"}", b";", b'"']))
    try:
        read_whole(bytes(text))
    except CdlError:
        return


@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_refused_cleanly(data):
    with pytest.raises(CdlError):
        read_whole(data)

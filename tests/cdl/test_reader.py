"""Meanings of CDL: each row is a text, and the print of the dataset that it declares."""

from __future__ import annotations

import pytest

from ncz.cdl.printer import CdlOptions, print_cdl
from ncz.cdl.reader import read_cdl
from ncz.errors import Callbacks
from ncz.model.data import read_all
from ncz.model.filters import make_filter
from ncz.model.quantization import Quantization
from ncz.model.tree import Dataset, Variable


def dataset_of(body: str) -> Dataset:
    """The dataset of ``netcdf t { body }``."""
    return read_cdl(f"netcdf t {{ {body} }}".encode(), source="t")


def printed(body: str) -> str:
    """The printed dataset on one line, without its first and last, blanks folded."""
    parts: list[bytes] = []
    print_cdl(dataset_of(body), CdlOptions(), parts.append)
    return " ".join(b"".join(parts).decode().splitlines()[1:-1]).strip()


def lines(body: str) -> list[str]:
    """The printed dataset, stripped line by line, without its first line and its last brace."""
    parts: list[bytes] = []
    print_cdl(dataset_of(body), CdlOptions(), parts.append)
    listed = b"".join(parts).decode("utf-8", "surrogateescape").splitlines()[1:-1]
    return [line.strip() for line in listed if line.strip()]


def variable(body: str, name: str = "v") -> Variable:
    return next(v for v in dataset_of(body).root.variables if v.name == name)


def data(body: str, name: str = "v") -> object:
    source = variable(body, name).data
    assert source is not None
    return read_all(source).tolist()


ATTRIBUTES = [
    # the type of an attribute without a written type (netcdf-c's rules)
    (":a = 1", ":a = 1 ;"),
    (":a = 1b, 300s", ":a = 1s, 300s ;"),
    (":a = 1, 2.5f", ":a = 1.f, 2.5f ;"),
    (":a = 1, 2.5", ":a = 1., 2.5 ;"),
    (":a = nanf, 1", ":a = NaNf, 1.f ;"),
    (":a = 10000000000", ":a = 10000000000ULL ;"),
    (":a = 4294967295", ":a = 4294967295U ;"),
    (":a = -10000000000", ":a = -10000000000LL ;"),
    (":a = 1u, 1", ":a = 1, 1 ;"),
    (":a = 1, 1u", ":a = 1U, 1U ;"),
    (":a = 1ll, 1ull", ":a = 1ULL, 1ULL ;"),
    (":a = 'a', 'b'", ":a = 97b, 98b ;"),
    (r":a = '\0', '0'", ":a = 0b, 48b ;"),
    (':a = "ab", "cd"', ':a = "abcd" ;'),
    (':a = ""', ':a = "" ;'),
    (":a = ", ':a = "" ;'),
    ('string :a = "ab", "cd"', 'string :a = "ab", "cd" ;'),
    ("string :a = NIL", "string :a = NIL ;"),
    ("string :a = 5, 2.5", 'string :a = "5", "2.5" ;'),
    ("byte :a = 200", None),
    ("double :a = 1", ":a = 1. ;"),
    ("char :a = \"x\", 'y'", ':a = "xy" ;'),
    # constants
    (":a = 010", ":a = 8 ;"),
    (":a = 0xFFL", ":a = 255U ;"),
    (":a = 1.e3f", ":a = 1000.f ;"),
    (":a = .5, 5e-1, +.5, 1.d, 1.5L", ":a = 0.5, 0.5, 0.5, 1., 1.5 ;"),
    (":a = 200ub, 1UB, 2bu", ":a = 200UB, 1UB, 2UB ;"),
    (":a = 255b", ":a = -1b ;"),
    (":a = 1L, 2l", ":a = 1, 2 ;"),
    (":a = -9223372036854775808", ":a = -9223372036854775808LL ;"),
    (":a = 18446744073709551615", ":a = 18446744073709551615ULL ;"),
    (":a = NaN, Infinity, -Infinity", ":a = NaN, Infinity, -Infinity ;"),
    (":a = FloatInf, -Inff", ":a = Infinityf, -Infinityf ;"),
    (r':a = "\x41\101\t\"\'\?"', ':a = "AA\\t\\"\\\'\\177" ;'),
    (':a = "one\ntwo"', ':a = "one\\ntwo" ;'),
    (':a = "a\\000b"', ':a = "a\\000b" ;'),
    (':a = "é\\351"', ':a = "é\udce9" ;'),
    (':a = time("1999-01-01")', ":a = 254208. ;"),
    # text that looks like JSON is text
    (':a = "12"', ':a = "12" ;'),
    (':a = "{\\"k\\":1}"', ':a = "{\\"k\\":1}" ;'),
    (":a = 1 ; :a = 2", ":a = 2 ;"),
    (":a /* here */ = // and here\n 1", ":a = 1 ;"),
]


@pytest.mark.parametrize(("text", "expected"), [row for row in ATTRIBUTES if row[1]])
def test_attributes(text, expected):
    assert lines(f"{text} ;")[1:] == [expected]


VALUES = [
    ("variables: int v ; data: v = -1b ;", -1),
    ("variables: int v ; data: v = 'a' ;", 97),
    ('variables: int v ; data: v = "12" ;', 12),
    ("variables: int v ; data: v = 2. ;", 2),
    ("variables: int64 v ; data: v = 5 ;", 5),
    ("variables: uint64 v ; data: v = 18446744073709551615 ;", 2**64 - 1),
    ("variables: long v ; data: v = 7 ;", 7),
    ("variables: real v ; data: v = 16777217 ;", 16777216.0),
    ("variables: double v ; data: v = 1.f ;", 1.0),
    ("variables: integer v ; data: v = 0x12345678 ;", 0x12345678),
    ("variables: char v ; data: v = 'x' ;", b"x"),
    ('variables: string v ; data: v = "thrée" ;', "thrée"),
    ("variables: string v ; data: v = 5 ;", "5"),
    ("variables: string v ; data: v = NIL ;", None),
    ("dimensions: n = 3 ; variables: int v(n) ; data: v = 1, _ ;", [1, -2147483647, -2147483647]),
    (
        "dimensions: n = 2 ; variables: int v(n) ; v:_FillValue = -9s ; data: v = _, 1 ;",
        [-9, 1],
    ),
    ('dimensions: n = 4 ; variables: char v(n) ; data: v = "ab", "cd" ;', [b"a", b"b", b"c", b"d"]),
    (
        'dimensions: n = 2 ; w = 3 ; variables: char v(n, w) ; data: v = "abcd" ;',
        [[b"a", b"b", b"c"], [b"d", b"", b""]],
    ),
    (
        "dimensions: n = 2 ; w = 2 ; variables: char v(n, w) ; data: v = {\"ab\"}, {'c', 'd'} ;",
        [[b"a", b"b"], [b"c", b"d"]],
    ),
    (
        "dimensions: u = UNLIMITED ; n = 2 ; variables: int v(u, n) ; data: v = 1, 2, 3 ;",
        [[1, 2], [3, -2147483647]],
    ),
    (
        "dimensions: u = UNLIMITED ; w = unlimited ; variables: byte v(u, w) ; "
        "data: v = {1, 2}, {}, {3} ;",
        [[1, 2], [-127, -127], [3, -127]],
    ),
    (
        "dimensions: u = UNLIMITED ; n = 2 ; w = UNLIMITED ; variables: byte v(u, n, w) ; "
        "data: v = {1}, {2, 3}, {4}, {5, 6, 7} ;",
        [[[1, -127, -127], [2, 3, -127]], [[4, -127, -127], [5, 6, 7]]],
    ),
    (
        "dimensions: n = 2 ; w = UNLIMITED ; variables: byte v(n, w) ; data: v = {1}, {2, 3} ;",
        [[1, -127], [2, 3]],
    ),
    ("types: int enum e {a = 1, b = 2} ; variables: e v ; data: v = b ;", 2),
    ("types: opaque(3) o ; variables: o v ; data: v = 0x0102 ;", b"\1\2\0"),
    (
        "types: float(*) r ; dimensions: n = 2 ; variables: r v(n) ; data: v = {1, 2}, {} ;",
        [(1.0, 2.0), ()],
    ),
    (
        "types: compound c { int a ; float b(2) ; } ; variables: c v ; data: v = {1, {2, 3}} ;",
        (1, (2.0, 3.0)),
    ),
]


@pytest.mark.parametrize(("body", "expected"), VALUES)
def test_values(body, expected):
    found = data(body)
    assert found == expected


def test_a_variable_over_a_dimension_can_be_named_enum():
    root = dataset_of("dimensions: n = 2 ; variables: byte a(n) ; byte enum(n), b(n) ;").root
    assert [v.name for v in root.variables] == ["a", "enum", "b"]


def test_types_are_keywords_only_where_a_type_can_stand():
    assert lines("dimensions: data = 2 ; types = 3 ; variables: int group(data) ;")[:3] == [
        "dimensions:",
        "data = 2 ;",
        "types = 3 ;",
    ]


@pytest.mark.parametrize("word", ["float", "int64", "string", "enum", "real", "data", "unlimited"])
def test_words_of_the_language_are_names_where_no_type_can_stand(word):
    body = f"dimensions: {word} = 2 ; variables: int {word} ; {word} :a = 1 ; data: {word} = 3 ;"
    root = dataset_of(body).root
    assert root.dimensions[0].name == root.variables[0].name == word


LENGTHS = [
    ("u = UNLIMITED ;", "", "u = UNLIMITED ; // (0 currently)"),
    ("u = UNLIMITED ;", "int a(u) ; int b(u) ; data: a = 1 ; b = 1, 2, 3 ;", "(3 currently)"),
    ("u = UNLIMITED ; n = 3 ;", "int a(u) ; int b(u, n) ; data: a = 1 ; b = 1, 2, 3, 4 ;", "(2 "),
    ("u = UNLIMITED ; w = 4 ;", 'char a(u, w) ; data: a = "one", "two", "three" ;', "(4 "),
    ("e = 0 ;", "", "e = 0 ;"),
    ("n = 010 ;", "", "n = 8 ;"),
]


@pytest.mark.parametrize(("dimensions", "rest", "expected"), LENGTHS)
def test_lengths(dimensions, rest, expected):
    variables = f"variables: {rest}" if rest else ""
    assert expected in lines(f"dimensions: {dimensions} {variables}")[1]


def test_an_unlimited_dimension_is_shared_with_the_groups_below():
    body = "dimensions: u = UNLIMITED ; group: g { variables: int v(u) ; data: v = 1, 2 ; }"
    assert dataset_of(body).root.dimensions[0].size == 2


def test_names_are_found_in_the_nearest_group_or_by_path():
    body = (
        "dimensions: x = 2 ; group: g { dimensions: x = 3 ; "
        "variables: int near(x) ; int far(/x) ; group: h { variables: int up(x) ; } }"
    )
    g = dataset_of(body).root.groups[0]
    assert [v.dimensions for v in g.variables] == [("/g/x",), ("/x",)]
    assert g.groups[0].variables[0].dimensions == ("/g/x",)


def test_an_attribute_given_by_path_belongs_to_the_variable_of_that_path():
    body = "variables: int v ; group: g { variables: int v ; /v:a = 2 ; v:b = 3 ; }"
    root = dataset_of(body).root
    assert [a.name for a in root.variables[0].attributes] == ["a"]
    assert [a.name for a in root.groups[0].variables[0].attributes] == ["b"]


def test_attributes_after_a_group_belong_to_the_group_around_it():
    root = dataset_of("group: g { :x = 1 ; } :y = 2 ;").root
    assert [a.name for a in root.attributes] == ["y"]
    assert [a.name for a in root.groups[0].attributes] == ["x"]


@pytest.mark.parametrize(
    ("cdl", "name"),
    [
        (r"a\ b", "a b"), (r"\1st", "1st"), (r"a\?b", "a?b"), (r"\(p\)", "(p)"), ("é", "é"),
        (r"x\:y\=z", "x:y=z"), ("a.b-c+d@e", "a.b-c+d@e"), (r"a\\b", "a\\b"), ("nan1", "nan1"),
        ("float1", "float1"), ("DATA", "DATA"), ("_x", "_x"),
    ],
)  # fmt: skip
def test_names(cdl, name):
    assert dataset_of(f"variables: int {cdl} ;").root.variables[0].name == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("x", "x"),
        (r"my\ name.x-1", "my name.x-1"),
        ("my name", "myname"),
        (r"\1st", "1st"),
        ("", ""),
    ],
)
def test_the_dataset_has_any_name(text, name):
    assert read_cdl(f"netcdf {text} {{ }}".encode(), source="t").name == name


@pytest.mark.parametrize(
    "text", ["\ufeffnetcdf x {}", "netcdf x {\r\n:a = 1 ;\r\n}\r\n", "NETCDF x {}"]
)
def test_forms_of_the_file(text):
    assert read_cdl(text.encode(), source="t").name == "x"


def storage(specials: str, kind: str = "float") -> object:
    return variable(f"dimensions: x = 8 ; variables: {kind} v(x) ; {specials}").storage


def test_special_attributes_say_how_to_store():
    made = variable(
        "dimensions: y = 4 ; x = 8 ; variables: short v(y, x) ; "
        'v:_ChunkSizes = 2, 8 ; v:_DeflateLevel = 5 ; v:_Shuffle = "true" ; '
        'v:_Fletcher32 = 1 ; v:_Endianness = "big" ; v:_Storage = "chunked" ;'
    )
    assert made.attributes == ()
    assert made.storage.chunks == (2, 8)
    assert made.storage.endianness == "big"
    assert [f.id for f in made.storage.filters or ()] == ["shuffle", "zlib", "fletcher32"]


@pytest.mark.parametrize(
    ("special", "expected"),
    [
        ('v:_Filter = "32015,3"', [make_filter("zstd", level=3)]),
        (
            'v:_Filter = "2|1,3"',
            [make_filter("shuffle", elementsize=4), make_filter("zlib", level=3)],
        ),
        (r'v:_Codecs = "[{\"id\": \"gzip\", \"level\": 2}]"', [make_filter("gzip", level=2)]),
        (
            r'v:_DeflateLevel = 3 ; v:_Codecs = "[{\"id\": \"zlib\", \"level\": 9}]"',
            [make_filter("zlib", level=9)],
        ),
    ],
)
def test_filters_in_all_their_spellings(special, expected):
    filters = variable(f"dimensions: x = 8 ; variables: float v(x) ; {special} ;").storage.filters
    assert list(filters or ()) == expected


def test_an_attribute_that_stays_requests_quantizing():
    made = variable("variables: float v ; v:_QuantizeBitRoundNumberOfSignificantBits = 7 ;")
    assert made.storage.quantize == Quantization(algorithm="BitRound", digits=7)
    assert [a.name for a in made.attributes] == ["_QuantizeBitRoundNumberOfSignificantBits"]


def test_a_variable_without_fill_says_so():
    assert variable('variables: int v ; v:_NoFill = "true" ;').storage.no_fill


NOTICES = [
    (':_NCProperties = "x" ;', "_NCProperties has no effect"),
    (":a = 1 ; :a = 2 ;", "twice"),
]


@pytest.mark.parametrize(("body", "words"), NOTICES)
def test_statements_without_effect_are_reported(body, words):
    said: list[str] = []
    text = f"netcdf t {{ {body} }}".encode()
    read_cdl(text, source="t", callbacks=Callbacks(lambda notice: said.append(str(notice))))
    assert len(said) == 1
    assert words in said[0]
    assert said[0].startswith("t:1:")


@pytest.mark.parametrize(
    ("attribute", "length"),
    [
        ("s:_nczarr_maxstrlen = 5 ;", 5),
        (":_nczarr_default_maxstrlen = 7 ;", 7),
        ("s:_nczarr_maxstrlen = 5 ; :_nczarr_default_maxstrlen = 7 ;", 5),
        ("s:_nczarr_maxstrlen = 5, 6 ;", None),
        ("s:_nczarr_maxstrlen = 0 ;", None),
        ("", None),
    ],
)
def test_the_length_of_strings(attribute, length):
    dataset = dataset_of(f"variables: string s ; {attribute}")
    assert dataset.root.variables[0].storage.string_length == length


def test_a_vlen_that_equals_its_fill_value_is_an_underscore():
    body = "types: int(*) t ; variables: t v ; t v:_FillValue = {7, 8} ; data: v = {VALUE} ;"
    for value, text in (("{7, 8}", "_"), ("{7, 9}", "{7, 9}"), ("{7}", "{7}")):
        assert f"v = {text} ;" in printed(body.replace("{VALUE}", value))

"""The declarations of a dataset of DAP2."""

from __future__ import annotations

import pytest

from ncz.errors import FormatError
from ncz.formats.dap.dds import DeclaredAxis, read_dds

TEXT = b"""Dataset {
  Float32 t[time = 4][2];
  Grid { ARRAY: Int16 g[x = 3]; MAPS: Float64 x[x = 3]; } g;
  Structure { Byte a; Structure { String s; } inner; } both[2];
  Sequence { Int32 n; } many;
  Int32 a%20b;
  Int32 c d;
} name;"""


def test_declarations():
    found = {each.name: each for each in read_dds(TEXT, "u")}
    assert list(found) == ["t", "g", "both", "many", "a b", "c d"]
    assert found["t"].axes == (DeclaredAxis("time", 4), DeclaredAxis(None, 2))
    assert (found["t"].kind, found["t"].type) == ("base", "float32")
    assert [part.name for part in found["g"].parts] == ["g", "x"]
    assert found["g"].parts[1].type == "float64"
    assert (found["both"].kind, found["both"].axes) == ("structure", (DeclaredAxis(None, 2),))
    assert found["both"].parts[1].parts[0].type == "string"
    assert found["many"].kind == "sequence"
    assert found["a b"].written == "a%20b"


@pytest.mark.parametrize(
    "text",
    [
        b"", b"<html>", b"Attributes { }", b"Dataset {", b"Dataset { Int32 v",
        b"Dataset { Int32 v[",
        b"Dataset { Int32 v[x] ; } n;", b"Dataset { Int32 v[-1]; } n;",
        b"Dataset { Int32 v[99999999999999999999]; } n;", b"Dataset { Int32 v[1; } n;",
        b"Dataset " + b"{ Structure " * 50,
    ],
)  # fmt: skip
def test_texts_that_are_not_a_dds(text):
    with pytest.raises(FormatError, match="the server's DDS is not valid"):
        read_dds(text, "u")


def test_an_array_of_too_many_dimensions():
    with pytest.raises(FormatError, match="a variable has 1025 dimensions"):
        read_dds(b"Dataset { Int32 v" + b"[1]" * 1025 + b"; } n;", "u")

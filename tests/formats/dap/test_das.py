"""The attributes of a dataset of DAP2."""

from __future__ import annotations

import math

import pytest

from ncz.errors import FormatError
from ncz.formats.dap.das import Container, number_of, read_das, to_type
from ncz.model.types import Atomic

TEXT = rb"""Attributes {
  t { String units "K"; Int16 range -1, 7; Float32 scale 0.1; Byte flag -1;
      String names "a", "b"; String plain not in quotes; String empty "";
      Alias other units; Float64 odd nan, -Inf; Whatever kind "x"; Int32 whole 5.0; }
  NC_GLOBAL { String history "one\ntwo \"three\""; inner { Int32 n 3; } }
}"""


def of(container: Container | None) -> dict[str, tuple[Atomic, tuple[object, ...]]]:
    assert container is not None
    return {a.name: (a.type, a.values) for a in container.attributes}  # type: ignore[misc]


def test_attributes():
    found = of(read_das(TEXT, "u").find("t"))
    assert math.isnan(found["odd"][1][0])  # type: ignore[arg-type]
    assert found.pop("odd")[1][1] == -math.inf
    assert found == {
        "units": (Atomic.CHAR, ("K",)),
        "range": (Atomic.SHORT, (-1, 7)),
        "scale": (Atomic.FLOAT, (to_type(0.1, Atomic.FLOAT),)),
        "flag": (Atomic.UBYTE, (255,)),
        "names": (Atomic.STRING, ("a", "b")),
        "plain": (Atomic.CHAR, ("not in quotes",)),
        "empty": (Atomic.CHAR, ()),
        "kind": (Atomic.CHAR, ("x",)),
        "whole": (Atomic.INT, (5,)),
    }


def test_containers_within_containers():
    root = read_das(TEXT, "u")
    known = root.find("NC_GLOBAL")
    assert known is not None
    assert known.text("history") == 'one\ntwo "three"'
    assert known.text("absent") == ""
    assert of(known.find("inner")) == {"n": (Atomic.INT, (3,))}
    assert root.find("absent") is None


@pytest.mark.parametrize(
    "text",
    [
        b"", b"Dataset { }", b"Attributes {", b'Attributes { v { String x "a"',
        b'Attributes { v { String x "a', b"Attributes { v { Int16 n x; } }",
        b"Attributes { v { Int16 n 99999; } }", b"Attributes { v { Int32 n 1.5; } }",
        b"Attributes " + b"{ a " * 50,
    ],
)  # fmt: skip
def test_texts_that_are_not_a_das(text):
    with pytest.raises(FormatError, match="the server's DAS is not valid"):
        read_das(text, "u")


@pytest.mark.parametrize(
    ("text", "atomic", "value"),
    [("-1", Atomic.UBYTE, 255), ("200", Atomic.BYTE, -56), ("7", Atomic.BYTE, 7),
     ("1e39", Atomic.FLOAT, math.inf), ("Infinity", Atomic.DOUBLE, math.inf)],
)  # fmt: skip
def test_numbers_of_servers(text, atomic, value):
    assert number_of(atomic)(text) == value

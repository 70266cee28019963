"""The data of one variable as CDL: its values, fill, notices and slabs."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.cdl import print_data as data_module
from ncz.cdl.print_data import print_data
from ncz.cdl.rows import DataStyle
from ncz.errors import Notice
from ncz.model.data import MemoryArray
from ncz.model.tree import Dimension, Storage, Variable
from ncz.model.types import Atomic, Vlen
from ncz.text.format_values import Precision
from tests.cdl.test_rows import printed, variable


def test_nothing_for_an_empty_dimension():
    assert printed(variable(np.zeros((0, 2)))) == ""


def test_fill():
    assert printed(variable([1, -2147483647])) == "\n v = 1, _ ;\n"
    assert printed(variable([1, -2147483647], fill=1)) == "\n v = _, -2147483647 ;\n"
    assert printed(variable([-127, 3], Atomic.BYTE)) == "\n v = -127, 3 ;\n"
    assert printed(variable([-127, 3], Atomic.BYTE, fill=3)) == "\n v = -127, _ ;\n"


def test_strings():
    values = np.array(["a", "", None, 'q"\v', "é"], object)
    assert printed(variable(values, Atomic.STRING)) == '\n v = "a", _, NIL, "q\\"\\v", "é" ;\n'
    assert printed(variable(values, Atomic.STRING, fill="a")).startswith('\n v = _, "", NIL')


def test_bytes_that_are_not_text_stay():
    values = np.array([b"\xff".decode("utf-8", "surrogateescape")], object)
    assert printed(variable(values, Atomic.STRING)) == '\n v = "\udcff" ;\n'


def test_chars():
    row = list("a\0b\0\0")
    assert printed(variable(row, Atomic.CHAR)) == '\n v = "a\\000b" ;\n'
    assert printed(variable(row, Atomic.CHAR, fill="*")) == '\n v = "a\\000b\\000\\000" ;\n'
    assert printed(variable(["", ""], Atomic.CHAR)) == '\n v = "" ;\n'
    assert printed(variable([b"\xc3", b"\xa9"], Atomic.CHAR)) == '\n v = "\\303\\251" ;\n'
    assert printed(variable(list("a\nb"), Atomic.CHAR)) == '\n v = "a\\n",\n    "b" ;\n'
    assert printed(variable([list("a\nb")], Atomic.CHAR)) == '\n v =\n  "a\\nb" ;\n'


def test_user_defined_values():
    values = np.empty(2, object)
    values[:] = [(1, 2), ()]
    assert printed(variable(values, Vlen(name="/l", base=Atomic.INT))) == "\n v = {1, 2}, {} ;\n"


def test_a_variable_without_data_is_fill():
    nothing = Variable(name="v", type=Atomic.DOUBLE)
    assert printed(nothing, (2,)) == "\n v = _, _ ;\n"
    one = Variable(name="v", type=Atomic.SHORT, storage=Storage(fill=7))
    assert printed(one, (2,)) == "\n v = 7, 7 ;\n"


def test_a_variable_shorter_than_its_unlimited_dimension_ends_in_fill():
    short = MemoryArray(np.array([[1, 2]], "i4"), Atomic.INT, fill=-2147483647)
    one = Variable(name="v", type=Atomic.INT, data=short)
    assert printed(one, (2, 2)) == "\n v =\n  1, 2,\n  _, _ ;\n"


def test_c_format_and_precision():
    values = [1.5, 2.25]
    assert printed(variable(values, Atomic.FLOAT, c_format="%6.2f")) == "\n v =   1.50,   2.25 ;\n"
    asked = printed(variable(values, Atomic.FLOAT, c_format="%6.2f"), precision=Precision(2))
    assert asked == "\n v = 1.5, 2.2 ;\n"


def test_an_invalid_c_format_is_reported_and_not_used():
    notices: list[Notice] = []
    pieces: list[bytes] = []
    one = variable([1.5], Atomic.FLOAT, c_format="%n")
    dimensions = [Dimension(name="d", size=1)]
    print_data(one, dimensions, DataStyle(), pieces.append, notify=notices.append)
    assert b"".join(pieces) == b"\n v = 1.5 ;\n"
    assert len(notices) == 1
    assert "%n" in str(notices[0])


SLABS = [
    variable(np.arange(60).reshape(3, 20) * 1000),
    variable(np.arange(60).reshape(3, 4, 5)),
    variable(np.arange(300) * 7),
    variable(np.linspace(0, 1, 90).reshape(9, 10), Atomic.DOUBLE),
    variable(np.array(["a b", "", "c"] * 30, object).reshape(9, 10), Atomic.STRING),
    variable(list("ab\0\0cd\0\n\0\0\0\0x\0\0\0\0\0\0\0") * 2, Atomic.CHAR),
    variable(np.array(list("ab\0\0c\0\0\0\0") * 4).reshape(4, 9), Atomic.CHAR),
]


@pytest.mark.parametrize("limit", [1, 3, 7, 20, 50])
@pytest.mark.parametrize("one", SLABS)
@pytest.mark.parametrize("style", [{}, {"brief": "c"}, {"full": "f"}, {"line_length": 20}], ids=str)
def test_slabs_do_not_show(monkeypatch: pytest.MonkeyPatch, one: Variable, limit: int, style):
    assert one.data is not None
    unlimited = {1: "-", 2: "-u", 3: "--u"}[len(one.data.grid.shape)]
    whole = printed(one, unlimited=unlimited, **style)

    def in_pieces(variable, shape):
        flat = variable.data.values.reshape(-1)
        for start in range(0, flat.size, limit):
            yield flat[start : start + limit]

    monkeypatch.setattr(data_module, "read_variable", in_pieces)
    assert printed(one, unlimited=unlimited, **style) == whole

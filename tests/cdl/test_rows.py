"""Rows of data: braces, commas and comments."""

from __future__ import annotations

import pytest

from ncz.cdl.print_data import print_data
from ncz.cdl.rows import DataStyle
from ncz.model.data import MemoryArray
from ncz.model.tree import Attribute, Dimension, Variable
from ncz.model.types import Atomic, NcType, Value

np = pytest.importorskip("numpy")


def variable(
    values, nc_type: NcType = Atomic.INT, *, name: str = "v", fill: Value = None, c_format: str = ""
) -> Variable:
    attributes = []
    if fill is not None:
        attributes.append(Attribute(name="_FillValue", type=nc_type, values=(fill,)))
    if c_format:
        attributes.append(Attribute(name="C_format", type=Atomic.CHAR, values=(c_format,)))
    array = np.asarray(values, nc_type.dtype if isinstance(nc_type, Atomic) else object)
    return Variable(
        name=name,
        type=nc_type,
        attributes=tuple(attributes),
        data=MemoryArray(array, nc_type),
    )


def printed(
    one: Variable, sizes: tuple[int, ...] | None = None, unlimited: str = "", **style
) -> str:
    """`unlimited` has a letter for each dimension: u or -."""
    assert sizes is not None or one.data is not None
    sizes = one.data.grid.shape if sizes is None and one.data else sizes or ()
    letters = unlimited.ljust(len(sizes), "-")
    dimensions = [
        Dimension(name="d", size=n, unlimited=u == "u") for n, u in zip(sizes, letters, strict=True)
    ]
    pieces: list[bytes] = []
    print_data(one, dimensions, DataStyle(**style), pieces.append)
    return b"".join(pieces).decode("utf-8", "surrogateescape")


def test_scalar_and_row():
    assert printed(variable(3)) == "\n v = 3 ;\n"
    assert printed(variable([1, 2])) == "\n v = 1, 2 ;\n"


def test_rows_of_several_dimensions():
    assert printed(variable([[[1, 2], [3, 4]]])) == "\n v =\n  1, 2,\n  3, 4 ;\n"


def test_unlimited_dimensions_but_the_first_have_braces():
    values = np.arange(8).reshape(2, 2, 2)
    assert printed(variable(values), unlimited="u-u") == (
        "\n v =\n  {0, 1},\n  {2, 3},\n  {4, 5},\n  {6, 7} ;\n"
    )
    assert printed(variable(values), unlimited="-u-") == (
        "\n v =\n  {0, 1,\n  2, 3},\n  {4, 5,\n  6, 7} ;\n"
    )
    assert printed(variable(values), unlimited="uuu") == (
        "\n v =\n  {{0, 1},\n  {2, 3}},\n  {{4, 5},\n  {6, 7}} ;\n"
    )


def test_brief_comments():
    values = [[1, 2, 3], [4, 5, 6]]
    assert printed(variable(values), brief="c") == (
        "\n v =\n  // v(0, 0-2)\n    1, 2, 3,\n  // v(1, 0-2)\n    4, 5, 6 ;\n"
    )
    assert printed(variable(values), brief="f") == (
        "\n v =\n  // v(1-3 ,1)\n    1, 2, 3,\n  // v(1-3 ,2)\n    4, 5, 6 ;\n"
    )
    assert printed(variable([[1], [2]]), brief="c", unlimited="-u") == (
        "\n v =\n  {// v(0,0)\n    1},\n  {// v(1,0)\n    2} ;\n"
    )
    assert printed(variable([1, 2]), brief="c") == "\n v = 1, 2 ;\n"


def test_full_comments():
    assert printed(variable([1, 2]), full="c") == "\n v = 1,   // v(0)\n    2;  // v(1)\n    "
    assert printed(variable([[1, 2]]), full="f", unlimited="uu") == (
        "\n v =\n  {1,   // v(1,1)\n    2};  // v(2,1)\n    "
    )
    assert printed(variable(3), full="f") == "\n v = 3;  // v(1)\n    "
    chars = variable([list("ab"), list("c\0")], Atomic.CHAR)
    assert printed(chars, full="c") == ('\n v =\n  "ab",  // v(0,1)\n    "c";  // v(1,1)\n    ')

"""The values of pieces in the form of the aggregated variable."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ncz.cdl.reader import read_cdl
from ncz.errors import FormatError
from ncz.formats.aggregation.piece_values import PieceReader, canonical, format_shape
from ncz.model.grid import Box
from ncz.model.tree import Variable


def variable(declaration: str, attributes: str = "", data: str = "1, 2, 3, 4") -> Variable:
    cdl = (
        f"netcdf s {{ dimensions: x = 2 ; y = 2 ; n = 4 ; one = 1 ; variables: {declaration} ;"
        f" {attributes} data: v = {data} ; }}"
    )
    return read_cdl(cdl.encode(), source="s").root.variables[0]


def values(piece: Variable, target: Variable, shape=(2, 2), *, converts: bool = True) -> Any:
    reader = PieceReader(piece, shape, canonical(target, converts=converts))
    return reader.read(Box((0,) * len(shape), shape))


TARGET = variable("double v(x, y)", 'v:_FillValue = -1. ; v:units = "m" ;')


@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        (variable("double v(x, y)", 'v:units = "m" ;'), [[1, 2], [3, 4]]),
        (variable("int v(x, y)"), [[1, 2], [3, 4]]),
        (variable("int v(x, one, y)"), None),
        (variable("int v(x, y)", "v:_FillValue = 2 ;"), [[1, -1], [3, 4]]),
        (variable("short v(x, y)", "v:scale_factor = 0.5 ;"), [[0.5, 1], [1.5, 2]]),
        (variable("double v(x, y)", "v:_FillValue = NaN ;", "1, NaN, 3, 4"), [[1, -1], [3, 4]]),
        (variable("int v(x, y)", "v:add_offset = 10. ; v:_FillValue = 1 ;"), [[-1, 12], [13, 14]]),
    ],
)
def test_conversion(piece, expected):
    if expected is None:
        with pytest.raises(FormatError, match="has the shape 2x1x2, not 2x2"):
            values(piece, TARGET)
    else:
        found = values(piece, TARGET)
        assert (found.dtype, found.tolist()) == (np.dtype("f8"), expected)


def test_a_piece_may_lack_dimensions_of_length_one():
    target = variable("int v(one, x, y)")
    assert values(variable("int v(x, y)"), target, (1, 2, 2)).tolist() == [[[1, 2], [3, 4]]]


@pytest.mark.parametrize(
    ("piece", "target", "converts", "message"),
    [
        ("int v(y, x)", "int v(x, y)", True, r"has the dimensions \(y, x\), not \(x, y\)"),
        ("int v(n)", "int v(x, y)", True, "has the shape 4, not 2x2"),
        ("char v(x, y)", "int v(x, y)", True, "has the type char, not int"),
        ("short v(x, y)", "int v(x, y)", False, "has the type short, not int"),
    ],
)
def test_pieces_that_do_not_fit(piece, target, converts, message):
    data = '"abcd"' if "char" in piece else "1, 2, 3, 4"
    with pytest.raises(FormatError, match=message):
        values(variable(piece, data=data), variable(target), converts=converts)


def test_another_packing():
    packed = variable("short v(x, y)", "v:scale_factor = 0.5 ;")
    again = variable("short v(x, y)", "v:scale_factor = 0.5 ;")
    assert values(packed, again, converts=False).tolist() == [[1, 2], [3, 4]]
    other = variable("short v(x, y)", "v:scale_factor = 0.25 ;")
    with pytest.raises(FormatError, match=r"is packed by \(0.5, 0.0\), not by \(0.25, 0.0\)"):
        values(packed, other, converts=False)


def test_integers_that_do_not_fit():
    target = variable("byte v(x, y)")
    assert values(variable("double v(x, y)"), target).dtype == np.dtype("i1")
    for data in ("1, 2, 3, 4.5", "1, 2, 3, 400"):
        with pytest.raises(FormatError, match="has values that the type int8 cannot represent"):
            values(variable("double v(x, y)", data=data), target)


def test_plain_values_are_the_own_ones():
    target = canonical(TARGET, converts=True)
    same = variable("double v(x, y)", 'v:_FillValue = -1. ; v:units = "m" ;')
    assert PieceReader(same, (2, 2), target).is_plain
    assert not PieceReader(variable("int v(x, y)"), (2, 2), target).is_plain
    assert [format_shape(shape) for shape in ((), (2, 3))] == ["of a scalar", "2x3"]

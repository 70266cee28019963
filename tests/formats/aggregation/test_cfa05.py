"""Partitions of CFA 0.5, which are variables of a group."""

from __future__ import annotations

from typing import Any

import pytest

from ncz.errors import FormatError
from ncz.formats.aggregation.cfa05 import CFA_05
from ncz.formats.aggregation.master import AggregatedVariable, Master
from ncz.formats.aggregation.partitions import Partitions, Piece
from ncz.model.tree import Attribute, dimensions_by_fqn, variables_by_fqn
from ncz.model.types import Atomic
from ncz.record import replace
from tests.test_round_trip import parsed

TABLES = {
    "file": 'string file(x) ; data: file = "0.nc", "1.nc" ;',
    "ncvar": 'string ncvar(x) ; data: ncvar = "v", "w" ;',
    "location": "int location(x, one, two) ; data: location = 0, 3, 3, 5 ;",
}


def partitions(**changes: str | None) -> Partitions:
    tables = {**TABLES, **changes}
    declared = [t.partition(" data: ") for t in tables.values() if t is not None]
    text = (
        "netcdf m { variables: int v ; group: cfa { dimensions: x = 2 ; one = 1 ; two = 2 ;"
        f" variables: {' '.join(a for a, _, _ in declared)}"
        f" data: {' '.join(b for _, _, b in declared)} }} }}"
    )
    root = parsed(text.encode()).root
    variables = dict(variables_by_fqn(root))
    attribute = Attribute(name="cfa_group", type=Atomic.CHAR, values=("cfa",))
    stored = replace(variables["/v"], attributes=(attribute,))
    assert CFA_05.recognises(stored)
    master = Master(url="m.nca", variables=variables, dimensions=dimensions_by_fqn(root))
    return CFA_05.partitions(
        AggregatedVariable(fqn="/v", stored=stored, dimensions=("/x",), shape=(5,), master=master)
    )


def test_pieces_have_their_files_variables_and_places():
    found = partitions()
    assert found.grid.borders == ((0, 3, 5),)
    assert [found.pieces[n,] for n in range(2)] == [
        Piece(files=("0.nc",), address="v", format=None, number=(0,)),
        Piece(files=("1.nc",), address="w", format=None, number=(1,)),
    ]


def test_a_base_and_formats():
    found = partitions(
        base='string base ; data: base = "d/e" ;', format='string format(x) ; data: format = "nc" ;'
    ).pieces
    piece = found[0,]
    assert isinstance(piece, Piece)
    assert (piece.files, piece.format) == (("d/e/0.nc",), "nc")


def test_parts_without_a_location_are_equally_long():
    missing = "int location(x, one, two) ; location:_FillValue = -9 ; data: location = _ ;"
    assert partitions(location=missing).grid.borders == ((0, 2, 5),)


def test_a_partition_without_a_file_is_undefined_or_in_the_master():
    found = partitions(
        file='string file(x) ; data: file = "", "1.nc" ;',
        ncvar='string ncvar(x) ; data: ncvar = "", "w" ;',
    )
    assert [*found.pieces] == [(1,)]
    inside = partitions(file='string file(x) ; data: file = "", "1.nc" ;').pieces[0,]
    assert isinstance(inside, Piece)
    assert (inside.files, inside.address) == ((), "v")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"file": None}, "file"),
        ({"ncvar": 'string ncvar(one) ; data: ncvar = "v" ;'}, "file and ncvar do not have"),
        ({"location": "int location(x, two) ; data: location = 0, 3, 3, 5 ;"}, "two limits"),
        ({"location": "int location(x, one, two) ; data: location = 0, 3, 2, 5 ;"}, "/v"),
    ],
)
def test_descriptions_that_are_not_valid(changes: dict[str, Any], message: str):
    with pytest.raises(FormatError, match=message):
        partitions(**changes)

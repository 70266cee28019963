"""Partitions of CFA 0.4, which are JSON in an attribute."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ncz.errors import FormatError
from ncz.formats.aggregation.cfa04 import CFA_04
from ncz.formats.aggregation.master import AggregatedVariable, Master
from ncz.formats.aggregation.partitions import Partitions, Piece
from ncz.model.tree import Attribute, Variable
from ncz.model.types import Atomic


def partition(number: int, first: int, last: int, **changes: Any) -> dict[str, Any]:
    subarray = {"ncvar": "v", "file": f"{number}.nc", "format": "netCDF"}
    members = {"index": [number], "location": [[first, last]], "subarray": subarray, **changes}
    return {name: value for name, value in members.items() if value is not None}


def partitions(document: Any) -> Partitions:
    text = document if isinstance(document, str) else json.dumps(document)
    attribute = Attribute(name="cfa_array", type=Atomic.CHAR, values=(text,))
    stored = Variable(name="v", type=Atomic.INT, attributes=(attribute,))
    assert CFA_04.recognises(stored)
    return CFA_04.partitions(
        AggregatedVariable(
            fqn="/v", stored=stored, dimensions=("/x",), shape=(5,),
            master=Master(url="m.nca", variables={"/v": stored}, dimensions={}),
        )
    )  # fmt: skip


def test_pieces():
    found = partitions({"base": "d", "Partitions": [partition(0, 0, 2), partition(1, 3, 4)]})
    assert found.grid.borders == ((0, 3, 5),)
    assert found.pieces[1,] == Piece(files=("d/1.nc",), address="v", format="netCDF", number=(1,))


def test_a_piece_in_the_master():
    inside = partition(0, 0, 4, subarray={"ncvar": "v"})
    piece = partitions({"Partitions": [inside]}).pieces[0,]
    assert isinstance(piece, Piece)
    assert (piece.files, piece.format) == ((), None)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("{", "cfa_array is not valid JSON"),
        ("[]", "cfa_array is not a JSON object"),
        ({}, "cfa_array has no list Partitions"),
        ({"Partitions": [3]}, "has no object subarray"),
        ({"Partitions": [partition(0, 0, 4, location=None)]}, "has no location in 1 dimension"),
        ({"Partitions": [partition(0, 0, 4, location=[[0]])]}, "a location that is not integers"),
        ({"Partitions": [partition(0, 0, 4, index=["a"])]}, "index that is not integers"),
        ({"Partitions": [partition(0, 0, 4, flip=[0])]}, "has 'flip', which ncz cannot read"),
        ({"Partitions": [partition(0, 0, 4, pdimensions=["y"])]}, "has other dimensions"),
        ({"Partitions": [partition(0, 0, 4, subarray={"file": "f"})]}, "names no variable"),
    ],
)
def test_descriptions_that_are_not_valid(document, message):
    with pytest.raises(FormatError, match=message):
        partitions(document)

"""Aggregated variables, and their descriptions."""

from __future__ import annotations

import json

import pytest

from ncz.errors import FormatError
from tests.formats.aggregation.conftest import read
from tests.formats.aggregation.masters import write


def test_other_roles_are_not_aggregations(pieces):
    text = 'netcdf m { variables: int id ; id:cf_role = "timeseries_id" ; data: id = 7 ; }'
    assert read(write(pieces / "role.nc", text), "id") == 7


def cfa04(*partitions: object, **members: object) -> str:
    array = json.dumps(json.dumps({"Partitions": partitions, **members}))
    return (
        "netcdf m { dimensions: x = 4 ; variables: int v ; int w(x) ; int part(x) ;"
        ' v:cf_role = "cfa_variable" ; v:cfa_dimensions = "x" ;'
        f" v:cfa_array = {array} ; data: w = 1, 2, 3, 4 ; }}"
    )


def entry(index: int, first: int, last: int, **members: object) -> dict[str, object]:
    own = {"ncvar": "w", "shape": [4]}
    return {"index": [index], "location": [[first, last]], "subarray": own, **members}


def test_a_partition_without_a_file_is_in_the_master(pieces):
    path = write(pieces / "own.nc", cfa04(entry(0, 0, 3)))
    assert read(path, "v").tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (cfa04(entry(0, 0, 2), entry(1, 2, 3)), "partition 0 does not fit a grid"),
        (cfa04(entry(0, 0, 1), entry(1, 0, 1)), "partition 1 is defined twice"),
        (cfa04(entry(0, 0, 4)), "partition 0 covers 0 to 5 of a dimension of length 4"),
        (cfa04(entry(0, 3, 1)), "partition 0 covers 3 to 2"),
        (cfa04(entry(0, 0, 3, flip=["x"])), "partition 0 has 'flip', which ncz cannot read"),
        (cfa04({"index": [0]}), "a partition of cfa_array has no object subarray"),
        (cfa04(entry(0, 0, True)), "a location that is not integers"),
        (cfa04().replace("[", "[" * 2000), "cfa_array is not valid JSON"),
    ],
)
def test_a_description_that_is_not_valid_is_an_error(pieces, text, message):
    path = write(pieces / "bad.nc", text, overwrite=True)
    with pytest.raises(FormatError, match=message):
        read(path, "v")

"""Pieces with other names in the dataset of a master."""

from __future__ import annotations

import json

import pytest

from ncz.errors import FormatError
from ncz.formats.aggregation.piece_names import with_names
from ncz.model.data import read_all
from ncz.model.tree import variables_by_fqn
from tests.test_round_trip import parsed


def test_an_array_of_cfa_04_has_no_base_afterwards():
    document = {
        "base": "old",
        "Partitions": [{"index": [0], "location": [[0, 1]], "subarray": {"file": "a.nc"}},
                       {"index": [1], "location": [[2, 3]], "subarray": {"ncvar": "inner"}}],
    }  # fmt: skip
    text = json.dumps(document).replace('"', '\\"')
    cdl = f'netcdf m {{ variables: int v ; v:cf_role = "cfa_variable" ; v:cfa_array = "{text}" ; }}'
    found = with_names(parsed(cdl.encode()), "m.nca", lambda name: f"new/{name}")
    changed = json.loads(found.root.variables[0].text("cfa_array"))
    assert "base" not in changed
    assert [p["subarray"] for p in changed["Partitions"]] == [
        {"file": "new/a.nc"}, {"ncvar": "inner"}
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["{", "[]", '{\\"Partitions\\": 5}', "{}"])
def test_an_array_that_is_not_valid_is_an_error(text: str):
    cdl = f'netcdf m {{ variables: int v ; v:cf_role = "cfa_variable" ; v:cfa_array = "{text}" ; }}'
    with pytest.raises(FormatError, match="cfa_array is not valid"):
        with_names(parsed(cdl.encode()), "m.nca", str.upper)


GROUP = """netcdf m {{ variables: int v ; v:cf_role = "cfa_variable" ; v:cfa_group = "cfa" ;
group: cfa {{ dimensions: x = 2 ; n = 4 ; variables: {} file({}) ; string base ; string ncvar(x) ;
data: file = {} ; base = "old" ; ncvar = "v", "v" ; }} }}"""


def test_a_group_of_cfa_05_has_an_empty_base_afterwards():
    cdl = GROUP.format("string", "x", '"a.nc", ""')
    found = dict(
        variables_by_fqn(with_names(parsed(cdl.encode()), "m.nca", lambda n: f"new/{n}").root)
    )
    for name, values in (("file", ["new/a.nc", ""]), ("base", "")):
        data = found[f"/cfa/{name}"].data
        assert data is not None
        assert read_all(data).tolist() == values


def test_chars_cannot_become_longer():
    cdl = GROUP.format("char", "x, n", '"a.nc", "b.nc"')
    with pytest.raises(FormatError, match="/cfa/file is an array of char"):
        with_names(parsed(cdl.encode()), "m.nca", lambda name: f"new/{name}")

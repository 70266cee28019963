"""Functions that make and move the masters of aggregations."""

from __future__ import annotations

import pytest

from ncz.cdl.reader import read_cdl
from ncz.formats.aggregation.masters import MASTERS
from ncz.formats.piece_layout import PieceLayout
from ncz.model.grid import Index
from ncz.model.tree import variables_by_fqn
from ncz.zmap.location import parse_location

CDL = b"""netcdf s { dimensions: t = 4 ; x = 2 ;
variables: int v(t, x) ; short p(t) ; p:scale_factor = 0.5 ; int t(t) ; string s(t) ;
data: v = 1, 2, 3, 4, 5, 6, 7, 8 ; p = 1, 2, 3, 4 ; t = 1, 2, 3, 4 ; }"""
DATASET = read_cdl(CDL, source="s")


def test_variables_that_are_divided():
    fields = MASTERS.fields(DATASET.root)
    assert "/v" in fields
    assert "/t" not in fields
    assert "/s" not in fields
    variables = dict(variables_by_fqn(DATASET.root))
    assert MASTERS.is_packed(variables["/p"])
    assert not MASTERS.is_packed(variables["/v"])


@pytest.mark.parametrize("mode", MASTERS.kinds)
def test_a_master_names_its_pieces(mode):
    files: dict[Index, str] = {(0, 0): "all/all.v.0.nc", (1, 0): "all/all.v.1.nc"}
    layout = PieceLayout(lengths=((2, 2), (2,)), files=files, address="/v", format="nc")
    kind = MASTERS.kinds[mode]
    made = MASTERS.master(DATASET, {"/v": layout}, kind, parse_location("/d/all.nca"))
    variables = dict(variables_by_fqn(made.root))
    assert variables["/v"].dimensions == ()
    assert variables["/t"].dimensions == ("/t",)
    names: list[str] = []

    def renamed(name: str) -> str:
        names.append(name)
        return name.replace("all/", "new/")

    MASTERS.with_names(made, "/d/all.nca", renamed)
    assert sorted(set(names)) == sorted(files.values())
    conventions = [a.text for a in made.root.attributes if a.name == "Conventions"]
    assert kind.name in conventions[0]
    assert MASTERS.without_conventions(DATASET) is DATASET


@pytest.mark.parametrize(
    ("name", "is_own"),
    [("all/all.v.0.nc", True), ("all-2/all.v.0.nc", True), ("all/other.nc", False),
     ("all.v.0.nc", False)],
)  # fmt: skip
def test_own_pieces(name, is_own):
    assert MASTERS.is_own(name, parse_location("/d/all.nca")) == is_own


def test_names_of_files():
    assert MASTERS.may_be_file(parse_location("/d/all.NCA"))
    assert not MASTERS.may_be_file(parse_location("/d/all.zarr"))

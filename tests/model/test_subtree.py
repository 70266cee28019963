"""Groups and variables of a dataset as separate datasets."""

from __future__ import annotations

import pytest

from ncz.cdl.reader import read_cdl
from ncz.model.subtree import subtree_at
from ncz.model.tree import Dataset, variables_by_fqn
from tests.test_round_trip import printed

CDL = b"""netcdf t {
types: byte enum e_t { A = 0, B = 1 } ; compound unused_t { int i ; } ;
dimensions: time = UNLIMITED ; x = 3 ; other = 7 ;
variables: int v(time, x) ; e_t v:flag = B ;
 :title = "whole" ;
data: v = 1, 2, 3 ;
group: g {
 types: compound k_t { e_t e ; } ;
 dimensions: x = 2 ;
 variables: k_t k(x) ; int n(time, x) ; double z(/x) ;
 :title = "part" ;
 data: k = {A}, {B} ; n = 1, 2 ; z = 1, 2, 3 ;
 group: h { variables: k_t deep(time, x) ; data: deep = {A}, {B} ; }
}
group: beside { dimensions: y = 2 ; variables: int w(y) ; data: w = 1, 2 ; }
group: user { variables: int u(/beside/y) ; data: u = 5, 6 ; }
}"""


@pytest.fixture(scope="module")
def whole() -> Dataset:
    return read_cdl(CDL, source="t")


def test_a_group_brings_dimensions_and_types_of_groups_above(whole: Dataset):
    text = printed(subtree_at(whole, "/g")).decode()
    head = " ".join(text.partition("variables:")[0].split())
    assert head == (
        "netcdf t { types: byte enum e_t {A = 0, B = 1} ; compound k_t { e_t e ; }; // k_t"
        " dimensions: time = UNLIMITED ; // (1 currently) x_1 = 3 ; x = 2 ;"
    )
    assert "double z(x_1) ;" in text
    assert ':title = "part" ;' in text
    assert "k_t deep(time, x) ;" in text
    assert printed(read_cdl(text.encode(), source="t")).decode() == text


def test_a_group_below_a_group_and_a_dimension_of_a_sibling_group(whole: Dataset):
    deep = subtree_at(whole, "/g/h")
    assert [d.name for d in deep.root.dimensions] == ["time", "x"]
    assert [t.name for t in deep.root.types] == ["/e_t", "/k_t"]
    user = subtree_at(whole, "/user")
    assert [(d.name, d.size) for d in user.root.dimensions] == [("y", 2)]
    assert user.root.variables[0].dimensions == ("/y",)


def test_a_variable_is_alone_and_without_attributes_of_its_group(whole: Dataset):
    found = subtree_at(whole, "/g/k")
    assert [fqn for fqn, _ in variables_by_fqn(found.root)] == ["/k"]
    assert [d.name for d in found.root.dimensions] == ["x"]
    assert found.root.attributes == ()
    flagged = subtree_at(whole, "/v")
    assert [t.name for t in flagged.root.types] == ["/e_t"]


def test_the_root_is_the_whole_dataset(whole: Dataset):
    assert printed(subtree_at(whole, "")) == printed(whole)


@pytest.mark.parametrize("fqn", ["/nothing", "/g/nothing", "/nothing/v"])
def test_missing_names_are_an_error(whole: Dataset, fqn: str):
    with pytest.raises(KeyError):
        subtree_at(whole, fqn)

"""What is added to a dataset, and the union of both."""

from __future__ import annotations

import pytest

from ncz.commands.add.parts import Part, part_to_add, with_part
from ncz.commands.joining.error import JoinError
from ncz.model.data import read_all
from ncz.model.tree import Dataset, variables_by_fqn
from ncz.parallel.threads import ThreadPool
from tests.test_round_trip import parsed

OLD = parsed(b"""netcdf s { dimensions: x = 2 ; y = 3 ; variables: int v(x) ; v:units = "K" ;
int w(y) ; data: v = 1, 2 ; w = 1, 2, 3 ; group: g { variables: int u ; data: u = 1 ; } }""")


def part(text: bytes) -> Part:
    with ThreadPool(1 << 20, 1) as pool:
        return part_to_add(
            OLD, parsed(b"netcdf n { dimensions: x = 2 ; " + text + b" }"), "n", pool
        )


def names(dataset: Dataset) -> list[str]:
    return [fqn for fqn, _ in variables_by_fqn(dataset.root)]


def test_an_equal_part_adds_nothing():
    found = part(b'variables: int v(x) ; v:units = "K" ; data: v = 1, 2 ;')
    assert found.is_empty
    assert (names(found.dataset), found.attributes) == ([], {})
    assert with_part(OLD, found) == OLD


def test_a_new_attribute_of_the_same_variable_is_added_without_values():
    found = part(b'variables: int v(x) ; v:units = "K" ; v:note = "a" ; data: v = 1, 2 ;')
    assert not found.is_empty
    assert names(found.dataset) == []
    assert [(fqn, [a.name for a in each]) for fqn, each in found.attributes.items()] == [
        ("/v", ["note"])
    ]
    (v, *_) = with_part(OLD, found).root.variables
    assert [a.name for a in v.attributes] == ["units", "note"]


@pytest.mark.parametrize(
    "text",
    [
        b'variables: int v(x) ; v:units = "K" ; data: v = 1, 5 ;',
        b'variables: int v(x) ; v:units = "K" ; v:scale_factor = 2. ; data: v = 1, 2 ;',
        b"variables: short v(x) ; data: v = 1, 2 ;",
    ],
)
def test_other_values_or_another_meaning_replace_a_variable(text: bytes):
    found = part(text)
    assert names(found.dataset) == ["/v"]
    union = with_part(OLD, found)
    assert names(union) == names(OLD)
    new = union.root.variables[0]
    assert new.data is not None
    assert found.dataset.root.variables[0].type is new.type
    assert read_all(new.data)[0] == 1


def test_new_members_of_groups_are_united():
    found = part(b"z = 4 ; group: g { variables: int n(z) ; } group: h { variables: int m ; }")
    union = with_part(OLD, found)
    assert names(union) == ["/v", "/w", "/g/u", "/g/n", "/h/m"]
    assert {d.name: d.size for d in union.root.dimensions} == {"x": 2, "y": 3, "z": 4}
    assert [d.name for d in found.dataset.root.dimensions] == ["z"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"y = 4 ; variables: int w(y) ;", "the dimension /y has length 4, but 3"),
        (b"group: v { }", "/v is a variable in one"),
        (b"variables: int g ;", "/g is a variable in one"),
        (b"group: g { group: u { } }", "/g/u is a variable in one"),
    ],
)
def test_what_contradicts_the_dataset_is_refused(text: bytes, message: str):
    with pytest.raises(JoinError, match=message):
        part(text)

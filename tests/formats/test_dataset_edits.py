"""A dataset after edits of its attributes and names."""

from __future__ import annotations

import pytest

from ncz.cdl.reader import read_cdl
from ncz.errors import FormatError
from ncz.formats.dataset_edits import EditedDataset
from ncz.formats.edits import Edit, Migration, Removal, Rename
from ncz.model.tree import Attribute, variables_by_fqn
from ncz.model.types import Atomic

CDL = b"""netcdf s { dimensions: x = 2 ; y = 2 ;
variables: int x(x) ; int v(x, y) ; v:a = 1, 2 ; v:b = "t" ; :title = "s" ;
group: g { dimensions: z = 2 ; variables: int w(z, x) ; }
}"""
DATASET = EditedDataset.of(read_cdl(CDL, source="s"), "s.nc")


def attribute(value: str) -> Attribute:
    return Attribute(name="b", type=Atomic.CHAR, values=(value,))


@pytest.mark.parametrize(
    ("edit", "attributes", "changes"),
    [
        (Edit(action="set", node="v", name="b", attribute=attribute("u")), {"a": [1, 2], "b": "u"},
         [("b", '"t"', '"u"')]),
        (Edit(action="rename", node="v", name="a", new="c"), {"c": [1, 2], "b": "t"},
         [("a", "[1, 2]", None), ("c", None, "[1, 2]")]),
        (Edit(action="delete", node="v", name="a"), {"b": "t"}, [("a", "[1, 2]", None)]),
    ],
)  # fmt: skip
def test_attributes(edit, attributes, changes):
    edited, found = DATASET.apply(edit)
    assert dict(edited.nodes["v"].visible_attributes) == attributes
    assert list(edited.nodes["v"].visible_attributes) == list(attributes)
    assert [(c.name, c.before, c.after) for c in found] == changes
    assert DATASET.nodes["v"].visible_attributes == {"a": [1, 2], "b": "t"}


def test_a_variable_and_its_dimension_have_one_name():
    edited, changes = DATASET.apply(Rename(path="x", new="lon"))
    assert [(c.kind, c.before, c.after) for c in changes] == [
        ("variable", "/x", "/lon"), ("dimension", "/x", "/lon"),
    ]  # fmt: skip
    variables = dict(variables_by_fqn(edited.dataset.root))
    assert variables["/v"].dimensions == ("/lon", "/y")
    assert variables["/g/w"].dimensions == ("/g/z", "/lon")
    assert edited.nodes["lon"].origin == "x"


def test_a_group():
    edited, _ = DATASET.apply(Rename(path="g", new="h"))
    variables = dict(variables_by_fqn(edited.dataset.root))
    assert variables["/h/w"].dimensions == ("/h/z", "/x")
    assert edited.nodes["h/w"].origin == "g/w"


def test_one_kind_alone():
    edited, changes = DATASET.apply(Rename(path="x", new="lon", kind="dimension"))
    assert [c.kind for c in changes] == ["dimension"]
    assert dict(variables_by_fqn(edited.dataset.root))["/x"].dimensions == ("/lon",)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (Edit(action="delete", node="v", name="absent"), "no attribute absent"),
        (Edit(action="delete", node="absent", name="a"), "no variable or group absent"),
        (Edit(action="rename", node="v", name="a", new="b"), "attribute b already exists"),
        (Rename(path="x", new="v"), "variable /v already exists"),
        (Rename(path="v", new="g"), "variable /g already exists"),
        (Rename(path="absent", new="w"), "no variable or dimension absent"),
        (Rename(path="k/v", new="w"), "no group /k"),
        (Removal(path="v"), "v cannot be removed from a file"),
        (Migration(3), "a file has no version of Zarr"),
    ],
)
def test_errors(request_, message):
    with pytest.raises(FormatError, match=message):
        DATASET.apply(request_)

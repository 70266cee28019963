"""Places of the masks of arrays, and the masks that readers do not see."""

from __future__ import annotations

import itertools
import json
from typing import get_args

import pytest

import ncz
from ncz.cdl.reader import read_cdl
from ncz.errors import Notice, ignore_notice
from ncz.formats.zarr.writing.mask_notices import told_of
from ncz.formats.zarr.writing.options import WriteOptions
from ncz.formats.zarr.writing.plan import plan_dataset
from ncz.formats.zarr.writing.visibility import (
    RULES,
    Case,
    FillClass,
    Layout,
    MaskClass,
    TypeClass,
    layout_of,
)
from ncz.formats.zarr.writing.writer import write_plan
from ncz.model.tree import Attribute, Variable, each_variable
from ncz.model.types import Atomic
from ncz.record import replace
from ncz.zmap.memory import MemoryZmap

OPTIONS = {
    "nczarr-v3": WriteOptions(zarr_format=3),
    "annotated-v3": WriteOptions(zarr_format=3, flavour="zarr", consolidated=True),
    "pure-v3": WriteOptions(zarr_format=3, flavour="zarr"),
    "nczarr-v2": WriteOptions(),
    "annotated-v2": WriteOptions(flavour="zarr", consolidated=True),
    "pure-v2": WriteOptions(flavour="zarr"),
}


def planned(declaration: str, mask: str, layout: str):
    """Return the plan and the placement of an array, whose mask has the type that is written."""
    types = "types: int(*) vl ; compound c { int a ; } ; compound z { double r ; double i ; } ;"
    mask = mask.replace("_FillValue", "mask")  # CDL gives _FillValue the type of the variable
    text = f"netcdf x {{ {types} dimensions: n = 2 ; variables: {declaration} v(n) ; {mask} }}"

    def with_mask(_: str, variable: Variable) -> Variable:
        attributes = [
            replace(a, name="_FillValue") if a.name == "mask" else a for a in variable.attributes
        ]
        return replace(variable, attributes=tuple(attributes))

    dataset = each_variable(read_cdl(text.encode(), source="x"), with_mask)
    plan = plan_dataset(dataset, OPTIONS[layout])
    return plan.arrays[0], plan.placements["/v"]


def test_each_mask_has_a_place_and_each_rule_a_mask():
    classes = map(get_args, (Layout, TypeClass, MaskClass, FillClass))
    stated = {
        (id(rule), what)
        for rule in RULES
        for what in ("place", "fill", "missing")
        if getattr(rule, what) is not None
    }
    chosen = set()
    for case in itertools.starmap(Case, itertools.product(*classes, (False, True))):
        fitting = [rule for rule in RULES if rule.fits(case)]
        for what in ("place", "fill", "missing"):
            rule = next(rule for rule in fitting if getattr(rule, what) is not None)
            chosen.add((id(rule), what))
    assert chosen == stated


@pytest.mark.parametrize("layout", OPTIONS)
def test_the_layout_follows_from_the_options(layout):
    assert layout_of(OPTIONS[layout]) == layout


CLASSES = [
    ("int", "", "number", "none"),
    ("int", "int v:_FillValue = 7 ;", "number", "read"),
    ("int", "double v:_FillValue = 7. ;", "number", "none"),
    ("int", "double v:_FillValue = 7.5 ;", "number", "other"),
    ("int", "double v:_FillValue = NaN ;", "number", "void"),
    ("int", 'string v:_FillValue = "" ;', "number", "other"),
    ("ubyte", 'ubyte v:_FillValue = 200UB ; v:_Unsigned = "false" ;', "number", "other"),
    ("float", "float v:_FillValue = NaNf ;", "number", "read"),
    ("float", "int v:_FillValue = 7 ;", "number", "other"),
    ("char", 'char v:_FillValue = "x" ;', "char", "text"),
    ("char", "double v:_FillValue = NaN ;", "char", "other"),
    ("string", 'string v:_FillValue = "x" ;', "string", "text"),
    ("string", 'char v:_FillValue = "x" ;', "string", "void"),
    ("string", "int v:_FillValue = 7 ;", "string", "other"),
    ("c", "c v:_FillValue = {7} ;", "void", "other"),
    ("vl", "", "user", "none"),
    ("z", "z v:_FillValue = {7., 8.} ;", "complex", "read"),
]


@pytest.mark.parametrize(("declaration", "mask", "kind", "found"), CLASSES)
def test_classes_of_types_and_masks(declaration, mask, kind, found):
    _, placement = planned(declaration, mask, "nczarr-v3")
    assert (placement.case.type, placement.case.mask) == (kind, found)


_OF_CHARS = ("renamed", "characters")

PLACES = [
    ("int", "int v:_FillValue = 7 ;", "nczarr-v3", "attribute", None, ()),
    ("int", "double v:_FillValue = 7.5 ;", "nczarr-v3", "note", None, ("another-type",)),
    ("int", "double v:_FillValue = 7.5 ;", "annotated-v3", "annotation", 7.5, ("renamed",)),
    ("int", "double v:_FillValue = 7.5 ;", "pure-v3", "nowhere", None, ("lost",)),
    ("int", "double v:_FillValue = NaN ;", "annotated-v3", "annotation", None, ()),
    ("char", 'char v:_FillValue = "x" ;', "annotated-v3", "annotation", "x", _OF_CHARS),
    ("char", 'char v:_FillValue = "x" ;', "pure-v3", "attribute", None, ()),
    ("string", 'string v:_FillValue = "x" ;', "annotated-v3", "annotation", "x", ("renamed",)),
    ("c", "c v:_FillValue = {7} ;", "nczarr-v3", "note", None, ("user-type",)),
    ("c", "c v:_FillValue = {7} ;", "annotated-v3", "annotation", None, ("user-type",)),
    ("c", "c v:_FillValue = {7} ;", "pure-v3", "nowhere", None, ("lost",)),
    ("z", "z v:_FillValue = {7., 8.} ;", "nczarr-v3", "note", None, ("user-type",)),
    ("z", "z v:_FillValue = {7., 8.} ;", "pure-v3", "attribute", None, ()),
    ("int", "int v:_FillValue = 7 ;", "nczarr-v2", "attribute", None, ()),
    ("int", "int v:_FillValue = 7 ;", "pure-v2", "fill-value", None, ()),
    ("string", 'char v:_FillValue = "x" ;', "annotated-v2", "annotation", None, ()),
]  # fmt: skip


@pytest.mark.parametrize(("declaration", "mask", "layout", "place", "substitute", "told"), PLACES)
def test_the_place_of_a_mask(declaration, mask, layout, place, substitute, told):
    array, placement = planned(declaration, mask, layout)
    found = placement.mask, placement.substitute, told_of(array, placement)
    assert found == (place, substitute, told)


def test_fill_value_of_v2_is_the_default_only_if_elements_are_missing():
    _, placement = planned("int", "", "nczarr-v2")
    assert (placement.fill, placement.fill_if_missing) == (None, -2147483647)


@pytest.mark.parametrize(
    ("declaration", "mask"), [("c", "{7}"), ("op", "0xABCDEF"), ("vl", "{1, 2}"), ("vs", '{"a"}')]
)
def test_nczarr_v3_notes_a_mask_that_annotated_v2_has(tmp_path, declaration, mask):
    types = "compound c { int a ; } ; opaque(3) op ; int(*) vl ; string(*) vs ;"
    (tmp_path / "x.cdl").write_text(
        f"netcdf x {{ types: {types} dimensions: n = 2 ;"
        f" variables: {declaration} v(n) ; v:_FillValue = {mask} ; }}"
    )
    source, target = tmp_path / "x.zarr", tmp_path / "y.zarr"
    ncz.gen(tmp_path / "x.cdl", source, modes=["zarr", "v2"], notify=ignore_notice)
    notices: list[Notice] = []
    ncz.copy(source, target, modes=["nczarr", "v3"], notify=notices.append)
    with ncz.open(source) as given, ncz.open(target) as copied:
        assert copied["v"].record.attribute("_FillValue") == replace(
            given["v"].record.attribute("_FillValue"), original=None
        )
    assert [notice.code for notice in notices] == ["mask-left-out"]


@pytest.mark.parametrize("text", ["", "abc"])
def test_a_mask_of_several_chars_is_written_as_text(text):
    cdl = "netcdf x { dimensions: n = 2 ; variables: char v(n) ; }"
    dataset = read_cdl(cdl.encode(), source="x")
    mask = Attribute(name="_FillValue", type=Atomic.CHAR, values=(text,))
    dataset = each_variable(dataset, lambda _, v: replace(v, attributes=(mask,)))
    zmap = MemoryZmap(url="m")
    write_plan(plan_dataset(dataset, OPTIONS["nczarr-v3"]), zmap)
    document = json.loads(zmap.get("v/zarr.json") or b"")
    assert document["attributes"]["_FillValue"] == text


CHUNKS = [
    ("int", "", "nczarr-v3", "value", "stay"),
    ("int", "", "nczarr-v2", "netcdf-c", "masked-if-unwritten"),
    ("int", "", "pure-v2", "default", "written-or-masked"),
    ("int", "int v:_FillValue = 7 ;", "pure-v2", "other", "written"),
    ("c", "", "pure-v2", "null", "stay"),
]


@pytest.mark.parametrize(("declaration", "mask", "layout", "fill", "missing"), CHUNKS)
def test_what_becomes_of_missing_chunks(declaration, mask, layout, fill, missing):
    _, placement = planned(declaration, mask, layout)
    assert (placement.case.fill, placement.missing) == (fill, missing)


def test_missing_chunks_that_contain_the_mask_stay_missing():
    cdl = b"netcdf x { dimensions: n = 2 ; variables: int v(n) ; v:_FillValue = 7 ; }"
    placement = plan_dataset(read_cdl(cdl, source="x"), OPTIONS["pure-v2"]).placements["/v"]
    assert (placement.case.fill, placement.fill, placement.missing) == ("mask", 7, "stay")

"""Places of the masks of arrays, and the masks that readers do not see."""

from __future__ import annotations

import itertools
from typing import get_args

import pytest

import ncz
from ncz.cdl.reader import read_cdl
from ncz.errors import Notice, ignore_notice
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
from ncz.model.tree import Variable, each_variable
from ncz.record import replace

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


CHUNKS = [
    ("int", "", "nczarr-v3", "value", "stay"),
    ("int", "", "nczarr-v2", "netcdf-c", "masked-if-unwritten"),
    ("int", "", "pure-v2", "default", "written-or-masked"),
    ("int", "int v:_FillValue = 7 ;", "pure-v2", "other", "written"),
    ("c", "", "pure-v2", "null", "stay"),
]


@pytest.mark.parametrize(("declaration", "mask", "layout", "fill", "missing"), CHUNKS)
def test_the_treatment_of_missing_chunks(declaration, mask, layout, fill, missing):
    _, placement = planned(declaration, mask, layout)
    assert (placement.case.fill, placement.missing) == (fill, missing)

"""Notices of missing data that readers of a new store do not recognize."""

from __future__ import annotations

import pytest

from ncz.formats.zarr.writing.mask_notices import reports_of
from tests.formats.zarr.writing.test_visibility import planned

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
    found = placement.mask, placement.substitute, reports_of(array, placement)
    assert found == (place, substitute, told)

"""The modes of the location of a new store."""

from __future__ import annotations

import pytest

from ncz.errors import UrlError
from ncz.formats.zarr.readers import target_modes
from ncz.formats.zarr.readers.forms import FORMS, Form
from ncz.model.tree import Provenance
from ncz.zmap.location import parse_location


@pytest.mark.parametrize(
    ("url", "flavour", "version"),
    [
        ("x.zarr", "nczarr", 2),
        ("x.zarr#mode=zarr", "zarr", 2),
        ("x.zarr#mode=v3", "nczarr", 3),
        ("x.zarr#mode=zarr,v3", "zarr", 3),
    ],
)
def test_forms(url, flavour, version):
    form = target_modes.form_of(parse_location(url), "bytes", "vlen")
    assert (form.flavour, form.zarr_format) == (flavour, version)
    assert (form.char, form.text) == ("bytes", "vlen")
    again = target_modes.with_form(parse_location("x.zarr#mode=consolidated,v2"), form)
    assert target_modes.form_of(again, "bytes", "vlen") == form
    assert "consolidated" in again.modes


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("x.zarr", {("nczarr", 2), ("nczarr", 3), ("zarr", 2), ("zarr", 3)}),
        ("x.zarr#mode=nczarr", {("nczarr", 2), ("nczarr", 3)}),
        ("x.zarr#mode=zarr", {("zarr", 2), ("zarr", 3)}),
        ("x.zarr#mode=zarr,v3", {("zarr", 3)}),
        ("x.zarr#mode=v2", {("nczarr", 2), ("zarr", 2)}),
    ],
)
def test_forms_that_a_user_allows(url, allowed):
    location = parse_location(url)
    found = {(f.flavour, f.zarr_format) for f in FORMS if target_modes.is_allowed(f, location)}
    assert found == allowed & {(f.flavour, f.zarr_format) for f in FORMS}


@pytest.mark.parametrize(
    ("url", "source", "modes"),
    [
        ("x.zarr", Provenance(), set()),
        ("x.zarr", Provenance(zarr_format=2, superblock=2), set()),
        ("x.zarr", Provenance(zarr_format=3, superblock=3), {"v3"}),
        ("x.zarr", Provenance(zarr_format=2), {"nczarr", "zarr"}),
        ("x.zarr", Provenance(zarr_format=3), {"nczarr", "zarr", "v3"}),
        ("x.zarr#mode=v2", Provenance(zarr_format=3), {"nczarr", "zarr", "v2"}),
        ("x.zarr#mode=nczarr", Provenance(zarr_format=2), {"nczarr"}),
        ("x.icechunk#mode=icechunk", Provenance(), {"icechunk", "nczarr", "zarr", "v3"}),
    ],
)
def test_a_store_like_its_source(url, source, modes):
    assert target_modes.like_source(parse_location(url), source).modes == modes


def test_a_version_that_such_a_store_does_not_have():
    with pytest.raises(UrlError, match="such a store contains Zarr V3 only"):
        target_modes.like_source(parse_location("x#mode=icechunk,v2"), Provenance())


@pytest.mark.parametrize(
    ("url", "source", "asked", "consolidated"),
    [
        ("x.zarr", Provenance(), None, False),
        ("x.zarr", Provenance(zarr_format=2, consolidated=True), None, True),
        ("x.zarr#mode=zarr", Provenance(), None, True),
        ("x.zarr#mode=zarr", Provenance(zarr_format=2), None, False),
        ("x.zarr#mode=zarr", Provenance(zarr_format=2, annotated=True), None, True),
        ("x.zarr#mode=zarr,consolidated", Provenance(), False, False),
        ("x.zarr", Provenance(), True, False),
    ],
)
def test_consolidated_metadata(url, source, asked, consolidated):
    annotates = not source.is_unannotated_zarr
    found = target_modes.with_consolidated(parse_location(url), source, asked, annotates=annotates)
    assert ("consolidated" in found.modes) == consolidated


def test_zip_files():
    assert target_modes.is_zip(parse_location("x.zip"))
    assert target_modes.is_zip(parse_location("x#mode=zip"))
    assert not target_modes.is_zip(parse_location("x.zarr"))
    assert isinstance(target_modes.form_of(parse_location("x")), Form)

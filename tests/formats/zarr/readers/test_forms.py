"""Forms for storing a dataset."""

from __future__ import annotations

from ncz.formats.zarr.readers.forms import FORMS, Form


def test_forms_that_represent_all_of_netcdf_come_first():
    flavours = [form.flavour for form in FORMS]
    assert flavours == sorted(flavours)
    assert flavours[0] == "nczarr"
    assert {form.zarr_format for form in FORMS} == {2, 3}
    assert len({*FORMS}) == len(FORMS)


def test_a_form_is_named_by_its_flavour_and_version():
    assert Form(flavour="zarr", zarr_format=3, text="vlen").name == "zarr-v3"

"""Features of a dataset that matter to readers, in each form of a store, and their names."""

from __future__ import annotations

import pytest

from ncz.formats.zarr.readers.contents import Contents, contents_of
from ncz.formats.zarr.readers.forms import FORMS
from ncz.model.tree import Attribute, Dataset, Group, Variable
from ncz.model.types import Atomic, Compound, Field, NcType, Vlen

NCZARR_V2, NCZARR_V3, ZARR_V2, ZARR_V2_VLEN, ZARR_V3 = FORMS
EVERY = ["char", "scalar", "string", "byte", "masked", "number", "void", "vlen", "object", "zip"]


def told(form, *subjects: str, kept: str = "") -> str:
    """Return the words for a dataset with these subjects, each at a place of its name."""
    contents = Contents(examples={s: f"/{s}" for s in subjects}, kept={k: f"/{k}" for k in kept})
    name, *others = contents.features(form)
    assert name == ("format", form.name)
    return contents.words(others)


@pytest.mark.parametrize(
    ("form", "words"),
    [
        (
            NCZARR_V2,
            "char as >S1 (/char) and scalars of shape [1] (/scalar)"
            " and strings as fixed-length bytes (/string)"
            " and compound or opaque values (/void) and vlen values as text (/object)"
            " and NaN or infinity in attributes of Zarr V2 (/number)"
            " and a zip file with its keys below a folder (/zip)",
        ),
        (
            ZARR_V3,
            "char as null_terminated_bytes (/char) and scalars of shape [] (/scalar)"
            " and the data types null_terminated_bytes or fixed_length_utf32 (/byte)"
            " and strings of the data type string (/string)"
            " and a _FillValue of the data type string (/masked)"
            " and compound or opaque values (/void) and vlen values as text (/object)"
            " and NaN or infinity as bare words in attributes of Zarr V3 (/number)"
            " and a zip file with its keys at the root (/zip)",
        ),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_all_that_matters_is_reported_with_an_example(form, words):
    assert told(form, *EVERY) == words


@pytest.mark.parametrize(
    ("form", "subjects", "kept", "words"),
    [
        (NCZARR_V3, ["char"], "", "char as uint8 (/char)"),
        (NCZARR_V3, ["number"], "", "NaN or infinity as text in attributes (/number)"),
        (NCZARR_V3, ["vlen"], "", "vlen values as text (/vlen)"),
        (NCZARR_V2, ["vlen"], "", "vlen values as text (/vlen)"),
        (ZARR_V2, ["vlen", "object"], "", "vlen values as vlen-array (/vlen)"
         " and vlen values as text (/object)"),
        (ZARR_V2_VLEN, ["vlen"], "", "vlen values as text (/vlen)"),
        (NCZARR_V3, ["string", "masked"], "", "strings of the data type string (/string)"
         " and a _FillValue of the data type string (/masked)"),
        (ZARR_V2, ["char"], "", "char as |S1 (/char)"),
        (ZARR_V2, ["byte", "masked"], "", "strings as fixed-length bytes (/byte)"),
        (ZARR_V2_VLEN, ["string"], "", "strings as vlen-utf8 (/string)"),
        (ZARR_V2, ["string"], "OSU", "strings as vlen-utf8 (/O)"
         " and text of a fixed length (/S) and text of a fixed length in UTF-32 (/U)"),
        (ZARR_V3, ["string"], "OSU", "strings of the data type string (/O)"
         " and the data types null_terminated_bytes or fixed_length_utf32 (/S)"),
        (ZARR_V3, ["byte"], "", "the data types null_terminated_bytes or fixed_length_utf32"
         " (/byte)"),
        (ZARR_V3, ["byte"], "O", "strings of the data type string (/O)"),
        (NCZARR_V2, ["string"], "O", "strings as fixed-length bytes (/string)"),
        (ZARR_V3, ["string", "masked"], "U", "the data types null_terminated_bytes or"
         " fixed_length_utf32 (/U) and a _FillValue of text of a fixed length (/masked)"),
        (ZARR_V3, [], "O", ""),
    ],
)  # fmt: skip
def test_subjects_of_each_form(form, subjects, kept, words):
    assert told(form, *subjects, kept=kept) == words


def test_each_kind_of_variable_is_found_once():
    record = Compound(name="/c", fields=(Field(name="s", type=Atomic.STRING),))
    fixed = Compound(name="/f", fields=(Field(name="i", type=Atomic.INT),))
    types: dict[str, NcType] = {
        "a": Atomic.CHAR, "b": Atomic.CHAR, "i": Atomic.INT, "s": Atomic.STRING, "f": fixed,
        "r": record, "v": Vlen(name="/v", base=Atomic.INT), "w": Vlen(name="/w", base=record),
        "x": Vlen(name="/x", base=fixed),
    }  # fmt: skip
    nan = Attribute(name="missing", type=Atomic.FLOAT, values=(1.0, float("nan")))
    variables = tuple(Variable(name=name, type=nc_type) for name, nc_type in types.items())
    group = Group(name="", variables=variables, attributes=(nan,))
    found = contents_of(Dataset(name="x", root=group), zipped=True)
    assert found.examples == {
        "zip": "", "char": "/a", "scalar": "/a", "string": "/s", "void": "/f", "object": "/r",
        "vlen": "/v", "number": ":missing",
    }  # fmt: skip
    assert found.kept == {}
    assert "zip" not in contents_of(Dataset(name="x", root=group), zipped=False).examples

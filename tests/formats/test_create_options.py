"""Options of new datasets: one record from the command to the writer."""

from __future__ import annotations

import pytest

from ncz.cdl.reader import read_cdl
from ncz.formats.create_options import CreateOptions, StoreKeywords
from ncz.formats.opening import plan_dataset
from ncz.zmap.location import parse_location

CDL = b"netcdf t { dimensions: n = 2 ; variables: string s(n) ; char c(n) ; }"


def identity_of(options: CreateOptions) -> str:
    plan = plan_dataset(read_cdl(CDL, source="t"), parse_location("t.zarr#mode=zarr"), options)
    return plan.identity


def test_the_record_has_the_choices_of_users():
    assert StoreKeywords.__annotations__.keys() <= CreateOptions.__annotations__.keys()


@pytest.mark.parametrize(
    "options",
    [
        CreateOptions(separator="/"),
        CreateOptions(char=">S1"),
        CreateOptions(annotations=False),
        CreateOptions(truncate_strings=True),
        CreateOptions(consolidated=False),
    ],
)
def test_an_interrupted_copy_is_not_resumed_with_other_options(options):
    assert identity_of(options) != identity_of(CreateOptions())


@pytest.mark.parametrize(
    "options",
    [
        CreateOptions(overwrite=True),
        CreateOptions(allow_loss=True),
        CreateOptions(kind="netCDF-4"),
        CreateOptions(consolidated=True),
    ],
)
def test_an_interrupted_copy_is_resumed_with_options_of_the_same_effect(options):
    assert identity_of(options) == identity_of(CreateOptions())

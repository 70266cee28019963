"""Names of the kinds of netCDF files."""

from __future__ import annotations

import pytest

from ncz.model.netcdf_kinds import KINDS, is_hdf5, kind_of


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        *((kind, kind) for kind in KINDS),
        ("1", "classic"),
        ("3", "netCDF-4"),
        ("NC6", "64-bit offset"),
        ("64-bit data", "cdf5"),
        ("hdf5-nc3", "netCDF-4 classic model"),
        ("6", None),
    ],
)
def test_words_of_kinds(word, kind):
    assert kind_of(word) == kind


def test_kinds_of_hdf5():
    assert [kind for kind in KINDS if is_hdf5(kind)] == ["netCDF-4", "netCDF-4 classic model"]

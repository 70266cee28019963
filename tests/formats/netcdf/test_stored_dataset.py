"""Datasets as a netCDF file contains them."""

from __future__ import annotations

import pytest

from ncz.formats.netcdf.stored_dataset import as_stored
from ncz.model.netcdf_kinds import NetcdfKind
from ncz.model.tree import Provenance, Variable
from ncz.model.types import Atomic
from tests.test_round_trip import parsed

DATASET = parsed(b'netcdf d { dimensions: x = 2 ; variables: string s(x) ; data: s = "ab", "c" ; }')


def variable(kind: NetcdfKind) -> Variable:
    superblock = 2 if kind.startswith("netCDF-4") else None
    stored = Provenance(netcdf_kind=kind, hdf5_superblock=superblock)
    return as_stored(DATASET, stored).root.variables[0]


def test_a_store_contains_the_unchanged_dataset():
    assert as_stored(DATASET, Provenance(zarr_format=2)) is DATASET


def test_strings_stay_in_netcdf_4():
    assert variable("netCDF-4").type is Atomic.STRING


@pytest.mark.parametrize("kind", ["classic", "cdf5", "netCDF-4 classic model"])
def test_strings_become_chars_in_the_classic_model(kind: NetcdfKind):
    found = variable(kind)
    assert found.type is Atomic.CHAR
    assert len(found.dimensions) == 2

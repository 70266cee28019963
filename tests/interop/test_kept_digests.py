"""NCZarr stores with digests of values, as netCDF-C reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import ROOT
from tests.formats.netcdf.ncgen import NEEDS_NETCDF_BIN, ncdump

READ_BY_490 = ("calendars", "chunks", "endianness", "mesh", "names", "not_numbers")
"""Examples whose stores ncdump 4.9.0 reads; it crashes when it reads strings, for instance."""

OTHERS = ("fills", "records", "scalars", "strings", "two_unlimited", "types", "weather")


def stores(name: str, folder: Path) -> list[str]:
    """Write a dataset without and with digests; return their URLs."""
    written = []
    for digest in (False, True):
        store = folder / str(digest) / "x.zarr"
        store.parent.mkdir()
        example = ROOT / f"cdl_examples/{name}.cdl"
        ncz.copy(example, store, modes="nczarr,v2", digest=digest, notify=ignore_notice)
        written.append(f"file://{store}#mode=nczarr,file")
    assert any("sums" in path.read_text() for path in store.rglob(".zattrs"))
    return written


@NEEDS_NETCDF_BIN
@pytest.mark.parametrize("name", READ_BY_490)
def test_ncdump_prints_the_same(tmp_path: Path, name: str) -> None:
    plain, kept = (ncdump(url).splitlines() for url in stores(name, tmp_path))
    assert _without_notes(plain) == _without_notes(kept)


def _without_notes(lines: list[str]) -> list[str]:
    """Return lines without NCZarr's notes, which netCDF-C 4.9.0 prints as attributes."""
    return [line for line in lines if ":_nczarr_" not in line]


@pytest.mark.parametrize("name", READ_BY_490 + OTHERS)
def test_netcdf4_reads_the_same(tmp_path: Path, name: str) -> None:
    netcdf4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
    plain, kept = map(netcdf4.Dataset, stores(name, tmp_path))
    with plain, kept:
        assert plain.ncattrs() == kept.ncattrs()
        ours, theirs = (_variables(each) for each in (plain, kept))
        assert list(ours) == list(theirs) != []
        for path, variable in ours.items():
            assert variable.__dict__.keys() == theirs[path].__dict__.keys()
            assert variable.dimensions == theirs[path].dimensions
            np.testing.assert_array_equal(variable[...], theirs[path][...])


def _variables(group: Any, path: str = "") -> dict[str, Any]:
    found = {f"{path}/{name}": variable for name, variable in group.variables.items()}
    for name, child in group.groups.items():
        found |= _variables(child, f"{path}/{name}")
    return found

"""The first bytes of netCDF files."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncz.formats.kinds import Source
from ncz.formats.signatures import CLASSIC, HDF5, is_netcdf
from ncz.zmap.location import location_of


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        *((signature + bytes(40), True) for signature in (HDF5, *CLASSIC)),
        (bytes(512) + HDF5, True),
        (b"x" * 4096 + HDF5, True),
        (bytes(100) + HDF5, False),
        (b"CDF\x03" + bytes(40), False),
        (b"", False),
        (b"netcdf x {}", False),
    ],
)
def test_a_file_is_known_by_its_start(tmp_path: Path, start: bytes, expected: bool):
    (tmp_path / "f").write_bytes(start)
    assert is_netcdf(Source(location_of(tmp_path / "f"))) == expected


def test_a_folder_and_a_missing_file_are_no_stores(tmp_path: Path):
    assert not is_netcdf(Source(location_of(tmp_path)))
    assert not is_netcdf(Source(location_of(tmp_path / "absent")))

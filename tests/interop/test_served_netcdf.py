"""Every kind of content of the matrix as a netCDF file that is never written.

ncdump prints the same for it as for a copy, and it has the values and the digest of the store.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import ncz
from ncz.errors import LossError, ignore_notice
from tests.formats.netcdf.ncgen import NEEDS_NETCDF_BIN, ncdump
from tests.interop.kinds import KINDS, VERSIONS, write_kind
from tests.sampled import sampled
from tests.transfer.test_netcdf_face import read_by_h5py, written

for _name in ("h5py", "xarray", "zarr"):
    pytest.importorskip(_name, reason=f"{_name} is not installed")

pytestmark = pytest.mark.filterwarnings("ignore")  # of types that Zarr V3 does not specify yet

CASES = [(kind, version) for kind in KINDS for version in VERSIONS]


@NEEDS_NETCDF_BIN
@pytest.mark.parametrize(("kind", "version"), sampled(CASES, 11))
def test_the_file_matches_a_copy(tmp_path: Path, kind: str, version: int) -> None:
    store = write_kind(kind, 2 if version == 2 else 3, tmp_path)
    (tmp_path / "copy").mkdir()
    copy = tmp_path / "copy/x.nc"
    try:
        ncz.copy(store, copy, kind="netCDF-4", codecs="none", notify=ignore_notice)
    except LossError:
        with pytest.raises(LossError), ncz.serve(store, netcdf=True, notify=ignore_notice):
            pass
        return
    face = written(store, tmp_path / "x.nc")
    read_by_h5py(face)
    assert ncdump(face) == ncdump(copy)
    found, expected = (ncz.digest(each, notify=ignore_notice) for each in (face, copy))
    assert found == expected
    assert ncz.diff(store, face, notify=ignore_notice) == ncz.diff(
        store, copy, notify=ignore_notice
    )

"""The process that will read an HDF5 file is started before the file is opened."""

from __future__ import annotations

import pytest

from ncz.formats.netcdf.names import HDF5, prepare_to_open
from ncz.parallel import isolation as starting
from ncz.zmap.location import parse_location


@pytest.fixture
def forked(monkeypatch) -> list[tuple[str, ...]]:
    """Take the place of the fork, and note the modules."""
    calls: list[tuple[str, ...]] = []

    def fork_ahead(modules: tuple[str, ...]) -> bool:
        calls.append(modules)
        return True

    monkeypatch.setattr(starting, "fork_ahead", fork_ahead)
    return calls


def test_a_local_hdf5_file_is_prepared_for(tmp_path, forked):
    (tmp_path / "a.nc").write_bytes(HDF5)
    assert prepare_to_open(parse_location(str(tmp_path / "a.nc")))
    assert "h5py" in forked[0]


@pytest.mark.parametrize(
    "source", ["classic.nc", "missing.nc", "store.zarr", "s3://b/x.nc", "x:y.nc#"]
)
def test_nothing_else_is(tmp_path, monkeypatch, forked, source):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "classic.nc").write_bytes(b"CDF\x01")
    (tmp_path / "store.zarr").write_bytes(HDF5)
    assert not prepare_to_open(parse_location(source))
    assert forked == []

"""HDF5 files that the HDF5 library does not survive."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncz.formats.netcdf.hdf5 import isolation
from tests.conftest import Run
from tests.fuzz import case

pytest.importorskip("h5py", reason="h5py is not installed (ncz[netcdf])")

LOOP = Path(__file__).parents[2] / "fuzz" / "corpus" / "hdf5-heap-object-without-a-size.json"


@pytest.fixture
def loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that HDF5 reads without end."""
    monkeypatch.setattr(isolation, "SECONDS", 0.2)
    case.write(case.from_json(LOOP.read_text()), tmp_path)
    return tmp_path / "x.nc"


@pytest.mark.parametrize("command", [["dump"], ["ls"], ["info"], ["copy"]])
def test_a_loop_of_the_library_is_an_error(loop, command, run: Run):
    target = [str(loop.parent / "out.zarr")] if command == ["copy"] else []
    done = run(*command, str(loop), *target)
    assert done.code == 1
    assert (
        "HDF5 cannot read it: the library did not end within 0.4 s of processor time" in done.stderr
    )
    assert done.stderr.count("\n") == 1
    assert [path.name for path in loop.parent.iterdir()] == ["x.nc"]

"""HDF5 files that the HDF5 library does not survive; ``make test`` opens them with one command."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncz.formats.hdf5 import isolation
from tests.bombs import run
from tests.fuzz import case
from tests.sampled import sampled

LOOP = Path(__file__).parents[2] / "fuzz" / "corpus" / "hdf5-heap-object-without-a-size.json"


@pytest.fixture
def loop(tmp_path: Path) -> Path:
    """A file that HDF5 reads without end."""
    case.write(case.from_json(LOOP.read_text()), tmp_path)
    return tmp_path / "x.nc"


def shorten() -> None:
    """Give calls of HDF5 less time."""
    isolation.SECONDS = 0.2


@pytest.mark.parametrize("command", sampled([["copy"], ["dump"], ["ls"], ["info"]], 4))
def test_a_loop_of_the_library_is_an_error(loop, command):
    """Other threads of this process, such as those of servers, would rule out a fork."""
    target = [str(loop.parent / "out.zarr")] if command == ["copy"] else []
    done = run(*command, loop, *target, before=shorten)
    assert done.code == 1
    assert (
        "HDF5 cannot read it: the library did not end within 0.4 s of processor time" in done.error
    )
    assert done.error.count("\n") == 0
    assert [path.name for path in loop.parent.iterdir()] == ["x.nc"]

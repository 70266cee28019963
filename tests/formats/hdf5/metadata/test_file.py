"""The metadata of an open HDF5 file."""

from __future__ import annotations

import contextlib
import io
import pickle
from pathlib import Path

import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.formats.hdf5.metadata.faults import UnreadableError
from ncz.formats.hdf5.metadata.file import open_metadata
from ncz.zmap.file import open_file
from ncz.zmap.location import parse_location

CDL = b"netcdf m { variables: int v ; data: v = 1 ; group: g { } }"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    ncz.gen(io.BytesIO(CDL), tmp_path / "m.nc", kind="netCDF-4", notify=ignore_notice)
    return tmp_path / "m.nc"


def test_the_superblock_is_read_and_the_file_can_be_pickled(path: Path):
    with contextlib.closing(open_file(parse_location(str(path)))) as file:
        metadata = open_metadata(file)
        assert metadata.superblock.base == 0
        other = pickle.loads(pickle.dumps(metadata))
        assert other.superblock.root == metadata.superblock.root


def test_bytes_beyond_the_end_are_empty(path: Path):
    with contextlib.closing(open_file(parse_location(str(path)))) as file:
        metadata = open_metadata(file)
        size = path.stat().st_size
        assert metadata._peek(size, 8) == b""
        assert len(metadata._peek(size - 3, 8)) == 3


@pytest.mark.parametrize("size", [8, 16, 40])
def test_a_superblock_that_is_cut_is_an_error(path: Path, size: int):
    path.write_bytes(path.read_bytes()[:size])
    file = open_file(parse_location(str(path)))
    with contextlib.closing(file), pytest.raises(UnreadableError):
        open_metadata(file)

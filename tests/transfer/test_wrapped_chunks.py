"""Chunks of gzip as chunks of zlib, in a netCDF file that is never written."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

import ncz
from ncz.errors import CodecError
from tests.transfer.test_netcdf_face import _chunks, array, face_of, written

h5py = pytest.importorskip("h5py", reason="h5py is not installed")


@pytest.mark.parametrize("codecs", ["gzip", "shuffle,gzip:7"])
@pytest.mark.parametrize("version", ["v2", "v3"])
def test_chunks_of_gzip_become_zlib_of_a_known_size(tmp_path, codecs, version):
    store = array(tmp_path, (20, 30), (7, 11), codecs=codecs.split(","), modes=["zarr", version])
    face = written(store, tmp_path / "x.nc")
    with h5py.File(face) as file:
        assert file["v"].compression == "gzip"
        stored = sum(file["v"].id.get_chunk_info(n).size for n in range(9))
    assert stored == sum(chunk.stat().st_size - 12 for chunk in _chunks(store))
    assert ncz.diff(store, face) == []


def test_every_part_of_a_chunk_of_gzip(tmp_path):
    store = array(tmp_path, (20, 30), (20, 30), codecs="gzip")
    with face_of(store) as face:
        whole = face.read(0, face.size)
        for start in range(0, face.size, 97):
            assert face.read(start, 101) == whole[start : start + 101]


def test_a_longer_header_of_gzip(tmp_path):
    """The stream of zlib is shorter than was promised, and zeros follow it."""
    store = array(tmp_path, (20, 30), (10, 30), codecs="gzip:9")
    chunk = _chunks(store)[0]
    elements = gzip.decompress(chunk.read_bytes())
    with open(chunk, "wb") as file, gzip.GzipFile("a name", "wb", 9, file, 0) as opened:
        opened.write(elements)
    face = written(store, tmp_path / "x.nc")
    assert ncz.diff(store, face) == []
    with h5py.File(face) as file:
        assert np.array_equal(file["v"][()].reshape(-1), np.arange(600, dtype="f4"))


def test_several_members_of_gzip_that_do_not_fit(tmp_path):
    """They were compressed at a higher level than the store's, which zlib has."""
    store = array(tmp_path, (400, 300), (200, 300), codecs="gzip:1")
    chunk = _chunks(store)[0]
    elements = gzip.decompress(chunk.read_bytes())
    chunk.write_bytes(gzip.compress(elements[:-4], 9) + gzip.compress(elements[-4:], 9))
    with face_of(store) as face, pytest.raises(CodecError, match="several members"):
        face.read(0, face.size)


@pytest.mark.parametrize("change", [b"another", None])
def test_a_chunk_of_gzip_that_changes_is_an_error(tmp_path, change):
    store = array(tmp_path, (20, 30), (10, 30), codecs="gzip")
    with face_of(store) as face:
        chunk = _chunks(store)[1]
        chunk.unlink() if change is None else chunk.write_bytes(change)
        with pytest.raises(ncz.NczError, match="changed"):
            face.read(0, face.size)

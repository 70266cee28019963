"""A dataset as a netCDF-4 file whose skeleton alone exists, as other programs read it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz
from ncz.codec import chain
from ncz.commands.serve.passed_filters import numbers_of
from ncz.errors import LossError, NczError, ignore_notice
from ncz.formats.opening import open_dataset
from ncz.transfer.netcdf_face import NetcdfFace, netcdf_face
from ncz.zmap.location import location_of
from tests.conftest import EXAMPLES, ROOT
from tests.formats.netcdf.ncgen import NEEDS_NETCDF_BIN, ncdump
from tests.sampled import sampled, share_of

h5py = pytest.importorskip("h5py", reason="h5py is not installed")


@contextmanager
def face_of(source: Any, filters: tuple[str, ...] = ()) -> Iterator[NetcdfFace]:
    numbers = numbers_of(filters)
    with (
        open_dataset(location_of(source)) as opened,
        netcdf_face(
            opened.dataset, ignore_notice, allow_loss=True, memory=1 << 26, filters=numbers
        ) as face,
    ):
        yield face


def written(source: Any, path: Path, filters: tuple[str, ...] = ()) -> Path:
    """Write all bytes of the file."""
    with face_of(source, filters) as face:
        data = face.read(0, face.size)
        assert len(data) == face.size
        path.write_bytes(data)
    return path


def read_by_h5py(path: Path) -> None:
    """Read every value with h5py."""

    def read(_: str, each: Any) -> None:
        if isinstance(each, h5py.Dataset):
            each[()]

    with h5py.File(path) as file:
        file.visititems(read)


GOLDEN = ROOT / "tests/golden/netcdf-c"
STORES = sorted(path.parent.name for path in GOLDEN.glob("*/store.zip"))
PRINTED_OTHERWISE = ("cdl-l3", "cdl-s2", "ncdump-a", "ncdump-un")
"""Stores with NULs, control characters or other bytes, which ncdump prints otherwise of a file."""

FOREIGN = sorted(
    path.parent.relative_to(ROOT / "tests/stores").as_posix()
    for name in (".zgroup", "zarr.json")
    for path in (ROOT / "tests/stores").glob(f"*/*/{name}")
)


def same_as_a_copy(source: Path, folder: Path) -> None:
    """Compare the file with one that a copy writes, as ncdump, h5py and ncz read them."""
    face = written(source, folder / "x.nc")
    assert ncz.diff(source, face, notify=ignore_notice) == []
    read_by_h5py(face)
    (folder / "copy").mkdir()
    copy = folder / "copy/x.nc"
    how = {"kind": "netCDF-4", "codecs": "none"}
    ncz.copy(source, copy, allow_loss=True, notify=ignore_notice, **how)  # type: ignore[arg-type]
    if ncz.diff(source, copy, notify=ignore_notice) == []:  # a copy may round values
        assert ncdump(face) == ncdump(copy)


@NEEDS_NETCDF_BIN
@pytest.mark.parametrize("name", sampled(STORES, 16))
def test_stores_of_netcdf_c(tmp_path: Path, name: str) -> None:
    store = GOLDEN / name / "store.zip"
    same_as_a_copy(store, tmp_path)
    if name not in PRINTED_OTHERWISE:
        found, expected = ncdump(tmp_path / "x.nc"), ncz.dump(store, notify=ignore_notice)
        assert found.partition("\n")[2] == expected.partition("\n")[2]


@NEEDS_NETCDF_BIN
@pytest.mark.parametrize("name", sampled(FOREIGN, 4))
def test_stores_of_others(tmp_path: Path, name: str) -> None:
    try:
        same_as_a_copy(ROOT / "tests/stores" / name, tmp_path)
    except LossError:
        with pytest.raises(LossError):
            ncz.copy(ROOT / "tests/stores" / name, tmp_path / "y.nc", notify=ignore_notice)


CORPUS = ROOT / "tests/corpus"
FILES = sorted(
    path.relative_to(CORPUS).as_posix()
    for suffix in (".nc", ".nc3", ".nc4", ".hdf5", ".h5")
    for path in CORPUS.glob(f"*/*{suffix}")
)
UNREADABLE = ("pyfive/enum_h5variable.hdf5",)
"""Files whose copies ncdump does not read, either."""


@NEEDS_NETCDF_BIN
@pytest.mark.parametrize("name", sampled([n for n in FILES if n not in UNREADABLE], 8))
def test_files_of_others(tmp_path: Path, name: str) -> None:
    same_as_a_copy(CORPUS / name, tmp_path)


@NEEDS_NETCDF_BIN
@pytest.mark.parametrize("path", sampled(EXAMPLES, 3), ids=lambda p: p.stem)
def test_ncdump_prints_the_same_as_ncz(tmp_path: Path, path: Path) -> None:
    store = tmp_path / "x.zarr"
    ncz.gen(path, store, notify=ignore_notice)
    face = written(store, tmp_path / "x.nc")
    expected = ncz.dump(store, notify=ignore_notice)
    if path.stem == "fixed_zero":  # HDF5 has no dimension of the fixed length zero
        expected = expected.replace("storm = 0 ;", "storm = UNLIMITED ; // (0 currently)")
    assert ncdump(face) == expected


def test_h5dump_reads_it(tmp_path):
    store = tmp_path / "x.zarr"
    ncz.gen(ROOT / "cdl_examples/weather.cdl", store, notify=ignore_notice)
    face = written(store, tmp_path / "x.nc")
    try:
        ran = subprocess.run(["h5dump", face], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("h5dump is not installed")
    assert (ran.returncode, ran.stderr) == (0, "")


def array(folder: Path, shape: tuple[int, ...], chunks: tuple[int, ...], **options: Any) -> Path:
    """Write a store of one array; chunks of ones are stored, and some others are missing."""
    xarray = pytest.importorskip("xarray")
    values = np.arange(np.prod(shape), dtype="f4").reshape(shape)
    names = "xyzw"[: len(shape)]
    made = xarray.Dataset({"v": (tuple(names), values, {"units": "m"})})
    lengths = dict(zip(names, chunks, strict=True))
    ncz.copy(made, folder / "a.zarr", chunks=lengths, notify=ignore_notice, **options)
    return folder / "a.zarr"


def _chunks(store: Path) -> list[Path]:
    files = (path for path in (store / "v").rglob("*") if path.is_file())
    return sorted(path for path in files if not path.name.startswith((".z", "zarr.json")))


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the chunks that are decoded."""
    decoded: list[int] = []

    def count(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            decoded.append(1)
            return function(*arguments, **named)

        return call

    for name in ("decode", "decode_array"):
        if hasattr(chain, name):
            monkeypatch.setattr(chain, name, count(getattr(chain, name)))
    return decoded


@pytest.mark.parametrize("codecs", ["shuffle,zlib:3", "zlib", "none", "shuffle,zlib,fletcher32"])
def test_chunks_of_zlib_are_passed_on_without_decoding(tmp_path, codecs, decoded):
    store = array(tmp_path, (20, 30), (7, 11), codecs=codecs.split(","))
    with face_of(store) as face:
        data = face.read(0, face.size)
    assert decoded == []
    for chunk in _chunks(store):
        assert chunk.read_bytes() in data
    (tmp_path / "x.nc").write_bytes(data)
    assert ncz.diff(store, tmp_path / "x.nc") == []


def test_chunks_that_cannot_be_decoded_are_passed_on(tmp_path):
    store = array(tmp_path, (20, 30), (10, 10), codecs="zlib")
    _chunks(store)[2].write_bytes(b"not a stream of zlib")
    with face_of(store) as face:
        assert b"not a stream of zlib" in face.read(0, face.size)


@pytest.mark.parametrize("codecs", ["zstd", "blosc", "bz2"])
@pytest.mark.parametrize("version", ["v2", "v3"])
def test_other_codecs_are_decoded(tmp_path, codecs, version):
    store = array(tmp_path, (20, 30), (7, 11), codecs=codecs, modes=["zarr", version])
    face = written(store, tmp_path / "x.nc")
    assert ncz.diff(store, face) == []
    with h5py.File(face) as file:
        assert (file["v"].compression, file["v"].chunks) == (None, (7, 11))


def test_shards_are_decoded(tmp_path):
    store = array(tmp_path, (20, 30), (5, 10), modes=["zarr", "v3"], shards={"x": 10, "y": 20})
    face = written(store, tmp_path / "x.nc")
    assert ncz.diff(store, face) == []


def test_missing_chunks_stay_missing(tmp_path):
    store = array(tmp_path, (20, 30), (10, 10), codecs="zlib")
    for chunk in _chunks(store)[1:]:
        chunk.unlink()
    face = written(store, tmp_path / "x.nc")
    with h5py.File(face) as file:
        assert file["v"].id.get_num_chunks() == 1
    assert ncz.diff(store, face, notify=ignore_notice) == []


@given(st.data())
@settings(max_examples=share_of(100), deadline=None)
def test_any_range_matches_the_file(face: tuple[NetcdfFace, bytes], data: st.DataObject) -> None:
    served, whole = face
    start = data.draw(st.integers(0, len(whole) + 10))
    count = data.draw(st.integers(0, len(whole)) | st.integers(0, 20))
    assert served.read(start, count) == whole[start : start + count]


@pytest.fixture(scope="module")
def face(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[NetcdfFace, bytes]]:
    folder = tmp_path_factory.mktemp("ranges")
    store = array(folder, (9, 30), (2, 7), codecs="zlib")
    with face_of(store) as served:
        yield served, served.read(0, served.size)


def test_the_same_bytes_each_time(tmp_path):
    for codecs in ("zlib", "zstd"):
        store = array(tmp_path, (9, 30), (2, 7), codecs=codecs, overwrite=True)
        found = set()
        for _ in range(2):
            with face_of(store) as served:
                found.add((served.version, served.read(0, served.size)))
        assert len(found) == 1


@pytest.mark.parametrize("codecs", ["zlib", "none"])
def test_a_chunk_of_another_size_is_an_error(tmp_path, codecs):
    store = array(tmp_path, (9, 30), (3, 30), codecs=codecs)
    with face_of(store) as served:
        _chunks(store)[1].write_bytes(b"another")
        with pytest.raises(NczError, match="changed"):
            served.read(0, served.size)


def test_a_chunk_that_is_gone_is_an_error(tmp_path):
    store = array(tmp_path, (9, 30), (3, 30), codecs="zlib")
    with face_of(store) as served:
        _chunks(store)[1].unlink()
        with pytest.raises(NczError):
            served.read(0, served.size)

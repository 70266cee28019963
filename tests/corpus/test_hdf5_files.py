"""HDF5 files of others, not netCDF-4: values as in h5py, and copies to Zarr and back.

netCDF-C opens some of them, and then prints the same as ncz.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import Run
from tests.formats.netcdf.ncgen import NEEDS_NETCDF_BIN, ncdump
from tests.sampled import paired

h5py = pytest.importorskip("h5py")

HERE = Path(__file__).parent
FILES = sorted(path.relative_to(HERE).as_posix() for path in HERE.glob("*/*.h5"))

LEFT_OUT = {
    "pytables/elink.h5": "a link into another file",
    "pytables/flavored_vlarrays-format1.6.h5": "/vlarray2: its type is of variable length",
    "pytables/slink.h5": "it is linked a second time",
    "pytables/times-nested-be.h5": "its type is a time",
}
"""Files with objects that netCDF lacks, and the messages of ncz."""

WHOLE = [name for name in FILES if name not in LEFT_OUT]

LIKE_NCDUMP = (
    "h5py/vlen_string_dset.h5",
    *(
        f"pytables/{name}.h5"
        for name in (
            "issue_368", "issue_560", "scalar", "smpl_SDSextendible", "smpl_f64be", "smpl_i32be",
            "smpl_i64le", "test_szip", "vlstr_attr", "zerodim-attrs-1.3", "zerodim-attrs-1.4",
        )
    ),
)  # fmt: skip
"""Files that netCDF-C 4.9 opens; it leaves types without names out, and has no plugin of Blosc."""


BARE = tuple(f"pytables/{name}.h5" for name in ("issue_368", "issue_560", "vlstr_attr"))
"""Files that only have attributes."""


def test_all_kinds_are_here():
    assert len(FILES) > 25
    assert set(LEFT_OUT) | set(LIKE_NCDUMP) <= set(FILES)


def _plain(values: Any) -> Any:
    """Return values as lists, bytes as text, so that chars and texts of fixed length are alike."""
    if isinstance(values, np.ndarray) and values.dtype.names:
        return [[_plain(row[name]) for name in values.dtype.names] for row in values.reshape(-1)]
    if isinstance(values, np.ndarray | np.generic) and values.dtype.kind == "c":
        pairs = np.asarray(values).reshape(-1)
        return [[each.real.item(), each.imag.item()] for each in pairs]
    if isinstance(values, np.ndarray):
        if values.dtype.kind == "S" and values.ndim and values.dtype.itemsize == 1:
            return b"".join(value.ljust(1, b"\0") for value in values.reshape(-1).tolist())
        return [_plain(value) for value in values.reshape(-1)]
    if isinstance(values, np.void):
        if values.dtype.names:
            return [_plain(values[name]) for name in values.dtype.names]
        return values.tobytes()
    if isinstance(values, bytes):
        return values.rstrip(b"\0").decode("utf-8", "surrogateescape")
    return values.item() if isinstance(values, np.generic) else values


def _flat(values: Any) -> str:
    """Return all values in their order, as text, so that NaN is equal to itself."""
    if isinstance(values, bytes):
        values = values.rstrip(b"\0").decode("latin-1")
    return ",".join(map(_flat, values)) if isinstance(values, list) else repr(values)


def _are_equal(ours: np.ndarray, theirs: np.ndarray) -> bool:
    """Return whether values are the same numbers and texts, of the same type or another."""
    is_alike = (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape) and not ours.dtype.hasobject
    return (is_alike and ours.tobytes() == theirs.tobytes()) or _flat(_plain(ours)) == _flat(
        _plain(theirs)
    )


@pytest.mark.parametrize("name", WHOLE)
def test_values_match_h5py(name):
    pytest.importorskip("hdf5plugin")  # Blosc
    dataset = ncz.open(HERE / name)
    compared = 0
    with h5py.File(HERE / name) as file:

        def compare(path: str, found: Any) -> None:
            nonlocal compared
            if isinstance(found, h5py.Dataset) and found.shape is not None:
                assert _are_equal(np.asarray(dataset[path][...]), np.asarray(found[()])), path
                compared += 1

        file.visititems(compare)
    assert compared or name in BARE


@pytest.mark.parametrize("name", LEFT_OUT)
def test_omissions_are_reported(run: Run, tmp_path, name):
    ran = run("dump", HERE / name)
    assert (ran.code, LEFT_OUT[name] in ran.stderr) == (1, True), ran.stderr
    assert run("copy", HERE / name, tmp_path / "x.zarr").code == 1
    assert not (tmp_path / "x.zarr").exists()
    ran = run("copy", "--allow-loss", "--verify", HERE / name, tmp_path / "x.zarr")
    assert ran.code == 0, ran.stderr


@NEEDS_NETCDF_BIN
@pytest.mark.parametrize("name", LIKE_NCDUMP)
def test_dump_equals_ncdump(run: Run, name):
    ran = run("dump", HERE / name)
    assert (ran.code, ran.text) == (0, ncdump(HERE / name)), ran.stderr


@pytest.mark.parametrize(
    ("name", "target"),
    paired(WHOLE, ["x.zarr", "x.zarr#mode=nczarr", "x.zarr#mode=v3", "x.json"]),
)
def test_through_zarr_and_back(tmp_path, monkeypatch, name, target):
    monkeypatch.setenv("NCZ_ALLOW_TARGETS", str(HERE))
    path, again = HERE / name, tmp_path / "back.nc"
    ncz.copy(path, tmp_path / target, verify=True, notify=ignore_notice)
    store = tmp_path / target.partition("#")[0]
    assert ncz.diff(path, store) == []
    ncz.copy(store, again, verify=True, notify=ignore_notice)
    assert ncz.diff(path, again) == []

"""netCDF files through Zarr and back, and to another file: equal by netCDF4's reading.

``make test`` takes a third of the examples.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ncz.zmap.local.directory import DirectoryZmap
from tests.conftest import EXAMPLES, Run
from tests.formats.netcdf.ncgen import NEEDS_NETCDF_BIN, USER_TYPES, ncdump
from tests.sampled import sampled

netCDF4 = pytest.importorskip("netCDF4")
pytest.importorskip("h5py")

NAMES = [e.stem for e in EXAMPLES if e.stem not in USER_TYPES]


def same(one: object, other: object) -> bool:
    """Compare two values with their types; NaN equals NaN."""
    left, right = np.asarray(one), np.asarray(other)
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    equal_nan = left.dtype.kind == "f"
    return bool(np.array_equal(left, right, equal_nan=equal_nan))


def differences(one, other, path: str = "") -> list[str]:
    """Compare two groups as netCDF4 reads them."""
    found = []
    for what, ours, theirs in (
        ("dimensions", one.dimensions, other.dimensions),
        ("variables", one.variables, other.variables),
        ("groups", one.groups, other.groups),
    ):
        if list(ours) != list(theirs):
            found.append(f"{path}: {what} {list(ours)} != {list(theirs)}")
    for name, ours in one.dimensions.items():
        theirs = other.dimensions[name]
        if (len(ours), ours.isunlimited()) != (len(theirs), theirs.isunlimited()):
            found.append(f"{path}/{name}: {ours} != {theirs}")
    found += attributes(one, other, path)
    for name, ours in one.variables.items():
        theirs = other.variables[name]
        where = f"{path}/{name}"
        if (ours.dtype, ours.dimensions) != (theirs.dtype, theirs.dimensions):
            found.append(f"{where}: {ours.dtype}{ours.dimensions} != {theirs.dtype}")
        found += attributes(ours, theirs, where)
        for variable in (ours, theirs):
            variable.set_auto_maskandscale(False)
            variable.set_auto_chartostring(False)
        if len(set(ours.dimensions)) < len(ours.dimensions):
            continue  # netCDF4 1.7 cannot read a variable with the same dimension twice
        if not same(ours[...], theirs[...]):
            found.append(f"{where}: {ours[...]} != {theirs[...]}")
    for name, group in one.groups.items():
        found += differences(group, other.groups[name], f"{path}/{name}")
    return found


def attributes(one, other, where: str) -> list[str]:
    if one.ncattrs() != other.ncattrs():
        return [f"{where}: attributes {one.ncattrs()} != {other.ncattrs()}"]
    return [
        f"{where}:{name}: {one.getncattr(name)!r} != {other.getncattr(name)!r}"
        for name in one.ncattrs()
        if not same(one.getncattr(name), other.getncattr(name))
    ]


def read_differences(one: Path, other: Path) -> list[str]:
    with netCDF4.Dataset(one) as ours, netCDF4.Dataset(other) as theirs:
        return differences(ours, theirs)


@NEEDS_NETCDF_BIN
@pytest.mark.parametrize("name", sampled(NAMES, 3))
def test_through_zarr_and_back(files, run: Run, tmp_path, name):
    numbers = [number for number in (3, 1) if f"{name}.{number}" in files]
    for number in numbers[:1]:
        for mode in ("nczarr,v2", "nczarr,v3"):
            source, store = files[f"{name}.{number}"], f"{tmp_path}/{mode}.zarr#mode={mode}"
            again = tmp_path / f"{mode}.nc"
            assert run("copy", source, store).code == 0
            done = run("copy", store, again)
            assert done.code == 0, done.stderr
            assert read_differences(source, again) == []


@NEEDS_NETCDF_BIN
@pytest.mark.parametrize("name", sampled(NAMES, 3))
def test_from_file_to_file(files, run: Run, tmp_path, name):
    """The kind of the file is kept, too."""
    for key, source in files.items():
        if key.rpartition(".")[0] == name:
            target = tmp_path / f"{key}.nc"
            done = run("copy", "--verify", source, target)
            assert done.code == 0, done.stderr
            assert read_differences(source, target) == []
            assert ncdump(source, "-k") == ncdump(target, "-k")


@pytest.mark.parametrize("kind", ["netCDF-4", "classic"])
def test_a_copy_that_is_interrupted_leaves_nothing(kind, run: Run, tmp_path, monkeypatch):
    """An interrupt arrives when the second half of the chunks is read."""
    store = tmp_path / "x.zarr"
    text = b"""netcdf x { dimensions: n = 4 ; m = 3 ; variables: double v(n, m) ;
    v:_ChunkSizes = 1, 3 ; data: v = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 ; }"""
    assert run("gen", "-", "-o", store, stdin=text).code == 0
    real, unfinished = DirectoryZmap.get, []

    def interrupted(zmap, key, *arguments):
        if key == "v/2.0":
            unfinished.extend(tmp_path.glob(".ncz-*.partial"))
            raise KeyboardInterrupt
        return real(zmap, key, *arguments)

    monkeypatch.setattr(DirectoryZmap, "get", interrupted)
    done = run("copy", "-d", "1", "--kind", kind, "--threads", "1", store, tmp_path / "x.nc")
    assert done.code == 130
    assert len(unfinished) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["x.zarr"]

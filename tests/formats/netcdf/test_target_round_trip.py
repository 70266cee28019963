"""netCDF files through Zarr and back, and to another file: equal by netCDF4's reading.

``make test`` takes a third of the examples.
"""

from __future__ import annotations

import pytest

from ncz.zmap.local.directory import DirectoryZmap
from tests.conftest import EXAMPLES, Run
from tests.formats.netcdf.ncgen import NEEDS_NETCDF_BIN, USER_TYPES, ncdump
from tests.formats.netcdf.reading import read_differences
from tests.sampled import sampled

pytest.importorskip("netCDF4")

NAMES = [e.stem for e in EXAMPLES if e.stem not in USER_TYPES]


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
    codecs = ["-d", "1"] if kind == "netCDF-4" else []
    done = run("copy", *codecs, "--kind", kind, "--threads", "1", store, tmp_path / "x.nc")
    assert done.code == 130
    assert len(unfinished) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["x.zarr"]

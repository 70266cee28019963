"""Why readers show missing values: masks of the format, and unwritten chunks."""

from __future__ import annotations

from pathlib import Path

import pytest

import ncz
from ncz.errors import ignore_notice

CODES = ("coordinate-missing", "values-masked", "chunk-missing")


def explained(store: Path, *readers: str, data: bool = False) -> list[tuple[str, str, str, str]]:
    report = ncz.check(store, audience=readers, data=data, notify=ignore_notice)
    found = [(f.code, f.severity, f.key, f.message) for f in report.findings]
    return [each for each in found if each[0] in CODES]


@pytest.fixture(params=[2, 3])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[int, Path]:
    zarr = pytest.importorskip("zarr")
    version: int = request.param
    group = zarr.open_group(str(tmp_path / "s.zarr"), mode="w", zarr_format=version)
    for name, dims, shape, chunks in (
        ("time", ["time"], (12,), (4,)),
        ("latitude", ["latitude"], (18,), (18,)),
        ("t2m", ["time", "latitude"], (12, 18), (6, 18)),
    ):
        attributes = {"attributes": {"_ARRAY_DIMENSIONS": dims}}
        names = attributes if version == 2 else {"dimension_names": dims}
        array = group.create_array(
            name, shape=shape, chunks=chunks, dtype="f8", fill_value=0, **names
        )
        if name == "time":
            array[:] = range(12)
        if name == "t2m":
            array[0, 1:] = 1.5
    return version, tmp_path / "s.zarr"


def test_zeros_that_zarr_v2_masks_and_coordinates_without_values(store):
    version, path = store
    shown = "NaN" if version == 2 else "0"
    unwritten = (
        "coordinate-missing", "warning", "latitude",
        f"no chunk of the coordinate is stored, so that it is {shown} everywhere",
    )  # fmt: skip
    time = (
        "values-masked", "warning", "time",
        "xarray shows NaN for 1 of 12 values, which equals fill_value 0.0",
    )  # fmt: skip
    data = "xarray shows NaN for 91 of 216 values, which equal fill_value 0.0"
    of_v2 = version == 2
    noted = ("coordinate-missing", "note", *unwritten[2:])
    hidden = ("values-masked", "note", "t2m", data)
    assert explained(path) == ([time, noted, hidden] if of_v2 else [noted])
    missing = f"1 of 2 chunks is not stored and read as {shown}: /t2m/1.0"
    if not of_v2:
        missing = "1 of 2 chunks is not stored and read as 0: /t2m/c/1/0"
    assert explained(path, "xarray") == [
        unwritten,
        *([("values-masked", "warning", "t2m", data), time] if of_v2 else []),
        ("chunk-missing", "note", "t2m", missing),
    ]


def test_the_findings_match_xarray(store):
    xarray = pytest.importorskip("xarray")
    version, path = store
    with xarray.open_zarr(path, consolidated=False, decode_times=False) as dataset:
        assert int(dataset.t2m.isnull().sum()) == (91 + 108 if version == 2 else 0)
        assert int(dataset.time.isnull().sum()) == (version == 2)
        assert bool(dataset.latitude.isnull().all()) is (version == 2)


def test_a_copy_without_the_mask_has_no_such_findings(store, tmp_path):
    version, path = store
    if version == 3:
        return
    names = ["time:_FillValue", "t2m:_FillValue", "latitude:_FillValue"]
    ncz.copy(path, tmp_path / "c.zarr", drop_attributes=names, notify=ignore_notice)
    found = [each[0] for each in explained(tmp_path / "c.zarr", "xarray")]
    assert found == ["coordinate-missing", "chunk-missing"]


@pytest.mark.parametrize("kind", ["netCDF-4", "classic"])
def test_a_file_whose_coordinate_was_never_written(tmp_path, kind):
    (tmp_path / "f.cdl").write_text(
        "netcdf f { dimensions: time = 3 ; lat = 2 ; variables: double time(time) ;"
        " float lat(lat) ; float v(time, lat) ; v:_FillValue = -1.f ;"
        " data: time = 0, 1, _ ; v = 1, 2, 3, 4, -1, 0 ; }"
    )
    ncz.gen(tmp_path / "f.cdl", tmp_path / "f.nc", kind=kind)
    assert [each[:3] for each in explained(tmp_path / "f.nc", "xarray")] == [
        ("coordinate-missing", "warning", "lat"),
        ("coordinate-missing", "note", "time"),
    ]


def test_a_dataset_that_is_whole_needs_no_explanation(tmp_path):
    (tmp_path / "f.cdl").write_text(
        "netcdf f { dimensions: time = 2 ; variables: double time(time) ; float v(time) ;"
        " v:_FillValue = -1.f ; data: time = 0, 1 ; v = 0, -1 ; }"
    )
    for target in ("f.nc", "f.zarr", "f3.zarr#mode=zarr,v3", "p.zarr#mode=zarr"):
        ncz.gen(tmp_path / "f.cdl", f"{tmp_path}/{target}", notify=ignore_notice)
        place = Path(f"{tmp_path}/{target}".partition("#")[0])
        assert explained(place, "xarray", data=True) == []


def test_the_value_of_a_grid_mapping_means_nothing(tmp_path):
    text = """netcdf g { dimensions: x = 2 ; variables: int v(x) ; v:grid_mapping = "crs" ;
 v:coordinates = "height" ; int crs ; crs:grid_mapping_name = "geostationary" ; int height ;
 data: v = 1, 2 ; }"""
    (tmp_path / "g.cdl").write_text(text)
    ncz.gen(tmp_path / "g.cdl", tmp_path / "g.nc", notify=ignore_notice)
    assert explained(tmp_path / "g.nc") == [
        ("coordinate-missing", "note", "height", "the value of the coordinate is missing")
    ]

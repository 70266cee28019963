"""Parts of datasets in Python: `Dataset.isel`, `Dataset.sel` and the options of `ncz.open`."""

from __future__ import annotations

import datetime
import json
import pickle

import numpy as np
import pytest

import ncz
from ncz.commands.option_error import OptionError

CDL = """netcdf s {
dimensions: time = 6 ; lat = 4 ;
variables: double time(time) ; time:units = "days since 2026-01-30" ; float lat(lat) ;
 int t(time, lat) ; t:_ChunkSizes = 2, 3 ;
data: time = 0, 1, 2, 3, 4, 5 ; lat = 40, 50, 60, 70 ;
 t = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23 ;
group: g { dimensions: x = 3 ; variables: int x(x) ; data: x = 7, 8, 9 ; }
}
"""
T = np.arange(24).reshape(6, 4)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("selection")
    (folder / "s.cdl").write_text(CDL)
    ncz.gen(folder / "s.cdl", folder / "s.zarr", notify=lambda _: None)
    return folder / "s.zarr"


def test_by_index(store):
    with ncz.open(store) as whole:
        part = whole.isel(time=slice(1, None, 2), lat=-1)
        assert part.dims == {"time": 3}
        assert part["t"].shape == (3,)
        assert part["t"][...].tolist() == T[1::2, -1].tolist()
        assert part["t"][1] == T[3, 3]
        assert part["time"][...].tolist() == [1, 3, 5]
        assert part["g/x"][...].tolist() == [7, 8, 9]
        assert whole["t"].shape == (6, 4)
        assert whole.isel({"/g/x": np.int64(1)})["g/x"][...] == 8
        twice = part.isel(time=slice(1, 3))
        assert twice["t"][...].tolist() == T[3:6:2, -1].tolist()


@pytest.mark.parametrize(
    ("chosen", "rows"),
    [
        ({"time": "2026-02"}, slice(2, 6)),
        ({"time": slice("2026-01-31", "2026-02-01")}, slice(1, 3)),
        ({"time": slice(None, "2026-01-30T12:00")}, slice(0, 1)),
        ({"time": slice(datetime.datetime(2026, 2, 1), None)}, slice(2, 6)),
        ({"time": np.datetime64("2026-02-03")}, 4),
        ({"time": slice(1, 2.5)}, slice(1, 3)),
    ],
)
def test_by_value(store, chosen, rows):
    with ncz.open(store, sel=chosen) as part:
        assert part["t"][...].tolist() == T[rows].tolist()
    with ncz.open(store) as whole:
        assert whole.sel(chosen)["t"][...].tolist() == T[rows].tolist()


def test_open_with_both(store):
    with ncz.open(store, isel={"time": 0}, sel={"lat": slice(50, np.float32(60))}) as part:
        assert part["t"][...].tolist() == [1, 2]
        assert part["lat"][...].tolist() == [50, 60]
    assert part.is_closed


def test_a_part_keeps_the_dataset_open_and_can_be_pickled(store):
    part = ncz.open(store).isel(time=slice(2, 4)).sel(lat=70)
    copied = pickle.loads(pickle.dumps(part))
    for one in (part, copied, pickle.loads(pickle.dumps(copied))):
        assert one["t"][...].tolist() == T[2:4, 3].tolist()
    xarray = pytest.importorskip("xarray")
    assert isinstance(part.to_xarray(decode_times=False), xarray.Dataset)
    assert part.to_xarray(decode_times=False)["t"].values.tolist() == T[2:4, 3].tolist()


@pytest.mark.parametrize(
    ("isel", "sel", "error", "says"),
    [
        ({"nothing": 1}, None, ncz.NczError, "no dimension is named 'nothing'"),
        ({"time": 6}, None, ncz.NczError, "'time=6': the dimension has 6 indices"),
        ({"time": 1.5}, None, TypeError, "1.5 is not an integer, a slice or a list of integers"),
        ({"time": slice(None, None, 0)}, None, ncz.NczError, "the step cannot be 0"),
        (None, {"lat": 41}, ncz.NczError, "'lat=41': no coordinate has this value"),
        (None, {"lat": slice(40, 60, 1.5)}, TypeError, "1.5 is not an integer, a slice"),
    ],
)
def test_impossible_selections(store, isel, sel, error, says):
    with pytest.raises(error, match=says):
        ncz.open(store, isel=isel, sel=sel)


def test_a_value_without_a_coordinate_leads_to_the_method(store):
    with pytest.raises(ncz.NczError) as caught:
        ncz.open(store).sel(lat=41)
    assert 'or add method="nearest"' in str(caught.value)
    assert "--" not in str(caught.value)
    with pytest.raises(ncz.NczError, match="or add nearest=True"):
        ncz.open(store, sel={"lat": 41})


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("createEnumType", "ncz.copy(xarray.Dataset({'t'"),
        ("resize", "variables have it: ds['NAME'].resize"),
        ("nchunks", "variables have it: ds['NAME'].nchunks"),
        ("mask", "ncz.open(..., unpack=True) unpacks and masks them"),
    ],
)
def test_names_of_other_libraries_are_answered(store, name, says):
    with ncz.open(store) as ds, pytest.raises(AttributeError) as caught:
        getattr(ds, name)
    assert says in str(caught.value)


NOT_ANSWERED = {
    "async_array", "auto_complex", "config", "from_dict", "from_store", "get_var_chunk_cache",
    "group", "has_blosc_filter", "has_bzip2_filter", "has_szip_filter", "has_zstd_filter",
    "keepweakref", "open", "parent", "read_chunk_sizes", "set_var_chunk_cache", "synchronizer",
    "update_attributes_async", "use_nc_get_vars", "with_config", "write_chunk_sizes",
}  # fmt: skip
"""Names of settings of libraries, and of their internals."""


@pytest.mark.parametrize(
    ("library", "group", "variable"),
    [("zarr", "Group", "Array"), ("netCDF4", "Dataset", "Variable")],
)
def test_each_name_of_a_library_is_there_or_answered(store, library, group, variable):
    from ncz.api.foreign_attributes import OTHERS

    theirs = pytest.importorskip(library)
    with ncz.open(store) as ds:
        for ours, name in ((ds, group), (ds["t"], variable)):
            public = {each for each in dir(getattr(theirs, name)) if not each.startswith("_")}
            unknown = {each for each in public if not hasattr(ours, each)}
            assert unknown <= {*OTHERS, *NOT_ANSWERED}


@pytest.mark.parametrize(
    "index", [range(1, 6, 2), [1, 3, 5], (-5, 3, -1), np.array([1, 3, 5], "u1"), [5], [4, 0, 0]]
)
def test_a_list_of_indices_keeps_its_dimension(store, index):
    chosen = T[np.array(index)].tolist()
    assert ncz.open(store, isel={"time": index})["t"][:].tolist() == chosen
    document = json.loads(ncz.dump(store, view="json", isel={"time": index}))
    assert document["variables"]["t"]["data"] == chosen


def test_a_list_without_valid_indices(store):
    with pytest.raises(ncz.NczError, match="'time=6': the dimension has 6 indices"):
        ncz.open(store, isel={"time": [0, 6]})
    with pytest.raises(ncz.NczError, match=r"'time=\[\]' selects nothing"):
        ncz.open(store, isel={"time": []})


@pytest.mark.parametrize(
    "wanted",
    [
        {"lat": [10.0, 30.0]},
        {"lat": [30, 10]},
        {"lat": np.array([20.0])},
        {"lat": [20, 20], "lon": (90, 0)},
        {"time": ["2023-01-01", "2023-03-01"]},
        {"time": np.array(["2023-03-01", "2023-01-01"], "M8[ns]"), "lat": 10},
    ],
    ids=str,
)
def test_lists_of_values_select_as_in_xarray(tmp_path, wanted):
    xarray = pytest.importorskip("xarray")
    times = np.array(["2023-01-01", "2023-02-01", "2023-03-01"], "M8[ns]")
    theirs = xarray.Dataset(
        {"v": (("time", "lat", "lon"), np.arange(3 * 3 * 4.0).reshape(3, 3, 4))},
        {"time": times, "lat": [10.0, 20.0, 30.0], "lon": [0.0, 90.0, 180.0, 270.0]},
    )
    ncz.copy(theirs, tmp_path / "s.nc")
    ours = ncz.open(tmp_path / "s.nc")
    listed = {name: [*each] if isinstance(each, tuple) else each for name, each in wanted.items()}
    assert ours.sel(**wanted).to_xarray().equals(theirs.sel(**listed))
    near = ours.sel(lat=[29, 11], method="nearest").to_xarray()
    assert near.equals(theirs.sel(lat=[29, 11], method="nearest"))
    assert ours.sel(lon=[-90, 0])["lon"][:].tolist() == [-90, 0]
    with pytest.raises(OptionError, match="'lat=11': no coordinate has this value"):
        ours.sel(lat=[10, 11])
    with pytest.raises(OptionError, match="selects nothing"):
        ours.sel(lat=[])

"""The typed Python API of `import ncz`."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.model.types import Atomic
from tests.conftest import ROOT

WEATHER = ROOT / "cdl_examples" / "weather.cdl"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    target = tmp_path_factory.mktemp("api") / "weather.zarr"
    ncz.gen(WEATHER, target, notify=ignore_notice)
    return target


def test_every_public_name_is_there():
    for name in ncz.__all__:
        assert getattr(ncz, name) is not None
    assert "gen" in dir(ncz)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = ncz.nothing


def test_open_gives_a_dataset_whose_data_is_read_later(store):
    with ncz.open(store) as dataset:
        assert isinstance(dataset, ncz.Dataset)
        assert dataset.name == "weather"
        assert [v.name for v in dataset.root.variables][:2] == ["time", "lat"]
        temperature = ncz.read(dataset, "temperature")
        station = ncz.read(dataset, "/station")
    assert temperature.shape == (4, 3, 5)
    assert temperature.dtype == np.float32
    assert temperature[0, 2, 3] == -999
    assert station.tolist() == ["Exeter", "Sheffield", "Ørland"]


def test_a_variable_in_a_group(tmp_path):
    ncz.gen(ROOT / "cdl_examples" / "groups.cdl", tmp_path / "x.zip", audience=["netcdf-c"])
    with ncz.open(tmp_path / "x.zip") as dataset:
        assert ncz.read(dataset, "/ocean/ice/thickness").shape == (2, 2)
        assert ncz.find(dataset, "atmosphere/pressure").type is Atomic.SHORT


def test_a_variable_that_was_never_written_is_fill(tmp_path):
    with (
        pytest.warns(ncz.NczWarning, match="xarray masks .* never written.*: /orography"),
        pytest.warns(ncz.NczWarning, match="xarray reads these strings as bytes: /label"),
    ):
        ncz.gen(ROOT / "cdl_examples" / "no_data.cdl", tmp_path / "x.zarr", char="|S1")
    with ncz.open(tmp_path / "x.zarr") as dataset:
        assert ncz.read(dataset, "mask").tolist() == [[-1] * 4] * 3


def test_a_variable_that_is_not_there(store):
    message = "no variable or group is named 'rain'"
    with ncz.open(store) as dataset, pytest.raises(ncz.FormatError, match=message):
        ncz.read(dataset, "rain")


def test_read_takes_a_path_too(store):
    assert ncz.read(store, "/lat").tolist() == [50, 52.5, 55]
    with pytest.raises(KeyError, match="did you mean 'temperature'"):
        ncz.read(store, "temperatur")


def test_a_group_has_no_values(tmp_path):
    ncz.gen(ROOT / "cdl_examples" / "groups.cdl", tmp_path / "g.zarr")
    with pytest.raises(ncz.FormatError, match="'ocean' is a group"):
        ncz.read(tmp_path / "g.zarr", "ocean")


def test_errors_name_arguments_and_not_options(store, tmp_path):
    ncz.copy(store, tmp_path / "other.zarr", notify=ignore_notice)
    with pytest.raises(FileExistsError, match="use overwrite=True to replace it"):
        ncz.gen(WEATHER, store, notify=ignore_notice)
    with pytest.raises(FileExistsError, match="use overwrite=True to replace it"):
        ncz.copy(store, tmp_path / "other.zarr", notify=ignore_notice)


def test_copy_and_consolidate_return_their_results(store, tmp_path):
    done = ncz.copy(store, tmp_path / "c.zarr")
    assert done.variables == 6
    assert done.chunks == sum(e.kind == "chunk" for e in ncz.ls(store, recursive=True, long=True))
    assert ncz.consolidate(tmp_path / "c.zarr") > 6


def test_errors_are_builtins_too(tmp_path):
    with (
        pytest.raises(FileNotFoundError, match=r"no\.zarr: no file or store exists"),
        ncz.open(tmp_path / "no.zarr"),
    ):
        pass
    with pytest.raises(FileExistsError, match="already exists; use overwrite=True"):
        ncz.gen(WEATHER, tmp_path)
    with pytest.raises(ValueError, match=r"stdin:1:\d+: "):
        ncz.gen(io.BytesIO(b"netcdf x { nonsense }"), tmp_path / "x.zarr")


def test_gen_takes_a_stream_in_memory(tmp_path):
    ncz.gen(io.BytesIO(b'netcdf x { :title = "hello" ; }'), tmp_path / "x.zarr")
    with ncz.open(tmp_path / "x.zarr") as dataset:
        assert dataset.root.attributes == (
            ncz.Attribute(name="title", type=dataset.root.attributes[0].type, values=("hello",)),
        )


def test_notices_are_warnings_unless_they_are_taken(tmp_path):
    text = b'netcdf c { dimensions: x = 2 ; variables: char c(x) ; data: c = "ab" ; }'
    with pytest.warns(ncz.NczWarning, match="char"):
        ncz.gen(io.BytesIO(text), tmp_path / "a.zarr")
    notices: list[ncz.Notice] = []
    ncz.gen(io.BytesIO(text), tmp_path / "b.zarr", notify=notices.append)
    assert len(notices) == 1


def test_dump_is_text(store):
    header = ncz.dump(store, header_only=True)
    assert header.startswith("netcdf weather {\n")
    assert "data:" not in header
    assert " time = 0, 6, 12, 18 ;\n" in ncz.dump(store)


def test_ls_is_a_list_of_keys(store):
    assert "/temperature" in ncz.ls(store)
    assert "/temperature/.zarray" in ncz.ls(store, recursive=True)
    (entry,) = ncz.ls(store, "/lat/0", long=True)
    assert (entry.key, entry.kind, entry.size) == ("/lat/0", "chunk", 12)


def test_a_store_in_memory():
    ncz.gen(WEATHER, "memory://api", notify=ignore_notice)
    assert ncz.dump("memory://api").startswith("netcdf api {")


def test_text_that_is_not_utf_8_can_be_printed_and_written(tmp_path):
    source = b'netcdf a { :units = "deg\\260C" ; string :words = "\\260", "b" ; }'
    ncz.gen(io.BytesIO(source), tmp_path / "a.zarr", notify=ignore_notice)
    with ncz.open(tmp_path / "a.zarr") as dataset:
        assert dataset.attrs["units"] == "deg\xb0C"
        assert dataset.attrs["words"] == ["\xb0", "b"]
        assert str(dataset).encode()
    text = ncz.dump(tmp_path / "a.zarr", notify=ignore_notice)
    assert ':units = "deg\\260C"' in text
    ncz.gen(io.BytesIO(text.encode()), tmp_path / "b.zarr", notify=ignore_notice)
    assert not ncz.diff(tmp_path / "a.zarr", tmp_path / "b.zarr")


def test_a_pattern_means_the_files_that_match(tmp_path):
    for number in range(3):
        text = f"netcdf a {{ dimensions: t = 1 ; variables: int t(t) ; data: t = {number} ; }}"
        ncz.gen(io.BytesIO(text.encode()), tmp_path / f"a{number}.nc")
    pattern = str(tmp_path / "a*.nc")
    ncz.copy(pattern, tmp_path / "all.zarr", concat="t", notify=ignore_notice)
    assert ncz.open(tmp_path / "all.zarr")["t"][:].tolist() == [0, 1, 2]
    assert ncz.open(pattern)["t"][:].tolist() == [0, 1, 2]
    with pytest.raises(FileNotFoundError) as error:
        ncz.info(pattern)
    assert f"join them: ncz.copy({pattern!r}, 'all.json', concat='time')" in str(error.value)


def test_text_itself_is_a_source_of_gen(tmp_path):
    text = "netcdf t { dimensions: x = 2 ; variables: int a(x) ; data: a = 1, 2 ; }"
    ncz.gen(text, tmp_path / "t.nc")
    assert ncz.open(tmp_path / "t.nc")["a"][:].tolist() == [1, 2]
    with pytest.raises(ncz.CdlError, match="is not declared"):
        ncz.gen("\nnetcdf t { variables: int a(x) ; }", tmp_path / "u.nc")


def test_an_aggregation_takes_its_target_first_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for at in range(2):
        ncz.gen(
            "netcdf t { dimensions: t = 1 ; variables: int t(t) ; int a(t) ;"
            f" data: t = {at} ; a = {at} ; }}",
            f"{at}.nc",
        )
    theirs: Any = ("all.nc", ["0.nc", "1.nc"])
    assert ncz.aggregate(*theirs, axis="t") == 2
    assert ncz.open("all.nc")["a"][:].tolist() == [0, 1]

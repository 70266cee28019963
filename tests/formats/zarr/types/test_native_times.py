"""datetime64 and timedelta64 of Zarr as numbers, and as xarray then reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz
from ncz.errors import FormatError, LossError, ignore_notice
from ncz.formats.zarr.types.dtypes import read_encoding
from ncz.formats.zarr.types.elements import to_disk, to_values
from ncz.formats.zarr.types.fill_values import read_fill, write_fill
from ncz.formats.zarr.types.native_times import NativeTime
from ncz.model.types import NOT_A_TIME

zarr = pytest.importorskip("zarr")
xarray = pytest.importorskip("xarray")

UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"]
BASES = {"Y": "D", "M": "D", "W": "D"}


@given(
    st.sampled_from("mM"),
    st.sampled_from(UNITS),
    st.sampled_from([1, 2, 25]),
    st.lists(st.none() | st.integers(-(10**4), 10**4), min_size=1, max_size=5),
    st.sampled_from("<>"),
)
def test_numbers_match_numpy_in_the_base_unit(kind, unit, count, numbers, order):
    dtype = np.dtype(f"{order}{kind}8[{count}{unit}]")
    stored = np.array([NOT_A_TIME if n is None else n for n in numbers], "i8").view(f"{kind}8")
    elements = stored.view(f"{kind}8[{count}{unit}]").astype(dtype)
    encoding = read_encoding(dtype.str, nczarr=False)
    values = to_values(elements.view(f"{order}i8"), encoding)
    base = BASES.get(unit, unit) if kind == "M" or unit == "W" else unit
    expected = elements.astype(f"{kind}8[{base}]")
    assert values.tolist() == expected.view("i8").tolist()
    assert to_disk(values, encoding, "t").tobytes() == elements.tobytes()


@given(st.sampled_from(UNITS), st.sampled_from([1, 7]), st.integers(-(10**4), 10**4))
def test_fill_values_are_read_back(unit, count, number):
    encoding = read_encoding(f"<M8[{count}{unit}]" if count > 1 else f"<M8[{unit}]", nczarr=False)
    value = read_fill(number, encoding)
    assert write_fill(value, encoding) == number
    assert write_fill(read_fill("NaT", encoding), encoding) == "NaT"


@pytest.mark.parametrize(("unit", "count"), [("W", 1), ("Y", 1), ("M", 3), ("s", 2)])
def test_times_out_of_range(unit, count):
    time = NativeTime(is_date=True, unit=unit, count=count)
    for extreme in (2**63 - 1, -(2**63) + 1):
        with pytest.raises(FormatError, match="is out of range"):
            time.numbers(np.array([0, extreme]))
    assert time.numbers(np.array([NOT_A_TIME])).tolist() == [NOT_A_TIME]


def test_numbers_between_two_elements():
    time = NativeTime(is_date=True, unit="M", count=1)
    assert time.elements(np.array([31, NOT_A_TIME]), "t").tolist() == [1, NOT_A_TIME]
    with pytest.raises(
        LossError, match=r"t has the time 30, which its dtype M8\[M\] cannot represent"
    ):
        time.elements(np.array([31, 30]), "t")


# Stores of zarr-python, in copies and in the engine.


def store_with(path: Path, version: int, values: Any, **options: Any) -> Any:
    group = zarr.open_group(path, mode="w", zarr_format=version)
    named = {"dimension_names": ("x",)} if version == 3 else {}
    array = group.create_array(
        "t", shape=values.shape, chunks=(2,), dtype=values.dtype, **named, **options
    )
    array[...] = values
    if version == 2:
        array.attrs["_ARRAY_DIMENSIONS"] = ["x"]
    return array


def decoded(path: Path, engine: str) -> Any:
    options = {"consolidated": False} if engine == "zarr" else {}
    with xarray.open_dataset(path, engine=engine, decode_timedelta=True, **options) as dataset:
        return dataset["t"].values


@pytest.mark.filterwarnings("ignore")
@given(
    version=st.sampled_from([2, 3]),
    kind=st.sampled_from("mM"),
    unit=st.sampled_from(UNITS[:10]),
    count=st.sampled_from([1, 6]),
    numbers=st.lists(st.none() | st.integers(-400, 400), min_size=3, max_size=5),
    fill=st.sampled_from([None, 0, 3]),
)
@settings(deadline=None)
def test_copies_have_the_times_that_xarray_reads(
    tmp_path_factory, version, kind, unit, count, numbers, fill
):
    if kind == "m" and unit in ("Y", "M"):
        numbers = [0 for _ in numbers]  # they have no length that other programs know
    if unit == "Y":  # xarray opens no netCDF file with NaT and such large times
        numbers = [None if n is None else n % 30 for n in numbers]
    folder = tmp_path_factory.mktemp("t")
    dtype = f"{kind}8[{count}{unit}]"
    values = np.array([NOT_A_TIME if n is None else n for n in numbers], "i8").view(dtype)
    fill_value = None if fill is None else np.array(fill, "i8").view(dtype)[()]
    store_with(folder / "s.zarr", version, values, fill_value=fill_value)
    expected = decoded(folder / "s.zarr", "zarr")
    found = decoded(folder / "s.zarr", "ncz")
    assert found.dtype == expected.dtype
    assert np.array_equal(found.view("i8"), values.view("i8"))
    joined = np.concatenate([values, values])
    targets: dict[str, dict[str, Any]] = {
        "a.nc": {}, "b.zarr": {}, "c.zarr": {"modes": ["v3"]}, "d.zarr": {"modes": ["nczarr"]},
        "e.zarr": {"concat": "x", "modes": ["zarr", "v2"]},
    }  # fmt: skip
    for name, options in targets.items():
        source = folder / "s.zarr"
        sources = [source, source] if "concat" in options else source
        ncz.copy(sources, folder / name, verify=True, notify=ignore_notice, **options)
        wanted = joined if "concat" in options else values
        if kind == "M" or unit not in ("Y", "M"):
            got = decoded(folder / name, "zarr" if name.endswith("zarr") else "netcdf4")
            assert np.array_equal(
                got.astype(f"{kind}8[ns]"), wanted.astype(f"{kind}8[ns]"), equal_nan=True
            ), (name, got, wanted)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("unit", ["ps", "fs", "as"])
def test_units_shorter_than_a_nanosecond(run, tmp_path, version, unit):
    size = {"ps": 10**3, "fs": 10**6, "as": 10**9}[unit]
    values = np.array([size, NOT_A_TIME, -3 * size], "i8").view(f"M8[{unit}]")
    store_with(tmp_path / "s.zarr", version, values)
    for name in ("a.nc", "b.zarr"):
        mode = [] if name == "a.nc" else ["--mode", "nczarr"]
        done = run("copy", "--verify", *mode, tmp_path / "s.zarr", tmp_path / name)
        assert done.code == 0, done.stderr
        found = decoded(tmp_path / name, "netcdf4" if name == "a.nc" else "zarr")
        assert np.array_equal(found, values.astype("M8[ns]"), equal_nan=True)
    store_with(tmp_path / "fine.zarr", version, (values.view("i8") + 1).view(values.dtype))
    done = run("copy", tmp_path / "fine.zarr", tmp_path / "c.nc")
    assert done.code == 1
    assert "/t has times in" in done.stderr
    assert "that are not whole nanoseconds" in done.stderr
    assert not (tmp_path / "c.nc").exists()
    done = run("copy", "--verify", tmp_path / "fine.zarr", tmp_path / "again.zarr")
    assert done.code == 0, done.stderr
    again = zarr.open_array(tmp_path / "again.zarr" / "t")
    assert again.dtype == values.dtype
    assert np.array_equal(again[...].view("i8"), values.view("i8") + 1)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("version", [2, 3])
def test_weeks_are_never_taken_for_days(tmp_path, version):
    """Copies that keep the dtype have the same elements, in chunks of any shape."""
    values = np.arange(7).astype("M8[W]")
    store_with(tmp_path / "s.zarr", version, values)
    ways: list[dict[str, Any]] = [
        {}, {"chunks": "x/3"}, {"isel": {"x": slice(1, 6, 2)}}, {"codecs": ["zlib:1"]},
    ]  # fmt: skip
    for number, options in enumerate(ways):
        target = tmp_path / f"{number}.zarr"
        ncz.copy(tmp_path / "s.zarr", target, verify=True, notify=ignore_notice, **options)
        found = decoded(target, "zarr")
        wanted = values[options.get("isel", {}).get("x", slice(None))]
        assert found.astype("M8[D]").tolist() == wanted.astype("M8[D]").tolist()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("version", "fill_value", "is_whole", "expected"),
    [
        (2, None, True, None),
        (2, None, False, None),
        (2, "NaT", True, "NaT"),
        (2, "0", True, 0),
        (2, "0", False, 0),
        (3, "0", True, None),
        (3, "0", False, None),
        (3, "NaT", False, None),
    ],
)
def test_the_fill_value_that_xarray_shows_of_zarr_v2(
    tmp_path, version, fill_value, is_whole, expected
):
    """Copies to Zarr V2 have the mask of the source; xarray shows no mask in Zarr V3."""
    values = np.array(["1970-01-01", "NaT", "2000-01-01", "2000-01-02"], "M8[s]")
    fill = None if fill_value is None else np.datetime64(0 if fill_value == "0" else "NaT", "s")
    array = store_with(tmp_path / "s.zarr", version, values, fill_value=fill)
    if not is_whole:
        (tmp_path / "s.zarr" / "t" / ("1" if version == 2 else "c/1")).unlink()
    stored = zarr.open_array(array.store_path, mode="r")[...]
    ncz.copy(tmp_path / "s.zarr", tmp_path / "c.zarr", modes=["v2"], notify=ignore_notice)
    document = json.loads((tmp_path / "c.zarr/t/.zarray").read_text())
    assert document["fill_value"] == expected
    found = decoded(tmp_path / "c.zarr", "zarr")
    assert np.array_equal(found, stored, equal_nan=True)

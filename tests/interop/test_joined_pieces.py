"""Random pieces of a random dataset, encoded in different ways, and joined again.

The oracle is numpy: the joined dataset has the decoded values of the whole, within the rounding of
each piece's encoding. xarray joins the same pieces where it can.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

import ncz
from ncz.errors import Notice
from tests.sampled import share_of

xr = pytest.importorskip("xarray")
cftime = pytest.importorskip("cftime")
pytest.importorskip("netCDF4")
pytestmark = pytest.mark.filterwarnings("ignore")

START = "2000-02-27"
UNITS = [
    "days since 2000-01-01", "hours since 1999-12-30 06:00", "seconds since 1970-01-01",
    "minutes since 2000-02-01T00:00:00Z", "milliseconds since 2000-01-01",
]  # fmt: skip
TARGETS = ["all.nc", "all.zarr", "all.zarr#mode=zarr,v3", "all.json"]
CALENDARS = ["standard", "proleptic_gregorian", "noleap", "360_day", "all_leap"]


@st.composite
def encodings(draw: Any, is_packed: bool) -> dict[str, Any]:
    """Draw the encoding of one piece."""
    time = {"units": draw(st.sampled_from(UNITS)), "dtype": draw(st.sampled_from(["i8", "f8"]))}
    v: dict[str, Any] = {"dtype": draw(st.sampled_from(["f4", "f8"]))}
    v["_FillValue"] = draw(st.sampled_from([-999.0, 1e20, None, np.nan]))
    if is_packed:
        scale, offset = draw(st.sampled_from([(0.25, 0.0), (0.5, 10.0), (0.25, -3.0)]))
        v = {"dtype": draw(st.sampled_from(["i2", "i4"])), "scale_factor": scale}
        v |= {"add_offset": offset, "_FillValue": draw(st.sampled_from([-32768, 32767]))}
    count = {"dtype": draw(st.sampled_from(["u1", "i2", "i4", "i8"]))}
    return {"time": time, "v": v, "count": count}


@st.composite
def pieces(draw: Any) -> dict[str, Any]:
    """Draw a dataset, its division, and the encodings of the pieces."""
    size = draw(st.integers(2, 8))
    cuts = sorted(draw(st.sets(st.integers(1, size - 1), min_size=1, max_size=3)))
    is_packed = draw(st.booleans())
    calendar = draw(st.sampled_from(CALENDARS))
    hours = np.cumsum(draw(st.lists(st.integers(1, 30), min_size=size, max_size=size)))
    v = draw(st.lists(st.none() | st.integers(-40, 40), min_size=2 * size, max_size=2 * size))
    return {
        "calendar": calendar,
        "hours": hours,
        "v": np.array([np.nan if n is None else n / 2 for n in v]).reshape(size, 2),
        "flag": np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size))),
        "count": np.array(draw(st.lists(st.integers(0, 255), min_size=size, max_size=size))),
        "borders": [0, *cuts, size],
        "encodings": [draw(encodings(is_packed)) for _ in range(len(cuts) + 1)],
        "is_packed": is_packed,
        "scalars": draw(st.booleans()),
        "target": draw(
            st.sampled_from(["all.nc", "all.zarr", "all.zarr#mode=zarr,v3", "all.json"])
        ),
    }


def times_of(drawn: dict[str, Any]) -> Any:
    origin = cftime.datetime(2000, 2, 27, calendar=drawn["calendar"])
    return [origin + np.timedelta64(int(hour), "h").item() for hour in drawn["hours"]]


def whole(drawn: dict[str, Any]) -> Any:
    """Return the dataset that is cut, with decoded values."""
    return xr.Dataset(
        {
            "v": (("time", "x"), drawn["v"]),
            "flag": ("time", drawn["flag"]),
            "count": ("time", drawn["count"]),
        },
        coords={"time": ("time", np.array(times_of(drawn), "O")), "x": [0.5, 1.5]},
    )


def write(folder: Path, drawn: dict[str, Any]) -> list[str]:
    """Write the pieces; pieces with one time have it as a scalar coordinate, if so drawn."""
    names = []
    dataset = whole(drawn)
    ranges = itertools.pairwise(drawn["borders"])
    for (start, stop), encoding in zip(ranges, drawn["encodings"], strict=True):
        piece = dataset.isel(time=slice(start, stop))
        if drawn["scalars"] and stop - start == 1:
            piece = piece.isel(time=0)
        own = {name: dict(one) for name, one in encoding.items()}
        own["time"] |= {"calendar": drawn["calendar"], "_FillValue": None}
        names.append(str(folder / f"{start}.nc"))
        piece.to_netcdf(names[-1], engine="netcdf4", encoding=own)
    return names


def dates(times: Any) -> list[tuple[int, ...]]:
    """Return times of any class as numbers."""
    if np.asarray(times).dtype.kind == "M":
        seconds = np.asarray(times).astype("M8[s]").astype(object)
        return [t.timetuple()[:6] for t in seconds]
    return [t.timetuple()[:6] for t in np.asarray(times).tolist()]


@given(pieces())
@settings(deadline=None, max_examples=share_of(150))
def test_pieces_are_joined_to_the_whole(tmp_path_factory, drawn):
    folder = tmp_path_factory.mktemp("p")
    names = write(folder, drawn)
    target = str(folder / drawn["target"])
    notices: list[Notice] = []
    options: dict[str, Any] = {"unpack": drawn["is_packed"], "overlap": "keep"}
    ncz.copy(names, target, concat="time", notify=notices.append, **options)
    note("\n".join(map(str, notices)))
    with xr.open_dataset(target, engine="ncz") as found:
        found.load()
    expected = whole(drawn)
    assert dates(found.time.values) == dates(expected.time.values)
    np.testing.assert_allclose(found.v.values, drawn["v"], rtol=0, atol=0)
    assert found["count"].values.tolist() == drawn["count"].tolist()
    assert found.flag.dtype == bool
    assert found.flag.values.tolist() == drawn["flag"].tolist()
    with xr.open_mfdataset(names, combine="nested", concat_dim="time") as theirs:
        theirs = theirs.transpose("time", ...)
        np.testing.assert_array_equal(found.v.values, theirs.v.values)
        assert dates(theirs.time.values) == dates(found.time.values)


@given(pieces())
@settings(deadline=None, max_examples=share_of(50))
def test_pieces_are_appended_to_the_whole(tmp_path_factory, drawn):
    """A store keeps its form: data that it cannot represent are refused, and not written."""
    folder = tmp_path_factory.mktemp("p")
    first, *others = write(folder, drawn)
    store = str(folder / "s.zarr")
    ncz.copy(first, store, notify=lambda _: None)
    if ncz.open(store)["v"].ndim == 1:
        return  # of one time, without the dimension
    length = drawn["borders"][1]
    word = {"i2": "short", "i4": "int"}.get(drawn["encodings"][0]["v"]["dtype"])
    for name, stop in zip(others, drawn["borders"][2:], strict=True):
        options: dict[str, Any] = {"repack": word} if drawn["is_packed"] else {}
        try:
            ncz.copy(name, store, append="time", verify=True, notify=lambda _: None, **options)
        except ncz.NczError as error:
            note(str(error))
            break
        length = stop
    with xr.open_dataset(store, engine="ncz") as found:
        found.load()
    expected = whole(drawn).isel(time=slice(0, length))
    assert dates(found.time.values) == dates(expected.time.values)
    bound = drawn["encodings"][0]["v"].get("scale_factor", 0) / 2
    np.testing.assert_allclose(found.v.values, expected.v.values, rtol=0, atol=bound)
    assert found["count"].values.tolist() == expected["count"].values.tolist()
    assert found.flag.values.tolist() == expected.flag.values.tolist()

"""Times, durations and texts."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.interop.contents.writing import by_xarray


def _dataset(variables: Any) -> Any:
    import xarray

    return xarray.Dataset(variables)


def _times(*texts: str) -> Any:
    return np.array(texts, "M8[ns]")


def days() -> Any:
    """The first date is the reference date, so it is stored as zero."""
    return _dataset({"time": ("time", _times("2000-01-01", "2000-01-02", "2000-01-04"))})


def hours() -> Any:
    """Hours as doubles, and a coordinate with bounds."""
    starts = _times("2000-01-01T00", "2000-01-01T12:30", "2000-01-02")
    bounds = np.stack([starts, starts + np.timedelta64(6, "h")], axis=1)
    return _dataset(
        {
            "time": ("time", starts, {"bounds": "time_bnds"}),
            "time_bnds": (("time", "bnds"), bounds),
            "v": ("time", np.arange(3, dtype="f4")),
        }
    )


def microseconds() -> Any:
    """int64 microseconds."""
    return _dataset(
        {"time": ("time", _times("2000-01-01", "2000-01-01T00:00:00.000123", "2000-01-01T01"))}
    )


def _calendar(name: str) -> Any:
    def dataset() -> Any:
        import cftime

        dates = [cftime.datetime(2000, month, 1, calendar=name) for month in (1, 2, 3)]
        return _dataset({"time": ("time", np.array(dates, "O")), "v": ("time", np.zeros(3, "f4"))})

    return dataset


def gaps() -> Any:
    """NaT among dates, as doubles and as int64."""
    values = _times("2000-01-01", "NaT", "2000-01-03")
    return _dataset({"a": ("x", values), "b": ("x", values)})


def durations() -> Any:
    """timedelta64, with zero and NaT."""
    return _dataset(
        {
            "lag": ("x", np.array([0, 1, 36], "m8[h]").astype("m8[ns]")),
            "gap": ("x", np.array([0, "NaT", 5], "m8[s]").astype("m8[ns]")),
        }
    )


TEXTS = ["Exeter", "Ørland", "", "日本", "a b"]


def strings() -> Any:
    """Strings of any length, an empty one among them."""
    return _dataset({"name": ("x", np.array(TEXTS, "O")), "station": ("station", TEXTS)})


def unicode_strings() -> Any:
    """numpy's fixed-length unicode."""
    return _dataset({"name": ("x", np.array(TEXTS)), "one": ("x", np.array(list("abcde")))})


def absent_strings() -> Any:
    """Strings with a missing one and an empty one."""
    return _dataset({"name": ("x", np.array(["one", "", None], "O"))})


def fixed_bytes() -> Any:
    """numpy's fixed-length bytes."""
    return _dataset({"code": ("x", np.array([b"ab", b"c", b"", b"xyz"]))})


def characters() -> Any:
    """Strings as arrays of char, with a dimension for the length, as netCDF-3 has them."""
    texts = np.array([b"ab", b"c", b"", b"xyz"], "S3")
    return _dataset({"code": (("x", "length"), texts.view("S1").reshape(4, 3))})


_SINCE = "since 2000-01-01"

KINDS = {
    "time-days": by_xarray(days, {"time": {"units": f"days {_SINCE}", "dtype": "i8"}}),
    "time-hours": by_xarray(
        hours, {"time": {"units": f"hours {_SINCE}", "dtype": "f8", "calendar": "standard"}}
    ),
    "time-microseconds": by_xarray(
        microseconds, {"time": {"units": f"microseconds {_SINCE}", "dtype": "i8"}}
    ),
    "time-noleap": by_xarray(
        _calendar("noleap"), {"time": {"units": f"days {_SINCE}", "dtype": "i4"}}
    ),
    "time-360-day": by_xarray(
        _calendar("360_day"), {"time": {"units": f"days {_SINCE}", "dtype": "f8"}}
    ),
    "time-gaps": by_xarray(
        gaps,
        {
            "a": {"units": f"days {_SINCE}", "dtype": "f8"},
            "b": {"units": f"hours {_SINCE}", "dtype": "i8", "_FillValue": -(2**63)},
        },
    ),
    "durations": by_xarray(durations),
    "strings": by_xarray(strings),
    "strings-unicode": by_xarray(unicode_strings),
    "strings-absent": by_xarray(absent_strings),
    "bytes-fixed": by_xarray(fixed_bytes),
    "characters": by_xarray(characters),
}

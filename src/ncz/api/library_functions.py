"""Functions of ncz under the names of xarray, zarr-python, netCDF4 and h5py.

Each works like the original function, on the datasets that ncz opens. They are not listed among
the names of ncz.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ncz.api.callable_properties import Text
from ncz.api.dataset import Dataset
from ncz.api.dataset import open as open_any
from ncz.api.group_names import tree_text
from ncz.api.variable import Variable
from ncz.api.xarray_dataset import open_dataset
from ncz.api.zarr_functions import open_array
from ncz.zmap.location import Path

if TYPE_CHECKING:
    import xarray


def open_zarr(store: Any, *, chunks: Any = "auto", **options: Any) -> xarray.Dataset:
    """Open a dataset with xarray, in the chunks of the store if Dask is installed."""
    from importlib.util import find_spec

    if chunks == "auto":
        chunks = {} if find_spec("dask") is not None else None
    return open_dataset(store, chunks=chunks, **options)


def load_dataset(path: Any, **options: Any) -> xarray.Dataset:
    """Open a dataset with xarray, read all its values, and close it."""
    with open_dataset(path, **options) as dataset:
        return dataset.load()


def open_dataarray(path: Any, **options: Any) -> xarray.DataArray:
    """Open a dataset of one variable with xarray."""
    import xarray

    array: xarray.DataArray = xarray.open_dataarray(path, engine="ncz", **options)
    return array


def load_dataarray(path: Any, **options: Any) -> xarray.DataArray:
    """Open a dataset of one variable with xarray, and read its values."""
    with open_dataarray(path, **options) as array:
        return array.load()


def open_datatree(path: Any, **options: Any) -> xarray.DataTree:
    """Open all groups of a dataset with xarray."""
    import xarray

    return xarray.open_datatree(path, engine="ncz", **options)


def open_groups(path: Any, **options: Any) -> dict[str, xarray.Dataset]:
    """Open all groups of a dataset with xarray, by their paths."""
    import xarray

    found: dict[str, xarray.Dataset] = xarray.open_groups(path, engine="ncz", **options)
    return found


def open_consolidated(store: Any, **options: Any) -> Dataset:
    """Open a store by its consolidated metadata."""
    return open_any(store, **{"consolidated": True, **options})


def from_zarr(store: Any, component: str = "", **_: Any) -> Any:
    """Return an array of a store as an array of Dask, in the chunks of the store."""
    import dask.array

    found = open_array(store, path=component)
    from_array: Any = dask.array.from_array
    return from_array(found, chunks=found.chunks or "auto")


def tree(store: Path, *_: Any, **__: Any) -> Text:
    """Return the names of a dataset's members, line by line."""
    with open_any(store) as dataset:
        return tree_text(dataset)


def mv(sources: Path | Sequence[Path], target: Path, *, overwrite: bool = False) -> None:
    """Give datasets another name or place, as the command ``ncz mv`` does."""
    from ncz.commands.arguments import several
    from ncz.commands.functions import callbacks_of, translate, warn
    from ncz.commands.mv import mv as move
    from ncz.errors import NczError
    from ncz.zmap.location import location_of, path_of

    places = [path_of(each) for each in several(sources)]
    try:
        move(
            places,
            path_of(target),
            lambda text, _: location_of(text),
            callbacks_of(warn),
            overwrite=overwrite,
        )
    except NczError as error:
        translate(error)
        raise


def save_mfdataset(datasets: Sequence[Any], paths: Sequence[Path], **options: Any) -> None:
    """Write each of several datasets to a separate path."""
    from ncz.commands.copy.command import copy

    for dataset, path in zip(datasets, paths, strict=True):
        copy(dataset, path, **options)


def num2date(times: Any, units: str, calendar: str | None = None, **options: Any) -> Any:
    """Return numbers as dates, as cftime and netCDF4 do."""
    import cftime

    return cftime.num2date(times, units, **_with_calendar(calendar), **options)


def date2num(dates: Any, units: str, calendar: str | None = None, **options: Any) -> Any:
    """Return dates as numbers, as cftime and netCDF4 do."""
    import cftime

    return cftime.date2num(dates, units, **_with_calendar(calendar), **options)


def date2index(
    dates: Any, times: Variable, calendar: str | None = None, select: str = "exact", **_: Any
) -> Any:
    """Return the indices of dates along a variable of times, as netCDF4 does."""
    import cftime

    calendar = calendar or times.attrs.get("calendar", "standard")
    return cftime.date2index(dates, _Times(times), calendar=calendar, select=select)


class _Times:
    """A variable of times as cftime reads it."""

    def __init__(self, variable: Variable) -> None:
        self.variable = variable
        self.shape = variable.shape
        self.units = variable.attrs["units"]

    def __len__(self) -> int:
        return len(self.variable)

    def __getitem__(self, index: Any) -> Any:
        return self.variable.stored(index)


def _with_calendar(calendar: str | None) -> dict[str, str]:
    return {} if calendar is None else {"calendar": calendar}

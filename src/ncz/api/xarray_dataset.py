"""Open a dataset with xarray."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ncz.zmap.location import Path

if TYPE_CHECKING:
    import xarray


def open_dataset(path: Path, **options: Any) -> xarray.Dataset:
    """Open a dataset with xarray, as ``xarray.open_dataset(path, engine="ncz")`` does.

    Parameters
    ----------
    path
        A path or a URL.
    **options
        As for `xarray.open_dataset`: ``group="g"``, ``chunks={}`` for Dask, ...

    Returns
    -------
    xarray.Dataset
        The variables of the root group, or of `group`.

    Raises
    ------
    ImportError
        If xarray is not installed.

    Examples
    --------
    >>> ncz.open_dataset("weather.zarr").sizes["lat"]
    3
    """
    import xarray

    dataset: xarray.Dataset = xarray.open_dataset(path, engine="ncz", **options)
    return dataset


def open_mfdataset(paths: str | Sequence[Path], **options: Any) -> xarray.Dataset:
    """Open several datasets as one with xarray, as ``xarray.open_mfdataset`` does.

    Parameters
    ----------
    paths
        Paths, URLs, or a pattern of paths.
    **options
        As for `xarray.open_mfdataset`: ``combine="nested"``, ``concat_dim="time"``, ...

    Returns
    -------
    xarray.Dataset
        The variables of the root groups, with values of Dask.

    Raises
    ------
    ImportError
        If xarray or Dask is not installed.

    Examples
    --------
    >>> ncz.open_mfdataset(["weather.zarr"], chunks=None).sizes["lat"]
    3
    """
    import xarray

    dataset: xarray.Dataset = xarray.open_mfdataset(paths, engine="ncz", **options)
    return dataset

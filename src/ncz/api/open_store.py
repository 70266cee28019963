"""Open a dataset as a store of zarr-python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ncz.api.dataset import open as open_dataset
from ncz.commands.functions import speaks_python, warn
from ncz.errors import NczError, Notify

if TYPE_CHECKING:
    from ncz.api.dataset import Paths
    from ncz.api.zarr_store import DatasetStore


@speaks_python
def open_store(
    url: Paths,
    mode: str = "r",
    *,
    group: str | None = None,
    consolidated: bool | None = None,
    zarr_format: Literal[2, 3] | None = None,
    allow_loss: bool = False,
    notify: Notify = warn,
) -> DatasetStore:
    """Open a dataset as a store of zarr-python, without a copy: ``zarr.open_group(store)``.

    It has the objects that `copy` would write. They are made when they are read. It is read-only,
    can be pickled, and has consolidated metadata.

    Parameters
    ----------
    url
        A path or a URL of any format, or several, as for `open`.
    mode
        "r": the store is read-only.
    group, consolidated
        As for `open`.
    zarr_format
        The version of Zarr; by default the dataset's, or 2.
    allow_loss
        Whether parts that pure Zarr cannot represent are left out.
    notify
        Receives notices.

    Returns
    -------
    zarr.abc.store.Store
        The store, for `zarr.open_group`, `xarray.open_zarr` and others.

    Raises
    ------
    LossError
        If pure Zarr cannot represent the dataset.
    NczError
        If zarr-python 3 is not installed, or no dataset exists there.

    Examples
    --------
    >>> import zarr
    >>> zarr.open_group(ncz.open_store("weather.zarr"), mode="r")["temperature"].shape
    (4, 3, 5)
    """
    try:
        import zarr.abc.store  # noqa: F401
    except ImportError:
        hint = "pip install 'zarr>=3'; to read without it, use ncz.open"
        raise NczError("open_store needs zarr-python 3", hint=hint) from None
    from ncz.api.zarr_store import DatasetStore

    if mode != "r":
        hint = "use mode='r', or ncz.copy(path, 'x.zarr') for a store that can be written"
        raise NczError(f"a store of ncz.open_store cannot be opened with mode {mode!r}", hint=hint)
    dataset = open_dataset(url, group=group, consolidated=consolidated)
    return DatasetStore(dataset, zarr_format, allow_loss, notify)

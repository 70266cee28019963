"""Open a dataset, and read one of its variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ncz.api.arguments import Path, path_of
from ncz.api.dataset.dataset import Dataset
from ncz.api.dataset.handle import open_handle
from ncz.api.dataset.selection import subset_of
from ncz.api.dataset.variable import Variable
from ncz.api.notices import warn
from ncz.api.options import speaks_python
from ncz.errors import FormatError, Notify
from ncz.formats.kinds import OpenOptions
from ncz.model.tree import Variable as VariableRecord

if TYPE_CHECKING:
    from ncz.model.data import Values


@speaks_python
def open(
    url: Path,
    *,
    consolidated: bool | None = None,
    isel: Mapping[str, Any] | None = None,
    sel: Mapping[str, Any] | None = None,
    notify: Notify = warn,
) -> Dataset:
    """Open a dataset: ``ds = ncz.open("weather.zarr")``, or in a ``with`` statement.

    Metadata are read now and values on demand: ``ds["temperature"][0]``.

    Parameters
    ----------
    url
        A path or a URL. The format is detected automatically.
    consolidated
        Whether to use consolidated metadata: True requires it, False ignores it, and None uses it
        if it is there.
    isel, sel
        The part to use, by index and by the values of coordinates; see `Dataset.isel` and
        `Dataset.sel`.
    notify
        Receives notices; by default they become Python warnings.

    Returns
    -------
    Dataset
        The dataset. It is closed by `Dataset.close`, at the end of the ``with`` block, or when it
        is not used any more.

    Raises
    ------
    NczError
        If no dataset exists there, or its root is broken.
    """
    handle = open_handle(path_of(url), OpenOptions(consolidated=consolidated), notify)
    return Dataset(handle.part(subset_of(isel, sel)) if isel or sel else handle)


def find(dataset: Dataset, path: str) -> VariableRecord:
    """Return the record of the variable at ``/group/name``; the leading slash is optional.

    It has the netCDF type, the filters and the storage of the variable. Use ``dataset[path]`` for
    its values.

    Raises
    ------
    FormatError
        If the dataset has no variable of that name.
    """
    return _variable(dataset, path).record


def read(dataset: Dataset | Path, path: str) -> Values:
    """Read all values of the variable at ``/group/name``.

    Parameters
    ----------
    dataset
        An open dataset, or a path or a URL.
    path
        The variable; the leading slash is optional.

    Returns
    -------
    ndarray
        An array of the variable's shape, in native byte order: char as ``S1``, string as objects
        (`str`). Values that were never written are the fill value.
    """
    if isinstance(dataset, Dataset):
        values: Values = _variable(dataset, path)[...]
        return values
    with open(dataset) as opened:
        return read(opened, path)


def _variable(dataset: Dataset, path: str) -> Variable:
    found = dataset[path]
    if not isinstance(found, Variable):
        raise FormatError(f"{path!r} is a group, not a variable", dataset.source)
    return found

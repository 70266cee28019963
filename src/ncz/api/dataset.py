"""Open a dataset, and read one of its variables."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, cast

from ncz.api.group import Group
from ncz.api.handle import Handle
from ncz.api.member import Member
from ncz.api.variable import Variable
from ncz.commands.functions import Words, speaks_python, translate, warn
from ncz.commands.subsets.python_values import selection_of
from ncz.errors import FormatError, NczError, Notify, StoreExists
from ncz.formats.kinds import GivenDataset, OpenOptions
from ncz.model.selection import Selection
from ncz.model.tree import Dataset as DatasetRecord
from ncz.model.tree import Group as GroupRecord
from ncz.model.tree import Variable as VariableRecord
from ncz.zmap.foreign_stores import below
from ncz.zmap.location import Location, Path, location_of, path_of

if TYPE_CHECKING:
    from typing import Unpack

    from ncz.commands.arguments import SourceLike
    from ncz.commands.copy.summary import Summary
    from ncz.commands.keyword_groups import CopyKeywords
    from ncz.model.data import Values

    Paths = SourceLike | bytes | Iterable[Path] | Mapping[str, Any]


_OF_NETCDF4 = ("format", "clobber", "diskless", "persist", "keepweakref", "encoding", "parallel",
               "libver", "swmr", "driver", "locking", "aggdim", "check")  # fmt: skip
"""Options of netCDF4 and h5py that matter to a file that is written, or to their libraries."""


class Dataset(Group):
    """An open dataset: the root group, with everything below it.

    Metadata are in memory; values are read when variables are indexed. The dataset is closed by
    `close`, at the end of a ``with`` block, or when neither it nor a group or variable of it is
    used any more. It can be pickled: another process opens it again.

    Examples
    --------
    >>> with ncz.open("weather.zarr") as ds:
    ...     ds["temperature"].shape
    (4, 3, 5)
    """

    def __new__(cls, handle: Handle | Paths, mode: str = "r", *_: Any, **options: Any) -> Dataset:
        """Return a dataset; one that is opened to be written has another class."""
        if _is_new(handle, mode):
            return _new(handle, mode, options)
        return object.__new__(cls)

    def __init__(
        self,
        handle: Handle | Paths,
        mode: Literal["r", "r+", "a", "w", "w-", "x"] = "r",
        *,
        memory: bytes | None = None,
        **options: Any,
    ) -> None:
        if not isinstance(handle, Handle):  # as netCDF4.Dataset("x.nc")
            for name in _OF_NETCDF4:
                options.pop(name, None)
            source = handle if memory is None else cast(Any, memory)
            handle = open(source, cast(Any, mode), **options)._handle
        super().__init__(handle, handle.dataset.root, "")

    @staticmethod
    def fromcdl(cdl: Path, ncfilename: Path | None = None, mode: Any = "r", **_: Any) -> Dataset:
        """Write a dataset from CDL text, and open it, as netCDF4 does.

        Parameters
        ----------
        cdl
            The path of the text.
        ncfilename
            The new file or store; by default the name of the text, with ``.nc``.
        mode
            As for `open`.

        Returns
        -------
        Dataset
            The new dataset.
        """
        from ncz.commands.gen import gen

        target = ncfilename or f"{path_of(cdl).removesuffix('.cdl')}.nc"
        gen(cdl, target)
        return open(target, "r" if mode in ("w", "x") else mode)

    @property
    def name(self) -> str:
        """The name of the dataset."""
        return self._handle.dataset.name

    @property
    def record(self) -> DatasetRecord:
        """The record that the commands of ncz use."""
        return self.dataset_record

    @property
    def root(self) -> GroupRecord:
        """The record of the root group, as the commands of ncz use it."""
        return self.group_record

    def isel(self, indices: Mapping[str, Any] | None = None, /, **named: Any) -> Dataset:
        """Return a part of the dataset by index: ``ds.isel(time=slice(0, 10), lat=-1)``.

        Every variable over a selected dimension becomes shorter, and only the chunks that it needs
        are read. The part keeps the dataset open, and closing it closes the dataset.

        Parameters
        ----------
        indices, **named
            An integer, a slice or a list of integers for each dimension, by its name, or by its
            path such as "/g/x". As in xarray, a dimension that is selected by an integer is left
            out, and its coordinate becomes a scalar one; ``slice(0, 1)`` and ``[0]`` keep it.

        Returns
        -------
        Dataset
            The part, whose values are read when its variables are indexed.

        Raises
        ------
        OptionError
            If the dataset has no such dimension, or it no such index.

        Examples
        --------
        >>> ncz.open("weather.zarr").isel(time=slice(0, 2), lat=-1).dims
        {'time': 2, 'lon': 5}
        >>> ncz.open("weather.zarr").isel(time=[0, 1, -1])["time"].shape
        (3,)
        """
        wanted = {**(indices or {}), **named}
        self._refuse_lists("isel", wanted)
        return self._part(selection_of(wanted, drops=True))

    def sel(
        self,
        values: Mapping[str, Any] | None = None,
        /,
        method: Literal["nearest"] | None = None,
        **named: Any,
    ) -> Dataset:
        """Return a part by the values of coordinates: ``ds.sel(lat=slice(40, 60))``.

        Parameters
        ----------
        values, **named
            For each dimension, or auxiliary coordinate along one, a value, a list of values, or a
            slice, whose ends are both included. Times can be dates:
            ``time=slice("2026-01-01", "2026-02")``. The limits of a longitude may use another
            range: ``lon=slice(350, 10)``. As in xarray, a dimension that is selected by a single
            value is left out; a list, a slice, or a year or a month such as "2026-01", keeps it.
        method
            "nearest" selects the coordinate that is nearest to each single value.

        Returns
        -------
        Dataset
            The part, whose values are read when its variables are indexed.

        Raises
        ------
        OptionError
            If the dataset has no such dimension, coordinate or value.

        Examples
        --------
        >>> ncz.open("weather.zarr").sel(lat=slice(52, 55)).dims
        {'time': 4, 'lat': 2, 'lon': 5}
        """
        if method not in (None, "nearest"):
            raise TypeError(f"method must be 'nearest' or None, not {method!r}")
        wanted = {**(values or {}), **named}
        self._refuse_lists("sel", wanted)
        return self._part(selection_of(None, wanted, nearest=method == "nearest", drops=True))

    def _refuse_lists(self, method: str, wanted: Mapping[str, Any]) -> None:
        """Raise `TypeError` for a selection that only xarray can do, with the line to write."""
        for name, value in wanted.items():
            is_other = hasattr(value, "dims") or getattr(value, "ndim", 0) > 1
            if is_other or (
                name in ("drop", "tolerance", "missing_dims") and name not in self.dims
            ):
                raise TypeError(
                    f"{name}={value!r} is for xarray; use ds.to_xarray().{method}(...), or"
                    f" ds['NAME'].{method}(...)"
                )

    def select(self, vars: Words = (), *, exclude: Words = ()) -> Dataset:
        """Return the dataset with some variables: ``ds.select("t2m")``, ``ds.select(["ta*"])``.

        The variables that these need stay too: coordinates, bounds, grid mappings, cell measures,
        ancillary variables, the terms of formulas, and meshes.

        Parameters
        ----------
        vars, exclude
            Names or globs of the variables to keep, by default all, and of those to leave out.

        Returns
        -------
        Dataset
            The part, whose values are read when its variables are indexed.

        Raises
        ------
        OptionError
            If a name or a glob matches no variable.

        Examples
        --------
        >>> list(ncz.open("weather.zarr").select("station"))
        ['lat', 'station']
        """
        return self._part(selection_of(vars=vars, exclude=exclude))

    def __getitem__(self, name: Any) -> Any:
        """Return the variable or group with a name or path; for a list of names, a `Dataset`.

        Raises
        ------
        KeyError
            If nothing has that name; the error suggests similar names.
        """
        if isinstance(name, (list, tuple)):
            for each in name:
                super().__getitem__(each)
            return self.select(name)
        return super().__getitem__(name)

    def to_zarr(
        self, store: Path, mode: Literal["w-", "w"] = "w-", **options: Unpack[CopyKeywords]
    ) -> Summary:
        """Write the dataset to a Zarr store, as `ncz.copy` does.

        Parameters
        ----------
        store
            The path or URL of the new store.
        mode
            "w" replaces a store that exists.
        **options
            Options of `ncz.copy`.

        Returns
        -------
        Summary
            The number of written variables and chunks, and their size in bytes.

        Raises
        ------
        NczError
            If the store exists, or cannot represent the dataset.

        Examples
        --------
        >>> ncz.open("weather.zarr").to_zarr("again.zarr").variables
        6
        """
        return _copy(self, store, mode, options)

    def to_netcdf(
        self, path: Path, mode: Literal["w-", "w"] = "w-", **options: Unpack[CopyKeywords]
    ) -> Summary:
        """Write the dataset to a netCDF file, as `ncz.copy` does.

        Parameters
        ----------
        path
            The path or URL of the new file.
        mode
            "w" replaces a file that exists.
        **options
            Options of `ncz.copy`.

        Returns
        -------
        Summary
            The number of written variables and chunks, and their size in bytes.

        Raises
        ------
        NczError
            If the file exists, or cannot represent the dataset.

        Examples
        --------
        >>> ncz.open("weather.zarr").to_netcdf("again.nc").variables
        6
        """
        return _copy(self, path, mode, options)

    def _part(self, subset: Selection | None) -> Dataset:
        if subset is None:
            return self
        try:
            return Dataset(self._handle.part(subset))
        except NczError as error:
            translate(error)
            error.hint = error.hint and error.hint.replace("nearest=True", 'method="nearest"')
            raise

    def _as_source(self) -> GivenDataset:
        """Return the dataset as the source of a command, which `ncz.copy` and others do.

        Returns
        -------
        GivenDataset
            The dataset, which must stay open until the command has ended.
        """
        return GivenDataset(
            name=self._handle.location.display,
            open=lambda *_: contextlib.nullcontext(self.dataset_record),
            locations=self._handle.locations,
            is_joined=len(self._handle.locations) > 1,
        )

    @property
    def is_closed(self) -> bool:
        """Whether the dataset is closed, so that values cannot be read."""
        return self._handle.is_closed

    def close(self) -> None:
        """Close the dataset. Closing it again does nothing.

        Examples
        --------
        >>> ds = ncz.open("weather.zarr")
        >>> ds.close()
        >>> ds.is_closed
        True
        """
        self._handle.close()

    def __enter__(self) -> Dataset:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return Dataset, (self._handle,)


Member._dataset_class = Dataset


_NEW_MODES = ("w", "w-", "x", "ws", "xs")
"""Modes of netCDF4 and h5py for a new dataset."""


def _is_new(path: Any, mode: str) -> bool:
    """Return whether a new dataset is begun: "a" begins one where nothing is on this computer."""
    if mode != "a" or not isinstance(path, str | os.PathLike):
        return mode in _NEW_MODES
    text = path_of(path)
    return "://" not in text and location_of(text).kind is None and not os.path.lexists(text)


def _new(path: Any, mode: str, options: Mapping[str, Any]) -> Dataset:
    """Return a new dataset, which has the functions of netCDF4 that write."""
    from ncz.api.new_dataset import create

    kept = {name: options[name] for name in options if name not in _OF_NETCDF4[2:]}
    replaces = mode.startswith("w") and mode != "w-" and kept.pop("clobber", True)
    return cast(Dataset, create(path, **{**kept, "overwrite": bool(replaces)}))


def _copy(dataset: Dataset, target: Path, mode: str, options: Mapping[str, Any]) -> Summary:
    from ncz.commands.copy.command import copy

    if mode not in ("w-", "w", "x", "a", "a-", "r+"):
        raise NczError(f"{mode!r} is not a mode of a new dataset", hint="use 'w-' or 'w'")
    is_said = not {"append_dim", "append", "region", "into"}.isdisjoint(options)
    if mode in ("a", "a-", "r+") and _takes(options):
        options = options if is_said else {"add": True, **options}
        mode = "w-"
    if mode not in ("w-", "w", "x") or not _takes(options):
        written: Summary = _write_with_xarray(dataset, target, mode, dict(options))
        return written
    return copy(dataset, target, **{"overwrite": mode == "w", **options})


def _takes(options: Mapping[str, Any]) -> bool:
    """Return whether `ncz.copy` takes some options, rather than only xarray."""
    from ncz.commands.xarray_encodings import is_of_copy

    return (
        "unlimited_dims" not in options
        and "compute" not in options
        and (not isinstance(options.get("group"), str))
        and is_of_copy(options.get("encoding"))
    )


def _write_with_xarray(dataset: Dataset, target: Path, mode: str, options: dict[str, Any]) -> Any:
    """Write a dataset with xarray, whose options determine the encoding of numbers."""
    from ncz.formats.create_options import AS_DEFAULT
    from ncz.formats.opening import target_format

    path = path_of(target)
    is_store = target_format(location_of(path), AS_DEFAULT).is_stored_in_zmap
    found = dataset.to_xarray()
    if is_store:
        return found.to_zarr(path, mode=mode, **options)
    if mode in ("w-", "x") and os.path.lexists(path):
        raise StoreExists("already exists", path, 'use mode="w" to replace it')
    return found.to_netcdf(path, mode="w" if mode in ("w-", "x") else mode, **options)


@speaks_python
def open(
    url: Paths,
    mode: Literal["r", "r+", "a"] = "r",
    *,
    consolidated: bool | None = None,
    concat: str | None = None,
    new_dimension: str | None = None,
    isel: Mapping[str, Any] | None = None,
    sel: Mapping[str, Any] | None = None,
    nearest: bool = False,
    vars: Words = (),
    exclude: Words = (),
    unpack: bool | None = None,
    group: str | None = None,
    notify: Notify = warn,
) -> Dataset:
    """Open a dataset: ``ds = ncz.open("weather.zarr")``, or in a ``with`` statement.

    Metadata are read now and values on demand: ``ds["temperature"][0]``.

    Parameters
    ----------
    url
        A path or a URL. The format is detected automatically. Several paths, a pattern such as
        ``"*.nc"``, or a folder of netCDF files are opened as one dataset, to read.
    mode
        "r" to read; "r+" to change attributes as well, ``ds["v"].attrs["units"] = "K"``, and values
        ``ds["v"][0] = 1``, of a store or a netCDF file, and to create variables. "a" is the same,
        and begins a new dataset if none exists.
    consolidated
        Whether to use consolidated metadata: True requires it, False ignores it, and None uses it
        if it exists.
    concat
        The dimension along which several datasets are joined. By default it is the one whose
        coordinate differs, as with ``combine="by_coords"`` of xarray, in the order of its values.
    new_dimension
        A new dimension, with one index for each dataset, such as the members of an ensemble.
    isel, sel
        The part to use, by index and by the values of coordinates; see `Dataset.isel` and
        `Dataset.sel`.
    nearest
        Whether a single value of `sel` selects the coordinate that is nearest to it.
    vars, exclude
        Names or globs of the variables to use, with all that they need, such as coordinates,
        bounds and grid mappings; and of those to leave out.
    unpack
        Whether packed variables are unpacked, and missing data are NaN if the values are not
        integers, as xarray shows them. With False values are as stored. None is the same, with a
        notice when packed or missing values are read.
    group
        The group to open as a dataset, of a path or a URL: ``"surface"``.
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

    Examples
    --------
    >>> ds = ncz.open("weather.zarr")
    >>> ds["temperature"][0, ..., ::2].shape
    (3, 3)
    >>> ncz.open("weather.zarr", isel={"time": 0})["temperature"].dims
    ('lat', 'lon')
    """
    if _is_new(url, mode):
        return _new(url, mode, {})
    if mode not in ("r", "r+", "a"):
        raise NczError(f"{mode!r} is not a mode", hint="use 'r', 'r+', or 'w' for a new dataset")
    from ncz.api.several_paths import open_paths

    if group is not None and group.strip("/"):
        url = below(path_of(cast(Any, url)), group)
    handle = open_paths(url, OpenOptions(consolidated=consolidated), notify, concat, new_dimension)
    if mode == "r+" and not isinstance(handle.source, Location):
        raise TypeError("several datasets are opened for reading only; open the dataset to change")
    handle.is_writable = mode != "r" and isinstance(handle.source, Location)
    if unpack is False:
        handle.told = None
    handle = handle.unpack() if unpack else handle
    subset = selection_of(isel, sel, nearest=nearest, vars=vars, exclude=exclude, drops=True)
    return Dataset(handle if subset is None else handle.part(subset))


def find(dataset: Dataset, path: str) -> VariableRecord:
    """Return the record of the variable at ``/group/name``; the leading slash is optional.

    It has the netCDF type, the filters and the storage of the variable. Use ``dataset[path]`` for
    its values.

    Parameters
    ----------
    dataset
        An open dataset.
    path
        The variable; the leading slash is optional.

    Returns
    -------
    ncz.model.tree.Variable
        The record.

    Raises
    ------
    FormatError
        If the dataset has no variable with this name.

    Examples
    --------
    >>> ncz.find(ncz.open("weather.zarr"), "lat").type.word
    'float'
    """
    return _variable(dataset, path).record


def read(dataset: Dataset | Path, path: str, *, unpack: bool | None = None) -> Values:
    """Read all values of the variable at ``/group/name``.

    Parameters
    ----------
    dataset
        An open dataset, or a path or a URL.
    path
        The variable; the leading slash is optional.
    unpack
        As for `open`, for a path or a URL.

    Returns
    -------
    ndarray
        An array of the variable's shape, in native byte order: char as ``S1``, string as objects
        (`str`). Values that were never written are the fill value.

    Raises
    ------
    FormatError
        If the dataset has no variable with this name.
    CodecError
        If a chunk is damaged.

    Examples
    --------
    >>> ncz.read("weather.zarr", "lat").tolist()
    [50.0, 52.5, 55.0]
    """
    if isinstance(dataset, Dataset):
        values: Values = _variable(dataset, path)[...]
        return values
    with open(dataset, unpack=unpack) as handle:
        return read(handle, path)


def _variable(dataset: Dataset, path: str) -> Variable:
    member = dataset[path]
    if not isinstance(member, Variable):
        raise FormatError(f"{path!r} is a group, not a variable", dataset.filepath())
    return member

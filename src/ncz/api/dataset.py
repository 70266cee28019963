"""Open datasets, their groups, variables and attributes."""

from __future__ import annotations

import contextlib
import math
import os
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from ncz.api.arguments import Path, Words, location_of, speaks_python, subset_of, warn
from ncz.api.indexing import attribute_value, fill_scalar, filled, masked, numpy_dtype, select
from ncz.commands.subsets.selection import Subset
from ncz.errors import FormatError, Notify, ZmapError, did_you_mean, ignore_notice, list_names
from ncz.formats.kinds import GivenDataset, OpenOptions
from ncz.formats.opening import open_dataset
from ncz.model.slabs import fill_of_unwritten
from ncz.model.tree import Attribute, Dimension, base_name, dimensions_by_fqn, join, parent
from ncz.model.tree import Dataset as DatasetRecord
from ncz.model.tree import Group as GroupRecord
from ncz.model.tree import Variable as VariableRecord
from ncz.model.types import Atomic
from ncz.record import replace
from ncz.text.names import format_size
from ncz.views import notebook
from ncz.views.summary import summarise_group
from ncz.zmap.location import Location

if TYPE_CHECKING:
    import numpy as np
    import xarray
    from numpy.typing import DTypeLike

    from ncz.model.data import Values

# Attributes of a dataset, a group or a variable as a dictionary of plain Python values.


class Attributes(dict[str, Any]):
    """A dictionary that cannot be changed, because the dataset would not change with it."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("the attributes of an open dataset cannot be changed; use ncz.edit")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> Any:
        """Pickle and copy them as a plain dictionary."""
        return dict, (dict(self),)


def typed_attributes(attributes: Iterable[Attribute]) -> dict[str, Any]:
    """Return attributes by name; numbers have the dtypes of their types."""
    return {attribute.name: attribute_value(attribute) for attribute in attributes}


def plain_attributes(attributes: Iterable[Attribute]) -> Attributes:
    """Return attributes by name as `str`, `int`, `float`, `bytes`, and lists and tuples of them."""
    typed = typed_attributes(attributes)
    return Attributes({name: _plain(value) for name, value in typed.items()})


def _plain(value: Any) -> Any:
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, list | tuple):
        return type(value)(map(_plain, value))
    return value


# An open dataset, shared by all the groups and variables that read from it.

_REMOTE_THREADS = 32
_MOST_THREADS = 16


class NameMissing(FormatError, KeyError):
    """The error that a group has no variable or group of that name."""


def name_missing(name: str, choices: Iterable[str], location: str) -> NameMissing:
    """Return the error for a name that a group does not have; it suggests similar ones."""
    names = list(choices)
    examples = ", ".join(map(repr, names[:8])) + (", ..." if len(names) > 8 else "")
    hint = did_you_mean(name, names, f"it has {examples}" if names else "it is empty")
    return NameMissing(f"no variable or group is named {name!r}", location, hint)


class Handle:
    """An open dataset. It is closed by `close`, or when nothing refers to it any more.

    Reading is safe from many threads at once.
    """

    def __init__(self, location: Location, options: OpenOptions, notify: Notify) -> None:
        with contextlib.ExitStack() as stack:
            self.opened = stack.enter_context(open_dataset(location, options, notify=notify))
            end = stack.pop_all().close
        self.options = options
        self.notify = notify
        self.dataset: DatasetRecord = self.opened.dataset
        """The records of the dataset, or of the part that was selected."""
        self.dimensions: dict[str, Dimension] = dimensions_by_fqn(self.dataset.root)
        self.parts: tuple[Subset, ...] = ()
        """How this part of the dataset was selected, step by step."""
        self._whole: Handle | None = None
        self._finalizer = weakref.finalize(self, end)

    def part(self, subset: Subset) -> Handle:
        """Return a handle of a part of the dataset, which keeps the whole open.

        Raises `OptionError` if the dataset does not have what is selected.
        """
        from ncz.commands.subsets.selection import selected

        part = Handle.__new__(Handle)
        part.__dict__.update(self.__dict__)
        part._whole = self
        part.dataset = selected(self.dataset, subset, self.notify)
        part.dimensions = dimensions_by_fqn(part.dataset.root)
        part.parts = (*self.parts, subset)
        return part

    @property
    def location(self) -> Location:
        """Where the dataset is."""
        return self.opened.location

    @property
    def is_closed(self) -> bool:
        """Whether values can no longer be read."""
        return not self._finalizer.alive

    @property
    def is_remote(self) -> bool:
        """Whether reads wait for a server."""
        return self.location.kind == "remote"

    @property
    def threads(self) -> int:
        """Number of threads that read chunks: one per core, or more if they wait for a server."""
        from ncz.parallel.threads import cores

        return _REMOTE_THREADS if self.is_remote else min(_MOST_THREADS, cores())

    def close(self) -> None:
        """Close the dataset. Values cannot be read afterwards; closing again does nothing."""
        self._finalizer()

    def check_open(self) -> None:
        """Raise `ZmapError` if the dataset is closed."""
        if self.is_closed:
            raise ZmapError(
                "the dataset is closed", self.location.display, "open it again with ncz.open"
            )

    def __reduce__(self) -> tuple[Callable[..., Handle], tuple[object, ...]]:
        return reopen, (_absolute(self.location), self.options, self.parts)


_reopened: weakref.WeakValueDictionary[tuple[str, bool | None], Handle] = (
    weakref.WeakValueDictionary()
)
_lock = threading.Lock()


def reopen(location: Location, options: OpenOptions, parts: tuple[Subset, ...] = ()) -> Handle:
    """Open a dataset whose handle was pickled; its handles in this process are shared."""
    handle = _shared(location, options)
    for subset in parts:
        handle = handle.part(subset)
    return handle


def _shared(location: Location, options: OpenOptions) -> Handle:
    key = location.exact, options.consolidated
    with _lock:
        handle = _reopened.get(key)
        if handle is None or handle.is_closed:
            handle = _reopened[key] = Handle(location, options, ignore_notice)
        return handle


def _absolute(location: Location) -> Location:
    """Return the location of a local path for processes with another working directory."""
    if location.kind in ("remote", "memory") or "://" in location.path:
        return location
    return replace(location, path=os.path.abspath(location.path))


class _HasAttributes:
    """What has attributes: a group or a variable. They can be read as netCDF4 reads them."""

    _handle: Handle
    _record: Any

    def __init__(self, handle: Handle, record: Any, path: str) -> None:
        self._handle = handle
        self._record = record
        self._path = path

    @cached_property
    def attrs(self) -> dict[str, Any]:
        """The attributes as plain Python values: `str`, `int`, `float`, and lists of them.

        They cannot be changed. Their types are in the attributes of the record.
        """
        return plain_attributes(self._record.attributes)

    def ncattrs(self) -> list[str]:
        """Return the names of the attributes, as netCDF4 does.

        Returns
        -------
        list of str
            The names, in the order of the dataset.

        Examples
        --------
        >>> ncz.open("weather.zarr")["lat"].ncattrs()
        ['standard_name', 'units']
        """
        return list(self.attrs)

    def filepath(self) -> str:
        """Return the path or URL of the dataset, without secrets, as netCDF4 does.

        Returns
        -------
        str
            The path or URL. It is a method so that attributes can be named as they like.

        Examples
        --------
        >>> ncz.open("weather.zarr").filepath()
        'weather.zarr'
        """
        return self._handle.location.display

    def getncattr(self, name: str) -> Any:
        """Return the value of an attribute, as netCDF4 does; ``attrs[name]`` is the same.

        Parameters
        ----------
        name
            The name of the attribute.

        Returns
        -------
        str, int, float, bytes, list or tuple
            The value as plain Python values.

        Raises
        ------
        AttributeError
            If the attribute does not exist.

        Examples
        --------
        >>> ncz.open("weather.zarr")["lat"].getncattr("units")
        'degrees_north'
        """
        if name not in self.attrs:
            hint = did_you_mean(name, self.attrs, f"it has {list_names(list(self.attrs))}")
            raise AttributeError(f"no attribute is named {name!r}; {hint}")
        return self.attrs[name]

    def __getattr__(self, name: str) -> Any:
        """Return the value of an attribute that has no other meaning: ``variable.units``."""
        if name.startswith("__") or "_record" not in vars(self):  # it is not complete yet
            raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")
        return self.getncattr(name)


# A variable of an open dataset, read by indexing like a numpy array.


class Variable(_HasAttributes):
    """A variable of an open dataset; it keeps the dataset open.

    ``variable[0:10, ..., ::2]`` reads these values, and no chunk that they do not touch. Values are
    as stored: neither scaled nor masked.

    Examples
    --------
    >>> latitude = ncz.open("weather.zarr")["lat"]
    >>> latitude[1:].tolist()
    [52.5, 55.0]
    >>> latitude.attrs["units"]
    'degrees_north'
    """

    _record: VariableRecord

    @property
    def name(self) -> str:
        """The name, without its group."""
        return self._record.name

    @property
    def path(self) -> str:
        """The name with its groups: ``/group/name``."""
        return self._path

    @property
    def record(self) -> VariableRecord:
        """The record that the commands of ncz use: the netCDF type, filters and storage."""
        return self._record

    @property
    def dims(self) -> tuple[str, ...]:
        """The names of the dimensions."""
        return tuple(base_name(fqn) for fqn in self._record.dimensions)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of elements along each dimension."""
        return tuple(self._handle.dimensions[fqn].size for fqn in self._record.dimensions)

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the values, in native byte order; object for strings."""
        return numpy_dtype(self._record.type)

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self._record.dimensions)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of all values in memory, without those of strings."""
        return self.size * self.dtype.itemsize

    @property
    def chunks(self) -> tuple[int, ...] | None:
        """Elements of a chunk along each dimension; None if the data are not in chunks."""
        return self._record.storage.chunks

    @property
    def shards(self) -> tuple[int, ...] | None:
        """Elements of a shard along each dimension; None if there are no shards."""
        return self._record.storage.shards

    @property
    def codecs(self) -> tuple[dict[str, Any], ...]:
        """The filters and the compressor as numcodecs configures them, in order of encoding."""
        return tuple(codec.to_json() for codec in self._record.storage.filters or ())

    @property
    def fill_value(self) -> Any:
        """The value of elements that were never written; None if it is undefined.

        The value that marks missing data, if there is one, is ``attrs["_FillValue"]``.
        """
        return fill_scalar(self._record.storage.fill, self._record.type)

    @speaks_python
    def __getitem__(self, index: Any) -> Any:
        """Read values.

        Parameters
        ----------
        index
            Integers, slices with any step, an ellipsis, and None for a new axis, as in numpy. A
            list of integers or booleans selects along its own axis. An array of booleans of the
            variable's shape selects elements, in one dimension.

        Returns
        -------
        ndarray or scalar
            A new array, or one element if every axis has an integer.

        Raises
        ------
        IndexError
            If the index does not fit the shape.
        CodecError
            If a chunk is damaged.
        ZmapError
            If the dataset is closed, or the storage fails.
        """
        from ncz.api.indexing import read_positions

        self._handle.check_open()
        mask = masked(index, self.shape)
        if mask is not None:
            lists, chosen = mask
            return self[lists][chosen]
        selection = select(index, self.shape)
        data = self._record.data
        if data is None:
            record = self._record
            values = filled(selection.shape, record.type, fill_of_unwritten(record))
        else:
            try:
                values = read_positions(
                    data,
                    selection.positions,
                    self._handle.threads,
                    is_remote=self._handle.is_remote,
                )
            except Exception:
                self._handle.check_open()  # another thread may have closed it meanwhile
                raise
        viewed = values[(*selection.view, ...)]
        return viewed[()] if selection.is_scalar else viewed

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Values:
        """Read all values, for `numpy.asarray`."""
        import numpy as np

        if copy is False:
            raise ValueError("the values must be read from the dataset; copy=False is not possible")
        values = np.asarray(self[...])
        return values if dtype is None else values.astype(dtype, copy=False)

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError(f"the variable {self.path} is a scalar, which has no length")
        return self.shape[0]

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __reduce__(self) -> tuple[Any, tuple[Handle, str]]:
        return _restore_variable, (self._handle, self._path)

    def __repr__(self) -> str:
        return "\n".join(notebook.variable_lines(_describe_variable(self)))

    def _repr_html_(self) -> str:
        return notebook.variable_html(_describe_variable(self))

    @property
    def sizes(self) -> Mapping[str, int]:
        """The length of each dimension by name."""
        return dict(zip(self.dims, self.shape, strict=True))

    @property
    def unlimited_dims(self) -> frozenset[str]:
        """The names of its unlimited dimensions."""
        dimensions = self._handle.dimensions
        return frozenset(base_name(f) for f in self._record.dimensions if dimensions[f].unlimited)


def _restore_variable(handle: Handle, path: str) -> Variable:
    from ncz.model.tree import variables_by_fqn

    return Variable(handle, dict(variables_by_fqn(handle.dataset.root))[path], path)


# A group of an open dataset: a mapping from names to variables and groups.


class Group(_HasAttributes, Mapping[str, Any]):
    """A group of an open dataset; it keeps the dataset open.

    It is a mapping from the names of its variables, and then of its groups, to these. Names may be
    paths: ``group["inner/t2m"]``, and ``group["/t2m"]`` from the root.

    Examples
    --------
    >>> ds = ncz.open("weather.zarr")
    >>> list(ds)
    ['time', 'lat', 'lon', 'temperature', 'wind_speed', 'station']
    >>> ds.attrs["title"]
    'A small forecast'
    """

    _record: GroupRecord

    @property
    def name(self) -> str:
        """The name, without its parents."""
        return self._record.name

    @property
    def path(self) -> str:
        """The name with its parents: ``/outer/inner``; "/" for the root."""
        return self._path or "/"

    @property
    def group_record(self) -> GroupRecord:
        """The record of the group, as the commands of ncz use it."""
        return self._record

    @property
    def dataset_record(self) -> DatasetRecord:
        """The record of the whole dataset, as the commands of ncz use it."""
        return self._handle.dataset

    @property
    def dims(self) -> dict[str, int]:
        """The length of each dimension that can be used here: its own, and those of its parents."""
        return {name: self._handle.dimensions[fqn].size for name, fqn in self._in_scope().items()}

    @property
    def unlimited_dims(self) -> frozenset[str]:
        """The names of the unlimited dimensions among `dims`."""
        dimensions = self._handle.dimensions
        return frozenset(
            name for name, fqn in self._in_scope().items() if dimensions[fqn].unlimited
        )

    def _in_scope(self) -> dict[str, str]:
        """Return the FQNs of the visible dimensions by name; inner ones hide outer ones."""
        paths = [self._path]
        while paths[-1]:
            paths.append(parent(paths[-1]))
        return {
            fqn.rpartition("/")[2]: fqn
            for path in reversed(paths)
            for fqn in self._handle.dimensions
            if parent(fqn) == path
        }

    @cached_property
    def variables(self) -> dict[str, Variable]:
        """The variables of this group by name."""
        return {
            v.name: Variable(self._handle, v, join(self._path, v.name))
            for v in self._record.variables
        }

    @cached_property
    def groups(self) -> dict[str, Group]:
        """The groups in this group by name."""
        return {
            g.name: Group(self._handle, g, join(self._path, g.name)) for g in self._record.groups
        }

    def to_xarray(self, **options: Any) -> xarray.Dataset:
        """Return the variables of this group as an `xarray.Dataset`, whose values are read lazily.

        Parameters
        ----------
        **options
            As for `xarray.open_dataset`: ``chunks={}`` for Dask, ``decode_times=False``, ...

        Returns
        -------
        xarray.Dataset
            The variables of this group, without those of groups below it.

        Raises
        ------
        ImportError
            If xarray is not installed.

        Examples
        --------
        >>> ds = ncz.open("weather.zarr").to_xarray()
        >>> dict(ds.sizes)
        {'time': 4, 'lat': 3, 'lon': 5}
        """
        import xarray

        dataset: xarray.Dataset = xarray.open_dataset(self, engine="ncz", **options)
        return dataset

    def __getitem__(self, name: str) -> Any:
        """Return the `Variable` or the `Group` of that name or path.

        Raises
        ------
        KeyError
            If nothing has that name; the error suggests similar names.
        """
        member = self._find(name)
        if member is None:
            place = self.filepath() if not self._path else f"{self.filepath()}: {self.path}"
            raise name_missing(name, self, place)
        return member

    def _find(self, name: object) -> Variable | Group | None:
        """Return what a name or a path leads to, or None."""
        if not isinstance(name, str):
            return None
        member: Variable | Group = self
        if name.startswith("/"):
            member = Group(self._handle, self._handle.dataset.root, "")
        for part in name.strip("/").split("/") if name.strip("/") else ():
            if not isinstance(member, Group):
                return None
            below = member.variables.get(part) or member.groups.get(part)
            if below is None:
                return None
            member = below
        return member if name else None

    def __contains__(self, name: object) -> bool:
        return self._find(name) is not None

    def __iter__(self) -> Iterator[str]:
        yield from self.variables
        yield from self.groups

    def __len__(self) -> int:
        return len(self._record.variables) + len(self._record.groups)

    def __bool__(self) -> bool:
        return True

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def _ipython_key_completions_(self) -> list[str]:
        """Return the names that IPython offers after ``group["``."""
        return list(self)

    def __reduce__(self) -> tuple[Any, tuple[Handle, str]]:
        return _restore, (self._handle, self.path)

    def __repr__(self) -> str:
        return _group_text(self)

    def _repr_html_(self) -> str:
        return notebook.group_html(_describe_group(self))


def _restore(handle: Handle, path: str) -> Any:
    return Group(handle, handle.dataset.root, "")[path]


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

    def __init__(self, handle: Handle) -> None:
        super().__init__(handle, handle.dataset.root, "")

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
        return self._record

    def isel(self, indices: Mapping[str, Any] | None = None, /, **named: Any) -> Dataset:
        """Return a part of the dataset by index: ``ds.isel(time=slice(0, 10), lat=-1)``.

        Every variable over a selected dimension becomes shorter, and only the chunks that it needs
        are read. The part keeps the dataset open, and closing it closes the dataset.

        Parameters
        ----------
        indices, **named
            An integer or a slice for each dimension, by its name, or by its path such as "/g/x". A
            dimension from which one index is selected stays, with length 1. Steps are positive.

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
        {'time': 2, 'lat': 1, 'lon': 5}
        """
        return self._part(subset_of({**(indices or {}), **named}))

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
            For each dimension, or auxiliary coordinate along one, a value or a slice, whose ends
            are both included. Times can be dates: ``time=slice("2026-01-01", "2026-02")``. The
            limits of a longitude may lie in any turn: ``lon=slice(350, 10)``.
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
        return self._part(subset_of(None, {**(values or {}), **named}, nearest=method == "nearest"))

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
        return self._part(subset_of(vars=vars, exclude=exclude))

    def _part(self, subset: Subset | None) -> Dataset:
        return self if subset is None else Dataset(self._handle.part(subset))

    def _as_source(self) -> GivenDataset:
        """Return the dataset as the source of a command, which `ncz.copy` and others do.

        Returns
        -------
        GivenDataset
            The dataset, which must stay open until the command has ended.
        """
        return GivenDataset(
            name=self._handle.location.display,
            open=lambda _: contextlib.nullcontext(self.dataset_record),
            locations=(self._handle.location,),
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


# Open a dataset, and read one of its variables.


@speaks_python
def open(
    url: Path,
    *,
    consolidated: bool | None = None,
    isel: Mapping[str, Any] | None = None,
    sel: Mapping[str, Any] | None = None,
    nearest: bool = False,
    vars: Words = (),
    exclude: Words = (),
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
    nearest
        Whether a single value of `sel` selects the coordinate that is nearest to it.
    vars, exclude
        Names or globs of the variables to use, with all that they need, such as coordinates,
        bounds and grid mappings; and of those to leave out.
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
    >>> ncz.open("weather.zarr", isel={"time": 0}).dims["time"]
    1
    """
    handle = Handle(location_of(url), OpenOptions(consolidated=consolidated), notify)
    subset = subset_of(isel, sel, nearest=nearest, vars=vars, exclude=exclude)
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
        If the dataset has no variable of that name.

    Examples
    --------
    >>> ncz.find(ncz.open("weather.zarr"), "lat").type.word
    'float'
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

    Raises
    ------
    FormatError
        If the dataset has no variable of that name.
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
    with open(dataset) as handle:
        return read(handle, path)


def _variable(dataset: Dataset, path: str) -> Variable:
    member = dataset[path]
    if not isinstance(member, Variable):
        raise FormatError(f"{path!r} is a group, not a variable", dataset.filepath())
    return member


# Descriptions of groups and variables, for `ncz.views.notebook`.


def _group_text(group: Group) -> str:
    """Describe a dataset or a group as ``ncz dump --summary`` does, without reading values."""
    path = "" if group.path == "/" else group.path
    return "\n".join(summarise_group(group.dataset_record, path, notebook.WIDTH))


def _describe_group(group: Group) -> notebook.GroupDescription:
    unlimited = group.unlimited_dims
    return notebook.GroupDescription(
        title=_group_text(group).partition("\n")[0],
        dimensions=", ".join(
            f"{name}: {size}" + (" (unlimited)" if name in unlimited else "")
            for name, size in group.dims.items()
        ),
        attributes=notebook.attribute_rows(group.attrs),
        variables=tuple(map(_describe_variable, group.variables.values())),
        groups=tuple((name, _describe_group(below)) for name, below in group.groups.items()),
    )


def _describe_variable(variable: Variable) -> notebook.VariableDescription:
    storage = []
    if variable.chunks is not None and variable.ndim:
        storage.append(("Chunks", str(variable.chunks)))
    if variable.shards is not None:
        storage.append(("Shards", str(variable.shards)))
    storage.append(("Codecs", notebook.codecs_text(variable.codecs)))
    if variable.fill_value is not None:
        storage.append(("Fill value", notebook.value_text(variable.fill_value)))
    pairs = zip(variable.dims, variable.shape, strict=True)
    return notebook.VariableDescription(
        name=variable.name,
        path=variable.path,
        shape=f"({', '.join(f'{name}: {size}' for name, size in pairs)})",
        type=_type_text(variable),
        size=format_size(variable.nbytes),
        storage=tuple(storage),
        attributes=notebook.attribute_rows(variable.attrs),
    )


def _type_text(variable: Variable) -> str:
    """Return the name of the type: a dtype, or the name of a netCDF type that has none."""
    nc_type = variable.record.type
    if isinstance(nc_type, Atomic):
        return nc_type.word if nc_type in (Atomic.CHAR, Atomic.STRING) else str(variable.dtype)
    return f"{type(nc_type).__name__.lower()} {nc_type.name.rpartition('/')[2]}"

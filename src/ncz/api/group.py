"""A group of an open dataset: a mapping from names to variables and groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ncz.api.array_operators import ArrayOperators
from ncz.api.attributes import typed_attributes
from ncz.api.callable_properties import Groups
from ncz.api.group_names import OF_GROUPS
from ncz.api.handle import Handle
from ncz.api.member import Member
from ncz.api.variable import Variable, describe_variable
from ncz.api.whole_assignment import assign_whole
from ncz.api.xarray_members import OF_DATASETS
from ncz.errors import FormatError, did_you_mean
from ncz.model.tree import Dataset as DatasetRecord
from ncz.model.tree import Group as GroupRecord
from ncz.model.tree import join, parent
from ncz.views import notebook
from ncz.views.summary import summarise_group

if TYPE_CHECKING:
    import xarray


class NameMissing(FormatError, KeyError):
    """The error that a group has no variable or group with a name."""


def name_missing(name: str, choices: Iterable[str], location: str) -> NameMissing:
    """Return the error for a name that a group does not have; it suggests similar ones."""
    names = list(choices)
    examples = ", ".join(map(repr, names[:8])) + (", ..." if len(names) > 8 else "")
    hint = did_you_mean(name, names, f"it has {examples}" if names else "it is empty")
    return NameMissing(f"no variable or group is named {name!r}", location, hint)


class Group(ArrayOperators, Member, Mapping[str, Any]):
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
    _names_of_xarray = OF_DATASETS
    _names_of_libraries = OF_GROUPS

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
        self._refresh()
        return self._record

    @property
    def dataset_record(self) -> DatasetRecord:
        """The record of the whole dataset, as the commands of ncz use it."""
        return self._handle.dataset

    @property
    def dims(self) -> dict[str, int]:
        """The length of each dimension that can be used here: the group's own, and its parents'."""
        return {name: self._handle.dimensions[fqn].size for name, fqn in self._in_scope().items()}

    @property
    def sizes(self) -> dict[str, int]:
        """The same as `dims`, by the name that xarray has for it."""
        return self.dims

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
        self._refresh()
        return {
            v.name: Variable(self._handle, v, join(self._path, v.name))
            for v in self._record.variables
        }

    @cached_property
    def groups(self) -> dict[str, Group]:
        """The groups in this group by name."""
        self._refresh()
        return Groups(
            (g.name, Group(self._handle, g, join(self._path, g.name))) for g in self._record.groups
        )

    def to_xarray(self, **options: Any) -> xarray.Dataset:
        """Return the variables of this group as an `xarray.Dataset`, whose values are read lazily.

        Parameters
        ----------
        **options
            As for `xarray.open_dataset`: ``chunks={}`` for Dask, ``decode_times=False``, ...

        Returns
        -------
        xarray.Dataset
            The variables of this group, without the variables of groups below it.

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
        """Return the `Variable` or the `Group` with a name or path.

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

    def __setitem__(self, name: str, values: Any) -> None:
        """Assign all values of a variable: ``ds["t"] = values`` is ``ds["t"][...] = values``.

        Values of xarray become stored values: a missing value becomes the mask. A variable is
        created if none has the name, as in xarray and h5py.

        Raises
        ------
        TypeError
            If the dataset was opened to read, or values of xarray are unpacked.
        """
        variable = self._find(name)
        if variable is None:
            from ncz.api.new_members import create_from_values

            create_from_values(self, name, values)
            return
        if not isinstance(variable, Variable):
            raise TypeError(f"{name!r} is a group, which has no values")
        assign_whole(variable, values)

    def __delitem__(self, name: str) -> None:
        """Remove a variable or a group, with its data, from a dataset that is open to be changed.

        Raises
        ------
        KeyError
            If nothing has that name.
        TypeError
            If the dataset was opened to read.
        """
        from ncz.api.name_changes import remove

        remove(self, self[name]._path)

    def _find(self, name: object) -> Variable | Group | None:
        """Return the member at a name or a path, or None."""
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

    def __getattr__(self, name: str) -> Any:
        """Return the value of an attribute, or else the variable or group with a name: ``ds.t2m``.

        Other names come from xarray: ``ds.mean("time")``.
        """
        if "_record" in vars(self) and not name.startswith("_") and name not in self.attrs:
            member = self._find(name)
            if member is not None:
                return member
        return super().__getattr__(name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *filter(str.isidentifier, self)]

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
        return _text(self)

    def _repr_html_(self) -> str:
        return notebook.group_html(_description(self))


def group_of(variable: Variable) -> Group:
    """Return the group of a variable."""
    handle = variable._handle
    root = Group(handle, handle.dataset.root, "")
    path = parent(variable.path)
    group: Group = root[path] if path else root
    return group


def _restore(handle: Handle, path: str) -> Any:
    return Group(handle, handle.dataset.root, "")[path]


def _text(group: Group) -> str:
    """Describe a dataset or a group as ``ncz dump --summary`` does, without reading values."""
    path = "" if group.path == "/" else group.path
    return "\n".join(summarise_group(group.dataset_record, path, notebook.WIDTH))


def _description(group: Group) -> notebook.GroupDescription:
    """Describe a group and its groups, for a notebook."""
    unlimited = group.unlimited_dims
    return notebook.GroupDescription(
        title=_text(group).partition("\n")[0],
        dimensions=", ".join(
            f"{name}: {size}" + (" (unlimited)" if name in unlimited else "")
            for name, size in group.dims.items()
        ),
        attributes=notebook.attribute_rows(typed_attributes(group.group_record.attributes)),
        variables=tuple(map(describe_variable, group.variables.values())),
        groups=tuple((name, _description(below)) for name, below in group.groups.items()),
    )

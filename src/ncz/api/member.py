"""A group or a variable of an open dataset: its attributes, as netCDF4 reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from inspect import ismethod
from typing import Any

from ncz.api.array_operators import through_xarray
from ncz.api.attributes import Attributes, given_attributes, plain_attributes, refuse
from ncz.api.handle import Handle
from ncz.errors import did_you_mean, list_names
from ncz.model.tree import Group, Variable


class Member:
    """A part with attributes: a group or a variable.

    They can be read and written as netCDF4 does it: ``variable.units``.
    """

    _handle: Handle
    _record: Any
    _names_of_xarray: frozenset[str] = frozenset()
    """The names that are read from `to_xarray`."""
    _names_of_libraries: Mapping[str, Callable[[Any], Any]] = {}
    """The names of other libraries, and the functions that return their values."""
    _dataset_class: Any
    """The class of datasets, which groups and variables need to return their own."""

    def __init__(self, handle: Handle, record: Any, path: str) -> None:
        self._handle = handle
        self._record = record
        self._path = path
        self._generation = handle.generation

    def to_xarray(self, **options: Any) -> Any:
        """Return the same in xarray; the options are passed to `xarray.open_dataset`."""
        raise NotImplementedError

    def _refresh(self) -> None:
        """Take the record of the dataset that was opened last, after it was changed."""
        if self._generation != self._handle.generation:
            self._record = record_at(self._handle, self._path)
            self._generation = self._handle.generation
            for name in ("_attributes", "_packing"):
                vars(self).pop(name, None)

    def _forget(self) -> None:
        """Forget the members and attributes that were read; they have changed."""
        self._generation = -1
        for name in ("variables", "groups", "_attributes", "_packing", "dtype"):
            vars(self).pop(name, None)

    def _show(self, *, unpacked: bool) -> None:
        """Show values unpacked, or as stored."""
        handle = self._handle.unpack() if unpacked else self._handle.stored_handle()
        object.__setattr__(self, "_handle", handle)
        self._forget()
        handle.told = None

    @property
    def attrs(self) -> dict[str, Any]:
        """The attributes as plain Python values: `str`, `int`, `float`, and lists of them.

        Their types are in the attributes of the record. Attributes of a dataset opened with
        ``ncz.open(url, "r+")`` can be changed: ``attrs["units"] = "K"``. Each change is written
        immediately, and `dict.update` makes several changes as one.
        """
        self._refresh()
        return self._attributes

    @attrs.setter
    def attrs(self, values: Mapping[str, Any]) -> None:
        self._refresh()
        self._attributes.replace(values)

    @cached_property
    def _attributes(self) -> Attributes:
        handle, path = self._handle, self._path
        values = plain_attributes(self._record.attributes)
        if not handle.is_writable:
            return Attributes(values, refuse)  # they do not keep the dataset open

        def change(changed: Mapping[str, Any], deleted: Sequence[str]) -> dict[str, Any]:
            from ncz.api.attribute_changes import change_attributes

            change_attributes(handle, path, changed, deleted)
            return plain_attributes(record_at(handle, path).attributes)

        return Attributes(values, change)

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
            from ncz.api.foreign_attributes import OTHERS

            known = f"it has {list_names(list(self.attrs)) or 'none'}"
            hint = OTHERS.get(name) or _elsewhere(self, name)
            hint = hint or did_you_mean(name, self.attrs, known)
            raise AttributeError(f"no attribute is named {name!r}; {hint}")
        return self.attrs[name]

    def setncattr(self, name: str, value: Any) -> None:
        """Set an attribute, as netCDF4 does; ``attrs[name] = value`` is the same.

        Parameters
        ----------
        name
            The name of the attribute.
        value
            Text, numbers, or a list of them.

        Raises
        ------
        TypeError
            If the dataset was opened to read, or the value cannot be stored.
        """
        self.attrs[name] = value

    def setncatts(self, values: Mapping[str, Any]) -> None:
        """Set attributes by name, as netCDF4 does; ``attrs.update(values)`` is the same."""
        self.attrs.update(given_attributes(values))

    def delncattr(self, name: str) -> None:
        """Delete an attribute, as netCDF4 does; ``del attrs[name]`` is the same.

        Parameters
        ----------
        name
            The name of the attribute.

        Raises
        ------
        AttributeError
            If the attribute does not exist.
        """
        self.getncattr(name)
        del self.attrs[name]

    def __getattr__(self, name: str) -> Any:
        """Return the value of an attribute that has no other meaning: ``variable.units``.

        Names that are not attributes come from xarray: ``variable.mean("time")``.
        """
        if name.startswith("__") or "_record" not in vars(self):  # it is not complete yet
            raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")
        if name in self._names_of_libraries and name not in self.attrs:
            return self._names_of_libraries[name](self)
        if name in self._names_of_xarray and name not in self.attrs:
            try:
                value = getattr(self.to_xarray(), name)
                return through_xarray(value) if ismethod(value) else value
            except ImportError:
                raise AttributeError(
                    f"no attribute is named {name!r}; .{name} of xarray needs ncz[xarray]"
                ) from None
        return self.getncattr(name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute: ``variable.units = "K"`` is ``variable.attrs["units"] = "K"``."""
        if name == "attrs" or name.startswith("_"):
            object.__setattr__(self, name, value)
        elif hasattr(type(self), name):
            raise AttributeError(
                f"{name!r} cannot be assigned; .attrs[{name!r}] = ... sets an attribute"
            )
        else:
            self.attrs[name] = value

    def __delattr__(self, name: str) -> None:
        """Delete an attribute: ``del variable.units``."""
        if name.startswith("_"):
            object.__delattr__(self, name)
        else:
            self.delncattr(name)


def _elsewhere(member: Member, name: str) -> str | None:
    """Return a hint for a name that variables have, of a group, or the other way round."""
    from ncz.api.group_names import OF_GROUPS
    from ncz.api.variable_names import OF_VARIABLES

    if name in OF_VARIABLES and isinstance(member._record, Group):
        return f"variables have it: ds['NAME'].{name}"
    return f"groups and datasets have it: ds.{name}" if name in OF_GROUPS else None


def record_at(handle: Handle, path: str) -> Any:
    """Return the record of the variable or the group at a path of a dataset."""
    group = handle.dataset.root
    *outer, name = path.strip("/").split("/")
    for each in outer:
        group = next(inner for inner in group.groups if inner.name == each)
    if not name:
        return group
    members: tuple[Variable | Group, ...] = (*group.variables, *group.groups)
    return next(each for each in members if each.name == name)

"""A group or a variable of an open dataset: its attributes, as netCDF4 reads them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from ncz.api.attributes import plain_attributes
from ncz.api.handle import Handle
from ncz.errors import did_you_mean, list_names


class Member:
    """A part with attributes: a group or a variable. They can be read as netCDF4 reads them."""

    _handle: Handle
    _record: Any
    _names_of_xarray: frozenset[str] = frozenset()
    """The names that are read from `to_xarray`."""

    def __init__(self, handle: Handle, record: Any, path: str) -> None:
        self._handle = handle
        self._record = record
        self._path = path

    def to_xarray(self, **options: Any) -> Any:
        """Return the same in xarray; the options are those of `xarray.open_dataset`."""
        raise NotImplementedError

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
            from ncz.api.foreign_attributes import OTHERS

            known = f"it has {list_names(list(self.attrs)) or 'none'}"
            hint = OTHERS.get(name) or did_you_mean(name, self.attrs, known)
            raise AttributeError(f"no attribute is named {name!r}; {hint}")
        return self.attrs[name]

    def __getattr__(self, name: str) -> Any:
        """Return the value of an attribute that has no other meaning: ``variable.units``.

        Names that are no attributes are those of xarray: ``variable.mean("time")``.
        """
        if name.startswith("__") or "_record" not in vars(self):  # it is not complete yet
            raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")
        if name in self._names_of_xarray and name not in self.attrs:
            try:
                return getattr(self.to_xarray(), name)
            except ImportError:
                raise AttributeError(
                    f"no attribute is named {name!r}; .{name} of xarray needs ncz[xarray]"
                ) from None
        return self.getncattr(name)

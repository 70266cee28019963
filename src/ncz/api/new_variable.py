"""A variable of a new dataset: its values are in memory, and grow along unlimited dimensions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ncz.api.attribute_changes import attribute_of
from ncz.api.attributes import given_attributes
from ncz.api.dtype_conversion import represent
from ncz.late import numpy as np
from ncz.model.data import MemoryArray, Values, dtype_of, fill_array
from ncz.model.tree import Attribute, Storage, Variable
from ncz.model.types import Atomic


class AttributeOwner:
    """Something with attributes: ``v.units = "m"``, ``v.attrs["units"] = "m"``."""

    attrs: dict[str, Any]
    """The attributes, by name."""

    def __init__(self) -> None:
        object.__setattr__(self, "attrs", {})

    def setncattr(self, name: str, value: Any) -> None:
        """Set an attribute."""
        attribute_of(name, value)  # raises `TypeError` now, rather than when it is written
        self.attrs[name] = value

    def setncatts(self, attributes: Mapping[str, Any]) -> None:
        """Set several attributes."""
        for name, value in given_attributes(attributes).items():
            self.setncattr(name, value)

    def ncattrs(self) -> list[str]:
        """Return the names of the attributes."""
        return list(self.attrs)

    def getncattr(self, name: str) -> Any:
        """Return the value of an attribute."""
        return self.attrs[name]

    def delncattr(self, name: str) -> None:
        """Remove an attribute."""
        del self.attrs[name]

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        else:
            self.setncattr(name, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self.attrs:
            raise AttributeError(f"no attribute is named {name!r}")
        return self.attrs[name]

    def attribute_records(self) -> tuple[Attribute, ...]:
        """Return the attributes of the model."""
        return tuple(attribute_of(name, value) for name, value in self.attrs.items())


class NewDimension:
    """A dimension of a new dataset; an unlimited one is as long as the data written along it."""

    def __init__(self, name: str, size: int, *, unlimited: bool) -> None:
        self.name = name
        self.size = size
        self.unlimited = unlimited

    def isunlimited(self) -> bool:
        """Return whether the dimension is unlimited."""
        return self.unlimited

    def __len__(self) -> int:
        return self.size


class NewVariable(AttributeOwner):
    """A variable of a new dataset.

    Values that were never assigned are the fill value, as in netCDF. If there are attributes
    ``scale_factor`` or ``add_offset``, values are packed when they are assigned, as in netCDF4.
    """

    def __init__(
        self, name: str, nc_type: Atomic, over: Sequence[tuple[str, NewDimension]], fill: Any
    ) -> None:
        super().__init__()
        self._name = name
        self._type = nc_type
        self._over = tuple(over)
        self._fill = _default_fill(nc_type) if fill is None or fill is False else fill
        if fill is not None and fill is not False:
            self.attrs["_FillValue"] = dtype_of(nc_type).type(fill) if nc_type.kind != "O" else fill
        self._values: Values | None = None

    def fill_unwritten(self, fill: Any) -> None:
        """Give elements that are never written another value, before any is written."""
        self._fill = fill

    @property
    def name(self) -> str:
        """The name of the variable."""
        return self._name

    @property
    def record_type(self) -> Atomic:
        """The type of netCDF."""
        return self._type

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The names of the dimensions."""
        return tuple(dimension.name for _, dimension in self._over)

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the dimensions."""
        return tuple(dimension.size for _, dimension in self._over)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._over)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the values."""
        return dtype_of(self._type)

    def __len__(self) -> int:
        if not self._over:
            raise TypeError("a scalar has no length")
        return self.shape[0]

    def __getitem__(self, index: Any) -> Any:
        found = self._whole()[index]
        scale, offset = self._factors()
        return found if (scale, offset) == (1, 0) else found * scale + offset

    def __setitem__(self, index: Any, values: Any) -> None:
        given = self._stored_values(values)
        whole = self._index(index)
        self._grow(whole, given)
        self._whole()[whole if self._over else ...] = given

    def record(self) -> Variable:
        """Return the variable of the model; without data if none was ever written."""
        data = None
        if self._values is not None:
            values = self._whole()
            if self._type is Atomic.CHAR:
                values = values.astype("S1")
            data = MemoryArray(values, self._type, fill=self._fill)
        return Variable(
            name=self.name,
            type=self._type,
            dimensions=tuple(fqn for fqn, _ in self._over),
            attributes=self.attribute_records(),
            storage=Storage(fill=self._fill),
            data=data,
        )

    def attribute_records(self) -> tuple[Attribute, ...]:
        """Return the attributes of the model; the mask has the type of the variable."""
        return tuple(
            Attribute(name=each.name, type=self._type, values=each.values)
            if each.name == "_FillValue"
            else each
            for each in super().attribute_records()
        )

    def _factors(self) -> tuple[float, float]:
        return self.attrs.get("scale_factor", 1), self.attrs.get("add_offset", 0)

    def _stored_values(self, values: Any) -> Values:
        """Return values in their stored form: packed, and with the fill value where masked."""
        given = values
        if self._type is Atomic.STRING:
            given = np.asarray(values, "O")
        elif not isinstance(values, np.ma.MaskedArray):
            given = np.asarray(values)
        scale, offset = self._factors()
        if (scale, offset) != (1, 0):
            given = (given - offset) / scale
            given = given if self._type.is_floating else np.ma.MaskedArray(given).round()
        if not isinstance(given, np.ma.MaskedArray):
            return represent(given, self.dtype)
        masked = np.ma.getmaskarray(given)
        zeros = np.zeros((), given.dtype)
        found = represent(np.where(masked, zeros, np.ma.getdata(given)), self.dtype)
        return np.where(masked, np.asarray(self._fill, self.dtype), found)

    def _index(self, index: Any) -> tuple[Any, ...]:
        """Return an index with one part for each dimension."""
        parts = index if isinstance(index, tuple) else (index,)
        if Ellipsis in parts:
            at = parts.index(Ellipsis)
            gap = (slice(None),) * (self.ndim - len(parts) + 1)
            parts = (*parts[:at], *gap, *parts[at + 1 :])
        if len(parts) > self.ndim:
            raise IndexError(f"{self.name} has {self.ndim} dimensions, and the index {len(parts)}")
        return (*parts, *(slice(None),) * (self.ndim - len(parts)))

    def _grow(self, index: tuple[Any, ...], given: Values) -> None:
        """Make unlimited dimensions as long as an assignment needs."""
        lengths = list(given.shape)
        for part, (_, dimension) in reversed([*zip(index, self._over, strict=True)]):
            length = None if _is_number(part) or not lengths else lengths.pop()
            if dimension.unlimited:
                dimension.size = max(dimension.size, _needed_length(part, length, dimension.size))

    def _whole(self) -> Values:
        """Return the values in the present shape, which programs may change.

        The array behind them is longer than needed, so that records that are written one by one
        are copied few times.
        """
        if self._values is None:
            self._values = fill_array(self.shape, self._type, self._fill)
        present = self._values.shape
        if any(n < size for n, size in zip(present, self.shape, strict=True)):
            shape = tuple(
                n if size <= n else max(size, 2 * n)
                for n, size in zip(present, self.shape, strict=True)
            )
            grown = fill_array(shape, self._type, self._fill)
            grown[tuple(slice(0, n) for n in present)] = self._values
            self._values = grown
        used: tuple[Any, ...] = (*(slice(0, size) for size in self.shape), ...)
        whole: Values = self._values[used]
        return whole


def _is_number(part: Any) -> bool:
    return isinstance(part, (int, np.integer)) and not isinstance(part, bool)


def _needed_length(part: Any, length: int | None, size: int) -> int:
    """Return the length of a dimension that a part of an index needs for values of a length."""
    if _is_number(part):
        return int(part) + 1
    if not isinstance(part, slice):
        chosen = np.asarray(part)
        return int(chosen.max(initial=-1)) + 1 if chosen.dtype.kind in "iu" else size
    start, step = part.start or 0, part.step or 1
    if start < 0 or step < 0 or (part.stop is not None and part.stop < 0):
        return size
    if part.stop is not None:
        return start + step * (math.ceil((part.stop - start) / step) - 1) + 1 if part.stop else size
    return size if length is None else start + step * (length - 1) + 1


def _default_fill(nc_type: Atomic) -> Any:
    return "" if nc_type is Atomic.STRING else nc_type.default_fill

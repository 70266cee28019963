"""Attributes of a dataset, a group or a variable as dictionaries of plain Python values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from ncz.api.values import attribute_value
from ncz.model.tree import Attribute

if TYPE_CHECKING:
    from typing import Self

Change = Callable[[Mapping[str, Any], Sequence[str]], Mapping[str, Any]]


class Attributes(dict[str, Any]):
    """Attributes of a variable or a group; changes are written to the dataset immediately.

    `change` sets the attributes in a dictionary and deletes the names in a list, and returns all.
    """

    def __init__(self, values: Mapping[str, Any], change: Change) -> None:
        super().__init__(values)
        self._change = change

    def _write(self, changed: Mapping[str, Any], deleted: Sequence[str] = ()) -> None:
        """Make changes; without any, find out whether there may be some."""
        values = self._change(changed, deleted)
        super().clear()
        super().update(values)

    def replace(self, values: Mapping[str, Any]) -> None:
        """Set these attributes, and delete all others."""
        self._write(values, [name for name in self if name not in values])

    def __setitem__(self, name: str, value: Any) -> None:
        self._write({name: value})

    def __delitem__(self, name: str) -> None:
        if name not in self:
            self._write({})
            raise KeyError(name)
        self._write({}, [name])

    def update(self, *values: Any, **named: Any) -> None:
        """Set attributes, all of them or none."""
        self._write(dict(*values, **named))

    def __ior__(self, values: Any) -> Self:  # type: ignore[override,misc]
        self.update(values)
        return self

    def setdefault(self, name: str, default: Any = None) -> Any:
        """Return an attribute, which is set if it does not exist."""
        if name not in self:
            self[name] = default
        return self[name]

    def pop(self, name: str, *default: Any) -> Any:
        """Delete an attribute, and return its value."""
        if name not in self:
            self._write({})
            return super().pop(name, *default)
        value = self[name]
        del self[name]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Delete the last attribute, and return its name and its value."""
        if not self:
            raise KeyError("there are no attributes")
        name = next(reversed(self))
        return name, self.pop(name)

    def clear(self) -> None:
        """Delete all attributes."""
        self._write({}, list(self))

    def put(self, values: Mapping[str, Any]) -> None:
        """Replace all attributes, as zarr-python does."""
        self.replace(values)

    def asdict(self) -> dict[str, Any]:
        """Return them as a plain dictionary, as zarr-python does."""
        return dict(self)

    def create(self, name: str, data: Any, *_: Any, **__: Any) -> None:
        """Set an attribute, as h5py does."""
        self[name] = data

    modify = create

    def __reduce__(self) -> Any:
        """Pickle and copy them as a plain dictionary."""
        return dict, (dict(self),)


def refuse(changed: Mapping[str, Any], deleted: Sequence[str]) -> NoReturn:
    """Raise `TypeError` for a change of attributes of a dataset that is open to read."""
    raise TypeError(
        'the dataset is open to read; open it with ncz.open(url, "r+"), or use ncz.edit'
    )


def typed_attributes(attributes: Iterable[Attribute]) -> dict[str, Any]:
    """Return attributes by name; numbers have the dtypes of their types."""
    return {attribute.name: attribute_value(attribute) for attribute in attributes}


def plain_attributes(attributes: Iterable[Attribute]) -> dict[str, Any]:
    """Return attributes by name as `str`, `int`, `float`, `bytes`, and lists and tuples of them."""
    typed = typed_attributes(attributes)
    return {name: _plain(value) for name, value in typed.items()}


def given_attributes(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return attributes that are given by name, also as ``variable.__dict__`` of an open dataset.

    The mask is not among those, because netCDF4 takes it when a variable is created.
    """
    record = values.get("_record")
    if record is None or "_handle" not in values:
        return values
    found = plain_attributes(record.attributes)
    found.pop("_FillValue", None)
    return found


def _plain(value: Any) -> Any:
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, list | tuple):
        return type(value)(map(_plain, value))
    return value

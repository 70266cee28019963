"""Attributes of a dataset, a group or a variable as dictionaries of plain Python values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from ncz.api.values import attribute_value
from ncz.model.tree import Attribute


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

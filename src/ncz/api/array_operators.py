"""Operators and functions of numpy on variables and datasets, which xarray carries out.

The results are xarray's: ``ds["t"] - 273.15`` is unpacked and masked, as
``ds["t"].mean()`` is.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ncz.late import numpy as np

_ARITHMETIC = (
    *(f"__{prefix}{name}__" for prefix in ("", "r")
      for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")),
    "__and__", "__or__", "__xor__", "__rand__", "__ror__", "__rxor__",
    "__neg__", "__pos__", "__abs__", "__invert__", "__lt__", "__le__", "__gt__", "__ge__",
)  # fmt: skip


def in_xarray(value: Any) -> Any:
    """Convert variables and datasets of ncz to xarray's, also in a list; return others as given."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(in_xarray, value)) if type(value) in (list, tuple) else value
    return value.to_xarray() if hasattr(value, "_names_of_xarray") else value


def through_xarray(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of xarray that takes variables and datasets of ncz too."""

    @functools.wraps(method)
    def call(*arguments: Any, **named: Any) -> Any:
        given = {name: in_xarray(value) for name, value in named.items()}
        return method(*map(in_xarray, arguments), **given)

    return call


def _operator(name: str) -> Callable[..., Any]:
    def operate(self: Any, *others: Any) -> Any:
        try:
            ours = self.to_xarray()
        except ImportError:
            return NotImplemented
        return getattr(ours, name)(*map(in_xarray, others))

    operate.__name__ = name
    return operate


class ArrayOperators:
    """The operators of Python, for variables and datasets."""


for _name in _ARITHMETIC:
    setattr(ArrayOperators, _name, _operator(_name))


class ElementOperators(ArrayOperators):
    """The operators of Python and the functions of numpy, for variables."""

    __eq__ = _operator("__eq__")
    __ne__ = _operator("__ne__")
    __hash__ = object.__hash__

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        """Carry out a function of numpy, such as `numpy.sqrt`."""
        try:
            given = [in_xarray(each) for each in inputs]
        except ImportError:
            given = [np.asarray(e) if isinstance(e, ElementOperators) else e for e in inputs]
        return getattr(ufunc, method)(*given, **named)

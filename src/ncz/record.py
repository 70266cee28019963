"""Frozen records: what ``dataclass(frozen=True, slots=True)`` makes, at a tenth of its cost.

A command that prints a header declares some forty of them and makes instances of half. The standard
decorator compiles six methods for each, which takes longer than all the rest of such a command.
Here methods are shared, and ``__init__`` is compiled when the first instance is made. To a type
checker, to `copy`, `pickle`, `inspect` and `dataclasses` a record is a frozen dataclass.

This module imports nothing of ours: every layer declares records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, dataclass_transform, overload

Class = TypeVar("Class", bound=type)
Instance = TypeVar("Instance")

_NOT_GIVEN: Any = type("_NotGiven", (), {"__slots__": (), "__repr__": lambda _: "<made>"})()


class _Field:
    """What `field` says of one field."""

    __slots__ = ("compare", "default", "factory", "hash", "repr")

    def __init__(
        self, default: Any, factory: Any, compare: bool, hash: bool | None, repr: bool
    ) -> None:
        self.default = default
        self.factory = factory
        self.compare = compare
        self.hash = compare if hash is None else hash
        self.repr = repr


def field(
    *,
    default: Any = _NOT_GIVEN,
    default_factory: Callable[[], Any] = _NOT_GIVEN,
    compare: bool = True,
    hash: bool | None = None,
    repr: bool = True,
) -> Any:
    """Say more of a field than its type and default; as `dataclasses.field`."""
    return _Field(default, default_factory, compare, hash, repr)


@overload
def record(cls: Class, /) -> Class: ...
@overload
def record(*, kw_only: bool = ...) -> Callable[[Class], Class]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: Any = None, /, *, kw_only: bool = False) -> Any:
    """Make a class of annotated names a frozen record with slots.

    Two are equal if their classes and fields are; so are their hashes. A method ``__post_init__``
    is called last. Records do not inherit from each other.
    """
    return _made(cls, kw_only) if cls is not None else lambda cls: _made(cls, kw_only)


def replace(instance: Instance, /, **changes: Any) -> Instance:
    """A copy of a record in which `changes` hold; as `dataclasses.replace`."""
    return type(instance)(**(dict(_items(instance)) | changes))


def _items(instance: Any) -> Iterator[tuple[str, Any]]:
    return ((name, getattr(instance, name)) for name in instance.__slots__)


def _made(cls: Any, kw_only: bool) -> Any:
    """The class anew: slots must be known when it is made, and defaults are in their way."""
    members = dict(cls.__dict__)
    del members["__dict__"], members["__weakref__"]
    fields: dict[str, _Field] = {}
    for name in cls.__annotations__:
        said = members.pop(name, _NOT_GIVEN)
        fields[name] = said if isinstance(said, _Field) else field(default=said)
    members |= _SHARED
    members["__slots__"] = tuple(fields)
    members["__match_args__"] = () if kw_only else tuple(fields)
    members["_compared"] = _values(name for name, said in fields.items() if said.compare)
    members["_hashed"] = _values(name for name, said in fields.items() if said.hash)
    members["_shown"] = tuple(name for name, said in fields.items() if said.repr)
    made = type(cls)(cls.__name__, cls.__bases__, members)

    def __init__(self: Any, *arguments: Any, **named: Any) -> None:
        made.__init__ = _init(made, fields, kw_only)
        made.__init__(self, *arguments, **named)

    made.__init__ = __init__
    made.__signature__ = _Late(lambda: _signature(_init(made, fields, kw_only)))
    made.__dataclass_fields__ = _Late(lambda: _standard_fields(made, fields, kw_only))
    return made


def _values(names: Iterable[str]) -> Callable[[Any], tuple[Any, ...]]:
    """What gives the values of those fields of a record."""
    several = tuple(names)
    if len(several) > 1:
        return attrgetter(*several)
    return staticmethod(lambda instance: tuple(getattr(instance, name) for name in several))


def _init(made: Any, fields: dict[str, _Field], kw_only: bool) -> Callable[..., None]:
    """The method that fills the slots, compiled for these fields."""
    known: dict[str, Any] = {"_not_given": _NOT_GIVEN}
    parameters = ["self", "*"] if kw_only and fields else ["self"]
    lines = []
    for name, said in fields.items():
        known[f"_set_{name}"] = made.__dict__[name].__set__
        parameter = value = name
        if said.factory is not _NOT_GIVEN:
            known[f"_make_{name}"] = said.factory
            parameter = f"{name}=_not_given"
            value = f"_make_{name}() if {name} is _not_given else {name}"
        elif said.default is not _NOT_GIVEN:
            known[f"_default_{name}"] = said.default
            parameter = f"{name}=_default_{name}"
        parameters.append(parameter)
        lines.append(f"_set_{name}(self, {value})")
    if hasattr(made, "__post_init__"):
        lines.append("self.__post_init__()")
    body = "\n ".join(lines or ["pass"])
    exec(f"def __init__({', '.join(parameters)}):\n {body}", known)
    compiled: Callable[..., None] = known["__init__"]
    compiled.__qualname__ = f"{made.__qualname__}.__init__"
    return compiled


class _Late:
    """An attribute of a class that is made when it is asked for: it costs an import."""

    __slots__ = ("make",)

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make

    def __get__(self, instance: object, owner: type) -> Any:
        return self.make()


def _signature(function: Callable[..., None]) -> Any:
    from inspect import signature

    whole = signature(function)
    return whole.replace(parameters=list(whole.parameters.values())[1:])


def _standard_fields(made: Any, fields: dict[str, _Field], kw_only: bool) -> dict[str, Any]:
    """The fields as `dataclasses` knows them, by which it sees that this is a dataclass."""
    import dataclasses

    specified: list[tuple[str, Any, Any]] = []
    for name, said in fields.items():
        keywords: dict[str, Any] = {"compare": said.compare, "hash": said.hash, "repr": said.repr}
        if said.factory is not _NOT_GIVEN:
            keywords["default_factory"] = said.factory
        elif said.default is not _NOT_GIVEN:
            keywords["default"] = said.default
        specified.append((name, made.__annotations__[name], dataclasses.field(**keywords)))
    twin = dataclasses.make_dataclass(made.__name__, specified, frozen=True, kw_only=kw_only)
    return {each.name: each for each in dataclasses.fields(twin)}


def _repr(self: Any) -> str:
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._shown)
    return f"{type(self).__qualname__}({shown})"


def _eq(self: Any, other: Any) -> Any:
    if type(other) is not type(self):
        return NotImplemented
    return self._compared(self) == self._compared(other)


def _hash(self: Any) -> int:
    return hash(self._hashed(self))


def _setattr(self: Any, name: str, value: object) -> NoReturn:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delattr(self: Any, name: str) -> NoReturn:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _getstate(self: Any) -> list[Any]:
    return [value for _, value in _items(self)]


def _setstate(self: Any, state: list[Any]) -> None:
    for name, value in zip(self.__slots__, state, strict=True):
        object.__setattr__(self, name, value)


_SHARED: dict[str, Any] = {
    "__repr__": _repr,
    "__eq__": _eq,
    "__hash__": _hash,
    "__setattr__": _setattr,
    "__delattr__": _delattr,
    "__getstate__": _getstate,
    "__setstate__": _setstate,
    "__replace__": replace,
}

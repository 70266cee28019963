"""Frozen records: like ``dataclass(frozen=True, slots=True)``, at a tenth of its cost.

A command that prints a header declares some forty records and uses half of them. The standard
decorator compiles six methods for each, which takes longer than the rest of the command. Here
methods are shared, and ``__init__`` is compiled only for a class with more than a few instances.
Type checkers, `copy`, `pickle`, `inspect` and `dataclasses` treat a record as a frozen dataclass.

This module imports nothing from ncz, as every layer declares records.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, dataclass_transform, overload

Class = TypeVar("Class", bound=type)
Instance = TypeVar("Instance")

_MOST_FILLED_BY_FIELD = 40
"""So many instances take less time to fill field by field than an ``__init__`` to compile."""

_NOT_GIVEN: Any = type("_NotGiven", (), {"__slots__": (), "__repr__": lambda _: "<made>"})()


class _Field:
    """The properties of one field."""

    __slots__ = ("compare", "default", "factory", "hash", "repr")

    def __init__(
        self,
        default: Any,
        factory: Any,
        compare: bool,
        hash: bool | None,
        repr: bool,
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
    """Specify the properties of a field, like `dataclasses.field`."""
    return _Field(default, default_factory, compare, hash, repr)


_REQUIRED: _Field = field()


@overload
def record(cls: Class, /) -> Class: ...
@overload
def record(*, kw_only: bool = ...) -> Callable[[Class], Class]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: Any = None, /, *, kw_only: bool = False) -> Any:
    """Turn a class of annotated names into a frozen record with slots.

    Records are equal if their classes and compared fields are. A method ``__post_init__`` is called
    last. Records do not inherit from each other.
    """
    return _make_class(cls, kw_only) if cls is not None else lambda cls: _make_class(cls, kw_only)


def replace(instance: Instance, /, **changes: Any) -> Instance:
    """Copy a record with some fields changed, like `dataclasses.replace`."""
    made: Any = instance
    values = dict(zip(made.__slots__, made._all(instance), strict=True))
    return type(instance)(**(values | changes))


def _make_class(cls: Any, kw_only: bool) -> Any:
    """Create the class again: slots must be known at creation, and defaults conflict with them."""
    members = dict(cls.__dict__)
    del members["__dict__"], members["__weakref__"]
    fields: dict[str, _Field] = {}
    for name in cls.__annotations__:
        spec = members.pop(name, _NOT_GIVEN)
        if spec is _NOT_GIVEN:
            fields[name] = _REQUIRED
        else:
            fields[name] = spec if isinstance(spec, _Field) else field(default=spec)
    own_repr = members.get("__repr__", _repr)
    members |= _SHARED
    members["__repr__"] = own_repr
    members["__slots__"] = tuple(fields)
    members["_fields"] = fields
    members["__match_args__"] = () if kw_only else tuple(fields)
    compared = tuple(name for name, spec in fields.items() if spec.compare)
    hashed = tuple(name for name, spec in fields.items() if spec.hash)
    members["_all"] = _values_getter(tuple(fields))
    members["_compared"] = (
        members["_all"] if len(compared) == len(fields) else _values_getter(compared)
    )
    members["_hashed"] = members["_compared"] if hashed == compared else _values_getter(hashed)
    members["_shown"] = tuple(name for name, spec in fields.items() if spec.repr)
    instances = 0

    def __init__(self: Any, *arguments: Any, **named: Any) -> None:
        nonlocal instances
        instances += 1
        if instances > _MOST_FILLED_BY_FIELD or not _fill(self, fields, kw_only, arguments, named):
            record_class.__init__ = _init(record_class, fields, kw_only)
            record_class.__init__(self, *arguments, **named)

    members["__init__"] = __init__
    members["__signature__"] = _LazyAttribute(
        lambda: _signature(_init(record_class, fields, kw_only))
    )
    members["__dataclass_fields__"] = _LazyAttribute(
        lambda: _standard_fields(record_class, fields, kw_only)
    )
    record_class = type(cls)(cls.__name__, cls.__bases__, members)
    return record_class


def _values_getter(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that returns the values of these fields of a record."""
    if len(names) > 1:
        return attrgetter(*names)
    return staticmethod(lambda instance: tuple(getattr(instance, name) for name in names))


def _fill(
    self: Any,
    fields: dict[str, _Field],
    kw_only: bool,
    arguments: tuple[Any, ...],
    named: dict[str, Any],
) -> bool:
    """Set the fields of a new record; return False if the arguments are wrong."""
    if arguments:
        if kw_only or len(arguments) > len(fields):
            return False
        first = dict(zip(fields, arguments, strict=False))
        if not first.keys().isdisjoint(named):
            return False
        named = first | named
    if not named.keys() <= fields.keys():
        return False
    put = object.__setattr__
    for name, spec in fields.items():
        if name in named:
            put(self, name, named[name])
        elif spec.factory is not _NOT_GIVEN:
            put(self, name, spec.factory())
        elif spec.default is not _NOT_GIVEN:
            put(self, name, spec.default)
        else:
            return False
    if hasattr(self, "__post_init__"):
        self.__post_init__()
    return True


def _init(record_class: Any, fields: dict[str, _Field], kw_only: bool) -> Callable[..., None]:
    """Compile the ``__init__`` of these fields."""
    known: dict[str, Any] = {"_not_given": _NOT_GIVEN}
    parameters = ["self", "*"] if kw_only and fields else ["self"]
    lines = []
    for name, spec in fields.items():
        known[f"_set_{name}"] = record_class.__dict__[name].__set__
        parameter = value = name
        if spec.factory is not _NOT_GIVEN:
            known[f"_make_{name}"] = spec.factory
            parameter = f"{name}=_not_given"
            value = f"_make_{name}() if {name} is _not_given else {name}"
        elif spec.default is not _NOT_GIVEN:
            known[f"_default_{name}"] = spec.default
            parameter = f"{name}=_default_{name}"
        parameters.append(parameter)
        lines.append(f"_set_{name}(self, {value})")
    if hasattr(record_class, "__post_init__"):
        lines.append("self.__post_init__()")
    body = "\n ".join(lines or ["pass"])
    exec(f"def __init__({', '.join(parameters)}):\n {body}", known)
    compiled: Callable[..., None] = known["__init__"]
    compiled.__qualname__ = f"{record_class.__qualname__}.__init__"
    return compiled


class _LazyAttribute:
    """A class attribute that is computed on its first access, as it needs an import."""

    __slots__ = ("make", "value")

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make
        self.value = _NOT_GIVEN

    def __get__(self, instance: object, owner: type) -> Any:
        if self.value is _NOT_GIVEN:
            self.value = self.make()
        return self.value


def _signature(function: Callable[..., None]) -> Any:
    from inspect import signature

    whole = signature(function)
    return whole.replace(parameters=list(whole.parameters.values())[1:])


def _standard_fields(record_class: Any, fields: dict[str, _Field], kw_only: bool) -> dict[str, Any]:
    """Return the fields of `dataclasses`, which identify a dataclass."""
    import dataclasses

    specified: list[tuple[str, Any, Any]] = []
    for name, spec in fields.items():
        keywords: dict[str, Any] = {"compare": spec.compare, "hash": spec.hash, "repr": spec.repr}
        if spec.factory is not _NOT_GIVEN:
            keywords["default_factory"] = spec.factory
        elif spec.default is not _NOT_GIVEN:
            keywords["default"] = spec.default
        specified.append((name, record_class.__annotations__[name], dataclasses.field(**keywords)))
    twin = dataclasses.make_dataclass(
        record_class.__name__, specified, frozen=True, kw_only=kw_only
    )
    return {each.name: each for each in dataclasses.fields(twin)}


def _repr(self: Any) -> str:
    fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._shown)
    return f"{type(self).__qualname__}({fields})"


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


def _getstate(self: Any) -> tuple[Any, ...]:
    values: tuple[Any, ...] = self._all(self)
    return values


def _setstate(self: Any, state: tuple[Any, ...]) -> None:
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

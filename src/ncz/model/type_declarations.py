"""Declarations of user-defined types as JSON objects.

Source: docs/reference/json.md, "Types".
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ncz.errors import FormatError, shorten
from ncz.model.json_decoding import WrongValueError, decode_value
from ncz.model.type_limits import TypeLimits
from ncz.model.types import Atomic, Compound, Enumeration, Field, NcType, Opaque, UserType, Vlen

_ATOMIC: dict[str, NcType] = {atomic.word: atomic for atomic in Atomic}


def describe_type(nc_type: NcType) -> str:
    """Return the name of a type: its CDL keyword, or its FQN."""
    return nc_type.word if isinstance(nc_type, Atomic) else nc_type.name


def describe_user_type(user_type: UserType) -> dict[str, Any]:
    """Return the declaration of a type as a JSON object."""
    match user_type:
        case Opaque(size=size):
            return {"kind": "opaque", "size": size}
        case Vlen(base=base):
            return {"kind": "vlen", "base": describe_type(base)}
        case Enumeration(base=base, members=members):
            return {"kind": "enum", "base": base.word, "members": dict(members)}
        case Compound(fields=fields):
            parts = [
                {"name": f.name, "type": describe_type(f.type), "shape": list(f.shape)}
                for f in fields
            ]
            return {"kind": "compound", "fields": parts}


def read_declarations(
    declared: Mapping[str, Any], on_error: Callable[[str, FormatError], None]
) -> dict[str, UserType]:
    """Return the types that are declared.

    Parameters
    ----------
    declared
        The JSON object of each type, by the FQN of the type.
    on_error
        Called with the FQN of a type whose declaration is wrong, and with the error. The type is
        left out, and so is each type that consists of it.

    Returns
    -------
    dict
        The types by FQN, each after the types that it consists of.
    """
    types: dict[str, UserType] = {}
    types_by_name: ChainMap[str, NcType] = ChainMap({}, _ATOMIC)
    limits = TypeLimits()
    visited: set[str] = set()
    for fqn in declared:
        for name in _in_order(fqn, declared, visited):
            try:
                user_type = _read(name, declared[name], types_by_name)
                if fault := limits.fault(user_type):
                    raise FormatError(fault)
                types[name] = types_by_name[name] = user_type
            except FormatError as error:
                on_error(name, error)
            except WrongValueError as error:
                on_error(name, FormatError(str(error)))
    return types


def _in_order(fqn: str, declared: Mapping[str, Any], visited: set[str]) -> Iterator[str]:
    """Yield the declared types that a type consists of, then itself, except types in `visited`.

    Types that are yielded are added to `visited`. Cycles are cut.
    """
    if fqn in visited:
        return
    visited.add(fqn)
    stack = [(fqn, _references(declared[fqn]))]
    while stack:
        name, rest = stack[-1]
        inner = next((r for r in rest if r in declared and r not in visited), None)
        if inner is None:
            stack.pop()
            yield name
        else:
            visited.add(inner)
            stack.append((inner, _references(declared[inner])))


def _references(declaration: Any) -> Iterator[str]:
    """Yield the names of types in a declaration, which need not be valid."""
    if not isinstance(declaration, dict):
        return
    fields = declaration.get("fields")
    parts = [part.get("type") for part in _list(fields) if isinstance(part, dict)]
    yield from (name for name in (declaration.get("base"), *parts) if isinstance(name, str))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _read(fqn: str, declaration: Any, types: Mapping[str, NcType]) -> UserType:
    """Return one type; raise `FormatError` if its declaration is wrong."""
    kind = declaration.get("kind") if isinstance(declaration, dict) else None
    match kind:
        case "opaque":
            size = declaration.get("size")
            if not _is_count(size):
                raise FormatError(f"{_show(size)} is not a size")
            return Opaque(name=fqn, size=size)
        case "vlen":
            return Vlen(name=fqn, base=_find_type(declaration.get("base"), types))
        case "enum":
            return _read_enumeration(fqn, declaration, types)
        case "compound":
            fields = [_read_field(part, types) for part in _list(declaration.get("fields"))]
            if not fields:
                raise FormatError("a compound needs fields")
            if len({part.name for part in fields}) != len(fields):
                raise FormatError("two fields have the same name")
            return Compound(name=fqn, fields=tuple(fields))
        case _:
            raise FormatError(f"{_show(kind)} is not a kind of type")


def _read_enumeration(fqn: str, declaration: Any, types: Mapping[str, NcType]) -> Enumeration:
    base, members = _find_type(declaration.get("base"), types), declaration.get("members")
    if not isinstance(base, Atomic) or not base.is_integer:
        raise FormatError("the base of an enum must be an integer type")
    if not isinstance(members, dict) or not members:
        raise FormatError("an enum needs members")
    values = tuple((str(label), decode_value(number, base)) for label, number in members.items())
    return Enumeration(name=fqn, base=base, members=values)


def _read_field(part: Any, types: Mapping[str, NcType]) -> Field:
    name = part.get("name") if isinstance(part, dict) else None
    if not isinstance(name, str) or not name:
        raise FormatError(f"{_show(part)} is not a field")
    shape = part.get("shape", [])
    if not isinstance(shape, list) or not all(map(_is_count, shape)):
        raise FormatError(f"{_show(shape)} is not a shape")
    return Field(name=name, type=_find_type(part.get("type"), types), shape=tuple(shape))


def _find_type(name: Any, types: Mapping[str, NcType]) -> NcType:
    if not isinstance(name, str) or name not in types:
        raise FormatError(f"the type {_show(name)} is not known here")
    return types[name]


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 < value < 2**31


def _show(value: Any) -> str:
    return shorten(repr(value))

"""Hypothesis strategies for user-defined types of any nesting, and their values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st

from ncz.model.data import MemoryArray
from ncz.model.tree import Attribute, Dataset, Dimension, Group, Variable
from ncz.model.types import (
    Atomic,
    Compound,
    Enumeration,
    Field,
    NcType,
    Opaque,
    UserType,
    Value,
    Vlen,
)
from tests import strategies
from tests.strategies import Draw

_INTEGERS = [t for t in Atomic if t.is_integer]


cdl_names = st.one_of(
    st.from_regex(r"t[a-z0-9_]{0,3}", fullmatch=True),
    st.sampled_from(["t b", "t(x)", "t,c", "t{", "t}", "t\\"]),
)
"""Names that CDL does not take for something else, such as a variable or a number."""


@st.composite
def type_lists(draw: Draw, names: st.SearchStrategy[str] = strategies.names) -> list[UserType]:
    """Draw declarations; each may use earlier ones."""
    made: list[UserType] = []
    for name in draw(st.lists(names, min_size=1, max_size=5, unique=True)):
        known: st.SearchStrategy[NcType] = st.sampled_from([*Atomic, *made, *made])
        kind = draw(st.sampled_from(["enum", "opaque", "vlen", "compound", "compound"]))
        made.append(draw(_types(f"/{name}", kind, known, names)))
    return made


@st.composite
def _types(
    draw: Draw,
    fqn: str,
    kind: str,
    known: st.SearchStrategy[NcType],
    parts: st.SearchStrategy[str],
) -> UserType:
    if kind == "opaque":
        return Opaque(name=fqn, size=draw(st.integers(1, 5)))
    if kind == "vlen":
        return Vlen(name=fqn, base=draw(known))
    names = draw(st.lists(parts, min_size=1, max_size=4, unique=True))
    if kind == "enum":
        base = draw(st.sampled_from(_INTEGERS))
        numbers = st.lists(
            st.integers(*base.limits), min_size=len(names), max_size=len(names), unique=True
        )
        return Enumeration(
            name=fqn, base=base, members=tuple(zip(names, draw(numbers), strict=True))
        )
    shapes = st.one_of(st.just(()), st.lists(st.integers(1, 3), max_size=2).map(tuple))
    fields = [Field(name=name, type=draw(known), shape=draw(shapes)) for name in names]
    return Compound(name=fqn, fields=tuple(fields))


def values(nc_type: NcType) -> st.SearchStrategy[Value]:
    """Draw one value of a type."""
    match nc_type:
        case Atomic.CHAR:
            return st.integers(0, 255).map(chr)
        case Atomic():
            return strategies.atomic_values(nc_type)
        case Opaque(size=size):
            return st.binary(min_size=size, max_size=size)
        case Enumeration(members=members):
            return st.sampled_from([number for _, number in members])
        case Vlen(base=base):
            return st.lists(values(base), max_size=3).map(tuple)
        case Compound(fields=fields):
            return st.tuples(*(_of_field(field) for field in fields))


def _of_field(field: Field) -> st.SearchStrategy[Value]:
    if not field.shape:
        return values(field.type)
    size = math.prod(field.shape)
    return st.lists(values(field.type), min_size=size, max_size=size).map(tuple)


@st.composite
def datasets(draw: Draw, names: st.SearchStrategy[str] = strategies.names) -> Dataset:
    """Draw a dataset with a variable and an attribute of each of some types."""
    types = draw(type_lists(names))
    shape = (draw(st.integers(1, 3)),)
    variables, attributes = [], []
    for number, nc_type in enumerate(types):
        elements: list[Any] = draw(st.lists(values(nc_type), min_size=shape[0], max_size=shape[0]))
        array = MemoryArray(np.fromiter(elements, "O", len(elements)), nc_type)
        variables.append(Variable(name=f"v{number}", type=nc_type, dimensions=("/n",), data=array))
        given = draw(st.lists(values(nc_type), min_size=1, max_size=2))
        attributes.append(Attribute(name=f"a{number}", type=nc_type, values=tuple(given)))
    root = Group(
        types=tuple(types),
        dimensions=(Dimension(name="n", size=shape[0]),),
        variables=tuple(variables),
        attributes=tuple(attributes),
    )
    return Dataset(name="t", root=root)

"""Hypothesis strategies for datasets and their parts.

They cover unusual names, every atomic type, groups that use dimensions of their ancestors,
unlimited and empty dimensions, scalars, attributes of every type with unusual values, chunks of any
shape, and data with any bits.

Every strategy is made once and kept: hypothesis validates and analyses a strategy on its first use,
which takes several times as long as to draw from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from ncz.formats.zarr.documents.attributes import RESERVED_IN_HDF5, is_annotation
from ncz.formats.zarr.documents.notes import PROPERTIES
from ncz.model.data import MemoryArray, dtype_of
from ncz.model.filters import Filter, make_filter
from ncz.model.tree import Attribute, Dataset, Dimension, Group, Storage, Variable, join
from ncz.model.types import Atomic
from ncz.zmap.key import ROOT_DOCUMENTS

Draw = Callable[[st.SearchStrategy[Any]], Any]

_LETTERS = st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters="/")
_ODD_NAMES = ["0", "a.b", "with blank", "é", "日本", "1st", "x:y", "c,d", "data", "a%20b", "{", "~"]

names = st.one_of(
    st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True),
    st.sampled_from(_ODD_NAMES),
    st.text(_LETTERS, min_size=1, max_size=6).filter(lambda n: n[0] != "." and n.strip() == n),
).filter(lambda n: n not in ROOT_DOCUMENTS)
"""Names of dimensions, variables and groups."""

text = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.binary(max_size=6).map(lambda b: b.decode("utf-8", "surrogateescape")),
    st.sampled_from(["12", "null", "true", "NaN", '{"a": 1}', '{"a":1}', "[1,2]", '["a",1]', "\0"]),
)
"""Text of attributes: any bytes, and texts that look like JSON."""


@cache
def atomic_values(nc_type: Atomic) -> st.SearchStrategy[Any]:
    """Draw one value of an attribute of a numeric type or string."""
    if nc_type is Atomic.STRING:
        return st.one_of(text, st.none())
    if nc_type.is_floating:
        return st.floats(width=32 if nc_type is Atomic.FLOAT else 64)
    return st.integers(*nc_type.limits)


@cache
def attribute_values(nc_type: Atomic) -> st.SearchStrategy[tuple[Any, ...]]:
    """Draw the values of an attribute: none, one or several."""
    if nc_type is Atomic.CHAR:
        return text.map(lambda t: (t,) if t else ())
    return st.lists(atomic_values(nc_type), max_size=3).map(tuple)


types = st.sampled_from(list(Atomic))

_attribute_names = names.filter(
    lambda n: not is_annotation(n) and n not in RESERVED_IN_HDF5 and n != PROPERTIES
)


@st.composite
def _attribute(draw: Draw) -> Attribute:
    nc_type = draw(types)
    values = draw(attribute_values(nc_type))
    return Attribute(name=draw(_attribute_names), type=nc_type, values=values)


@st.composite
def _dimension(draw: Draw) -> Dimension:
    return Dimension(name=draw(names), size=draw(_sizes), unlimited=draw(st.booleans()))


_sizes = st.integers(0, 5)

attributes = st.lists(_attribute(), max_size=3, unique_by=lambda a: a.name)
"""Attributes of every type, without names that the format reserves."""

dimensions = st.lists(_dimension(), max_size=3, unique_by=lambda d: d.name)

_members = st.lists(names, max_size=3, unique=True)
_children = st.lists(names, max_size=2, unique=True)


@cache
def _elements(nc_type: Atomic) -> st.SearchStrategy[Any]:
    if nc_type is Atomic.STRING:
        element = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
        return st.one_of(element, st.none())
    return arrays.from_dtype(np.dtype("u1") if nc_type is Atomic.CHAR else dtype_of(nc_type))


@cache
def data(nc_type: Atomic, shape: tuple[int, ...]) -> st.SearchStrategy[MemoryArray]:
    """Draw an array of any values of the type; floats include NaN, infinities and signed zeros."""
    elements = _elements(nc_type)
    if nc_type is Atomic.STRING:
        values = arrays.arrays(object, shape, elements=elements, fill=st.none())
    elif nc_type is Atomic.CHAR:
        values = arrays.arrays("u1", shape, elements=elements).map(lambda a: a.view("S1"))
    else:
        values = arrays.arrays(dtype_of(nc_type), shape, elements=elements)
    return values.map(lambda a: MemoryArray(a, nc_type))


@cache
def filters(nc_type: Atomic) -> st.SearchStrategy[tuple[Filter, ...] | None]:
    """Draw a chain of lossless codecs that netCDF-C, numcodecs and ncz support, or none."""
    shuffle = make_filter("shuffle", elementsize=max(1, nc_type.size))
    zlib, bz2, zstd = (make_filter(c, level=1) for c in ("zlib", "bz2", "zstd"))
    return st.sampled_from(
        [
            None,
            (),
            (zlib,),
            (shuffle, zlib),
            (bz2,),
            (zstd,),
            (make_filter("fletcher32"),),
            (shuffle, zlib, make_filter("fletcher32")),
        ]
    )


@cache
def chunks(rank: int) -> st.SearchStrategy[tuple[int, ...]]:
    """Draw a shape of chunks."""
    return st.tuples(*[st.integers(1, 7)] * rank)


_has_chunks = st.booleans()
_has_small_chunks = st.integers(0, 7).map(bool)
"""For unlimited dimensions, whose default chunks of 4 MiB take a tenth of a second to compress."""


@cache
def axes(count: int) -> st.SearchStrategy[list[int]]:
    """Draw the numbers of at most three out of a number of dimensions."""
    return st.lists(st.integers(0, count - 1), max_size=3) if count else st.builds(list)


_byte_orders = st.sampled_from([None, "little", "big"])


def _variable(draw: Draw, name: str, scope: Sequence[tuple[str, Dimension]]) -> Variable:
    """Draw a variable over dimensions of `scope`, pairs of FQN and dimension."""
    nc_type = draw(types)
    used = [scope[number] for number in draw(axes(len(scope)))]
    shape = tuple(d.size for _, d in used)
    unlimited = any(d.unlimited for _, d in used)
    chunked = draw(_has_small_chunks if unlimited else _has_chunks)
    own = draw(attributes)
    if nc_type not in (Atomic.CHAR, Atomic.STRING) and draw(st.booleans()):
        values = (draw(atomic_values(nc_type)),)
        own.append(Attribute(name="_FillValue", type=nc_type, values=values))
    return Variable(
        name=name,
        type=nc_type,
        dimensions=tuple(fqn for fqn, _ in used),
        attributes=tuple(own),
        storage=Storage(
            chunks=draw(chunks(len(used))) if chunked else None,
            endianness=draw(_byte_orders) if nc_type.size > 1 else None,
            filters=draw(filters(nc_type)) if nc_type is not Atomic.STRING else None,
            no_fill=draw(st.booleans()),
        ),
        data=draw(data(nc_type, shape)) if draw(st.booleans()) else None,
    )


def _group(
    draw: Draw,
    name: str = "",
    fqn: str = "",
    scope: tuple[tuple[str, Dimension], ...] = (),
    depth: int = 0,
) -> Group:
    """Draw a group with its subgroups, at most two levels deep."""
    own = draw(dimensions)
    here = (*scope, *((join(fqn, d.name), d) for d in own))
    members = draw(_members)
    children = draw(_children) if depth < 2 else []
    return Group(
        name=name,
        dimensions=tuple(own),
        variables=tuple(_variable(draw, member, here) for member in members),
        attributes=tuple(draw(attributes)),
        groups=tuple(
            _group(draw, child, join(fqn, child), here, depth + 1)
            for child in children
            if child not in members
        ),
    )


@st.composite
def datasets(draw: Draw) -> Dataset:
    """Draw datasets without user-defined types."""
    return Dataset(name="drawn", root=_group(draw))

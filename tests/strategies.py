"""Hypothesis strategies for datasets and their parts.

They cover unusual names, every atomic type, groups that use dimensions of their ancestors,
unlimited and empty dimensions, scalars, attributes of every type with unusual values, chunks of any
shape, and data with any bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from ncz.formats.zarr.mapping.attributes import RESERVED_IN_HDF5, is_annotation
from ncz.formats.zarr.nczarr.notes import PROPERTIES
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
"""Text of attributes: any bytes, and what looks like JSON."""


def atomic_values(nc_type: Atomic) -> st.SearchStrategy[Any]:
    """Draw one value of an attribute of a numeric type or string."""
    if nc_type is Atomic.STRING:
        return st.one_of(text, st.none())
    if nc_type.is_floating:
        return st.floats(width=32 if nc_type is Atomic.FLOAT else 64)
    return st.integers(*nc_type.limits)


def attribute_values(nc_type: Atomic) -> st.SearchStrategy[tuple[Any, ...]]:
    """Draw the values of an attribute: none, one or several."""
    if nc_type is Atomic.CHAR:
        return text.map(lambda t: (t,) if t else ())
    return st.lists(atomic_values(nc_type), max_size=3).map(tuple)


def attributes(name: st.SearchStrategy[str] = names) -> st.SearchStrategy[Attribute]:
    """Draw attributes of every type, without names that the format reserves."""
    free = name.filter(
        lambda n: not is_annotation(n) and n not in RESERVED_IN_HDF5 and n != PROPERTIES
    )
    return st.sampled_from(list(Atomic)).flatmap(
        lambda t: st.builds(Attribute, name=free, type=st.just(t), values=attribute_values(t))
    )


def _unique(strategy: st.SearchStrategy[Any], most: int) -> st.SearchStrategy[list[Any]]:
    return st.lists(strategy, max_size=most, unique_by=lambda x: x.name)


dimensions = st.builds(Dimension, name=names, size=st.integers(0, 5), unlimited=st.booleans())


def data(nc_type: Atomic, shape: tuple[int, ...]) -> st.SearchStrategy[MemoryArray]:
    """Draw an array of any values of the type; floats include NaN, infinities and signed zeros."""
    dtype = dtype_of(nc_type)
    if nc_type is Atomic.STRING:
        element = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
        values = arrays.arrays(
            object, shape, elements=st.one_of(element, st.none()), fill=st.none()
        )
    elif nc_type is Atomic.CHAR:
        values = arrays.arrays("u1", shape).map(lambda a: a.view("S1"))
    else:
        values = arrays.arrays(dtype, shape)
    return values.map(lambda a: MemoryArray(a, nc_type))


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


@st.composite
def variables(draw: Draw, scope: Sequence[tuple[str, Dimension]]) -> Variable:
    """Draw a variable over dimensions of `scope`, pairs of FQN and dimension."""
    nc_type = draw(st.sampled_from(list(Atomic)))
    axes = draw(st.lists(st.sampled_from(list(scope)), max_size=3)) if scope else []
    shape = tuple(d.size for _, d in axes)
    own = draw(_unique(attributes(), 3))
    if nc_type not in (Atomic.CHAR, Atomic.STRING) and draw(st.booleans()):
        values = (draw(atomic_values(nc_type)),)
        own.append(Attribute(name="_FillValue", type=nc_type, values=values))
    chunks = draw(st.none() | st.tuples(*(st.integers(1, 7) for _ in shape)))
    big = nc_type.size > 1
    return Variable(
        name=draw(names),
        type=nc_type,
        dimensions=tuple(fqn for fqn, _ in axes),
        attributes=tuple(own),
        storage=Storage(
            chunks=chunks,
            endianness=draw(st.sampled_from([None, "little", "big"])) if big else None,
            filters=draw(filters(nc_type)) if nc_type is not Atomic.STRING else None,
            no_fill=draw(st.booleans()),
        ),
        data=draw(st.none() | data(nc_type, shape)),
    )


@st.composite
def groups(
    draw: Draw,
    name: str = "",
    fqn: str = "",
    scope: tuple[tuple[str, Dimension], ...] = (),
    depth: int = 0,
) -> Group:
    """Draw a group with its subgroups, at most two levels deep."""
    own = draw(_unique(dimensions, 3))
    here = (*scope, *((join(fqn, d.name), d) for d in own))
    members = draw(_unique(variables(here), 3))
    taken = {v.name for v in members}
    children = draw(st.lists(names, max_size=2, unique=True)) if depth < 2 else []
    return Group(
        name=name,
        dimensions=tuple(own),
        variables=tuple(members),
        attributes=tuple(draw(_unique(attributes(), 3))),
        groups=tuple(
            draw(groups(child, join(fqn, child), here, depth + 1))
            for child in children
            if child not in taken
        ),
    )


def datasets() -> st.SearchStrategy[Dataset]:
    """Draw datasets without user-defined types."""
    return st.builds(Dataset, name=st.just("drawn"), root=groups())

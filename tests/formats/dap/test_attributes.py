"""Attributes that OPeNDAP servers send."""

from __future__ import annotations

from typing import Any

import pytest

from ncz.formats.dap.attributes import (
    chunk_sizes,
    fit_attributes,
    with_signed_bytes,
    without_those_of_servers,
)
from ncz.model.tree import Attribute
from ncz.model.types import Atomic


def attribute(name: str, nc_type: Atomic, *values: Any) -> Attribute:
    return Attribute(name=name, type=nc_type, values=values)


def test_attributes_of_servers_are_left_out():
    names = ["units", "_ChunkSizes", "_NCProperties", "_edu.ucar.maps", "_FillValue"]
    given = (attribute(name, Atomic.CHAR, "x") for name in names)
    assert [a.name for a in without_those_of_servers(given)] == ["units", "_FillValue"]


@pytest.mark.parametrize(
    ("values", "shape", "found"),
    [
        ((2, 3), (4, 6), (2, 3)),
        ((2,), (4, 6), None),
        ((0, 3), (4, 6), None),
        (("2", "3"), (4, 6), None),
        ((), (), None),
    ],
)
def test_chunks_must_fit_the_variable(values: Any, shape: tuple[int, ...], found: Any):
    assert chunk_sizes([attribute("_ChunkSizes", Atomic.INT, *values)], shape) == found
    assert chunk_sizes([], shape) is None


@pytest.mark.parametrize(
    ("mask", "nc_type", "values"),
    [
        (attribute("_FillValue", Atomic.DOUBLE, 5.0), Atomic.SHORT, (5,)),
        (attribute("_FillValue", Atomic.INT, 5), Atomic.FLOAT, (5.0,)),
        (attribute("_FillValue", Atomic.CHAR, "x"), Atomic.STRING, ("x",)),
        (attribute("_FillValue", Atomic.SHORT, 5), Atomic.SHORT, (5,)),
    ],
)
def test_a_mask_gets_the_type_of_the_variable(mask: Attribute, nc_type: Atomic, values: Any):
    (found,) = fit_attributes([mask], nc_type)
    assert (found.type, found.values) == (nc_type, values)


@pytest.mark.parametrize(
    ("mask", "nc_type"),
    [
        (attribute("_FillValue", Atomic.DOUBLE, 5.5), Atomic.SHORT),
        (attribute("_FillValue", Atomic.DOUBLE, 1e9), Atomic.SHORT),
        (attribute("_FillValue", Atomic.DOUBLE, 5.0, 6.0), Atomic.SHORT),
        (attribute("_FillValue", Atomic.CHAR, "5"), Atomic.SHORT),
        (attribute("_FillValue", Atomic.INT, 5), Atomic.CHAR),
        (attribute("valid_min", Atomic.DOUBLE, 5.0), Atomic.SHORT),
    ],
)
def test_values_outside_the_type_stay(mask: Attribute, nc_type: Atomic):
    assert fit_attributes([mask], nc_type) == (mask,)


def test_unsigned_bytes_become_signed_ones():
    found, other = with_signed_bytes(
        [attribute("a", Atomic.UBYTE, 0, 127, 128, 255), attribute("b", Atomic.USHORT, 65535)]
    )
    assert (found.type, found.values) == (Atomic.BYTE, (0, 127, -128, -1))
    assert other.values == (65535,)

"""Types that are too large, or nested too deeply."""

from __future__ import annotations

import pytest

from ncz.model.types import Atomic, Compound, Field, Opaque, Vlen
from ncz.model.user_types.encode import encode_value
from ncz.model.user_types.limits import TypeLimits


@pytest.mark.parametrize(("count", "told"), [(1 << 14, None), (1 << 15, "too large")])
def test_the_elements_of_array_fields_count(count, told):
    limits = TypeLimits()
    part = Opaque(name="/part", size=1 << 10)
    whole = Compound(name="/whole", fields=(Field(name="a", type=part, shape=(count,)),))
    assert limits.fault(part) is None
    fault = limits.fault(whole)
    assert fault is None if told is None else told in (fault or "")


def test_types_within_types():
    limits = TypeLimits()
    inner: Atomic | Vlen = Atomic.INT
    faults = []
    for level in range(51):
        inner = Vlen(name=f"/t{level}", base=inner)
        faults.append(limits.fault(inner))
    assert faults[:50] == [None] * 50
    assert faults[50] == "types are nested too deeply"


def test_fields_with_and_without_a_shape_become_json():
    fields = (
        Field(name="one", type=Atomic.INT),
        Field(name="more", type=Atomic.DOUBLE, shape=(2,)),
        Field(name="text", type=Atomic.CHAR, shape=(3,)),
    )
    kind = Compound(name="/c", fields=fields)
    assert encode_value((1, (0.5, 1.5), ("a", "b", "\0")), kind) == [1, [0.5, 1.5], "ab"]

"""Types that are too large, or nested too deeply."""

from __future__ import annotations

import pytest

from ncz.model.type_limits import TypeLimits
from ncz.model.types import Atomic, Compound, Field, Opaque, Vlen


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


def test_the_fields_of_nested_compounds_count():
    limits = TypeLimits()
    rest = Compound(name="/a", fields=(Field(name="i", type=Atomic.INT),) * 2)
    part = Compound(name="/b", fields=(Field(name="a", type=rest),) * (1 << 7))
    whole = Compound(name="/c", fields=(Field(name="b", type=part),) * (1 << 6))
    more = Compound(name="/d", fields=(*whole.fields, Field(name="i", type=Atomic.INT)))
    assert [limits.fault(each) for each in (rest, part, whole)] == [None] * 3
    assert limits.fault(more) == "this compound type has more than 16384 fields"


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        (Opaque(name="/o", size=(1 << 24) + 1), "opaque"),
        (
            Compound(name="/c", fields=(Field(name="a", type=Atomic.INT, shape=((1 << 24) + 1,)),)),
            "compound",
        ),
    ],
)
def test_a_type_that_is_too_large_is_named(made, kind):
    assert TypeLimits().fault(made) == f"this {kind} type is too large"

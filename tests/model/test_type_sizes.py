"""Bytes of an element of each type."""

from __future__ import annotations

import pytest

from ncz.model.type_sizes import fixed_size
from ncz.model.types import Atomic, Compound, Enumeration, Field, Opaque, Vlen

PAIR = (Field(name="n", type=Atomic.SHORT), Field(name="x", type=Atomic.DOUBLE, shape=(2, 3)))
LIST = Vlen(name="/list", base=Atomic.INT)


@pytest.mark.parametrize(
    ("nc_type", "size"),
    [
        (Atomic.DOUBLE, 8),
        (Opaque(name="/o", size=11), 11),
        (Enumeration(name="/e", base=Atomic.SHORT, members=(("a", 1),)), 2),
        (LIST, 0),
        (Compound(name="/c", fields=PAIR), 2 + 6 * 8),
        (Compound(name="/d", fields=(*PAIR, Field(name="v", type=LIST))), 0),
    ],
)
def test_a_size_is_0_if_it_varies(nc_type, size):
    assert fixed_size(nc_type) == size

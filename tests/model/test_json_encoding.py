"""Values of netCDF as JSON."""

from __future__ import annotations

from ncz.model.json_encoding import encode_value
from ncz.model.types import Atomic, Compound, Field


def test_fields_with_and_without_a_shape_become_json():
    fields = (
        Field(name="one", type=Atomic.INT),
        Field(name="more", type=Atomic.DOUBLE, shape=(2,)),
        Field(name="text", type=Atomic.CHAR, shape=(3,)),
    )
    kind = Compound(name="/c", fields=fields)
    assert encode_value((1, (0.5, 1.5), ("a", "b", "\0")), kind) == [1, [0.5, 1.5], "ab"]

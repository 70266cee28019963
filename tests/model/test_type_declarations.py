"""Declarations of user-defined types as JSON."""

from __future__ import annotations

import pytest

from ncz.model.type_declarations import read_declarations
from ncz.model.types import Opaque


def test_an_opaque_type_can_be_large():
    found = read_declarations({"/o": {"kind": "opaque", "size": 1 << 24}}, lambda *_: None)
    assert found == {"/o": Opaque(name="/o", size=1 << 24)}


@pytest.mark.parametrize("count", [0, -1, 1 << 31, 2.5, "4", True, None, [2]], ids=repr)
def test_a_number_that_is_no_count_is_not_a_size_or_a_length(count):
    faults: dict[str, str] = {}
    field = {"name": "i", "type": "int", "shape": [2, count]}
    declared = {
        "/o": {"kind": "opaque", "size": count},
        "/c": {"kind": "compound", "fields": [field]},
    }
    assert read_declarations(declared, lambda fqn, e: faults.update({fqn: str(e)})) == {}
    assert "is not a size" in faults["/o"]
    assert "is not a shape" in faults["/c"]

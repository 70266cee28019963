"""Marks of a store that may be an aggregation."""

from __future__ import annotations

import json

import pytest

from ncz.formats.aggregation.store_marks import names_convention
from ncz.zmap.memory import MemoryZmap


@pytest.mark.parametrize(
    ("conventions", "answer"),
    [
        ("CFA-0.4", True),
        ("CF-1.8 CFA-0.6", True),
        ("CF-1.13", True),
        ("CF-1.20", True),
        ("CF-1.12", False),
        ("CF-1.1", False),
        ("ACDD", False),
        (None, False),
    ],
)
@pytest.mark.parametrize("key", [".zattrs", "zarr.json"])
def test_a_convention_with_aggregations(key: str, conventions: str | None, answer: bool):
    attributes = {} if conventions is None else {"Conventions": conventions}
    assert names_convention(MemoryZmap({key: json.dumps(attributes).encode()})) == answer


def test_a_store_without_documents():
    assert not names_convention(MemoryZmap())

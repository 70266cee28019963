"""Digests that masters keep."""

from __future__ import annotations

import pytest

from ncz.formats.aggregation.kept_digests import MARK, stored_digest, with_digest, without_digest
from ncz.formats.kept_sums import KeptSums
from ncz.model.tree import Attribute, Variable
from ncz.model.types import Atomic
from ncz.record import replace

KEPT = KeptSums((2, 3), "0123456789abcdef" * 2)
UNITS = Attribute(name="units", type=Atomic.CHAR, values=("K",))
VARIABLE = Variable(name="v", type=Atomic.INT, attributes=(UNITS,))


def test_a_digest_is_an_attribute_that_can_be_taken_away():
    marked = replace(VARIABLE, attributes=with_digest(VARIABLE, KEPT))
    assert [a.name for a in marked.attributes] == ["units", MARK]
    assert stored_digest(marked) == KEPT
    assert without_digest(marked) == (UNITS,)
    assert with_digest(marked, None) == (UNITS,)


def test_another_digest_replaces_the_first():
    other = KeptSums((4, 3), KEPT.sums)
    marked = replace(VARIABLE, attributes=with_digest(VARIABLE, KEPT))
    again = replace(marked, attributes=with_digest(marked, other))
    assert len(again.attributes) == 2
    assert stored_digest(again) == other


@pytest.mark.parametrize("text", ["", "{", "5", "[" * 100_000, '{"shape": [2]}'])
def test_a_damaged_digest_is_ignored(text: str):
    mark = Attribute(name=MARK, type=Atomic.CHAR, values=(text,) if text else ())
    assert stored_digest(replace(VARIABLE, attributes=(mark,))) is None
    assert stored_digest(VARIABLE) is None

"""Attributes that identify a master."""

from __future__ import annotations

import pytest

from ncz.formats.aggregation.marks import is_aggregated, text_of
from ncz.model.tree import Attribute, Variable
from ncz.model.types import Atomic


def variable(dimensions: tuple[str, ...] = (), **texts: str) -> Variable:
    attributes = tuple(Attribute(name=n, type=Atomic.CHAR, values=(t,)) for n, t in texts.items())
    return Variable(name="v", type=Atomic.INT, dimensions=dimensions, attributes=attributes)


@pytest.mark.parametrize(
    ("found", "answer"),
    [
        (variable(cf_role="cfa_variable"), True),
        (variable(cf_role="timeseries_id"), False),
        (variable(aggregated_data="location: l", aggregated_dimensions="x"), True),
        (variable(aggregated_data="location: l", cf_role="cfa_variable"), False),
        (variable(aggregated_data="", aggregated_dimensions=""), True),
        (variable(("/x",), cf_role="cfa_variable"), False),
        (variable(), False),
    ],
)
def test_a_scalar_with_the_marks_is_aggregated(found: Variable, answer: bool):
    assert is_aggregated(found) == answer


def test_an_empty_attribute_of_any_type_is_an_empty_text():
    attributes = (
        Attribute(name="empty", type=Atomic.INT, values=()),
        Attribute(name="number", type=Atomic.INT, values=(1,)),
        Attribute(name="texts", type=Atomic.STRING, values=("a", "b")),
    )
    found = Variable(name="v", type=Atomic.INT, attributes=attributes)
    names = ("empty", "number", "texts", "none")
    assert [text_of(found, name) for name in names] == ["", None, "a b", None]

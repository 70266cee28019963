"""The interface of a form of masters, and the properties of each form."""

from __future__ import annotations

import pytest

from ncz.formats.aggregation.cf import CF
from ncz.formats.aggregation.cfa04 import CFA_04
from ncz.formats.aggregation.cfa05 import CFA_05
from ncz.formats.aggregation.master_form import MasterForm
from ncz.model.tree import Attribute, Variable
from ncz.model.types import Atomic


def variable(*names: str) -> Variable:
    attributes = tuple(Attribute(name=n, type=Atomic.CHAR, values=("x",)) for n in names)
    return Variable(name="v", type=Atomic.INT, attributes=attributes)


@pytest.mark.parametrize(
    ("form", "mark"),
    [(CFA_04, "cfa_array"), (CFA_05, "cfa_group"), (CF, "aggregated_data")],
)
def test_each_form_recognises_its_own_variables(form: MasterForm, mark: str):
    recognising = [each for each in (CFA_04, CFA_05, CF) if each.recognises(variable(mark))]
    assert recognising == [form]


def test_only_cf_converts_pieces():
    assert [form.converts for form in (CFA_04, CFA_05, CF)] == [False, False, True]


def test_a_form_cannot_leave_anything_out():
    with pytest.raises(TypeError, match="partitions"):
        MasterForm(name="x", recognises=bool, dimensions="d", own=list)  # type: ignore[call-arg,arg-type]

"""The forms of masters: CFA 0.4 and 0.5, CF 1.13 with CFA 0.6."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncz.formats.aggregation.cf import CF, CFA_06
from ncz.formats.aggregation.cfa04 import CFA_04
from ncz.formats.aggregation.cfa05 import CFA_05
from ncz.model.tree import Variable

if TYPE_CHECKING:
    from ncz.formats.aggregation.master_form import MasterForm


FORMS = (CFA_04, CFA_05, CFA_06, CF)
"""The forms, in the order of comparison with a variable."""


def form_of(variable: Variable) -> MasterForm | None:
    """Return the form of an aggregated variable; None if it describes no pieces."""
    return next((form for form in FORMS if form.recognises(variable)), None)

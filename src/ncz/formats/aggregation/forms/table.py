"""All forms of masters."""

from __future__ import annotations

from ncz.formats.aggregation.forms.cf import CF, CFA_06
from ncz.formats.aggregation.forms.cfa04 import CFA_04
from ncz.formats.aggregation.forms.cfa05 import CFA_05
from ncz.formats.aggregation.forms.kinds import Form
from ncz.model.tree import Variable

FORMS = (CFA_04, CFA_05, CFA_06, CF)
"""The forms, in the order in which a variable is compared with them."""


def form_of(variable: Variable) -> Form | None:
    """Return the form of an aggregated variable; None if it describes no pieces."""
    return next((form for form in FORMS if form.recognises(variable)), None)

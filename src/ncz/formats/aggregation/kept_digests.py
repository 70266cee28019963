"""The digest that a master keeps of the values of an aggregated variable.

The text attribute `MARK` of the variable has it as JSON, which ncz does not show.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress

from ncz.formats.aggregation.marks import text_of
from ncz.formats.kept_sums import KeptSums
from ncz.model.tree import Attribute, Variable
from ncz.model.types import Atomic

MARK = "ncz_digest"
"""The attribute of an aggregated variable that has the digest of its values."""

NO_DIGESTS: Mapping[str, KeptSums] = {}


def with_digest(variable: Variable, kept: KeptSums | None) -> tuple[Attribute, ...]:
    """Return the attributes of an aggregated variable, with the digest that its master keeps."""
    if kept is None:
        return without_digest(variable)
    text = json.dumps(kept.to_json(), separators=(",", ":"))
    mark = Attribute(name=MARK, type=Atomic.CHAR, values=(text,))
    return (*without_digest(variable), mark)


def without_digest(variable: Variable) -> tuple[Attribute, ...]:
    """Return the attributes of an aggregated variable without the digest."""
    return tuple(each for each in variable.attributes if each.name != MARK)


def stored_digest(variable: Variable) -> KeptSums | None:
    """Return the digest of an aggregated variable, as stored; None if none exists."""
    with suppress(ValueError, RecursionError):
        return KeptSums.from_json(json.loads(text_of(variable, MARK) or "null"))
    return None

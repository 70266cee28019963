"""The forms of new masters, and their differences."""

from __future__ import annotations

from collections.abc import Mapping

from ncz.formats.aggregation.modes import FormName
from ncz.formats.masters import MasterKind

KINDS: Mapping[FormName, MasterKind] = {
    "CFA-0.4": MasterKind(name="CFA-0.4"),
    "CFA-0.5": MasterKind(name="CFA-0.5"),
    "CF-1.13": MasterKind(name="CF-1.13", has_uris=True, needs_all=True, packs_afterwards=True),
}

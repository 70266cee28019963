"""Findings about links: names of missing objects in attributes, and positions out of range."""

from __future__ import annotations

from collections.abc import Iterator

from ncz.errors import list_names
from ncz.formats.findings import Finding, finding
from ncz.model.links import links
from ncz.model.positions import position_faults
from ncz.model.tree import Dataset, Group, text_of

_LOOSE = ("grid", "nodes", "quantization")
"""Attributes whose names programs outside of the conventions use for other texts."""


def check_links(root: Group, kind: str) -> Iterator[Finding]:
    """Yield the variables whose attributes name variables that the dataset lacks.

    `kind` is the word for the dataset in messages: "store" or "file".
    """
    outside = _external(root)
    unknown: dict[tuple[str, str], list[str]] = {}
    for link in links(root):
        is_loose = link.meaning == "describes" or link.attribute in _LOOSE
        if link.target is None and not is_loose and link.name not in outside:
            unknown.setdefault((link.source, link.attribute), []).append(link.name)
    for (fqn, attribute), names in unknown.items():
        yield finding(
            "name-unknown",
            fqn[1:],
            f"{attribute} names {list_names(names)}, which the {kind} does not have",
            "add it, or change the attribute with ncz edit",
        )


def _external(root: Group) -> set[str]:
    """Return the names of the variables that a dataset has in other files (CF, section 2.6.3)."""
    texts = (text_of(a) for a in root.attributes if a.name == "external_variables")
    return {name for text in texts for name in text.split()}


def check_linked_positions(dataset: Dataset) -> Iterator[Finding]:
    """Yield the variables whose counts and indices do not fit their dimensions; reads them."""
    for error in position_faults(dataset):
        yield finding("position-outside", (error.location or "")[1:], error.message, error.hint)

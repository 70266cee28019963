"""The conventions that the root of a master names, next to the dataset's own.

A master adds the name of its convention, and keeps the text and the type of existing names.
Readers use the last version of CF in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ncz.model.tree import Attribute, Dataset, text_of
from ncz.model.types import Atomic
from ncz.record import replace

_NAME = "Conventions"

_CFA = re.compile(r"CFA-")
_CF = re.compile(r"CF-\d")
_MASTERS = re.compile(r"CF-1\.(1[3-9]|[2-9]\d)\b")


def with_convention(attributes: tuple[Attribute, ...], form: str) -> tuple[Attribute, ...]:
    """Return the attributes of the root of a master, which name its convention, too."""
    found = next((each for each in attributes if each.name == _NAME), None)
    if found is None or not _is_text(found) or not _words(found):
        named = Attribute(name=_NAME, type=Atomic.CHAR, values=(form,))
        return (*(a for a in attributes if a is not found), named)
    if form in [word.rstrip(",;") for word in _words(found)]:
        return attributes
    text = found.text if found.type is Atomic.CHAR else found.values[0] or ""
    separator = ", " if "," in text else " "
    named = _with_text(found, f"{text.rstrip()}{separator}{form}")
    return tuple(named if each is found else each for each in attributes)


def without_convention(attributes: tuple[Attribute, ...]) -> tuple[Attribute, ...]:
    """Return the attributes of a master without the convention that was added.

    It is one of CFA, or a last one of CF next to another version of CF. CF alone stays.
    """
    return _change_conventions(attributes, _without_added)


def _without_added(words: list[str]) -> list[str]:
    left = [word for word in words if not _CFA.match(word)]
    versions = [word for word in left if _CF.match(word)]
    if len(versions) > 1 and _MASTERS.match(left[-1]):
        left = left[:-1]
    return left


def alike_but_for_conventions(one: Dataset, other: Dataset) -> tuple[Dataset, Dataset]:
    """Return two datasets without the versions of CF that masters name, if one is a master.

    A dataset that named no version before is the same after it was copied to a master.
    """
    if (one.provenance.aggregation is None) == (other.provenance.aggregation is None):
        return one, other

    return _without_versions(one), _without_versions(other)


def without_conventions(dataset: Dataset) -> Dataset:
    """Return a dataset without the versions of CF that masters name, if it is a master."""
    return dataset if dataset.provenance.aggregation is None else _without_versions(dataset)


def _without_versions(dataset: Dataset) -> Dataset:
    attributes = _change_conventions(
        dataset.root.attributes,
        lambda words: [w for w in _without_added(words) if not _MASTERS.match(w)],
    )
    return replace(dataset, root=replace(dataset.root, attributes=attributes))


_Change = Callable[[list[str]], list[str]]


def _change_conventions(
    attributes: tuple[Attribute, ...], change: _Change
) -> tuple[Attribute, ...]:
    """Return attributes that name the other conventions; none if no convention is left."""
    result = []
    for attribute in attributes:
        words = _words(attribute) if attribute.name == _NAME and _is_text(attribute) else []
        left = change(words)
        if left == words:
            result.append(attribute)
        elif left:
            result.append(_with_text(attribute, " ".join(left).rstrip(",;")))
    return tuple(result)


def _is_text(attribute: Attribute) -> bool:
    return attribute.type is Atomic.CHAR or (
        attribute.type is Atomic.STRING and len(attribute.values) == 1
    )


def _words(attribute: Attribute) -> list[str]:
    return text_of(attribute).split()


def _with_text(attribute: Attribute, text: str) -> Attribute:
    return replace(attribute, values=(text,), original=None)

"""Notices of attributes that some readers of a store see otherwise, or that keep them from it."""

from __future__ import annotations

from collections.abc import Iterator

from ncz.errors import Notice
from ncz.formats.zarr.audience import number_form
from ncz.formats.zarr.readers import READERS
from ncz.model.tree import Attribute, Dataset, attributes_of, is_not_finite
from ncz.model.types import Atomic


def attribute_notices(
    dataset: Dataset, *, pure: bool, annotated: bool, zarr_format: int
) -> Iterator[Notice]:
    """Yield one notice for each kind of attribute that readers do not see alike."""
    attributes = list(attributes_of(dataset.root))
    not_finite = [(node, attribute) for node, attribute in attributes if is_not_finite(attribute)]
    if not_finite:
        yield _not_finite(not_finite, "zarr" if pure else "nczarr", zarr_format)
    nil = [(n, a) for n, a in attributes if a.type is Atomic.STRING and None in a.values]
    if nil and pure and not annotated:
        told = f"NIL in string attributes is written as empty text in pure Zarr: {_names(nil)}"
        yield Notice("attribute-nil", told)
    empty = [(n, a) for n, a in attributes if a.original is not None and a.original[0] == []]
    if empty and not pure:
        yield Notice(
            "attribute-empty",
            f"attributes that are empty lists are stored as empty text: {_names(empty)}",
        )


def _not_finite(attributes: list[tuple[str, Attribute]], flavour: str, zarr_format: int) -> Notice:
    """Return a notice of what readers make of attributes for which JSON has no number."""
    feature = ("number", number_form(flavour, zarr_format))
    unread = [reader for reader in READERS.values() if feature in reader.unread]
    unopened = [reader.name for reader in unread if feature in reader.unopened]
    if unopened:
        how = (
            "are written as bare words, which are not valid JSON:"
            f" {' and '.join(unopened)} cannot open the arrays or groups"
        )
        hint = f"use --for {unopened[0]} to write valid JSON"
    else:
        *some, last = [reader.name for reader in unread]
        how = f"are stored as text in NCZarr V3, and {', '.join(some)} and {last} see text"
        hint = "use mode=zarr if they are to see numbers"
    return Notice(
        "attribute-not-finite",
        f"attributes that are NaN or infinite {how}: {_names(attributes)}",
        hint=hint,
    )


def _names(attributes: list[tuple[str, Attribute]]) -> str:
    return ", ".join(f"{node.removeprefix('/')}:{attribute.name}" for node, attribute in attributes)

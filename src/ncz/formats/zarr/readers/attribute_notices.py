"""Notices of attributes that some readers of a store see otherwise, or that keep them from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ncz.errors import Notice, named_notice
from ncz.formats.zarr.documents.attributes import becomes_latin_1
from ncz.formats.zarr.readers.contents import number_form
from ncz.formats.zarr.readers.programs import READERS, WIDESPREAD, Feature
from ncz.model.tree import Attribute, Dataset, attributes_of, is_not_finite
from ncz.model.types import Atomic


def attribute_notices(
    dataset: Dataset, *, pure: bool, annotated: bool, zarr_format: int, strict: bool = False
) -> Iterator[Notice]:
    """Yield one notice for each kind of attribute that readers do not see alike.

    `strict` says whether the store has only valid JSON.
    """
    attributes = list(attributes_of(dataset.root))
    form = number_form("zarr" if pure else "nczarr", zarr_format, strict=strict)
    hint = "write a Zarr store for numbers" if strict else "use mode=zarr for numbers"
    yield from _not_finite(attributes, ("number", form), hint)
    if pure and not annotated:
        yield from named_notice(
            "attribute-nil",
            "NIL in string attributes is written as empty text in pure Zarr",
            _names((n, a) for n, a in attributes if a.type is Atomic.STRING and None in a.values),
        )
    yield from named_notice(
        "attribute-recoded",
        "text of attributes that is not UTF-8 is written as Latin-1",
        _names((n, a) for n, a in attributes if becomes_latin_1(a, noted=annotated or not pure)),
    )
    if not pure:
        yield from named_notice(
            "attribute-empty",
            "attributes that are empty lists are stored as empty text",
            _names(
                (n, a)
                for n, a in attributes
                if a.kept_original is not None and a.kept_original[0] == []
            ),
        )


def _not_finite(
    attributes: list[tuple[str, Attribute]], feature: Feature, hint: str
) -> Iterator[Notice]:
    """Yield a notice of attributes that are not finite, and their result in widespread readers.

    JSON has no number for them.
    """
    unread = [name for name in WIDESPREAD if feature in READERS[name].unread]
    if unread:
        yield from named_notice(
            "attribute-not-finite",
            f"{' and '.join(unread)} see text for attributes that are NaN or infinite",
            _names((node, a) for node, a in attributes if is_not_finite(a)),
            hint,
        )


def _names(attributes: Iterable[tuple[str, Attribute]]) -> list[str]:
    return [f"{node.removeprefix('/')}:{a.name}" for node, a in attributes]

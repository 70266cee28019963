"""The values of attributes, as ``ncz dump --attribute`` prints them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO

from ncz.errors import SHOW_NAMES, NczError, Notify, did_you_mean
from ncz.formats.kinds import OpenOptions
from ncz.formats.streams import open_place
from ncz.model.tree import Attribute, Dataset, base_name, variables_by_fqn, walk
from ncz.model.types import Atomic
from ncz.text.format_values import Precision, attribute_texts

if TYPE_CHECKING:
    from ncz.zmap.location import Location

_NAME = re.compile(r"(?:(?P<owner>.*)[:@]|(?P<variable>[^.]+)\.)?(?P<name>.+)")
"""VAR:ATT, or VAR.ATT as others write it; without VAR, the attribute is global."""

_GLOBAL = ("", "/", "global", "NC_GLOBAL")
"""The prefix of the name of a global attribute."""


def value_lines(source: Location | BinaryIO, names: Sequence[str], notify: Notify) -> Iterator[str]:
    """Yield the values of attributes, each on a line: texts without quotes, numbers as in CDL.

    Raises
    ------
    NczError
        If there is no such attribute.
    """
    with open_place(source, OpenOptions(), notify) as opened:
        place = opened.location.display
        found = [_find_attribute(opened.dataset, name, place) for name in names]
    for attribute in found:
        if attribute.type in (Atomic.CHAR, Atomic.STRING):
            for each in attribute.values:
                yield from str(each or "").rstrip("\0").split("\n")
        else:
            yield from attribute_texts(attribute.type, attribute.values, Precision())


def _find_attribute(dataset: Dataset, text: str, place: str) -> Attribute:
    parts = _NAME.fullmatch(text)
    known: list[str] = []
    if parts is not None:
        owner = parts["owner"] or parts["variable"] or ""
        nodes = [(path, group.attributes) for path, group in walk(dataset.root)]
        nodes += [(path, each.attributes) for path, each in variables_by_fqn(dataset.root)]
        for path, attributes in nodes:
            known += [f"{path.removeprefix('/')}:{attribute.name}" for attribute in attributes]
            if owner not in ((path, path[1:], base_name(path)) if path else _GLOBAL):
                continue
            for attribute in attributes:
                if attribute.name == parts["name"]:
                    return attribute
    raise NczError(f"no attribute {text}", place, did_you_mean(text, known, f"see {SHOW_NAMES}"))

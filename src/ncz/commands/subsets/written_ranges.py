"""Ranges as other programs write them: ``[0:3]``, ``0..3``, ``slice(0, 3)``, ``0,3``, ``0-3``."""

from __future__ import annotations

import re

from ncz.text.decimal_comma import with_decimal_points

_NUMBER = r"[-+]?\d+(?:\.\d+)?"
_END = rf"(?:\d{{4}}-\d\d?(?:-\d\d?)?(?:[T ]\d[\d:]*Z?)?|{_NUMBER})"
"""A date or a number."""

_SLICE = re.compile(r"slice\((.*)\)", re.DOTALL)
_BRACKETS = re.compile(r"[\[(]([^\[\]()]*:[^\[\]()]*)[\])]")
_DOTS = re.compile(rf"({_END})\.\.\.?({_END})")
_SLASHES = re.compile(r"(?<!\d)(\d{4})/(\d\d?)/(\d\d?)(?!\d)")
_PAIR = re.compile(rf"[\[(]?\s*({_END})(?:\s*[,;]\s*|\s+(?:to\s+|-\s+)?)({_END})\s*[\])]?")
_HYPHEN = re.compile(r"(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)")
_LIST = re.compile(r"[\[(]([^\[\]()]*)[\])]|([^\[\]()]*,[^\[\]()]*)")
_COMPARED = re.compile(r"(\w+)\s*([<>])=?\s*(\S+)")
_MARKS = re.compile(r"[{}\"'\s]+")


def plain_range(text: str) -> str:
    """Return a text without the brackets, the dots or the word of other programs for a range.

    A date with slashes gets hyphens.
    """
    written = _SLICE.fullmatch(text.strip())
    if written is not None:
        parts = [part.strip().strip("'\"") for part in written[1].split(",")]
        return ":".join("" if part == "None" else part for part in parts)
    written = _BRACKETS.fullmatch(text.strip())
    text = text if written is None else written[1].strip()
    return _SLASHES.sub(r"\1-\2-\3", _DOTS.sub(r"\1:\2", text) if _DOTS.fullmatch(text) else text)


def plain_index(text: str) -> str:
    """Return an index or a slice without the forms of other programs, such as ``first``."""
    return {"first": "0", "last": "-1"}.get(text.strip(), plain_range(text))


def listed_indices(text: str) -> tuple[int, ...] | None:
    """Return the indices of a list such as ``0,1,11`` or ``[-1]``; None for another text."""
    written = _LIST.fullmatch(text.strip())
    numbers = [] if written is None else (written[1] or written[2] or "").split(",")
    if not numbers or not all(re.fullmatch(r"\s*-?\d{1,18}\s*", number) for number in numbers):
        return None
    return tuple(map(int, numbers))


def meant_range(text: str) -> str | None:
    """Return the range that a text probably means, for a message, or None.

    ``0,5:30,5`` has decimal commas.
    """
    with_points = with_decimal_points(text)
    if re.fullmatch(rf"{_NUMBER}?(?::{_NUMBER}?){{1,2}}", with_points):
        return with_points
    pair = _PAIR.fullmatch(text.strip()) or _HYPHEN.fullmatch(text.strip())
    return None if pair is None else f"{pair[1]}:{pair[2]}"


def hint_for(name: str, text: str, otherwise: str | None = None) -> str | None:
    """Return a hint with the right spelling of the selection ``name=text``."""
    meant = meant_range(text)
    return otherwise if meant is None else f"write {name}={meant}"


def hint_for_pair(text: str) -> str:
    """Return a hint for a selection without ``=``, such as ``time:0:3``."""
    compared = _COMPARED.fullmatch(text.strip())
    if compared is not None:
        limits = f":{compared[3]}" if compared[2] == "<" else f"{compared[3]}:"
        return f"write {compared[1]}={limits}"
    found = re.fullmatch(r"([A-Za-z]\w*)(?:\s*[:,/]\s*|\s+)(.+)", _MARKS.sub(" ", text).strip())
    if found is None:
        name = text if re.fullmatch(r"\w*[A-Za-z]\w*", text) else "time"
        return f"write {name}={text if name != text else '0:10'}"
    rest = found[2].strip().replace("/", ":")
    return f"write {found[1]}={meant_range(rest) or rest}"

"""JSON in stores: bytes to Python values and back, in the layout of netcdf-c.

Reading is generous, because other writers are careless: bare NaN and Infinity, raw control
characters, bytes that are not UTF-8 (kept as surrogate escapes), duplicate keys (the last wins),
and the bare words that netcdf-c writes for some texts (``007``). Writing is strict JSON, except
that a float that is not finite is printed bare, as Python does. Integers are exact at any size;
a real number remembers its spelling, so that JSON within an attribute is shown unchanged.
"""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

from ncz.errors import FormatError, shorten
from ncz.model.json_text import Real, print_json

Json = Any
"""The types that `parse_json` returns: None, bool, int, float (`Real`), str, list, dict."""

DEEPEST = 100
"""Levels of nesting that are read; a deeper document is refused rather than risking the stack."""

MOST_VALUES = 4_000_000
"""Values of the longest document that is read; each takes about a hundred bytes of memory."""

MOST_NAMES = 500_000
"""Different names of members in the longest document that is read; each takes more than a value."""

MOST_OBJECTS = 1_000_000
"""JSON objects in the longest document that is read; each takes some hundred bytes."""

_LONGEST_INTEGER = 4000
"""Digits of the longest integer that Python converts without complaint (sys.int_info)."""


def parse_document(data: bytes, location: str) -> dict[str, Json]:
    """The JSON object in `data`; `location` names it (URL and key) in a `FormatError`."""
    document = parse_json(data, location)
    if not isinstance(document, dict):
        raise FormatError(
            f"a metadata object must be a JSON object, not {_kind(document)}",
            location,
            "restore it from a copy or remove it",
        )
    return document


def parse_json(data: bytes, location: str) -> Json:
    """The JSON value in `data`. Raises `FormatError` with the line that is wrong."""
    text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    try:
        return decode(text)
    except json.JSONDecodeError as error:
        raise FormatError(
            f"invalid JSON: {error.msg}",
            f"{location}: line {error.lineno} column {error.colno}",
            "restore it from a copy or remove it",
        ) from None
    except (ValueError, RecursionError, MemoryError) as error:
        reason = str(error) if isinstance(error, ValueError) else "nested too deeply"
        raise FormatError(f"invalid JSON: {reason}", location) from None


def decode(text: str) -> Json:
    """The JSON value of `text`. Raises `ValueError` or `json.JSONDecodeError`."""
    if text.count("[") + text.count("{") > DEEPEST and _depth(text) > DEEPEST:
        raise ValueError(f"nested deeper than {DEEPEST} levels")
    if len(text) > MOST_NAMES:  # few documents are so long
        _refuse_large(text)
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError:
        mended = re.sub(_TOKEN, _quote_bare_word, text)
        if mended == text:
            raise
        try:
            value = _DECODER.decode(mended)
        except json.JSONDecodeError:
            value = None
        if value is None:
            raise
    has_surrogates = "\\u" in text and re.search(_SURROGATE_ESCAPE, text)
    return _settle_all(value) if has_surrogates else value


def _refuse_large(text: str) -> None:
    """Raise `ValueError` for a document that would take too much memory."""
    if text.count(",") > MOST_VALUES and _outside_strings(text).count(",") > MOST_VALUES:
        raise ValueError(f"more than {MOST_VALUES} values")
    if text.count("{") > MOST_OBJECTS and _outside_strings(text).count("{") > MOST_OBJECTS:
        raise ValueError(f"more than {MOST_OBJECTS} objects")
    if text.count(":") > MOST_NAMES and _has_many_names(text):
        raise ValueError(f"more than {MOST_NAMES} different names")


def show_json(value: Json) -> str:
    """Return a value for a message: one line, shortened."""
    return shorten(print_json(value), 60)


def from_base64(text: Json) -> bytes | None:
    """Return the bytes of a base64 text; None if it is not one."""
    import base64

    try:
        return base64.b64decode(text, validate=True)
    except (ValueError, TypeError):  # binascii.Error is a ValueError
        return None


def print_document(document: dict[str, Json]) -> bytes:
    """The bytes of a metadata object."""
    return print_json(document).encode("utf-8")


def _integer(text: str) -> int | Real:
    if text == "-0" or len(text) > _LONGEST_INTEGER:
        return Real(text)  # the sign, or the digits, would be lost
    return int(text)


_DECODER = json.JSONDecoder(parse_float=Real, parse_int=_integer, parse_constant=Real, strict=False)

# `re` compiles these at their first use, because few documents need them.
# A string without its end is a token too, or an end would be searched from each of its quotes.
_TOKEN = r'(?s)"(?:[^"\\]|\\.)*+"?|[^\s\[\]{},:"]+'
_LIKE_NUMBER = r"[-+]?\.?\d"
_NUMBER = r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?"


def _quote_bare_word(token: re.Match[str]) -> str:
    # netcdf-c writes a text without quotes where its own lenient parser takes it for a number.
    text = token.group()
    is_unlike_json = re.match(_LIKE_NUMBER, text) and not re.fullmatch(_NUMBER, text)
    return json.dumps(text) if is_unlike_json else text


def _has_many_names(text: str) -> bool:
    """Return whether a document has too many different names; further ones are not kept."""
    names: set[str] = set()
    for match in re.finditer(r'(?s)"((?:[^"\\]|\\.)*+)"?\s*+(:?)', text):
        if match[2]:
            names.add(match[1])
            if len(names) > MOST_NAMES:
                return True
    return False


def _depth(text: str) -> int:
    """Return the levels of nesting, found without recursion."""
    outside = _outside_strings(text).encode("utf-8", "surrogatepass")
    # Documents of thousands of arrays are long: no step of Python for each token.
    changes = map(_LEVELS.__getitem__, outside.translate(None, _NO_BRACKETS))
    return max(itertools.accumulate(changes), default=0)


_LEVELS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_NO_BRACKETS = bytes(set(range(256)) - set(_LEVELS))


def _outside_strings(text: str) -> str:
    """Return a document without its strings."""
    if "\\" not in text:
        return "".join(text.split('"')[::2])
    return re.sub(r'(?s)"(?:[^"\\]|\\.)*+"?', "", text)


_SURROGATE_ESCAPE = r"\\u[dD][89a-fA-F]"


def _settle_all(value: Json) -> Json:
    if isinstance(value, str):
        return _settle(value)
    if isinstance(value, list):
        return [_settle_all(element) for element in value]
    if isinstance(value, dict):
        return {_settle(key): _settle_all(element) for key, element in value.items()}
    return value


def _settle(text: str) -> str:
    """Give every lone surrogate a meaning in bytes, so that the text can be encoded.

    ``\\udc80`` to ``\\udcff`` are bytes, as ncz writes them; any other becomes the three bytes
    that its code point would have.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        data = b"".join(
            c.encode("utf-8", "surrogateescape" if "\udc80" <= c <= "\udcff" else "surrogatepass")
            for c in text
        )
        return data.decode("utf-8", "surrogateescape")
    return text


def _kind(value: Json) -> str:
    names = {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")

"""Print objects of a store: indented documents, and chunks as values or in hexadecimal."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from ncz.commands.key_patterns import LsOptions, exists, missing
from ncz.commands.known_keys import open_for_listing
from ncz.commands.ls import Entry, entries
from ncz.errors import NO_CALLBACKS, Callbacks, NczError, ZmapError
from ncz.formats.opening import key_roles, open_keys
from ncz.record import replace
from ncz.zmap import Zmap
from ncz.zmap.key import display, join_key
from ncz.zmap.location import Location

_LARGEST = 1 << 30  # bytes of the largest object that is shown
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[][{}:,]|[^][{}:,\s"]+')


def cat(source: Location, key: str, *, decode: bool = False) -> Iterator[str]:
    """Yield the lines of one object.

    JSON is indented; a document that is not valid JSON is printed unchanged. Other objects are
    printed in hexadecimal or, with `decode`, as values, one row of the last dimension per line.

    Raises
    ------
    KeyMissing
        If the store has no such key.
    NczError
        If the object cannot be read or decoded.
    """
    with open_keys(source) as zmap:
        wanted = join_key(*key.split("/"))
        value = zmap.get(wanted, _LARGEST) if wanted else None
        if value is None:
            if wanted and not exists(zmap, wanted):
                raise missing(zmap, wanted)
            raise ZmapError(
                "this key is a prefix of other keys, not an object",
                location=zmap.where(wanted),
                hint=f"list them: ncz ls {source.display} {display(wanted)}",
            )
        yield from _lines(zmap, wanted, value, decode=decode)


def contents(
    options: LsOptions,
    most: int | None = None,
    callbacks: Callbacks = NO_CALLBACKS,
) -> Iterator[tuple[Entry, list[str]]]:
    """Yield every selected object with its lines; chunks are decoded.

    Parameters
    ----------
    options
        What to print. Names without an object are left out.
    most
        The largest number of lines of each object, and of values of a line; a longer one ends with
        "..."; None for all.
    callbacks
        Receives each key that is found, a notice if the server cannot list its keys, and the error
        of an object that cannot be read or decoded. If it continues, the object has no lines.
    """
    with open_for_listing(options.source, callbacks.notify) as zmap:
        for entry in entries(zmap, replace(options, details=True), callbacks):
            if entry.size is None:
                continue
            key = entry.key[1:]
            try:
                value = zmap.get(key, _LARGEST) or b""
                lines = _lines(zmap, key, value, decode=entry.kind == "chunk", most=most)
                yield entry, _first_lines(lines, most)
            except NczError as error:
                callbacks.on_error(error)
                yield entry, []


def _first_lines(lines: Iterator[str], most: int | None) -> list[str]:
    found = list(lines if most is None else islice(lines, most + 1))
    return found if most is None or len(found) <= most else [*found[:most], "..."]


def _lines(
    zmap: Zmap, key: str, value: bytes, *, decode: bool, most: int | None = None
) -> Iterator[str]:
    """Yield the lines of an object with this value."""
    roles = key_roles(zmap)
    if roles.is_document(key):
        yield from document_lines(value)
    elif decode:
        yield from value_lines(roles.decode(key), most)
    else:
        yield from hex_lines(value)


def document_lines(value: bytes) -> Iterator[str]:
    """Return JSON indented by two, with its tokens unchanged; other text unchanged."""
    text = value.decode("utf-8", "surrogateescape")
    try:
        json.loads(value)
    except (ValueError, RecursionError):
        return iter(text.removesuffix("\n").split("\n"))
    return _indent(_TOKEN.findall(text))


def _indent(tokens: list[str]) -> Iterator[str]:
    """Yield lines of JSON, one member per line; a list of plain values stays on one line."""
    line, depth, at = "", 0, 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token in "[{":
            end = _plain_end(tokens, at)
            if end is not None:
                line += token + " ".join(tokens[at:end]).replace(" ,", ",") + tokens[end]
                at = end + 1
            else:
                yield line + token
                depth += 1
                line = "  " * depth
        elif token in "]}":
            yield line
            depth -= 1
            line = "  " * depth + token
        elif token == ",":
            yield line + token
            line = "  " * depth
        else:
            line += ": " if token == ":" else token
    yield line


def _plain_end(tokens: list[str], at: int) -> int | None:
    """Return the start of a list that begins before `at`, if it contains plain values only."""
    opening = tokens[at - 1]
    if tokens[at] in "]}":
        return at
    if opening == "{":
        return None
    while tokens[at] not in "[{":
        if tokens[at] == "]":
            return at
        at += 1
    return None


def hex_lines(value: bytes) -> Iterator[str]:
    """Yield lines of sixteen bytes, in the layout of ``hexdump -C``."""
    for at in range(0, len(value), 16):
        row = value[at : at + 16]
        text = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in row)
        yield f"{at:08x}  {row[:8].hex(' '):<23}  {row[8:].hex(' '):<23}  |{text}|"
    yield f"{len(value):08x}"


def value_lines(values: Any, most: int | None = None) -> Iterator[str]:
    """Yield an array's values, a row of the last dimension per line; text is quoted as in JSON.

    A row of more than `most` values ends with "...".
    """
    rows = values.reshape(-1, values.shape[-1]) if values.ndim and values.size else [values.ravel()]
    for row in rows:
        more = [] if most is None or len(row) <= most else ["..."]
        yield ", ".join([*(_format_element(value) for value in row[:most]), *more])


def _format_element(value: Any) -> str:
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return "null" if value is None else str(value)

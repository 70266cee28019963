"""Print objects of a store, as netCDF's zmapio does.

Metadata are printed unchanged, chunks as values of one type, without decoding. Unlike in zmapio, a
string is never longer than its element, and the byte order of a chunk is found for any separator in
its key.

Source: netcdf-c's nczarr_test/zmapio.c (behaviour only).
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

from ncz.errors import NO_PROGRESS, NczError, Progress
from ncz.record import record
from ncz.zmap import Zmap
from ncz.zmap.key import ZARR_JSON, ancestors, display, join_key
from ncz.zmap.location import Location
from ncz.zmap.opening import open_zmap


class ObjectsOptionError(NczError, ValueError):
    """A type or format that is not valid."""

    exit_code = 2


_TYPES = {
    "ubyte": ("B", "%u"), "byte": ("b", "%d"), "ushort": ("H", "%u"), "short": ("h", "%d"),
    "uint": ("I", "%u"), "int": ("i", "%d"), "uint64": ("Q", "%u"), "int64": ("q", "%d"),
    "float": ("f", "%f"), "double": ("d", "%f"), "char": ("c", "%c"), "string": ("s", "%*s"),
}  # fmt: skip
"""Each type, with its letter in the module struct and its printf format."""

_FORMAT = re.compile(
    r"(?P<before>(?:[^%]|%%)*)%(?P<flags>[-+ #0]*\d{0,3}(?:\.\d{1,3})?)(?:hh?|ll?|[Lqjzt])?"
    r"(?P<letter>[diouxXeEfFgGc])(?P<after>(?:[^%]|%%)*)"
)


@record(kw_only=True)
class ObjectsOptions:
    """The properties of objects to print.

    `type` is the type of the elements of chunks, one of netCDF's names or ``string/LENGTH``.
    `format` is a printf format for one element; None for the default of the type. Without `values`
    the chunks are not printed, and without `consolidated` neither is ``.zmetadata``.
    """

    source: Location
    type: str = "ubyte"
    format: str | None = None
    values: bool = True
    consolidated: bool = True


def objects(options: ObjectsOptions, progress: Progress = NO_PROGRESS) -> Iterator[str]:
    """Yield a line for each object, depth first, in the order of the bytes of the names.

    The indices count the prefixes of keys too, which have no separate line. Bytes that are not
    text are surrogate escapes.

    Raises
    ------
    NczError
        If the store cannot be read, or the type or the format is not valid.
    """
    name, _, length = options.type.lower().partition("/")
    if name not in _TYPES or (length and (name != "string" or not length.isdecimal())):
        known = ", ".join(_TYPES)
        raise ObjectsOptionError(
            f"{options.type!r} is not a valid type", "-t", f"use {known} or string/N"
        )
    if name == "string":
        if options.format is not None:
            raise ObjectsOptionError("a format cannot be used with strings", "-F", "omit it")
        split = _strings(int(length or 0))
    else:
        split = _numbers(name, options.format)
    with closing(open_zmap(options.source)) as zmap:
        progress.expect(None, "keys")
        for index, key in enumerate(_keys(zmap)):
            progress.advance(display(key), 1, 0)
            value = zmap.get(key)
            if value is not None:
                yield f"[{index}] {display(key)} : " + _content(
                    zmap, key, value, name, split, options
                )


_Split = Callable[[bytes, str], tuple[int, Iterator[str]]]
"""A function of a chunk and its byte order, ``<`` or ``>``: the number of elements, and each."""


def _keys(zmap: Zmap) -> Iterator[str]:
    """Yield all keys and prefixes of keys, depth first."""
    pending = [iter(_sorted_keys(zmap, ""))]
    path = [""]
    while pending:
        name = next(pending[-1], None)
        if name is None:
            pending.pop()
            path.pop()
            continue
        key = join_key(path[-1], name)
        yield key
        pending.append(iter(_sorted_keys(zmap, key)))
        path.append(key)


def _sorted_keys(zmap: Zmap, prefix: str) -> list[str]:
    return sorted(zmap.search(prefix), key=lambda name: name.encode("utf-8", "surrogateescape"))


def _content(
    zmap: Zmap, key: str, value: bytes, type_name: str, split: _Split, options: ObjectsOptions
) -> str:
    """Return the part of a line after the key."""
    name = key.rpartition("/")[2]
    if name == ".zmetadata" and not options.consolidated:
        return f"({len(value)}) ||"
    if not value or name.startswith(".") or name == ZARR_JSON:
        return f"({len(value)}) |{value.decode('utf-8', 'surrogateescape')}|"
    count, elements = split(value, _byte_order(zmap, key) if options.values else "<")
    printed = ", ".join(elements) if options.values else "..."
    kind = "" if type_name == "string" else f" ({type_name})"
    return f"({count}){kind} |{printed}|"


def _strings(length: int) -> _Split:
    def split(value: bytes, _: str) -> tuple[int, Iterator[str]]:
        size = length or len(value)
        parts = [value[at : at + size].split(b"\0")[0] for at in range(0, len(value), size)]
        texts = (part.rjust(length).decode("utf-8", "surrogateescape") for part in parts)
        return len(parts), texts

    return split


def _numbers(name: str, printf_format: str | None) -> _Split:
    letter, default = _TYPES[name]
    text, as_character, bits = _python_format(printf_format or default, letter)
    size = struct.calcsize(letter)

    def show(element: Any) -> str:
        if as_character and not isinstance(element, bytes):
            element = bytes([int(element) & 0xFF])
        if isinstance(element, bytes):
            element = element.decode("ascii", "surrogateescape")
        elif bits:
            element &= (1 << bits) - 1
        printed: str = text % element
        return printed

    def split(value: bytes, order: str) -> tuple[int, Iterator[str]]:
        padded = value + bytes(-len(value) % size)
        elements = (show(one) for (one,) in struct.iter_unpack(order + letter, padded))
        return len(padded) // size, elements

    return split


def _python_format(text: str, letter: str) -> tuple[str, bool, int]:
    """Return a printf format for ``%``, whether it prints a character, and its number of bits.

    A negative integer is printed in two's complement, which has these bits; otherwise 0.
    """
    match = _FORMAT.fullmatch(text)
    fits = "c" if letter == "c" else "eEfFgG" if letter in "fd" else "diouxXc"
    if match is None or match["letter"] not in fits:
        raise ObjectsOptionError(
            f"{text!r} is not a valid format for one element of this type",
            "-F",
            f"use a printf format with one of {', '.join(fits)}",
        )
    bits = (64 if letter in "qQ" else 32) if match["letter"] in "ouxX" else 0
    python = f"{match['before']}%{match['flags']}{match['letter']}{match['after']}"
    return python, match["letter"] == "c", bits


def _byte_order(zmap: Zmap, key: str) -> str:
    """Return the byte order of a chunk, from the document of its array; little by default."""
    for folder in (*ancestors(key), ""):
        for name in (".zarray", ZARR_JSON):
            document = zmap.get(join_key(folder, name))
            if document is not None:
                return ">" if _is_big(document) else "<"
    return "<"


def _is_big(document: bytes) -> bool:
    try:
        array = json.loads(document)
    except (ValueError, RecursionError):
        return False
    if not isinstance(array, dict):
        return False
    dtype = str(array.get("dtype"))
    if dtype.startswith(">"):
        return dtype[1:2] != "S"  # texts have no byte order
    codecs = array.get("codecs")
    return isinstance(codecs, list) and any(
        isinstance(codec, dict)
        and isinstance(codec.get("configuration"), dict)
        and codec["configuration"].get("endian") == "big"
        for codec in codecs
    )

"""Print objects of a store: as netCDF's zmapio does, as values, or in hexadecimal.

Metadata are printed unchanged, chunks as values of one type, without decoding. Unlike in zmapio, a
string is never longer than its element, and the byte order of a chunk is found whatever separates
the indices in its key.

Source: netcdf-c's nczarr_test/zmapio.c (behaviour only).
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING, Any

from ncz.commands.ls import Entry, LsOptions, entries, exists, missing, open_listed
from ncz.errors import (
    NO_CALLBACKS,
    NO_PROGRESS,
    Callbacks,
    FormatError,
    NczError,
    Progress,
    ZmapError,
    option,
)
from ncz.formats.kinds import DescribedZmap
from ncz.formats.opening import open_keys
from ncz.formats.zarr.array import decode_elements, most_stored, values_of
from ncz.formats.zarr.document import ArrayDocument
from ncz.formats.zarr.versions import VERSIONS
from ncz.record import record, replace
from ncz.zmap import Zmap
from ncz.zmap.key import ZARR_JSON, ancestors, display, join_key
from ncz.zmap.location import Location
from ncz.zmap.opening import open_zmap

if TYPE_CHECKING:
    from ncz.model.data import Values


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
    """What to print of the objects.

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

    The indices count the prefixes of keys too, which have no line of their own. Bytes that are not
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
    """Return a printf format for ``%``, whether it prints a character, and as how many bits.

    The bits are those of the two's complement as which a negative integer is printed, or 0.
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


# Print objects of a store: documents indented, chunks as values or in hexadecimal.

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
        The number of lines of each object, and of values of a line, after which it ends with
        "..."; None for all.
    callbacks
        Receives each key that is found, a notice if the server cannot list its keys, and the error
        of an object that cannot be read or decoded. If it goes on, the object has no lines.
    """
    with open_listed(options.source, callbacks.notify) as zmap:
        for entry in entries(zmap, replace(options, details=True), callbacks):
            if entry.size is None:
                continue
            key = entry.key[1:]
            try:
                value = zmap.get(key, _LARGEST) or b""
                lines = _lines(zmap, key, value, decode=entry.kind == "chunk", most=most)
                yield entry, _bounded(lines, most)
            except NczError as error:
                callbacks.on_error(error)
                yield entry, []


def _bounded(lines: Iterator[str], most: int | None) -> list[str]:
    found = list(lines if most is None else islice(lines, most + 1))
    return found if most is None or len(found) <= most else [*found[:most], "..."]


def _lines(
    zmap: Zmap, key: str, value: bytes, *, decode: bool, most: int | None = None
) -> Iterator[str]:
    """Yield the lines of an object with this value."""
    name = key.rpartition("/")[2]
    is_document = name.startswith(".") or name == ZARR_JSON
    if is_document and not isinstance(zmap, DescribedZmap):
        yield from document_lines(value)
    elif decode and isinstance(zmap, DescribedZmap):
        yield from value_lines(zmap.decoded(key), most)
    elif decode:
        yield from value_lines(decode_chunk(zmap, key), most)
    else:
        yield from hex_lines(value)


def document_lines(value: bytes) -> Iterator[str]:
    """Return JSON indented by two, with its tokens unchanged; other text as it is."""
    text = value.decode("utf-8", "surrogateescape")
    try:
        json.loads(value)
    except (ValueError, RecursionError):
        return iter(text.removesuffix("\n").split("\n"))
    return _indented(_TOKEN.findall(text))


def _indented(tokens: list[str]) -> Iterator[str]:
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
    """Return where a list that begins before `at` ends, if it holds plain values only."""
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


def decode_chunk(zmap: Zmap, key: str) -> Values:
    """Return the elements of the stored chunk at `key`, given the array's document above it.

    Returns
    -------
    ndarray
        The values, of the shape of a stored chunk: a chunk at the array's edge is not clipped.

    Raises
    ------
    FormatError
        If no array is above the key, or no object is at the key.
    CodecError
        If the chunk cannot be decoded.
    """
    location = zmap.where(key)
    prefix = key
    while prefix:
        prefix = prefix.rpartition("/")[0]
        document = _array_at(zmap, prefix)
        if document is None:
            continue
        encoding = document.encoding(nczarr=False, alias=None, type_name="/element")
        data = zmap.get(key, most_stored(document.layout, encoding))
        if data is None:
            raise FormatError("no object exists at this key", location)
        fill = document.fill(encoding)
        layout = document.layout
        index = document.keys.index(key[len(prefix) + 1 :] if prefix else key, layout.rank)
        if index is not None and layout.lengths is not None:
            layout = layout.at(index)
        elements = decode_elements(data, layout, encoding, location, fill)
        return values_of(elements, encoding, location)
    raise FormatError("this is not a chunk of an array", location, f"omit {option('decode')}")


def _array_at(zmap: Zmap, prefix: str) -> ArrayDocument | None:
    for version in VERSIONS:
        document = version.find_array(zmap, prefix)
        if document is not None:
            return document
    return None

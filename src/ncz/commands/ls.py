"""ls: list the keys of a store and print objects, as netCDF's zmapio does.

Keys are found by searching only, so that a broken store can be listed too; only `decode` needs the
format. A netCDF file is listed as groups, variables and their chunks. Keys are shown with a leading
slash.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from ncz.errors import KeyMissing, NczError, OnError, ZmapError, raise_error
from ncz.formats.kinds import DescribedZmap
from ncz.formats.opening import open_keys
from ncz.record import record
from ncz.zmap import Zmap, location_of
from ncz.zmap.key import ZARR_JSON, display, join_key
from ncz.zmap.location import shown

Kind = Literal["group", "array", "attributes", "chunk", "piece", "other"]

_DOCUMENTS: dict[str, Kind] = {
    ".zgroup": "group", ".nczgroup": "group", ".nczarr": "group",
    ".zarray": "array", ".nczarray": "array",
    ".zattrs": "attributes", ".nczattr": "attributes",
}  # fmt: skip
_NODE_TYPE = re.compile(rb'"node_type"\s*:\s*"(group|array)"')
_NODE_TYPE_WITHIN = 1 << 20  # bytes at the start of a zarr.json
_LARGEST = 1 << 30  # bytes of the largest object that is shown
_CHUNK = re.compile(r"(?:c[./])?[0-9]+(?:[./][0-9]+)*|c")
_MAGIC = re.compile(r"[*?[]")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[][{}:,]|[^][{}:,\s"]+')


@record(kw_only=True)
class LsOptions:
    """The keys to list.

    `pattern` is a prefix or a glob: ``*``, ``?`` and ``[...]`` match within one name, ``**`` any
    number of names. With `recursive`, all objects at and below a match are listed; otherwise a
    prefix lists the names directly below it. `details` adds size and kind, which are looked up for
    each key.
    """

    source: str
    pattern: str = ""
    recursive: bool = False
    details: bool = False


class Entry(NamedTuple):
    """A key, the size in bytes of its object, and its kind.

    The size is None if the key is only a prefix of others. Size and kind are None without details.
    The kind of a prefix of chunks is "chunk". A piece of an aggregation has the paths or URLs where
    it is, in the order in which they are tried.
    """

    key: str
    size: int | None = None
    kind: Kind | None = None
    places: tuple[str, ...] = ()


def ls(options: LsOptions, on_error: OnError = raise_error) -> Iterator[Entry]:
    """Yield the selected keys, in order.

    `on_error` is called if the size or kind of a key cannot be read. If it returns, the entry has
    no size and is of the kind "other".

    Raises `KeyMissing`, which suggests similar names, if no key is selected.
    """
    with open_keys(options.source) as zmap:
        keys = _select(zmap, options.pattern, options.recursive)
        if not options.details:
            for key in keys:
                yield Entry(display(key))
            return
        roles = _Roles(zmap)
        for key in keys:
            places: tuple[str, ...] = ()
            try:
                size = zmap.size(key)
                kind = roles.kind(key, is_object=size is not None)
                if isinstance(zmap, DescribedZmap):
                    places = tuple(zmap.places(key))
            except NczError as error:
                on_error(error)
                size, kind = None, "other"
            yield Entry(display(key), size, kind, places)


def _select(zmap: Zmap, pattern: str, recursive: bool) -> Iterator[str]:
    wanted = join_key(*pattern.split("/"))
    literal = not _MAGIC.search(wanted) or _exists(zmap, wanted)
    if literal:
        keys = _at(zmap, wanted, recursive)
    elif "**" in wanted.split("/"):
        keys = _deep(zmap, wanted)
    else:
        found = _matches(zmap, wanted.split("/"), "")
        keys = (key for top in found for key in zmap.walk(top)) if recursive else found
    first = next(keys, None)
    if first is None:
        if wanted:
            raise _missing(zmap, wanted)
        return
    yield first
    yield from keys


def _exists(zmap: Zmap, key: str) -> bool:
    return next(zmap.walk(key), None) is not None


def _at(zmap: Zmap, key: str, recursive: bool) -> Iterator[str]:
    if recursive:
        return zmap.walk(key)
    names = zmap.search(key)
    if names or zmap.size(key) is None:
        return (join_key(key, name) for name in names)
    return iter((key,))


def _matches(zmap: Zmap, segments: list[str], prefix: str) -> Iterator[str]:
    """Yield keys, and prefixes of keys, that match a glob name by name."""
    segment, *rest = segments
    match = re.compile(_regex(segment)).fullmatch
    for name in zmap.search(prefix):
        if match(name):
            key = join_key(prefix, name)
            if rest:
                yield from _matches(zmap, rest, key)
            else:
                yield key


def _deep(zmap: Zmap, pattern: str) -> Iterator[str]:
    """Yield objects whose key matches a glob with ``**`` in it."""
    segments = pattern.split("/")
    head: list[str] = []
    while not _MAGIC.search(segments[len(head)]):
        head.append(segments[len(head)])
    parts = [_regex(segment) + "/" if segment != "**" else "(?:[^/]+/)*" for segment in segments]
    parts[-1] = parts[-1].removesuffix("/") if segments[-1] != "**" else ".+"
    match = re.compile("".join(parts), re.DOTALL).fullmatch
    return (key for key in zmap.walk("/".join(head)) if match(key))


def _regex(segment: str) -> str:
    """Return one name of a glob as a regular expression."""
    parts = []
    at = 0
    while at < len(segment):
        character = segment[at]
        at += 1
        end = segment.find("]", at + 2 if segment[at : at + 1] == "!" else at + 1)
        if character == "[" and end > 0:
            body, at = segment[at:end], end + 1
            negated = body.startswith("!")
            body = re.sub(r"([\\^\[\]&~|])", r"\\\1", body.removeprefix("!"))
            parts.append(f"[{'^' if negated else ''}{body}]")
        else:
            parts.append({"*": "[^/]*", "?": "[^/]"}.get(character, re.escape(character)))
    return "".join(parts)


def _missing(zmap: Zmap, wanted: str) -> KeyMissing:
    """Return the error for a missing key; it suggests similar names."""
    from difflib import get_close_matches

    folder, name, names = "", "", []
    for segment in wanted.split("/"):
        names = zmap.search(folder)
        name = segment
        if name not in names:
            break
        folder = join_key(folder, name)
    near = get_close_matches(name, names[:10_000], n=3, cutoff=0.5)
    shown_key = display(wanted)
    is_glob = _MAGIC.search(wanted) is not None
    what = f"no key matches {shown_key}" if is_glob else f"key {shown_key} does not exist"
    if near:
        hint = "did you mean " + " or ".join(display(join_key(folder, one)) for one in near) + "?"
    elif names:
        shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        hint = f"{display(folder)} holds {shown}"
    else:
        hint = None
    return KeyMissing(what, location=zmap.url, hint=hint)


class _Roles:
    """The kinds of keys, from their names and from the documents beside and above them."""

    def __init__(self, zmap: Zmap) -> None:
        self._zmap = zmap
        self._known: dict[str, Kind | None] = {}

    def kind(self, key: str, *, is_object: bool) -> Kind:
        """Return the kind of an object, or of a prefix of objects."""
        if isinstance(self._zmap, DescribedZmap):
            return self._zmap.kind(key)
        folder, _, name = key.rpartition("/")
        if not is_object:
            return self._folder(key) or ("chunk" if self._is_chunk(key) else "other")
        if name == ZARR_JSON:
            return self._folder(folder) or "other"
        if name in _DOCUMENTS:
            return _DOCUMENTS[name]
        return "chunk" if self._is_chunk(key) else "other"

    def _is_chunk(self, key: str) -> bool:
        """Return whether `key` is an array's prefix and then chunk indices only."""
        at = len(key)
        while True:
            at = key.rfind("/", 0, at)
            rest = key[at + 1 :]
            if not _CHUNK.fullmatch(rest):
                return False
            role = self._folder(key[: max(at, 0)])
            if role is not None:
                return role == "array"
            if at < 0:
                return False

    def _folder(self, folder: str) -> Kind | None:
        """Return whether a prefix is a group or an array; None if no document says so."""
        if folder not in self._known:
            self._known[folder] = self._look(folder)
        return self._known[folder]

    def _look(self, folder: str) -> Kind | None:
        for name in (".zarray", ".zgroup", ".nczarray", ".nczgroup"):
            if self._zmap.size(join_key(folder, name)) is not None:
                return _DOCUMENTS[name]
        start = self._zmap.get_range(join_key(folder, ZARR_JSON), 0, _NODE_TYPE_WITHIN)
        said = _NODE_TYPE.search(start) if start is not None else None
        if said is None:
            return None
        return "array" if said[1] == b"array" else "group"


def cat(source: str, key: str, *, decode: bool = False) -> Iterator[str]:
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
            if wanted and not _exists(zmap, wanted):
                raise _missing(zmap, wanted)
            raise ZmapError(
                "this key is a prefix of other keys, not an object",
                location=location_of(zmap, wanted),
                hint=f"list them: ncz ls {shown(source)} {display(wanted)}",
            )
        name = wanted.rpartition("/")[2]
        is_document = name.startswith(".") or name == ZARR_JSON
        if is_document and not isinstance(zmap, DescribedZmap):
            yield from document_lines(value)
        elif decode and isinstance(zmap, DescribedZmap):
            yield from value_lines(zmap.decoded(wanted))
        elif decode:
            from ncz.formats.zarr.chunk import decode_chunk

            yield from value_lines(decode_chunk(zmap, wanted))
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


def value_lines(values: Any) -> Iterator[str]:
    """Yield an array's values, a row of the last dimension per line; text is quoted as in JSON."""
    rows = values.reshape(-1, values.shape[-1]) if values.ndim and values.size else [values.ravel()]
    for row in rows:
        yield ", ".join(_shown(value) for value in row)


def _shown(value: Any) -> str:
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return "null" if value is None else str(value)

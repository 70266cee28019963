"""ls: list the keys of a store, what they are, and what they take."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from operator import add
from typing import Literal, NamedTuple

from ncz.commands.fields import choice, option
from ncz.errors import (
    NO_CALLBACKS,
    NO_PROGRESS,
    Callbacks,
    FormatError,
    KeyMissing,
    NczError,
    Notice,
    Notify,
    Progress,
    ignore_notice,
)
from ncz.formats.kinds import DescribedZmap
from ncz.formats.opening import open_keys
from ncz.record import record, replace
from ncz.zmap import DelegatingZmap, Zmap, report_misnamed
from ncz.zmap.key import ZARR_JSON, SortedKeys, ancestors, display, join_key
from ncz.zmap.location import Location

# Which keys of a store a pattern selects.

_MAGIC = r"[*?[]"


def excluder(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Return a function that says whether a key, or a prefix of it, matches one of some globs.

    A glob without a slash matches one name anywhere in a key, others the whole prefix.
    """
    names = [re.compile(_regex(p)) for p in patterns if "/" not in p]
    wholes = [_deep_regex(join_key(*p.split("/"))) for p in patterns if "/" in p]

    def excludes(key: str) -> bool:
        if any(name.fullmatch(part) for name in names for part in key.split("/")):
            return True
        return any(whole.fullmatch(k) for whole in wholes for k in (key, *ancestors(key)))

    return excludes


def select(zmap: Zmap, pattern: str, recursive: bool) -> Iterator[str]:
    """Yield the keys that a prefix or a glob selects. Raises `KeyMissing` if there are none."""
    wanted = join_key(*pattern.split("/"))
    literal = not re.search(_MAGIC, wanted) or exists(zmap, wanted)
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
            raise missing(zmap, wanted)
        return
    yield first
    yield from keys


def exists(zmap: Zmap, key: str) -> bool:
    """Return whether an object is at or below a key."""
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
    while not re.search(_MAGIC, segments[len(head)]):
        head.append(segments[len(head)])
    match = _deep_regex(pattern).fullmatch
    return (key for key in zmap.walk("/".join(head)) if match(key))


def _deep_regex(pattern: str) -> re.Pattern[str]:
    """Return a glob with any number of names as a regular expression."""
    segments = pattern.split("/")
    parts = [_regex(segment) + "/" if segment != "**" else "(?:[^/]+/)*" for segment in segments]
    parts[-1] = parts[-1].removesuffix("/") if segments[-1] != "**" else ".+"
    return re.compile("".join(parts), re.DOTALL)


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


def missing(zmap: Zmap, wanted: str) -> KeyMissing:
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
    is_glob = re.search(_MAGIC, wanted) is not None
    what = f"no key matches {shown_key}" if is_glob else f"key {shown_key} does not exist"
    if near:
        hint = "did you mean " + " or ".join(display(join_key(folder, one)) for one in near) + "?"
    elif names:
        examples = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        hint = f"{display(folder)} holds {examples}"
    else:
        hint = None
    return KeyMissing(what, location=zmap.url, hint=hint)


# The keys that consolidated metadata describes, for servers that cannot list theirs.


@contextlib.contextmanager
def open_listed(source: Location, notify: Notify) -> Iterator[Zmap]:
    """Open a store for listing; see `ncz.formats.opening.open_keys`.

    If a server cannot list its keys, those of the documents in consolidated metadata are listed,
    with a notice. At the end, documents and chunks that were not listed because their names are not
    keys are reported as lost.
    """
    with open_keys(source) as zmap:
        keys = None if zmap.can_list else _documents(zmap)
        if keys is None:
            yield zmap
            report_misnamed(zmap, notify)
            return
        notify(
            Notice(
                "keys-not-listed",
                "the server cannot list its keys; only documents are listed, from consolidated"
                " metadata",
                zmap.url,
            )
        )
        yield KnownKeys(zmap, keys)


def _documents(zmap: Zmap) -> list[str] | None:
    """Return the keys of all documents, from consolidated metadata; None if there are none."""
    from ncz.formats.zarr.consolidated_v2 import read_consolidated
    from ncz.formats.zarr.document_v2 import ZMETADATA
    from ncz.formats.zarr.json import parse_document

    data = zmap.get(ZMETADATA)
    if data is not None:
        found = read_consolidated(data, zmap.where(ZMETADATA), ignore_notice)
        return None if found is None else [ZMETADATA, *found.documents]
    data = zmap.get(ZARR_JSON)
    if data is None:
        return None
    with contextlib.suppress(FormatError, AttributeError):
        document = parse_document(data, zmap.where(ZARR_JSON))
        metadata = (document.get("consolidated_metadata") or {}).get("metadata")
        if isinstance(metadata, dict):
            return [ZARR_JSON, *(join_key(key, ZARR_JSON) for key in metadata)]
    return None


class KnownKeys(DelegatingZmap):
    """A store of which only some keys are listed."""

    def __init__(self, zmap: Zmap, keys: list[str]) -> None:
        super().__init__(zmap)
        self._keys = SortedKeys(keys)

    def search(self, prefix: str) -> list[str]:
        """List the known names directly below `prefix`; see `Zmap.search`."""
        return self._keys.search(prefix)

    def walk(self, prefix: str = "") -> Iterator[str]:
        """Iterate over the known keys at or below `prefix`; see `Zmap.walk`."""
        return self._keys.walk(prefix)


# What the keys of a store are, from their names and from the documents beside and above them.

Kind = Literal["group", "array", "attributes", "chunk", "piece", "other"]

_DOCUMENTS: dict[str, Kind] = {
    ".zgroup": "group", ".nczgroup": "group", ".nczarr": "group",
    ".zarray": "array", ".nczarray": "array",
    ".zattrs": "attributes", ".nczattr": "attributes",
}  # fmt: skip
_NODE_TYPE = rb'"node_type"\s*:\s*"(group|array)"'
_NODE_TYPE_WITHIN = 1 << 20  # bytes at the start of a zarr.json
_CHUNK = r"(?:c[./])?[0-9]+(?:[./][0-9]+)*|c"


class Roles:
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
            return self.folder(key) or ("chunk" if self._is_chunk(key) else "other")
        if name == ZARR_JSON:
            return self.folder(folder) or "other"
        if name in _DOCUMENTS:
            return _DOCUMENTS[name]
        return "chunk" if self._is_chunk(key) else "other"

    def _is_chunk(self, key: str) -> bool:
        """Return whether `key` is an array's prefix and then chunk indices only."""
        at = len(key)
        while True:
            at = key.rfind("/", 0, at)
            rest = key[at + 1 :]
            if not re.fullmatch(_CHUNK, rest):
                return False
            role = self.folder(key[: max(at, 0)])
            if role is not None:
                return role == "array"
            if at < 0:
                return False

    def folder(self, folder: str) -> Kind | None:
        """Return whether a prefix is a group or an array; None if no document says so."""
        if folder not in self._known:
            self._known[folder] = self._look(folder)
        return self._known[folder]

    def _look(self, folder: str) -> Kind | None:
        for name in (".zarray", ".zgroup", ".nczarray", ".nczgroup"):
            if self._zmap.size(join_key(folder, name)) is not None:
                return _DOCUMENTS[name]
        start = self._zmap.get_range(join_key(folder, ZARR_JSON), 0, _NODE_TYPE_WITHIN)
        if start is None:
            return None
        # Consolidated metadata and attributes may have members of this name too.
        node_types = set(re.findall(_NODE_TYPE, start))
        if len(node_types) > 1 or b"consolidated_metadata" in start:
            return _node_type(self._zmap.get(join_key(folder, ZARR_JSON)) or b"")
        return None if not node_types else "array" if node_types == {b"array"} else "group"


def _node_type(document: bytes) -> Kind | None:
    """Return the type of the node that a whole document describes; None if it is damaged."""
    try:
        node_type = json.loads(document).get("node_type")
    except (ValueError, RecursionError, AttributeError):
        return None
    return node_type if node_type in ("array", "group") else None


@record(kw_only=True)
class LsOptions:
    """The keys to list.

    Each of `patterns` is a prefix or a glob: ``*``, ``?`` and ``[...]`` match within one name,
    ``**`` any number of names; without any, the whole store is listed. `exclude` are globs of keys
    to leave out, with what is below them; one without a slash matches a name anywhere. With
    `recursive`, all objects at and below a match are listed; otherwise a prefix lists the names
    directly below it. `details` adds size and kind, which are looked up for each key. Only keys of
    `kinds` are listed, if any are given.
    """

    source: Location
    patterns: tuple[str, ...] = ()
    recursive: bool = option(
        "-r",
        "--recursive",
        default=False,
        section="Selection",
        common=True,
        help="List all levels, not only one.",
        python="Whether to list all levels of keys, or only one.",
    )
    kinds: Collection[Kind] = option(
        "--kind",
        default=(),
        metavar="KIND",
        values=choice("group", "array", "attributes", "chunk", "piece", "other"),
        repeats=True,
        section="Selection",
        common=True,
        help="Only group, array, attributes, chunk, piece or other.",
        python='The kinds of keys to list: "group", "array", "attributes", "chunk", "piece",'
        ' "other".',
        type="Collection[Kind] | Kind",
    )
    exclude: tuple[str, ...] = option(
        "--exclude",
        default=(),
        metavar="GLOB",
        repeats=True,
        section="Selection",
        common=True,
        help="Leave out matching keys, and those below them.",
        python="Globs of keys to leave out, with what is below them.",
    )
    details: bool = option(
        "-l",
        "--long",
        default=False,
        section="Output",
        common=True,
        help="Print the size and the kind of each key, and where pieces and references lead.",
        python="Whether to look up the size in bytes, the kind and the target of each key too.",
        argument="long",
    )


class Entry(NamedTuple):
    """A key, the size in bytes of its object, and its kind.

    The size is None if the key is only a prefix of others. Size and kind are None without details.
    The kind of a prefix of chunks is "chunk". A piece of an aggregation has the paths or URLs where
    it is, in the order in which they are tried. `target` is where a key of a reference set leads:
    the path or the URL of a file, and of a part of it the offset and the length in bytes.
    """

    key: str
    size: int | None = None
    kind: Kind | None = None
    places: tuple[str, ...] = ()
    target: tuple[str] | tuple[str, int, int] | None = None


def ls(
    options: LsOptions,
    callbacks: Callbacks = NO_CALLBACKS,
) -> Iterator[Entry]:
    """Yield the selected keys, for each pattern in order; each key once.

    Parameters
    ----------
    options
        What to list.
    callbacks
        Receives each key that is found, a notice if the server cannot list its keys but
        consolidated metadata can, and the error of a key whose size or kind cannot be read. If it
        goes on, the entry has no size and is of the kind "other".

    Raises
    ------
    KeyMissing
        If no key is selected. The error suggests similar names.
    """
    with open_listed(options.source, callbacks.notify) as zmap:
        yield from entries(zmap, options, callbacks)


def entries(
    zmap: Zmap,
    options: LsOptions,
    callbacks: Callbacks = NO_CALLBACKS,
) -> Iterator[Entry]:
    """Yield the selected keys of an open store; see `ls`."""
    keys = selected(zmap, options, callbacks.progress)
    if not (options.details or options.kinds):
        yield from map(Entry, map(display, keys))
        return
    roles = Roles(zmap)
    for key in keys:
        target = None
        try:
            target = _target(zmap, key)
            size = zmap.size(key)
            kind = roles.kind(key, is_object=size is not None)
            places = tuple(zmap.places(key)) if isinstance(zmap, DescribedZmap) else ()
        except NczError as error:
            callbacks.on_error(error)
            size, kind, places = None, "other", ()
        if not options.kinds or kind in options.kinds:
            yield (
                Entry(display(key), size, kind, places, target)
                if options.details
                else Entry(display(key))
            )


def _target(zmap: Zmap, key: str) -> tuple[str] | tuple[str, int, int] | None:
    """Return where a key leads, as reference sets write it, without the query of a URL."""
    found = zmap.target(key)
    if found is None:
        return None
    url = found.url.partition("?")[0] if "://" in found.url else found.url
    return (url,) if found.length is None else (url, found.offset, found.length)


def selected(zmap: Zmap, options: LsOptions, progress: Progress = NO_PROGRESS) -> Iterator[str]:
    """Yield the keys that the patterns select, without those that are excluded."""
    progress.expect(None, "keys")
    excludes = excluder(options.exclude)
    several = len(options.patterns) > 1
    seen: set[str] = set()
    for pattern in options.patterns or ("",):
        for key in select(zmap, pattern, options.recursive):
            progress.advance(display(key), 1, 0)
            if options.exclude and excludes(key):
                continue
            if several:
                if key in seen:
                    continue
                seen.add(key)
            yield key


# What the groups and arrays of a store take: objects, chunks and bytes.


@record
class Total:
    """The objects at and below a group or an array, the chunks among them, and all their bytes."""

    key: str
    kind: Kind
    objects: int = 0
    chunks: int = 0
    size: int = 0


def totals(
    options: LsOptions,
    callbacks: Callbacks = NO_CALLBACKS,
) -> Iterator[Total]:
    """Yield the totals of every group and array of the selected objects, groups first.

    The parameters are those of `ncz.commands.ls.ls`. What is below a group counts for it.
    """
    found: dict[str, tuple[Kind, list[int]] | None] = {}
    with open_listed(options.source, callbacks.notify) as zmap:
        roles = Roles(zmap)

        def counts_of(folder: str) -> list[int]:
            if folder not in found:
                kind = roles.kind(folder, is_object=False)
                found[folder] = (kind, [0, 0, 0]) if kind in ("group", "array") else None
            node = found[folder]
            return node[1] if node else []

        for key in selected(zmap, replace(options, recursive=True), callbacks.progress):
            try:
                size = zmap.size(key) or 0
                is_chunk = roles.kind(key, is_object=True) == "chunk"
            except NczError as error:
                callbacks.on_error(error)
                continue
            for folder in ("", *reversed(list(ancestors(key)))):
                counts = counts_of(folder)
                counts[:] = map(add, counts, (1, is_chunk, size))
    for folder, node in found.items():
        if node is not None:
            yield Total(display(folder), node[0], *node[1])

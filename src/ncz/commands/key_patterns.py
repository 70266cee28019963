"""The keys of a store that a pattern selects."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence

from ncz.errors import NO_PROGRESS, KeyMissing, Progress
from ncz.formats.key_roles import Kind
from ncz.record import record
from ncz.zmap import Zmap
from ncz.zmap.key import ancestors, display, join_key
from ncz.zmap.location import Location


@record(kw_only=True)
class LsOptions:
    """The keys to list.

    Each of `patterns` is a prefix or a glob: ``*``, ``?`` and ``[...]`` match within one name,
    ``**`` any number of names; without any, the whole store is listed. `exclude` are globs of keys
    to leave out, with all keys below them; one without a slash matches a name anywhere. With
    `recursive`, all objects at and below a match are listed; otherwise a prefix lists the names
    directly below it. `details` adds size and kind, which are looked up for each key. Only keys of
    `kinds` are listed, if any are given.
    """

    source: Location
    patterns: tuple[str, ...] = ()
    recursive: bool = False
    kinds: Collection[Kind] = ()
    exclude: tuple[str, ...] = ()
    details: bool = False


def select_keys(zmap: Zmap, options: LsOptions, progress: Progress = NO_PROGRESS) -> Iterator[str]:
    """Yield the keys that the patterns select, without excluded ones."""
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
    """Yield the keys that a prefix or a glob selects. Raises `KeyMissing` if none exist."""
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
            parts.append(_one_of(segment[at:end]))
            at = end + 1
        else:
            parts.append({"*": "[^/]*", "?": "[^/]"}.get(character, re.escape(character)))
    return "".join(parts)


def _one_of(body: str) -> str:
    """Return the contents of the brackets of a glob as a regular expression of one character.

    It never is a slash, which separates names. A range whose ends are exchanged has no characters.
    """
    characters = body.removeprefix("!")
    parts = []
    at = 0
    while at < len(characters):
        is_range = characters[at + 1 : at + 2] == "-" and at + 2 < len(characters)
        first, last = characters[at], characters[at + 2 if is_range else at]
        at += 3 if is_range else 1
        if first <= last:
            parts.append(re.escape(first) + (f"-{re.escape(last)}" if is_range else ""))
    inside = "".join(parts)
    if body.startswith("!"):
        return f"(?!/)[^{inside}]" if inside else "[^/]"
    return f"(?!/)[{inside}]" if inside else "(?!)"


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

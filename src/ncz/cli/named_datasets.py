"""The datasets on a command line: their names and keys, found within a short time limit."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from ncz.model.tree import Dataset
    from ncz.zmap.location import Location

_T = TypeVar("_T")

PATIENCE = 2.0
"""Seconds that a person waits for the answer of a server."""

_KEYS = {
    "--profile": "aws.profile",
    "--endpoint-url": "aws.endpoint_url",
    "--region": "aws.region",
}
"""Options with a value for the access to a server, and their keys in a URL."""


def names_in(words: Sequence[str], fqns_of: Callable[[Dataset], list[str]]) -> list[str]:
    """Return names in the first dataset on the line: names in the root have no slash."""
    from ncz.formats.opening import open_dataset

    def names(location: Location) -> list[str]:
        with open_dataset(location) as opened:
            fqns = fqns_of(opened.dataset)
        return [fqn[1:] if fqn.count("/") == 1 else fqn for fqn in fqns]

    for location in _locations(words):
        found = soon(partial(names, location), location)
        if found is not None:
            return found
    return []


def ask_dataset(path: str, of: Callable[[Dataset], _T]) -> _T | None:
    """Return the result of a function of a dataset; None if it cannot be opened soon."""
    from ncz.formats.opening import open_dataset

    location = find_location((), path) if "://" in path or os.path.exists(path) else None
    if location is None:
        return None

    def answer() -> _T:
        with open_dataset(location) as opened:
            return of(opened.dataset)

    return soon(answer, location)


def keys_in(words: Sequence[str], start: str) -> list[str]:
    """Return the keys of the first store on the line that begin with `start`, of one level."""
    folder, slash, name = start.rpartition("/")
    for location in _locations(words):
        found = soon(partial(_level, location, folder), location)
        if found is not None:
            return [f"{folder}{slash}{each}" for each in found if each.startswith(name)]
    return []


def urls(words: Sequence[str], start: str) -> list[str]:
    """Return the URLs on a server that complete the last name of a URL."""
    folder, slash, name = start.rpartition("/")
    if folder.endswith((":", "/")):  # the name of a bucket, which nobody may list
        return []
    location = find_location(words, folder)
    if location is None or location.kind != "remote":
        return []
    found = soon(partial(_level, location, ""), location)
    return [f"{folder}{slash}{each}" for each in found or () if each.startswith(name)]


def _level(location: Location, folder: str) -> list[str]:
    """Return the names directly below a key, with one listing."""
    from ncz.zmap.opening import open_zmap

    zmap = open_zmap(location)
    try:
        return zmap.search(folder)
    finally:
        zmap.close()


def _locations(words: Sequence[str]) -> Iterator[Location]:
    """Yield the paths of files and the URLs among the words."""
    for before, word in zip(("", *words), words, strict=False):
        is_place = "://" in word or os.path.exists(word.partition("#")[0])
        if word.startswith("-") or not is_place or before in _KEYS:
            continue
        location = find_location(words, word)
        if location is not None:
            yield location


def find_location(words: Sequence[str], text: str) -> Location | None:
    """Return a location with the options of servers on the line; None if not valid."""
    from ncz.errors import NczError
    from ncz.zmap.location import parse_location

    options = {"timeout": str(PATIENCE)} if "://" in text else {}
    options |= options_of_servers(words)
    try:
        return parse_location(text, options=options)
    except NczError:
        return None


def options_of_servers(words: Sequence[str]) -> dict[str, str]:
    """Return the options of a line that concern servers, by their keys in a URL."""
    options: dict[str, str] = {}
    for name, value in zip(words, (*words[1:], ""), strict=False):
        name, equals, given = name.partition("=")
        if name in _KEYS and (given or value):
            options[_KEYS[name]] = given if equals else value
        if name == "--anon":
            options["aws.anon"] = "true"
    return options


def soon(call: Callable[[], _T], location: Location) -> _T | None:
    """Return the result of a function; None if it fails, or if a server is slow."""
    from ncz.errors import NczError

    if location.kind != "remote":
        try:
            return call()
        except NczError:
            return None
    found: list[_T] = []

    def answer() -> None:
        try:
            found.append(call())
        except Exception:
            return

    thread = threading.Thread(target=answer, name="ncz-completion", daemon=True)
    thread.start()
    thread.join(PATIENCE)
    return found[0] if found else None

"""Create reference sets: a JSON text, or a folder in the Parquet layout."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import cast

from ncz.errors import UrlError, ZmapError, option
from ncz.record import replace
from ncz.system_errors import storage_errors
from ncz.zmap import ReferringZmap, WritableZmap
from ncz.zmap.byte_range import ByteRange, ByteRanges
from ncz.zmap.claim import Claim
from ncz.zmap.fragment import DEFAULT_INLINE, INLINE, RECORD_SIZE, RELATIVE_TO, SEALS, VERSION
from ncz.zmap.key import (
    LARGEST_DOCUMENT,
    LONGEST,
    check_inside,
    check_key,
    is_document,
    part,
    too_large,
)
from ncz.zmap.kinds import GZIP, LOOKED_AT, PARQUET_SUFFIXES, ZSTD, looks_like_set
from ncz.zmap.location import Location
from ncz.zmap.reference.held_values import HeldValues
from ncz.zmap.reference.json_writer import json_text
from ncz.zmap.reference.new_chunks import NewChunks
from ncz.zmap.reference.parquet import LARGEST_RECORD
from ncz.zmap.reference.parquet_writer import RECORD_SIZE as DEFAULT_RECORD
from ncz.zmap.reference.parquet_writer import parquet_files
from ncz.zmap.reference.reference_set import Entry, KeyedSet, Reference, single_references
from ncz.zmap.reference.seals import Seal
from ncz.zmap.reference.targets import Targets, home_of
from ncz.zmap.reference.text_compression import compress_text
from ncz.zmap.remote.opening import create_remote, create_remote_file

LARGEST_INLINE = 8 << 20
"""Bytes of the largest object that can be stored in the set."""


_PARALLEL = 16
"""The number of targets whose states are requested at the same time."""


class ReferenceCreation(ReferringZmap):
    """A reference set under construction; see `ReferringZmap`.

    Parameters
    ----------
    location
        Where the set is created.
    new
        Takes the chunks that the set does not contain, for the folder next to it.
    """

    keeps_order = True

    def __init__(self, location: Location, new: NewChunks | None = None) -> None:
        self.url = location.address
        self._path = location.path
        self._location = location
        self._name = target_namer(location)
        self._entries: dict[str, Entry] = {}
        self._names: dict[str, str] = {}
        self._known_seals: dict[str, Seal] = {}
        self._closed = False
        self._new = NewChunks(location) if new is None else new
        self.inline = _number(location, INLINE, DEFAULT_INLINE, 0, LARGEST_INLINE)
        self._held = HeldValues(self.inline)
        self._record_size = _number(location, RECORD_SIZE, DEFAULT_RECORD, 1, LARGEST_RECORD)
        self._version = _number(location, VERSION, 1, 0, 1)

    @property
    def entries(self) -> dict[str, Entry]:
        """The references so far, by key; ranges are at the key of the first one."""
        if self._closed:
            raise ZmapError("the store is closed", location=self.url)
        return self._entries

    def text(self) -> bytes:
        """Return the set as JSON, compressed as its name says."""
        return compress_text(
            json_text(self.entries, self._version, seals=self._seals()),
            self._path,
        )

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Yield the key and the bytes of each file of the set in the Parquet layout."""
        return parquet_files(self.entries, self.url, self._record_size, self._seals())

    def take(self, entries: Mapping[str, Reference], seals: Mapping[str, Seal]) -> None:
        """Take the contents of another set: its references by key, and the states of targets."""
        self._entries.update(entries)
        self._known_seals = dict(seals)
        for key, entry in entries.items():
            if isinstance(entry, bytes) and not is_document(key):
                self._held.admits(key, len(entry))

    def settle(self) -> None:
        """Refer to the chunks in the folder next to the set, whose files get their places now."""
        self._new.finish()
        files = {url: self._name(file.address) for url, file in self._new.files.items()}
        if not files:
            return
        for key, entry in self._entries.items():
            if isinstance(entry, ByteRange) and entry.url in files:
                self._entries[key] = replace(entry, url=files[entry.url])
        if self._location.options.get(SEALS) != "off":
            seals = {files[url]: file.seal for url, file in self._new.files.items()}
            self._known_seals = {**self._known_seals, **seals}

    def _seals(self) -> dict[str, Seal]:
        """Return the states of the targets, by their names in the set; known ones stay."""
        known = self._known_seals
        new = [url for url, name in self._names.items() if name not in known]
        if self._location.options.get(SEALS) == "off" or not new:
            return known
        with contextlib.closing(Targets(self._location, self.url)) as targets:
            found = targets.seals(new)
        return known | {self._names[url]: seal for url, seal in found.items()}

    @property
    def references(self) -> dict[str, Reference]:
        """The references so far, by key."""
        entries = self.entries
        if any(isinstance(entry, ByteRanges) for entry in entries.values()):
            self._entries = dict(single_references(entries))
        return cast("dict[str, Reference]", self._entries)

    def put(self, key: str, value: bytes) -> None:
        """Create or replace an object; see `WritableZmap.put`.

        The set contains documents, small chunks and few values of a variable. All other chunks of
        the variable are in the folder next to the set.
        """
        key = _checked_key(key)
        if is_document(key):
            if len(value) > LARGEST_INLINE:
                raise ZmapError(
                    f"a document of {len(value)} bytes cannot be stored in a reference set",
                    self.where(key),
                    "copy to a store instead",
                )
        elif not self._held.admits(key, len(value)):
            for held in self._held.exclude(key):
                before = self.references.get(held)
                if isinstance(before, bytes) and held != key:
                    self._set(held, self._new.add(before))
            self._set(key, self._new.add(value))
            return
        self._set(key, bytes(value))

    def refer(self, key: str, place: ByteRange) -> None:
        """Create or replace an object whose bytes are somewhere else; see `ReferringZmap`."""
        if place.length == 0:  # the Parquet layout has no empty ranges
            self.put(key, b"")
            return
        where = ByteRange(self._named_url(place.url), place.offset, place.length)
        self._set(_checked_key(key), where)

    def refer_all(self, ranges: ByteRanges) -> None:
        """Create objects that are parts of one file; see `ReferringZmap`.

        The keys differ in numbers only, so that the longest is checked for all.
        """
        if not len(ranges.offsets):
            return
        _checked_key(ranges.keys(ranges.indices.max(axis=0, keepdims=True))[0])
        (first,) = ranges.keys(ranges.indices[:1])
        self.entries[first] = replace(ranges, url=self._named_url(ranges.url))

    def _set(self, key: str, reference: Reference) -> None:
        is_in_ranges = isinstance(self.entries.get(key), ByteRanges)
        (self.references if is_in_ranges else self.entries)[key] = reference

    def delete(self, key: str) -> bool:
        """Delete an object; return False if no object has this key."""
        return self.references.pop(check_inside(key), None) is not None

    def get(self, key: str, limit: int = LARGEST_DOCUMENT) -> bytes | None:
        """Read an object that the set contains; see `Zmap.get`."""
        found = self.references.get(check_inside(key))
        if isinstance(found, ByteRange):
            raise ZmapError("a reference cannot be read before the set exists", self.where(key))
        if found is not None and len(found) > limit:
            raise too_large(self.where(key), limit)
        return found

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """Read a part of an object that the set contains; see `Zmap.get_range`."""
        value = self.get(key, LARGEST_INLINE)
        return None if value is None else part(value, start, count)

    def size(self, key: str) -> int | None:
        """Return the size of an object in bytes; None if no object has this key."""
        found = self.references.get(check_inside(key))
        if isinstance(found, ByteRange):
            return found.length
        return None if found is None else len(found)

    def search(self, prefix: str) -> list[str]:
        """List the names directly below `prefix`; see `Zmap.search`."""
        return KeyedSet(self.references).search(check_inside(prefix))

    def walk(self, prefix: str = "") -> Iterator[str]:
        """Iterate over the keys at or below `prefix`; see `Zmap.walk`."""
        return KeyedSet(self.references).walk(check_inside(prefix))

    def close(self) -> None:
        """Close the set. Writing afterwards raises `ZmapError`."""
        self._closed = True

    def _named_url(self, url: str) -> str:
        """Return the name that a target has in the set."""
        name = self._names.get(url)
        if name is None:
            name = self._names[url] = self._name(url)
        return name


def _checked_key(key: str) -> str:
    """Return a key of a new object; the keys of most chunks are checked the fast way."""
    is_simple = key.isascii() and key.isprintable() and len(key) <= LONGEST
    if not (check_inside(key) if is_simple else check_key(key)):
        raise ZmapError("a key cannot be empty")
    return key


def _number(location: Location, key: str, default: int, least: int, most: int) -> int:
    """Return the number that a key of the fragment gives."""
    text = location.options.get(key, str(default))
    if not (text.isascii() and text.isdecimal() and least <= int(text[:20]) <= most):
        raise UrlError(f"{key} must be between {least} and {most}", location.address, "omit it")
    return int(text)


def target_namer(location: Location) -> Callable[[str], str]:
    """Return a function from the path or URL of a target to its name in the set.

    Names are absolute, or relative to the folder of the set if the user chose that, and the target
    is on the same storage.
    """
    home = home_of(location)
    if location.options.get(RELATIVE_TO) == "cwd":
        raise UrlError(
            "targets cannot be written relative to the working folder",
            location.address,
            f"omit {option('relative_to')}, or use {option('relative_to', 'ref')}",
        )
    is_relative = location.options.get(RELATIVE_TO) == "ref"
    folder = os.path.dirname(os.path.abspath(location.path)) if home is None else ""
    above = f"{home.root}{os.path.dirname(home.path)}".rstrip("/") + "/" if home else ""

    def name(url: str) -> str:
        if "://" not in url:
            return os.path.relpath(url, folder) if is_relative and folder else f"file://{url}"
        if is_relative and above and url.startswith(above):
            return url[len(above) :]
        return url

    return name


def create_references(
    location: Location, overwrite: bool, _: Claim | None
) -> AbstractContextManager[WritableZmap]:
    """Create a reference set; see `ncz.zmap.opening.create_zmap`.

    It has the Parquet layout if its name ends in ``.parq`` or ``.parquet``, and is JSON otherwise,
    compressed if its name ends in ``.json.zst`` or ``.json.gz``.
    """
    return create_set(location, overwrite, NewChunks(location))


@contextlib.contextmanager
def create_set(location: Location, overwrite: bool, new: NewChunks) -> Iterator[ReferenceCreation]:
    """Create a reference set; see `create_references`. `new` has chunks for the folder next to it.

    The folder has its files before the set is in its place.
    """
    with (
        new.replace_set(overwrite=overwrite),
        _create(location, overwrite, lambda: ReferenceCreation(location, new)) as creation,
    ):
        yield creation


def _create(
    location: Location, overwrite: bool, begin: Callable[[], ReferenceCreation]
) -> AbstractContextManager[ReferenceCreation]:
    if not location.path.rstrip("/").lower().endswith(PARQUET_SUFFIXES):
        return _file(location, overwrite, begin)
    if location.kind == "remote":
        return _remote_folder(location, overwrite, begin)
    from ncz.zmap.local.creation import create_local

    made = create_local(location, partial(_folder_at, begin), False, overwrite, None)
    return cast("AbstractContextManager[ReferenceCreation]", made)


def _replaces(location: Location) -> Callable[[bytes], bool]:
    """Return which files a set in JSON may replace, by their first bytes."""
    is_compressed = not location.path.lower().endswith(".json")
    return lambda first: looks_like_set(first) or (is_compressed and first.startswith((GZIP, ZSTD)))


@contextlib.contextmanager
def _file(
    location: Location, overwrite: bool, begin: Callable[[], ReferenceCreation]
) -> Iterator[ReferenceCreation]:
    from ncz.zmap.local.creation import create_file

    replaces = _replaces(location)
    if location.kind == "remote":
        made = create_remote_file(
            location,
            overwrite=overwrite,
            replaces=replaces,
            first=LOOKED_AT,
            what="a reference set",
        )
    else:
        made = create_file(location, overwrite=overwrite, replaces=replaces)
    with made as path:
        creation = begin()
        yield creation
        creation.settle()
        with storage_errors(location.address, "write"), open(path, "xb") as file:
            file.write(creation.text())
        creation.close()


@contextlib.contextmanager
def _folder_at(
    begin: Callable[[], ReferenceCreation],
    path: str,
    location: Location,
    begun: bool,
    is_claimed: bool,
) -> Iterator[ReferenceCreation]:
    """Build a folder of Parquet files at `path`."""
    from ncz.zmap.local.creation import directory_at

    with directory_at(path, location, begun, is_claimed) as folder:
        yield from _fill_folder(folder, begin)


@contextlib.contextmanager
def _remote_folder(
    location: Location, overwrite: bool, begin: Callable[[], ReferenceCreation]
) -> Iterator[ReferenceCreation]:
    place = replace(location, modes=location.modes - {"reference"})
    with create_remote(place, overwrite=overwrite) as folder:
        yield from _fill_folder(folder, begin)


def _fill_folder(
    folder: WritableZmap, begin: Callable[[], ReferenceCreation]
) -> Iterator[ReferenceCreation]:
    """Yield the set, and write its files into a folder."""
    creation = begin()
    yield creation
    creation.settle()
    for key, data in creation.files():
        folder.put(key, data)
    creation.close()

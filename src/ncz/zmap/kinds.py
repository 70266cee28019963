"""The kinds of stores, and how each is recognised, opened and created.

A new kind is one entry in `KINDS` (and its name in `Kind`) and one package with a record of
functions (`ncz.zmap.opening.Opener`). The package is imported when a store of its kind is opened or
created.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Literal

from ncz.record import record
from ncz.zmap.key import LARGEST_SET

Kind = Literal["directory", "zip", "tar", "reference", "icechunk", "remote", "memory"]


@record
class StoreKind:
    """The signs of one kind of stores, and the places of its functions.

    `opener` names the kind's `Opener` as "module:name". It is a name and not an import, because the
    packages of the kinds import this table. `modes` are the values of ``mode=`` and `protocols` the
    URL protocols that select the kind.
    `recognise` decides from a local path and the first bytes of its file, or None for a directory;
    kinds without it are selected by their URLs. A new store with one of `suffixes` is of this kind.
    `on_servers` says whether a mode selects the kind for URLs of servers too. `zarr_format` is the
    only version of Zarr that stores of the kind contain; None for any version. `strict` says
    whether documents cannot have NaN and infinities, which JSON does not have. `beside` is the
    suffix that the name of a folder next to a store adds to the name of the store, for kinds with
    such a folder, and `usual` are the endings of the names that their stores usually have.
    """

    title: str
    opener: str
    modes: tuple[str, ...] = ()
    protocols: tuple[str, ...] = ()
    recognise: Callable[[str, bytes | None], bool] | None = None
    suffixes: tuple[str, ...] = ()
    on_servers: bool = False
    zarr_format: int | None = None
    strict: bool = False
    beside: str = ""
    usual: tuple[str, ...] = ()


def is_zip(first: bytes) -> bool:
    """Return whether a file that starts with these bytes is a zip file."""
    # An entry, the end of an empty zip file, or the first part of a split one.
    return first.startswith((b"PK\3\4", b"PK\5\6", b"PK\7\x08"))


TAR, TAR_OFFSET = b"ustar", 257
"""The mark in the header of a tar archive, and its offset."""


def is_json(first: bytes) -> bool:
    """Return whether a file that starts with these bytes may be a JSON object."""
    return first.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"


GZIP_SUFFIXES, ZSTD_SUFFIXES = (".json.gz",), (".json.zst", ".json.zstd")
JSON_SUFFIXES = (".json", *GZIP_SUFFIXES, *ZSTD_SUFFIXES)
PARQUET_SUFFIXES = (".parq", ".parquet")
SET_SUFFIXES = (*JSON_SUFFIXES, *PARQUET_SUFFIXES)
"""The usual endings of the names of reference sets."""

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
"""The first bytes of compressed files."""


def is_json_file(path: str, first: bytes) -> bool:
    """Return whether a file may be JSON, by its first bytes; if compressed, by its name too."""
    is_named = path.lower().endswith(JSON_SUFFIXES)
    return is_json(first) or (is_named and first.startswith((GZIP, ZSTD)))


LOOKED_AT = 1 << 20
"""Bytes of a file that `looks_like_set` examines."""


def looks_like_set(first: bytes) -> bool:
    """Return whether a file that starts with these bytes looks like a reference set in JSON."""
    names = (b'"refs"', b".zgroup", b".zarray", b"zarr.json", b'"ncz":{"sources"')
    return is_json(first) and any(name in first for name in names)


def _is_reference_set(path: str, first: bytes | None) -> bool:
    """Return whether a file is JSON, or a directory has the Parquet layout of reference sets."""
    if first is not None:
        return is_json_file(path, first)
    document = os.path.join(path, ".zmetadata")
    if not os.path.isfile(document):
        return False
    if any(os.path.lexists(os.path.join(path, name)) for name in (".zgroup", ".zarray")):
        return False  # a store with consolidated metadata
    try:
        with open(document, "rb") as file:
            return b'"record_size"' in file.read(LARGEST_SET)
    except OSError:
        return False


ICECHUNK_ROOTS = ("refs/branch.main/ref.json", "repo")
"""Objects of an Icechunk repository; it has at least one, because it has a main branch."""


def _is_repository(path: str, first: bytes | None) -> bool:
    """Return whether a directory is an Icechunk repository."""
    return (
        first is None
        and os.path.isdir(os.path.join(path, "snapshots"))
        and any(os.path.isfile(os.path.join(path, name)) for name in ICECHUNK_ROOTS)
    )


KINDS: dict[Kind, StoreKind] = {
    "directory": StoreKind(
        "directory",
        "ncz.zmap.local.opening:DIRECTORY",
        modes=("file",),
        recognise=lambda _, first: first is None,
    ),
    "zip": StoreKind(
        "zip file",
        "ncz.zmap.local.opening:ZIP",
        modes=("zip",),
        recognise=lambda _, first: first is not None and is_zip(first),
        suffixes=(".zip",),
    ),
    "tar": StoreKind(
        "tar archive",
        "ncz.zmap.local.opening:TAR",
        recognise=lambda _, first: first is not None and first.startswith(TAR, TAR_OFFSET),
    ),
    "reference": StoreKind(
        "reference set",
        "ncz.zmap.reference.opening:REFERENCE",
        modes=("reference",),
        recognise=_is_reference_set,
        on_servers=True,
        beside=".chunks",
        usual=SET_SUFFIXES,
    ),
    "icechunk": StoreKind(
        "Icechunk repository",
        "ncz.zmap.icechunk.opening:ICECHUNK",
        modes=("icechunk",),
        recognise=_is_repository,
        suffixes=(".icechunk",),
        on_servers=True,
        zarr_format=3,
        strict=True,
    ),
    "remote": StoreKind(
        "remote store",
        "ncz.zmap.remote.opening:REMOTE",
        modes=("s3", "gs3"),
        protocols=("http", "https", "s3", "gs3"),
    ),
    "memory": StoreKind("store in memory", "ncz.zmap.memory:MEMORY", protocols=("memory",)),
}
"""Every kind of store. A path belongs to the last kind that recognises it, so that a special kind
of directory goes after "directory"."""

KIND_OF_MODE: Mapping[str, Kind] = {
    mode: kind for kind, entry in KINDS.items() for mode in entry.modes
}
"""The kind that a value of ``mode=`` selects."""

KIND_OF_PROTOCOL: Mapping[str, Kind] = {
    protocol: kind for kind, entry in KINDS.items() for protocol in entry.protocols
}
"""The kind that a URL's protocol selects; other protocols are fsspec's, and remote."""

_CLOUDS = "ncz.zmap.remote.obstore:connect_cloud"

TRANSPORTS: Mapping[str, str] = {
    "s3": "ncz.zmap.remote.obstore:connect_s3",
    "http": "ncz.zmap.remote.web:connect",
    "https": "ncz.zmap.remote.web:connect",
    "gs": _CLOUDS,
    "az": _CLOUDS,
    "abfs": _CLOUDS,
    "abfss": _CLOUDS,
}
"""The function that connects to a server, as "module:name", by the protocol of the URL.

It takes a location, a retry policy and a function that permits redirects, and returns the transport
and the path of the store's root. The modules are imported when they are used, because their
libraries take long.
"""

OTHER_TRANSPORT = "ncz.zmap.remote.fsspec:connect"
"""The function for all other protocols."""


def recognise_kind(path: str, first: bytes | None) -> Kind | None:
    """Return the kind of the store at a local path, or None if it is not a store.

    `first` contains the first bytes of a file, and is None for a directory.
    """
    for kind, entry in reversed(KINDS.items()):
        if entry.recognise is not None and entry.recognise(path, first):
            return kind
    return None


def kind_of_name(path: str) -> Kind | None:
    """Return the kind that the suffix of a new store's name selects, or None."""
    name = path.lower()
    return next((kind for kind, entry in KINDS.items() if name.endswith(entry.suffixes)), None)

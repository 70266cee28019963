"""The entries of existing zip files as keys of a store.

A store may be at the root of a zip file (zarr-python, xarray, a store zipped from inside), or
below a folder (netcdf-c, a store zipped from outside). Of several entries with the same name the
last is used.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import BinaryIO
from zipfile import BadZipFile, ZipFile, ZipInfo

from ncz.errors import ZmapError
from ncz.record import record
from ncz.zmap.key import ROOT_DOCUMENTS, check_inside, is_part_of_node
from ncz.zmap.local.zip_layout import UTF8

_DEEPEST = 16  # folders above a store within a zip file
_FROM_MACOS = re.compile(r"__MACOSX/|\.DS_Store\Z")  # beside the folder that was zipped

_END = 22  # bytes of the record at the end, without a comment
_LONGEST_END = _END + 0xFFFF


@record(kw_only=True)
class StoreEntries:
    """The entries of a zip file, sorted by their role in its store."""

    by_key: Mapping[str, ZipInfo]
    prefix: str
    """The folder that is the root of the store, with its slash; "" for the zip file's root."""
    ignored: tuple[str, ...]
    """The names that are not keys of the store."""
    misnamed: tuple[str, ...]
    """The names of documents and chunks of the store that no reader finds by them."""


def store_entries(archive: ZipFile, inside: str = "") -> StoreEntries:
    """Return the entries of a store.

    A name that could lead out of the store is not a key. `inside` is a group of the store, or a
    folder of the zip file, that is the root instead.
    """
    found: dict[str, ZipInfo] = {}
    ignored = []
    for entry in archive.infolist():
        name = _name(entry)
        while name.startswith("./"):
            name = name[2:]
        if name.endswith("/") or not name:
            continue  # a folder
        if _is_safe(name):
            found[name] = entry
        else:
            ignored.append(name)
    prefix = _prefix(found)
    if inside:
        folder = f"{inside}/"
        in_store = any(name.startswith(prefix + folder) for name in found)
        prefix = prefix + folder if in_store else folder
    with_backslash = [n for n in found if "\\" in n and n.rfind("\\") > n.rfind("/")]
    suspects = [*ignored, *with_backslash]
    ignored.extend(name for name in found if not name.startswith(prefix))
    length = len(prefix)
    keys = {name[length:]: entry for name, entry in found.items() if name.startswith(prefix)}
    return StoreEntries(
        by_key=keys,
        prefix=prefix,
        ignored=tuple(ignored),
        misnamed=tuple(
            name
            for name in suspects
            if is_part_of_node(name) and _without_empty_parts(name).startswith(prefix)
        ),
    )


def _without_empty_parts(name: str) -> str:
    return "/".join(part for part in name.split("/") if part not in ("", "."))


def check_count(archive: ZipFile, file: BinaryIO) -> None:
    """Raise `BadZipFile` if the directory has other entries than the file's end counts.

    zipfile believes the lengths of an entry's name and comment. A length that is too large hides
    the entries after it. The file's comment may contain what looks like another end, which zipfile
    takes.
    """
    size = file.seek(0, os.SEEK_END)
    start = max(0, size - _LONGEST_END)
    file.seek(start)
    end = file.read()
    at = len(end) - _END if end[-_END:][:4] == b"PK\5\6" else end.rfind(b"PK\5\6")
    counted = int.from_bytes(end[at + 10 : at + 12], "little")
    if at >= 0 and counted not in (0xFFFF, len(archive.filelist) & 0xFFFF):
        raise BadZipFile(f"it counts {counted} entries, and lists {len(archive.filelist)}")
    if sum(1 for _ in _ends(end)) > 1:
        raise BadZipFile("it has two ends, one of them in a comment")


def _ends(data: bytes) -> Iterator[int]:
    """Yield the places of ends of a zip file whose comments reach exactly to the file's end."""
    at = data.find(b"PK\5\6")
    while at >= 0:
        if at + _END + int.from_bytes(data[at + 20 : at + 22], "little") == len(data):
            yield at
        at = data.find(b"PK\5\6", at + 1)


def _name(entry: ZipInfo) -> str:
    """Return the entry's name; most names that are not flagged as UTF-8 are UTF-8 too."""
    name = entry.orig_filename
    if entry.flag_bits & UTF8 or name.isascii():
        return name
    if entry.filename != name:  # a Unicode name in the extra field
        return entry.filename
    return name.encode("cp437").decode("utf-8", "surrogateescape")


def _is_safe(name: str) -> bool:
    """Return whether a name can be a key. It may have a backslash, but not one next to ``..``."""
    try:
        check_inside(name)
    except ZmapError:
        return False
    return "\\" not in name or ".." not in re.split(r"[/\\]", name)


def _prefix(names: Mapping[str, object]) -> str:
    """Return the folder that is the store's root, with its slash; "" for the zip file's root."""
    inside = [name for name in names if not _FROM_MACOS.match(name)]
    if not inside:
        return ""
    ends = [min(inside), max(inside)]
    common = os.path.commonprefix(ends).rpartition("/")[0]  # noqa: RUF071 - cut at a slash
    prefix = ""
    for segment in ["", *common.split("/", _DEEPEST)[:_DEEPEST]]:
        prefix += f"{segment}/" if segment else ""
        if any(prefix + document in names for document in ROOT_DOCUMENTS):
            return prefix
    return ""

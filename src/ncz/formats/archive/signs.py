"""Recognise compressed files, and archives that contain files of datasets."""

from __future__ import annotations

from collections.abc import Iterable

from ncz.formats.kinds import FILE_SUFFIXES, Source
from ncz.formats.signatures import CLASSIC, HDF5
from ncz.zmap.key import ROOT_DOCUMENTS
from ncz.zmap.kinds import GZIP, JSON_SUFFIXES, TAR, TAR_OFFSET, ZSTD, is_zip

BZIP2, XZ = b"BZh", b"\xfd7zXZ\0"
COMPRESSED = (GZIP, ZSTD, BZIP2, XZ)
"""The first bytes of compressed files."""

_MOST_ENTRIES = 100_000
"""Entries that identify a kind of zip file."""


def is_archive(source: Source) -> bool:
    """Return whether a file is compressed, or an archive of files rather than a store."""
    start, name = source.start, source.location.path.lower()
    if start.startswith(COMPRESSED):
        return not name.endswith(JSON_SUFFIXES)
    if is_zip(start):
        return _holds_files(source)
    if start.startswith((HDF5, *CLASSIC)):  # which needs no other read of a file on a server
        return False
    return bool(start) and source.holds(TAR, TAR_OFFSET) and not _is_store(source)


def has_store(names: Iterable[str]) -> bool:
    """Return whether one of the files in an archive is a document of a store."""
    return any(name.rpartition("/")[2] in ROOT_DOCUMENTS for name in names)


def _is_store(source: Source) -> bool:
    """Return whether a local tar archive is a store, which is read in place."""
    if source.location.kind not in (None, "zip"):
        return False
    import tarfile

    from ncz.zmap.local.tar_entries import tar_entries

    try:
        with open(source.location.path, "rb") as file:
            return has_store(name for name, _ in tar_entries(file))
    except (OSError, tarfile.TarError):
        return False  # the reader of archives reports it


def _holds_files(source: Source) -> bool:
    """Return whether a local zip file has files of netCDF or HDF5, and no document of a store."""
    if source.location.kind not in (None, "zip"):
        return False
    import zipfile

    try:
        with zipfile.ZipFile(source.location.path) as archive:
            names = archive.namelist()[:_MOST_ENTRIES]
    except (OSError, ValueError, NotImplementedError, zipfile.BadZipFile):
        return False  # the reader of stores reports it
    if has_store(names):
        return False
    return any(name.lower().endswith(FILE_SUFFIXES) for name in names)

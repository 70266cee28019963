"""The dataset in an archive: the only file of netCDF or HDF5, or the one that a URL names."""

from __future__ import annotations

import io
import itertools
import shlex
from collections.abc import Sequence
from functools import partial
from typing import IO, TYPE_CHECKING

from ncz.errors import FormatError, list_names
from ncz.formats.archive.signs import has_store
from ncz.formats.kinds import FILE_SUFFIXES
from ncz.zmap.range_file import PositionedFile

if TYPE_CHECKING:
    from ncz.zmap.local.tar_entries import TarEntry

_MOST_MEMBERS = 100_000
"""Members of an archive that are looked at."""


def member_of_tar(file: IO[bytes], inside: str, url: str) -> tuple[str, IO[bytes]]:
    """Return the name and the bytes of the dataset in a tar archive; a store is the whole archive.

    The name of the archive itself is "".

    Parameters
    ----------
    file
        The archive.
    inside
        The name of the member; "" for the only dataset.
    url
        The name of the archive in messages.

    Raises
    ------
    FormatError
        If it is damaged, or has no such member, or several.
    """
    import tarfile

    from ncz.zmap.local.tar_entries import tar_entries

    try:
        members = dict(itertools.islice(tar_entries(file), _MOST_MEMBERS))
    except tarfile.TarError as error:
        raise FormatError(f"the tar archive is damaged: {error}", url) from error
    if not inside and has_store(members):
        file.seek(0)
        return "", file  # which is read in place
    name = _choose([*members], inside, "tar", url)
    entry = members[name]
    file.seek(entry.start)
    return name, io.BufferedReader(PositionedFile(entry.size, partial(_part, file, entry)))


def _part(file: IO[bytes], entry: TarEntry, start: int, count: int) -> bytes:
    file.seek(entry.start + start)
    return file.read(count)


def member_of_zip(file: IO[bytes], inside: str, url: str) -> tuple[str, IO[bytes]]:
    """Return the name and the bytes of the dataset in a zip file; see `member_of_tar`."""
    import zipfile

    try:
        archive = zipfile.ZipFile(file)
        name = _choose(archive.namelist()[:_MOST_MEMBERS], inside, "zip", url)
        return name, archive.open(name)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise FormatError(f"the zip file cannot be read: {error}", url) from error


def _choose(names: Sequence[str], inside: str, kind: str, url: str) -> str:
    """Return the name of the dataset. Raises `FormatError` if none exists, or several."""
    inside = inside.strip("/")
    if inside:
        if inside not in names:
            known = list_names(names) or "nothing"
            raise FormatError(f"no member is named {inside!r}", url, f"it has {known}")
        return inside
    found = [
        name for name in names
        if name.lower().endswith(FILE_SUFFIXES) and not name.rpartition("/")[2].startswith("._")
    ]  # fmt: skip
    if len(found) == 1:
        return found[0]
    unpack = "tar -xf" if kind == "tar" else "unzip"
    way = f"unpack it first: {unpack} {shlex.quote(url)}"
    if not found:
        raise FormatError(
            f"this {kind} archive has no netCDF or HDF5 file, and no Zarr store", url, way
        )
    raise FormatError(
        f"this {kind} archive has {len(found)} datasets: {list_names(found)}", url,
        f"name one, such as {kind}://{found[0]}::{url}, or {way}",
    )  # fmt: skip

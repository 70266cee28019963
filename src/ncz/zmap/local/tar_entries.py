"""The files in tar archives, in stored order."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from typing import IO

from ncz.record import record


@record
class TarEntry:
    """The place of a file in a tar archive: its first byte, and their number."""

    start: int
    size: int


def tar_entries(file: IO[bytes]) -> Iterator[tuple[str, TarEntry]]:
    """Yield the names and the places of the files in a tar archive.

    Symbolic links and devices are skipped; a hard link is the file in the archive that it names.

    Raises
    ------
    tarfile.TarError
        If the archive is damaged, ends early, or has a sparse file.
    """
    found: dict[str, TarEntry] = {}
    with tarfile.open(fileobj=file, mode="r:") as archive:
        while (member := archive.next()) is not None:
            archive.members.clear()  # type: ignore[attr-defined]  # their headers take much memory
            if member.islnk() and member.linkname in found:
                found[member.name] = found[member.linkname]
            elif member.isfile():
                if member.issparse():
                    raise tarfile.ReadError(f"the member {member.name!r} is sparse")
                found[member.name] = TarEntry(member.offset_data, member.size)
            else:
                continue
            yield member.name, found[member.name]
        file.seek(archive.offset)  # tarfile takes a header that is not valid for the end
        if file.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
            raise tarfile.ReadError("it ends early, or within it a header is not valid")

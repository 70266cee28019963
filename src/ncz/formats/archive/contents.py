"""The dataset in a compressed file or an archive, as a temporary copy."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from typing import IO

from ncz.errors import FormatError, NczError
from ncz.formats.archive.members import member_of_tar, member_of_zip
from ncz.formats.archive.streams import damage, decompress_stream
from ncz.zmap.file import open_file
from ncz.zmap.foreign import LONGEST_SIGNATURE
from ncz.zmap.kinds import TAR, TAR_OFFSET, is_zip
from ncz.zmap.local.temporary_copy import PIECE, TemporaryFolder
from ncz.zmap.location import Location
from ncz.zmap.range_file import PositionedFile


@contextlib.contextmanager
def contents(location: Location) -> Iterator[Location]:
    """Copy the dataset in a file to a temporary folder, which is removed when the context ends.

    The copy takes no more than the disk has free.

    Parameters
    ----------
    location
        A compressed file, or an archive.

    Yields
    ------
    Location
        The copy.

    Raises
    ------
    FormatError
        If the file is damaged, or does not contain one dataset.
    ZmapError
        If it cannot be read, or the disk is full.
    """
    name = location.path.rstrip("/").rpartition("/")[2]
    with contextlib.ExitStack() as stack:
        plain = location if location.kind == "remote" else Location(None, location.path)
        file = stack.enter_context(contextlib.closing(open_file(plain)))
        stream: IO[bytes] = io.BufferedReader(PositionedFile(file.size, file.read), PIECE)
        start = file.read(0, min(file.size, LONGEST_SIGNATURE))
        hint = "set TMPDIR to a folder with more space, or decompress it first"
        folder = stack.enter_context(TemporaryFolder(location.display, hint))
        try:
            inside, stream = _open_content(stream, start, name, location)
            pieces = iter(lambda: stream.read(PIECE), b"")
            copy = folder.write(os.path.basename(inside) or name or "dataset", pieces)
        except NczError:
            raise
        except damage() as error:
            raise FormatError(
                f"the compressed file is damaged: {error}", location.display,
                "download or create it again",
            ) from error  # fmt: skip
        yield Location(None, copy)


def _open_content(
    stream: IO[bytes], start: bytes, name: str, location: Location
) -> tuple[str, IO[bytes]]:
    """Return the name and the bytes of a file's content."""
    inside = location.inside or ""
    if is_zip(start):
        return member_of_zip(stream, inside, location.display)
    if start.startswith(TAR, TAR_OFFSET):
        return member_of_tar(stream, inside, location.display)
    plain = decompress_stream(stream, start, location.display)
    assert plain is not None  # it was recognised
    stem, dot, suffix = name.rpartition(".")
    name = f"{stem}.tar" if suffix.lower() == "tgz" else stem if dot else name
    return name, plain

"""Temporary copies of files, which leave room on the disk."""

from __future__ import annotations

import os
from collections.abc import Iterable

from ncz.errors import ZmapError

PIECE = 1 << 20
"""Bytes that are copied at a time."""

_RESERVE = 256 << 20
"""Bytes of the disk that a temporary copy leaves free."""


def write_copy(pieces: Iterable[bytes], path: str, url: str, hint: str) -> None:
    """Write pieces of bytes to a new file.

    Parameters
    ----------
    pieces
        The bytes of the file, in order.
    path
        The new file.
    url, hint
        The name of the source in messages, and what to do if the disk has no room.

    Raises
    ------
    ZmapError
        If the disk has no room for it.
    """
    import shutil

    most = max(0, shutil.disk_usage(os.path.dirname(path)).free - _RESERVE)
    room = most
    with open(path, "xb") as file:
        for piece in pieces:
            room -= len(piece)
            if room < 0:
                raise ZmapError(
                    "the temporary copy of its contents needs more than the"
                    f" {most >> 20} MiB that are free",
                    url,
                    hint,
                )
            file.write(piece)

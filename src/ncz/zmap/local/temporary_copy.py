"""Temporary copies of files, which leave free space on the disk."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator

from ncz.errors import ZmapError

PIECE = 1 << 20
"""Bytes that are copied at a time."""

_RESERVE = 256 << 20
"""Bytes of the disk that a temporary copy leaves free."""


_HINT = "set TMPDIR to a folder with more space"


class TemporaryFolder:
    """A new folder for copies, which is removed at the end of a ``with`` block.

    Parameters
    ----------
    url, hint
        The name of the source in messages, and the hint if the disk is full.
    """

    def __init__(self, url: str, hint: str = _HINT) -> None:
        import shutil
        import tempfile

        self._folder = tempfile.TemporaryDirectory(prefix="ncz-")
        self.path = self._folder.name
        self._url, self._hint = url, hint
        self._most = max(0, shutil.disk_usage(self.path).free - _RESERVE)
        self._room = self._most

    def write(self, name: str, pieces: Iterable[bytes]) -> str:
        """Write pieces of bytes to a new file, and return its path.

        Raises `ZmapError` if the disk is too full for it.
        """
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "xb") as file:
            for piece in pieces:
                self._room -= len(piece)
                if self._room < 0:
                    raise ZmapError(
                        "the temporary copy of its contents needs more than the"
                        f" {self._most >> 20} MiB that are free",
                        self._url,
                        self._hint,
                    )
                file.write(piece)
        return path

    def __enter__(self) -> TemporaryFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()


@contextlib.contextmanager
def temporary_copy(pieces: Iterable[bytes], name: str, url: str) -> Iterator[str]:
    """Copy pieces of bytes to a file, whose path is valid until the context ends."""
    with TemporaryFolder(url) as folder:
        yield folder.write(name, pieces)

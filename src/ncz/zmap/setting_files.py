"""The files of settings: the user's home, and their texts, which are read once."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Mapping

from ncz.errors import ZmapError
from ncz.system_errors import storage_error

Environment = Mapping[str, str]
"""Environment variables by name."""


def home_folder(env: Environment) -> str:
    """Return the user's home folder."""
    return env.get("HOME") or os.path.expanduser("~")


_SETTLED = 2_000_000_000
"""The next change of a file older than this, in ns, gets a different time of modification."""

_texts: dict[str, tuple[tuple[int, ...], str]] = {}
"""The contents of files, and their identity when they were read, by path."""


def read_file(path: str) -> str | None:
    """Return the text of a file, or None if it does not exist.

    A file is read again only if it has changed, or has been written just now.
    """
    try:
        found = os.stat(path)
        identity = (
            found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns,
        )  # fmt: skip
        known = _texts.get(path)
        if known is not None and known[0] == identity:
            return known[1]
        with open(path, encoding="utf-8-sig") as file:
            text = file.read()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except UnicodeDecodeError as error:
        raise ZmapError("the configuration file is not UTF-8 text", path) from error
    except (OSError, ValueError) as error:
        raise storage_error(error, path, "read") from error
    if stat.S_ISREG(found.st_mode) and time.time_ns() - found.st_mtime_ns > _SETTLED:
        _texts[path] = identity, text
    return text

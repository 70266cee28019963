"""What can go wrong, where, and what to do about it.

Every error that ncz raises on purpose is an `NczError`. It carries three short texts: *what*
happened, *where* (``file:line:column``, or a URL and a key) and what to *do*. The command line
prints them as one line and exits with `exit_code`; a Python caller catches the class, or the
builtin it also is.

This module imports nothing of ours, so that every layer may raise.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ncz.record import record


def without_secrets(text: str) -> str:
    """`text` with the values of a URL's secret keys (``aws.secret_access_key=``) starred out."""
    secret = r"((?:secret|token)[a-z_]*=)[^&#\s'\"]+"
    return re.sub(secret, r"\1***", text, flags=re.IGNORECASE) if "=" in text else text


class NczError(Exception):
    """Base of all errors of ncz; `str(error)` is the one line that a person reads."""

    exit_code = 1

    def __init__(self, message: str, location: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.location = location and without_secrets(location)
        self.hint = hint

    def __str__(self) -> str:
        text = f"{self.location}: {self.message}" if self.location else self.message
        return f"{text}; {self.hint}" if self.hint else text


class CdlError(NczError, ValueError):
    """CDL text that is wrong. `location` is ``file:line:column``; `source_line` is the line
    meant."""

    def __init__(
        self,
        message: str,
        location: str | None = None,
        hint: str | None = None,
        *,
        source_line: str | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(message, location, hint)
        self.source_line = source_line
        self.column = column


class UrlError(NczError, ValueError):
    """A URL, path or ``#fragment`` that cannot be understood."""


class ZmapError(NczError, OSError):
    """The storage refused: permission, disk full, a broken zip, an illegal key."""

    # OSError builds itself from its arguments before __init__ runs; keep to ours.
    def __new__(cls, *arguments: object, **options: object) -> ZmapError:
        return super().__new__(cls)

    def __str__(self) -> str:
        return NczError.__str__(self)


class KeyMissing(ZmapError, KeyError):
    """A key that should hold an object holds none."""


class StoreExists(ZmapError, FileExistsError):
    """The target of a write is already there and overwriting was not asked for."""


class StoreMissing(ZmapError, FileNotFoundError):
    """There is no store where one was to be opened."""


class FormatError(NczError, ValueError):
    """A metadata document that cannot be what it says. `location` is URL, key and JSON path."""


class CodecError(NczError, ValueError):
    """A chunk that cannot be decoded or encoded, or a codec that is not installed."""


class LossError(NczError, ValueError):
    """The target format cannot hold something of the dataset; nothing was written."""


@record
class Notice:
    """Something the user should know, which is not an error. Same three texts as `NczError`.

    `lost` is true if something of a store is not shown at all, so that a copy would not have it.
    """

    message: str
    location: str | None = None
    hint: str | None = None
    lost: bool = False

    def __str__(self) -> str:
        text = (
            f"{without_secrets(self.location)}: {self.message}" if self.location else self.message
        )
        return f"{text}; {self.hint}" if self.hint else text


Notify = Callable[[Notice], None]
"""How the core reports a notice; the command line prints it, a library user decides."""


def ignore_notice(notice: Notice) -> None:
    """The `Notify` that discards."""

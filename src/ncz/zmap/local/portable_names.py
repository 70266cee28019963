"""Names that some file systems change or refuse, so that two keys would become one file.

On Windows a name cannot contain some characters, is cut at its end, or means a device. There, and
on macOS by default, names that differ in case only are the same.

Source: Microsoft's document "Naming Files, Paths, and Namespaces".
"""

from __future__ import annotations

import os
import unicodedata

from ncz.errors import ZmapError
from ncz.zmap.key import display

IS_WINDOWS = os.name == "nt"

_FORBIDDEN = frozenset('<>:"\\|?*') | {chr(code) for code in range(32)}
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$"}
    | {f"{name}{digit}" for name in ("com", "lpt") for digit in "0123456789¹²³"}
)
_HINT = "rename it, or write a zip file, which can hold every name"


def windows_fault(name: str) -> str | None:
    """Return the reason that Windows does not allow a file name; None if it does."""
    forbidden = next((c for c in name if c in _FORBIDDEN), None)
    if forbidden is not None:
        return f"a name on Windows cannot contain {forbidden!r}"
    if name.endswith((".", " ")):
        return f"Windows removes {name[-1]!r} from the end of a name"
    if name.partition(".")[0].rstrip().lower() in _DEVICES:
        return "Windows reserves the name for a device"
    return None


class FolderNames:
    """The folders of a new directory store; no two may be the same one on the disk.

    Parameters
    ----------
    url
        The store's name in messages.
    folds
        Whether names that differ in case only are the same.
    """

    def __init__(self, url: str, *, folds: bool) -> None:
        self._url = url
        self._folds = folds
        self._known: dict[str, str] = {}

    def add(self, folder: str) -> None:
        """Raise `ZmapError` if a folder, or one above it, cannot have its name here."""
        if not (self._folds or IS_WINDOWS):
            return
        name = folder.rpartition("/")[2]
        fault = windows_fault(name) if IS_WINDOWS else None
        if fault is not None:
            raise ZmapError(f"{display(folder)}: {fault}", self._url, _HINT)
        known = self._known.setdefault(_fold(folder), folder) if self._folds else folder
        if known != folder:
            raise ZmapError(
                f"{display(known)} and {display(folder)} would be the same folder, because this"
                " file system does not distinguish upper and lower case",
                self._url,
                _HINT,
            )


def folds_case(path: str) -> bool:
    """Return whether the file system of an existing file or folder ignores the case of its name."""
    folder, name = os.path.split(path)
    return os.path.lexists(os.path.join(folder, name.upper()))


def _fold(key: str) -> str:
    return unicodedata.normalize("NFC", key).casefold()

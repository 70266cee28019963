"""The process that changes a store, as an object of the store names it."""

from __future__ import annotations

import os
import sys

from ncz.errors import ZmapError

CAN_LOOK = sys.platform != "win32"
"""Whether signal 0 shows that a process runs; on Windows it would end it."""


def mark_of(fingerprint: str) -> bytes:
    """Return the content of the mark for a creation by this process."""
    import platform

    return f"{fingerprint}\n{platform.node()} {os.getpid()}".encode()


def refuse_running(mark: bytes, url: str, force: bool) -> None:
    """Raise `ZmapError` if the process that wrote the mark runs, or may run elsewhere."""
    import platform

    host, _, number = mark.partition(b"\n")[2].decode("utf-8", "replace").rpartition(" ")
    if host == platform.node() and number.isdigit() and CAN_LOOK:
        if _runs(int(number)):
            raise ZmapError(
                f"process {number} is writing this store", url, "wait until it has finished"
            )
    elif not force:
        who = f"process {number} on {host}" if host else "another version of ncz"
        raise ZmapError(
            f"{who} began to write this store, and may still do so",
            url,
            "use --force if it has ended",
        )


def _runs(number: int) -> bool:
    if number == os.getpid():
        return False  # what this process left before
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True

"""The claim of a creation that can be resumed after it was stopped, and what a creation leaves."""

from __future__ import annotations

from typing import Literal, Protocol, runtime_checkable

from ncz.record import record
from ncz.zmap import WritableZmap


@record
class Claim:
    """What is being created.

    Two creations have the same `fingerprint` if, and only if, one can resume the other. With
    `resume`, the objects of an earlier run are used, and the objects of this run stay after an
    error.
    """

    fingerprint: str
    resume: bool = False


@runtime_checkable
class ExclusiveZmap(WritableZmap, Protocol):
    """A store in which only one of several processes can create an object."""

    def put_new(self, key: str, value: bytes) -> bool:
        """Create an object; return False if it exists."""
        ...


Action = Literal["remove", "restore", "complete"]
"""What is to be done with a leftover: an old store that was moved aside is restored unless the new
one exists, and an edit that was interrupted is completed."""


@record
class Leftover:
    """A file, a folder or the objects of a server that an unfinished creation left.

    Attributes
    ----------
    place
        Its path or URL, as messages show it.
    action
        What is to be done with it.
    objects, size
        The number of files or objects, and their size in bytes.
    """

    place: str
    action: Action
    objects: int
    size: int

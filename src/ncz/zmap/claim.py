"""The claim of a creation that can be resumed after it was stopped, and what a creation leaves."""

from __future__ import annotations

from typing import Literal

from ncz.record import record


@record
class Claim:
    """What is being created.

    Two creations have the same `fingerprint` if, and only if, one can resume the other. With
    `resume`, the objects of an earlier run are used, and the objects of this run stay after an
    error. `description` says in a sentence what is done, for stores that keep a history.
    """

    fingerprint: str
    resume: bool = False
    description: str = ""


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

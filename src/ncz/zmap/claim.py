"""The claim of a creation that can be resumed after it was stopped."""

from __future__ import annotations

from ncz.record import record


@record
class Claim:
    """What is being created.

    Two creations have the same `fingerprint` if, and only if, one can resume the other. With
    `resume`, the objects of an earlier run are used, and the objects of this run stay after an
    error.
    """

    fingerprint: str
    resume: bool = False

"""The claim of a creation that can be resumed after it was stopped, and a creation's remains."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from ncz.errors import NczError, add_note, may_pass, quantity
from ncz.record import field, record


def _one() -> int:
    return 1


def _always(_: int) -> bool:
    return True


@record
class Claim:
    """The target that is being created.

    Two creations have the same `fingerprint` if, and only if, one can resume the other.

    Attributes
    ----------
    resume
        Whether objects of an earlier run are used, and this run's objects stay if it is stopped.
    is_asked
        Whether the user requested that. Otherwise only the objects of an interrupted run, or of a
        run that the network stopped, are kept, and a store with another claim is created again.
    description
        The change, in a sentence, for stores that keep a history.
    kept
        Returns the number of chunks that were written.
    is_unchanged
        Returns whether the source is unchanged since a time, in nanoseconds since 1970.
    """

    fingerprint: str
    resume: bool = False
    is_asked: bool = False
    description: str = ""
    kept: Callable[[], int] = field(default=_one, repr=False)
    is_unchanged: Callable[[int], bool] = field(default=_always, repr=False)

    def keeps(self, error: BaseException) -> bool:
        """Return whether the written data stay after an error or an interrupt."""
        if not self.resume:
            return False
        if self.is_asked:
            return True
        return may_pass(error) and self.kept() > 0

    def tell(self, error: BaseException) -> None:
        """Add to an error or an interrupt that the written data stay, and the next step."""
        count = self.kept()
        what = f"{quantity(count, 'chunk')} {'is' if count == 1 else 'are'} kept"
        text = f"{what}; run the same command again to resume the copy"
        if isinstance(error, NczError):
            error.hint = f"{error.hint}; {text}" if error.hint else text
        add_note(error, text)


Action = Literal["remove", "restore", "complete"]
"""The action for a leftover: an old store that was moved aside is restored unless the new
one exists, and an edit that was interrupted is completed."""


@record
class Leftover:
    """A file, a folder or the objects of a server that an unfinished creation left.

    Attributes
    ----------
    place
        Its path or URL, as messages show it.
    action
        The action for it.
    objects, size
        The number of files or objects, and their size in bytes.
    """

    place: str
    action: Action
    objects: int
    size: int

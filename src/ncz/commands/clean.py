"""clean: remove the remains of an unfinished store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncz.errors import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from ncz.zmap.claim import Leftover
    from ncz.zmap.location import Location


def clean(
    location: Location,
    *,
    dry_run: bool = False,
    force: bool = False,
    progress: Progress = NO_PROGRESS,
) -> list[Leftover]:
    """Remove the files that a killed or failed command left for the target at `location`.

    Parameters
    ----------
    location
        The location of the target.
    dry_run
        Whether to change nothing.
    force
        Whether to clean up on a server after a command that another computer began.
    progress
        Receives each file that was found on this computer.

    Returns
    -------
    list of Leftover
        The stores and objects that were removed or restored, or would be.

    Raises
    ------
    ZmapError
        If a command still writes the target.
    """
    from ncz.zmap.opening import clean as carry_out

    found = []
    if location.kind != "remote":  # the requests to a server are counted
        progress.expect(None, "files")
        from ncz.formats.opening import masters

        found = masters().recover(location.path, dry_run)
    places = {each.place for each in found}
    others = carry_out(
        location,
        dry_run=dry_run,
        force=force,
        report=lambda name: progress.advance(name, 1, 0),
    )
    return found + [each for each in others if each.place not in places]

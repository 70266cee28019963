"""clean: remove what an unfinished creation of a store left."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ncz.zmap.claim import Leftover


def clean(location: str, *, dry_run: bool = False, force: bool = False) -> list[Leftover]:
    """Remove what a killed or failed command left for the target at `location`.

    Parameters
    ----------
    location
        The path or URL of the target.
    dry_run
        Whether to change nothing.
    force
        Whether to clean up on a server after a command that another computer began.

    Returns
    -------
    list of Leftover
        What was removed or restored, or would be.

    Raises
    ------
    ZmapError
        If a command still writes the target.
    """
    from ncz.zmap.location import parse_location
    from ncz.zmap.opening import clean as carry_out

    return carry_out(parse_location(location), dry_run=dry_run, force=force)

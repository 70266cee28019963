"""Change the places of pieces in a master."""

from __future__ import annotations

from ncz.commands.source_files import report_missing
from ncz.errors import FormatError, Notify, ignore_notice
from ncz.formats.create_options import CreateOptions
from ncz.formats.opening import create_dataset, masters, open_dataset
from ncz.record import replace
from ncz.zmap.location import Location


def move(location: Location, prefix: str, notify: Notify = ignore_notice) -> int:
    """Let the pieces of a master be in another folder, bucket or server; they are not moved.

    Parameters
    ----------
    location
        The master, which is rewritten.
    prefix
        The current folder or URL of the pieces; "" for the master's.
    notify
        Receives a notice if pieces do not exist there.

    Returns
    -------
    int
        The number of names that were changed.

    Raises
    ------
    FormatError
        If the dataset is not an aggregation.
    """
    stored = replace(location, modes=location.modes | {"noaggregation"})
    changed: set[str] = set()

    def rename(file: str) -> str:
        changed.add(file)
        name = file.rstrip("/").rpartition("/")[2]
        return f"{prefix.rstrip('/')}/{name}" if prefix else name

    with open_dataset(stored, notify=notify) as opened:
        dataset = masters().with_names(opened.dataset, location.address, rename)
        if not changed:
            raise FormatError("the dataset has no pieces to move", location.display)
        kind = dataset.provenance.kind_of_file
        create_dataset(dataset, location, CreateOptions(overwrite=True, kind=kind), notify=notify)
    report_missing(location, notify)
    return len(changed)

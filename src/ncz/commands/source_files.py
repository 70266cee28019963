"""The files that a dataset refers to: targets of references, virtual chunks, pieces of masters."""

from __future__ import annotations

from ncz.errors import Notice, Notify
from ncz.formats.opening import open_dataset
from ncz.zmap.location import Location
from ncz.zmap.source_file import SourceFile


def source_files(location: Location) -> tuple[SourceFile, ...]:
    """Return the state of each file that the dataset at a location refers to.

    No chunk is read.
    """
    with open_dataset(location) as opened:
        return tuple(opened.sources())


def report_missing(location: Location, notify: Notify) -> None:
    """Report the files that the dataset at a location refers to and that do not exist."""
    states = {source.url: source.state for source in source_files(location)}
    missing = [url for url, state in states.items() if state == "missing"]
    if missing:
        notify(
            Notice(
                "pieces-missing",
                f"missing files: {len(missing)} of {len(states)}, the first is {missing[0]}",
                location.display,
                "move the files there; the dataset only names them",
            )
        )

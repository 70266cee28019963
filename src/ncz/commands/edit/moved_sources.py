"""Change the locations of the files that a store or a master refers to."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ncz.commands.aggregate.master import name_in_master
from ncz.commands.option_error import OptionError
from ncz.commands.source_files import report_missing
from ncz.errors import Callbacks, NczError, note_on_interrupt, option
from ncz.formats.create_options import CreateOptions
from ncz.formats.edits import Change
from ncz.formats.opening import create_dataset, masters, open_dataset
from ncz.record import replace
from ncz.zmap.fragment import unquote
from ncz.zmap.location import Location, location_of
from ncz.zmap.moved_sources import Move, Moved
from ncz.zmap.opening import move_sources


def moved_sources(
    location: Location, request: str, callbacks: Callbacks, *, dry_run: bool
) -> list[Change]:
    """Change the places of the files that a dataset refers to; no file is moved.

    Parameters
    ----------
    location
        A reference set, an Icechunk repository or a master.
    request
        The old and the new prefix of the paths or URLs of the files: OLD=NEW.
    callbacks
        Receives notices.
    dry_run
        Whether to change nothing.

    Returns
    -------
    list of Change
        The old and the new names of the files that are elsewhere, or of folders of files.

    Raises
    ------
    NczError
        If the dataset refers to no file below the prefix, or cannot be changed.
    """
    with note_on_interrupt(f"{location.display} was not changed"):
        for move in _moves(request):
            found = _move(location, move, callbacks, dry_run)
            if found and not dry_run:
                report_missing(location, callbacks.notify)
            if found:
                return [
                    Change(node="", name=None, before=old, after=new, kind="source")
                    for old, new in found
                ]
    raise NczError(
        f"it refers to no file below {request.partition('=')[0]}",
        location.display,
        "see ncz info --sources",
    )


def _moves(request: str) -> Iterator[Move]:
    """Yield the possible meanings of a text: folders may have equal signs in their names."""
    parts = request.split("=")
    for number in range(1, len(parts)):
        old, new = "=".join(parts[:number]), "=".join(parts[number:])
        if old and new:
            yield Move.of(old, new)
    if len(parts) < 2:
        raise OptionError(f"{request!r} has no equal sign", option("move_sources"), "write OLD=NEW")


def _move(location: Location, move: Move, callbacks: Callbacks, dry_run: bool) -> list[Moved]:
    with open_dataset(location, notify=callbacks.notify) as opened:
        provenance = opened.dataset.provenance
    form = provenance.aggregation
    if form is None and provenance.zarr_format is None:
        return []
    if form is None:
        return move_sources(location, move, dry_run) or []
    is_uri = any(kind.name == form and kind.has_uris for kind in masters().kinds.values())
    return _move_pieces(location, move, is_uri, callbacks, dry_run)


def _move_pieces(
    location: Location, move: Move, is_uri: bool, callbacks: Callbacks, dry_run: bool
) -> list[Moved]:
    """Rewrite a master with the new places of its pieces."""
    found: dict[str, str] = {}

    def rename(file: str) -> str:
        if file not in found:
            new = move.new_name(_absolute(file, location, is_uri))
            if new is None:
                return file
            found[file] = name_in_master(location_of(new), location, is_uri=is_uri)
        return found[file]

    stored = replace(location, modes=location.modes | {"noaggregation"})
    with open_dataset(stored, notify=callbacks.notify) as opened:
        dataset = masters().with_names(opened.dataset, location.address, rename)
        if found and not dry_run:
            how = CreateOptions(overwrite=True, kind=dataset.provenance.kind_of_file)
            create_dataset(dataset, location, how, notify=callbacks.notify)
    return [*found.items()]


def _absolute(file: str, location: Location, is_uri: bool) -> str:
    """Return the absolute path or the URL of a piece, as a master names it."""
    if "://" in file and not file.startswith("file://"):
        return file
    path = file.removeprefix("file://")
    if is_uri:
        path = unquote(path, errors="surrogateescape")
    if location.kind == "remote":
        return path if os.path.isabs(path) else f"{location.address.rpartition('/')[0]}/{path}"
    folder = os.path.dirname(os.path.abspath(location.path))
    return os.path.normpath(os.path.join(folder, path)).replace(os.sep, "/")

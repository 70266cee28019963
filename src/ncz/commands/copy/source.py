"""Open the source of a copy: a dataset of any format, or CDL text."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ncz.commands.copy.options import CopyOptions, is_cdl
from ncz.commands.copy.reshape import reshaped
from ncz.errors import Notify, UrlError

if TYPE_CHECKING:
    from ncz.model.tree import Dataset
    from ncz.zmap.location import Location


@contextlib.contextmanager
def open_source(
    options: CopyOptions, notify: Notify, target: Location | None = None
) -> Iterator[Dataset]:
    """Open the source's dataset, with the changes of `options.reshape`.

    Raises `UrlError` if the store at `target` could not be written while the source is read.
    """
    if is_cdl(options.source):
        from ncz.commands.gen import read_text, text_of

        with text_of(options.source) as (text, label):
            yield reshaped(read_text(text, label, notify), options.reshape)
        return
    from ncz.formats.kinds import OpenOptions
    from ncz.formats.opening import open_dataset
    from ncz.zmap.location import parse_location

    assert isinstance(options.source, str)
    location = parse_location(options.source)
    if target is not None:
        _refuse_overlap(location, target)
    how = OpenOptions(consolidated=False if options.consolidated is False else None)
    with open_dataset(location, how, notify=notify) as opened:
        yield reshaped(opened.dataset, options.reshape)


def _refuse_overlap(source: Location, target: Location) -> None:
    """Raise `UrlError` for a target within the source, or a remote target that is the source."""
    if (source.kind == "remote") != (target.kind == "remote"):
        return
    if source.kind == "remote" or source.kind == "memory":
        ours, theirs = source.path.rstrip("/"), target.path.rstrip("/")
    else:
        ours, theirs = os.path.realpath(source.path), os.path.realpath(target.path)
    if ours == theirs and source.kind != "remote":
        return  # the target is built beside it, and replaces it when all is read
    if ours == theirs or f"{theirs}/".startswith(f"{ours}/"):
        raise UrlError(
            "the target lies within the source", target.display, "choose a target outside it"
        )

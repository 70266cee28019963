"""Changes of a copy of a dataset, which stays unchanged."""

from __future__ import annotations

from collections.abc import Callable

from ncz.commands.copy.dataset import copy_dataset
from ncz.commands.copy.options import CopyOptions
from ncz.errors import Callbacks, NczError
from ncz.formats.create_options import CreateOptions
from ncz.formats.edits import Change
from ncz.zmap.location import Location


def changed_copy(
    location: Location,
    target: Location,
    change: Callable[[Location, bool], list[Change]],
    callbacks: Callbacks,
    *,
    overwrite: bool,
    dry_run: bool,
) -> list[Change]:
    """Copy a dataset to a target, and change it there.

    Parameters
    ----------
    location, target
        The dataset, and its copy.
    change
        Changes a dataset, or finds out whether that is possible if its second argument is true.
        This is tried first, so that nothing is written for changes that are not valid.
    callbacks
        Receives the notices of the copy.
    overwrite
        Whether to replace a target that exists.
    dry_run
        Whether to write nothing.

    Raises
    ------
    StoreExists
        If the target exists, and `overwrite` is not set.
    NczError
        If a change is not valid.
    """
    changes = change(location, True)
    if dry_run:
        return changes
    create = CreateOptions(overwrite=overwrite)
    copy_dataset(CopyOptions(source=location, target=target, create=create), callbacks)
    try:
        return change(target, False)
    except NczError as error:
        copied = f"{target.display} is a copy without the changes"
        error.hint = f"{error.hint}; {copied}" if error.hint else copied
        raise

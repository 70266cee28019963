"""A changed copy of a dataset; the dataset itself stays unchanged."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ncz.commands.copy.dataset import copy_dataset, target_of
from ncz.commands.copy.options import CopyOptions
from ncz.errors import Callbacks, NczError, StoreMissing, ignore_notice
from ncz.formats.create_options import CreateOptions
from ncz.formats.edits import Change, Request
from ncz.formats.opening import is_store, target_format
from ncz.record import replace
from ncz.zmap.location import Location
from ncz.zmap.removable import examine
from ncz.zmap.removal import remove


def changed_copy(
    location: Location,
    target: Location,
    requests: Sequence[Request],
    change: Callable[[Location, bool], list[Change]],
    callbacks: Callbacks,
    *,
    overwrite: bool,
    dry_run: bool,
) -> list[Change]:
    """Write a changed copy of a dataset.

    The dataset is changed while it is copied; the copy of a store in a store is changed in place,
    where it keeps the JSON of the documents.

    Parameters
    ----------
    location, target
        The dataset, and its copy.
    requests
        The changes.
    change
        Makes the changes in place, or finds out whether that is possible if its second argument is
        true. This is tried first, so that nothing is written for changes that are not valid.
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
        If a change is not valid. There is no copy then.
    """
    changes = change(location, True)
    if dry_run:
        return changes
    create = CreateOptions(overwrite=overwrite)
    options = CopyOptions(source=location, target=target, create=create)
    place = target_of(target, options, ignore_notice)
    if not (is_store(location) and target_format(place, create).is_stored_in_zmap):
        copy_dataset(replace(options, edits=tuple(requests)), callbacks)
        return changes
    is_new = not overwrite or _is_free(place)
    copy_dataset(options, callbacks)
    try:
        return change(target, False)
    except NczError as error:
        if is_new:
            remove(examine(place))
        else:
            replaced = f"{target.display} was replaced by a copy without the changes"
            error.hint = f"{error.hint}; {replaced}" if error.hint else replaced
        raise


def _is_free(target: Location) -> bool:
    """Return whether nothing is at the location of a target."""
    try:
        examine(target)
    except StoreMissing:
        return True
    except NczError:  # something else, which the copy refuses or replaces
        return False
    return False

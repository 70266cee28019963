"""New values of a part of one variable of a store, as one change."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ncz.commands.opened_change import opened_change
from ncz.commands.region.command import change_chunks, patch_of, refuse_file, refuse_region
from ncz.commands.region.placement import place_of
from ncz.commands.sources import threads_for
from ncz.errors import Callbacks, NczError, Notify, note_on_interrupt
from ncz.formats.opening import assign_in_file, open_dataset
from ncz.model.data import MemoryArray
from ncz.model.tree import variables_by_fqn
from ncz.record import replace
from ncz.zmap.location import Location

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ncz.model.data import Values

_MEMORY = 256 << 20
"""Bytes that chunks take while they are encoded."""


def assign_values(
    location: Location,
    fqn: str,
    positions: Sequence[NDArray[np.int64]],
    values: Values,
    notify: Notify,
) -> None:
    """Give elements of a variable new values: all of them, or none.

    Parameters
    ----------
    location
        The store, or the netCDF file.
    fqn
        The variable.
    positions
        The indices along each axis.
    values
        The values at the product of these indices, of the dtype of the variable.
    notify
        Receives notices.

    Raises
    ------
    NczError
        If the store cannot be changed.
    """
    with open_dataset(location) as opened:
        provenance = opened.dataset.provenance
        is_file = provenance.is_netcdf_file and provenance.aggregation is None
    if is_file:
        with note_on_interrupt(f"{location.display} was not changed"):
            if assign_in_file(location, fqn, positions, values):
                return
    refuse_file(location)
    with (
        note_on_interrupt(f"{location.display} was not changed"),
        contextlib.ExitStack() as stack,
    ):
        change = stack.enter_context(opened_change(location, dry_run=False))
        refuse_region(change.opened.dataset, location)
        variables = dict(variables_by_fqn(change.opened.dataset.root))
        for notice in change.unread:
            notify(notice)
        old = variables.get(fqn)
        if old is None:
            raise NczError(f"the store has no variable {fqn} any more", location.display)
        new = replace(old, data=MemoryArray(values, old.type))
        places = tuple(map(place_of, positions))
        patch = patch_of(fqn, old, new, places, change.draft, location.display)
        change_chunks(
            change, variables, [patch], memory=_MEMORY, threads=threads_for(location),
            callbacks=Callbacks(notify), description=f"new values of {fqn}",
        )  # fmt: skip

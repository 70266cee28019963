"""Digests that a store keeps while values are replaced: only chunks that change are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ncz.commands.region.patch import Patch
from ncz.formats.store_draft import StoreDraft
from ncz.model.tree import Variable
from ncz.parallel.threads import ThreadPool


def update_digests(
    draft: StoreDraft, old: Mapping[str, Variable], patches: Sequence[Patch], pool: ThreadPool
) -> None:
    """Let the draft of a store keep the digests of the variables that get new values.

    Variables without a kept digest stay without one.

    Parameters
    ----------
    draft
        The store with its changes.
    old
        The variables of the store by FQN.
    patches
        The new values.
    pool
        The threads that read; its memory is the limit.
    """
    from ncz.digests.sums import add, read_sums, sums_text
    from ncz.digests.variable import part_sums

    for patch in patches:
        stored, grid = old[patch.array.fqn].data, patch.array.layout.grid
        kept = None if stored is None else stored.kept_sums()
        if stored is None or kept is None:
            continue
        sums = read_sums(kept)
        for index in patch.indices:
            box = grid.box(index)
            sums = add(sums, part_sums(stored, box, pool), -1)
            sums = add(sums, part_sums(patch.whole, box, pool))
        draft.keep_sums(patch.array, sums_text(sums))

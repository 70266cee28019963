"""Append a dataset to an existing store."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from ncz.commands.append.agree import axes_along, check_agreement
from ncz.commands.append.plan import Addition, plan_additions
from ncz.commands.changes import open_to_change
from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.source import open_source
from ncz.commands.copy.summary import Summary
from ncz.commands.edit.command import editable_root
from ncz.commands.edit.draft import Draft
from ncz.commands.edit.notes import resize_dimension
from ncz.commands.edit.revise import changes_of
from ncz.errors import LossError, Notice, Notify, ignore_notice, note_if_interrupted
from ncz.formats.kinds import OpenOptions
from ncz.formats.opening import open_dataset
from ncz.formats.zarr.hierarchy.nodes import Root
from ncz.formats.zarr.nczarr.notes import GROUP
from ncz.model.progress import NO_PROGRESS, Progress
from ncz.model.tree import Dataset, base_name, parent, variables_by_fqn
from ncz.parallel.cores import cores
from ncz.parallel.threads import ThreadPool
from ncz.record import replace
from ncz.transfer.append import move_some, write_some
from ncz.transfer.move import Moved, Way
from ncz.zmap import WritableZmap, Zmap
from ncz.zmap.journal import NewObjects
from ncz.zmap.key import ZARR_JSON
from ncz.zmap.location import parse_location

_REMOTE_THREADS = 16


def append(
    options: CopyOptions,
    notify: Notify = ignore_notice,
    progress: Progress = NO_PROGRESS,
    on_plan: Callable[[list[Addition]], bool] = lambda _: True,
) -> Summary:
    """Append a dataset to the store `options.target` along the dimension `options.append`.

    Chunks are written first: readers ignore those beyond the shape of an array, and values of a
    partial chunk beyond it. All documents are written afterwards, behind a journal.

    Parameters
    ----------
    options
        What to append to what.
    notify
        Called with a notice of everything that the user should know.
    progress
        Receives every chunk that is written.
    on_plan
        Called with the plan; nothing is written if it returns False.

    Raises
    ------
    AppendError
        If the datasets do not agree.
    NczError
        If one of the datasets cannot be read, or the store cannot be changed.
    """
    assert isinstance(options.target, str)
    assert options.append is not None
    location = parse_location(options.target)
    threads = options.threads or (_REMOTE_THREADS if location.kind == "remote" else cores())
    note = f"{location.display} has its old length; append again"
    with note_if_interrupted(note), contextlib.ExitStack() as stack:
        store = stack.enter_context(open_to_change(location, dry_run=options.dry_run))
        zmap = store.zmap
        root = editable_root(zmap, location)
        unread: list[Notice] = []
        new = stack.enter_context(open_source(options, unread.append, location, progress=progress))
        readers = stack.enter_context(contextlib.ExitStack())
        opened = readers.enter_context(
            open_dataset(location, OpenOptions(consolidated=False), notify=unread.append)
        )
        old = opened.dataset
        _refuse_losses(unread, options, notify)
        axes = axes_along(old, options.append)
        names = (zmap.url, options.source if isinstance(options.source, str) else "-")
        pool = stack.enter_context(ThreadPool(options.data_memory // 2, threads))
        check_agreement(old, new, axes, pool, names, notify)
        additions = plan_additions(old, new, axes)
        summary = Summary(variables=len(additions))
        if not on_plan(additions):
            return summary
        progress.expect(sum(addition.count for addition in additions))
        draft = _lengthened(zmap, root, additions, old)
        plan = changes_of(zmap, draft, root, is_structural=False)
        is_rewritten = store.target is None

        def write(target: WritableZmap) -> None:
            opened.check_unchanged()
            memory, count = options.data_memory // 2, 1 if is_rewritten else threads
            with ThreadPool(memory, count) as writers:
                for addition in additions:
                    _write(addition, target, writers, summary, progress)
            if is_rewritten:
                readers.close()  # Windows does not replace an open file

        new_objects = NewObjects(keys=_keys(additions), write=write)
        store.apply(replace(plan, new=new_objects), pure=not root.superblock, progress=progress)
        if options.verify:
            from ncz.commands.append.verify import verify

            with note_if_interrupted("the values were appended, but not verified"):
                summary.compared = verify(new, location, additions, pool, progress)
        return summary


def _refuse_losses(unread: list[Notice], options: CopyOptions, notify: Notify) -> None:
    for notice in unread:
        if notice.lost and not options.allow_loss:
            raise LossError(str(notice), hint="use --allow-loss (nothing was written)")
        notify(notice)


def _keys(additions: list[Addition]) -> frozenset[str]:
    """Return the keys of the chunks to write, also of those that will be missing."""
    return frozenset(a.array.chunk_key(index) for a in additions for index in a.indices())


def _write(
    addition: Addition,
    target: WritableZmap,
    pool: ThreadPool,
    summary: Summary,
    progress: Progress,
) -> None:
    def report(moved: Moved) -> None:
        summary.chunks += moved.chunks
        summary.size += moved.size
        progress.moved(addition.array.fqn, moved.chunks, moved.size)

    way: Way = "raw" if addition.chunks is not None else "recode"
    summary.ways[way] = summary.ways.get(way, 0) + 1
    array, indices = addition.array, addition.indices()
    if addition.chunks is not None:
        move_some(addition.chunks, array, indices, target, pool, report)
    elif addition.source is not None:
        write_some(addition.source, array, indices, target, pool, report)


def _lengthened(zmap: Zmap, root: Root, additions: list[Addition], old: Dataset) -> Draft:
    """Return the documents of the store with the new lengths."""
    version = root.metadata.zarr_format
    draft = Draft(zmap, root.metadata.load("", root.superblock, ignore_notice), root, {})
    variables = dict(variables_by_fqn(old.root))
    for addition in additions:
        array = addition.array
        document = draft.nodes[array.key].documents[".zarray" if version == 2 else ZARR_JSON]
        document["shape"] = [
            addition.stop if axis == addition.axis else length
            for axis, length in enumerate(document["shape"])
        ]
        fqn = variables[array.fqn].dimensions[addition.axis]
        group = draft.nodes.get(parent(fqn)[1:])
        if group is not None:
            resize_dimension(group.note(GROUP), base_name(fqn), addition.stop)
    return draft

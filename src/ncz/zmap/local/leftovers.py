"""Remove leftovers of a killed or failed creation of a local store.

Everything that ncz leaves has a name that follows from the target's name, so that nothing else is
touched: the unfinished store (``.partial``), its ``.claim``, the old store that was moved aside
(``.old``), and headers of sources (``.headers``). Objects that were being replaced in a store have
special names.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Callable, Iterator

from ncz.errors import ZmapError
from ncz.system_errors import storage_error, storage_errors
from ncz.zmap.claim import Leftover
from ncz.zmap.local.build_names import ASIDE, CLAIM, HEADERS, PARTIAL, name_start
from ncz.zmap.local.claims import refuse_planted, remove
from ncz.zmap.local.locks import hold_lock

_OBJECT = re.compile(r"\.ncz-[0-9a-f]{8}\.partial")


def clean_local(
    path: str, dry_run: bool, report: Callable[[str], object] = lambda _: None
) -> list[Leftover]:
    """Remove leftovers at a local path; see `ncz.zmap.opening.clean`."""
    target = os.path.abspath(path)
    result = []
    with contextlib.ExitStack() as locks:
        found = list(_beside(target))
        for each in found:
            if not locks.enter_context(hold_lock(each)):
                raise ZmapError(
                    "another process is writing this store", path, "wait until it has finished"
                )
        found += [each for each in _within(target) if locks.enter_context(hold_lock(each))]
        for each in found:
            refuse_planted(os.lstat(each), each, path, is_file=not os.path.isdir(each))
            result.append(_clean(each, target, dry_run, report))
    return result


def _clean(path: str, target: str, dry_run: bool, report: Callable[[str], object]) -> Leftover:
    """Remove leftovers at `path`, or restore a store that exists nowhere else."""
    is_lost = path.endswith(ASIDE) and not os.path.lexists(target)
    leftover = Leftover(path, "restore" if is_lost else "remove", *extent(path, report))
    if not dry_run:
        with storage_errors(path, leftover.action):
            if is_lost:
                os.rename(path, target)
            else:
                remove(path)
    return leftover


def _beside(target: str) -> Iterator[str]:
    """Yield the paths of the leftovers of a creation of `target`, its claim last."""
    folder = os.path.dirname(target)
    start = re.escape(name_start(target))
    ends = "|".join(map(re.escape, (PARTIAL, ASIDE, HEADERS)))
    ours = re.compile(rf"{start}(-[0-9a-f]{{8}})?({ends})")
    claim = name_start(target) + CLAIM
    try:
        names = sorted(os.listdir(folder))
    except FileNotFoundError:
        return
    except OSError as error:
        raise storage_error(error, folder, "list") from error
    yield from (os.path.join(folder, name) for name in names if ours.fullmatch(name))
    if claim in names:
        yield os.path.join(folder, claim)


def _within(target: str) -> Iterator[str]:
    """Yield the paths of objects in a store that were being replaced; links are not followed."""
    for folder, folders, names in os.walk(target):
        folders.sort()
        for name in sorted(filter(_OBJECT.fullmatch, names)):
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                yield path


def extent(path: str, report: Callable[[str], object] = lambda _: None) -> tuple[int, int]:
    """Return the number of files at or below a path, and their size in bytes."""
    status = os.lstat(path)
    if not stat.S_ISDIR(status.st_mode):
        return 1, status.st_size
    count = size = 0
    for folder, _, names in os.walk(path):
        for name in names:
            with contextlib.suppress(OSError):
                size += os.lstat(os.path.join(folder, name)).st_size
                count += 1
                report(name)
    return count, size

"""Several copies in parallel: their notices, their interruption and their errors."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NoReturn

from ncz.commands.copy.options import PROGRAM_MEMORY, CopyOptions, thread_count
from ncz.commands.copy.summary import Summary
from ncz.commands.option_error import OptionError
from ncz.commands.sources import name_of
from ncz.errors import Callbacks, NczError, Notice, list_names, option, quantity
from ncz.record import replace
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from concurrent.futures import Future

CopyOne = Callable[[CopyOptions, Callbacks], Summary]
"""Copies to one target."""


class Listeners:
    """The notices and the progress of several copies: complete targets, and each notice once.

    A notice that several copies give is reported when all have ended, with their number; a loss is
    reported immediately.
    """

    def __init__(self, callbacks: Callbacks, count: int) -> None:
        self._callbacks = callbacks
        self._lock = threading.Lock()
        self._notices: dict[Notice, int] = {}
        self._stopped: BaseException | None = None
        callbacks.progress.expect(count, "targets")

    def of_one(self) -> Callbacks:
        """Return the callbacks of one copy."""
        return replace(self._callbacks, notify=self._notify, progress=_Part(self))

    def advance(self, name: str, count: int, size: int) -> None:
        """Report written bytes, or a complete target."""
        self.check()
        with self._lock:
            self._callbacks.progress.advance(name, count, size)

    def stop(self, error: BaseException) -> None:
        """Let all copies end, as if `error` had been raised in them."""
        self._stopped = error

    def check(self) -> None:
        """Raise the exception that stopped the copies."""
        if self._stopped is not None:
            raise self._stopped

    def _notify(self, notice: Notice) -> None:
        self.check()
        with self._lock:
            if notice.is_left_behind:
                self._callbacks.notify(notice)
            else:
                self._notices[notice] = self._notices.get(notice, 0) + 1

    def tell(self) -> None:
        """Report the notices."""
        for notice, count in self._notices.items():
            several = f" ({count} targets)" if count > 1 else ""
            self._callbacks.notify(replace(notice, message=f"{notice.message}{several}"))
        self._notices.clear()


class _Part:
    """The progress of one of several copies, which counts only bytes."""

    def __init__(self, listeners: Listeners) -> None:
        self._listeners = listeners

    def expect(self, total: int | None, unit: str = "chunks") -> None:
        """Do nothing: the targets are counted."""
        self._listeners.check()

    def advance(self, name: str, count: int, size: int) -> None:
        """Add bytes that are done."""
        self._listeners.advance(name, 0, size)


def copy_all(copies: Mapping[str, CopyOptions], copy_one: CopyOne, callbacks: Callbacks) -> Summary:
    """Copy to several targets, some in parallel; after an error, the others are still copied.

    Threads and memory are divided among the copies that run at the same time.

    Parameters
    ----------
    copies
        The copies by the names of their targets.
    copy_one
        Copies to one target.
    callbacks
        Receives the notices of all of them.

    Raises
    ------
    NczError
        If one of the copies fails; it names the first one, and the number of failed copies.
    """
    if len(copies) == 1:
        alone = {place: copy_one(one, callbacks) for place, one in copies.items()}
        return _whole(copies, alone)
    listeners = Listeners(callbacks, len(copies))
    done: dict[str, Summary] = {}
    failed: dict[str, NczError] = {}
    count = min(len(copies), *map(_copies_at_once, copies.values()))

    def copy(place: str, one: CopyOptions) -> None:
        listeners.check()
        try:
            done[place] = copy_one(_share_options(one, count), listeners.of_one())
        except OptionError:
            raise
        except NczError as error:
            failed[place] = error
        listeners.advance(place, 1, 0)

    try:
        _run(copies, copy, count, listeners)
    finally:
        listeners.tell()
    if failed:
        _refuse({place: failed[place] for place in copies if place in failed}, len(done))
    return _whole(copies, done)


def _whole(copies: Mapping[str, CopyOptions], done: Mapping[str, Summary]) -> Summary:
    """Return the sum of the summaries, in the order of the copies."""
    whole = Summary()
    for place, one in copies.items():
        done[place].source = name_of(one.source)
        whole.add(place, done[place])
    return whole


def _run(
    copies: Mapping[str, CopyOptions],
    copy: Callable[[str, CopyOptions], None],
    count: int,
    listeners: Listeners,
) -> None:
    if count == 1:
        for place, one in copies.items():
            copy(place, one)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(count, "ncz-copies") as pool:
        pending: list[Future[None]] = []
        try:
            pending = [pool.submit(copy, place, one) for place, one in copies.items()]
            for future in pending:
                future.result()
        except BaseException as error:
            listeners.stop(error)
            for future in pending:
                future.cancel()
            raise


def _copies_at_once(options: CopyOptions) -> int:
    """Return the number of copies like this that may run at the same time in one process."""
    is_alone = options.dry_run or options.dask is not None or bool(options.create.audience)
    if is_alone or not isinstance(options.target, Location):
        return 1
    return max(1, min(thread_count(options.target, options), options.data_memory // LEAST_SHARE))


LEAST_SHARE = 64 << 20
"""Bytes of data that a copy should have when others run at the same time."""


def _share_options(options: CopyOptions, count: int) -> CopyOptions:
    """Return the options of one of several copies that share threads and memory."""
    if count == 1 or not isinstance(options.target, Location):
        return options
    threads = max(1, thread_count(options.target, options) // count)
    memory = options.data_memory // count + PROGRAM_MEMORY
    return replace(options, threads=threads, memory=memory)


def _refuse(failed: Mapping[str, NczError], complete: int) -> NoReturn:
    """Raise the first error, with the state of the other targets."""
    first, *others = failed
    error = failed[first]
    texts = [error.hint] if error.hint else []
    if others:
        texts.append(f"{quantity(len(others), 'other copy')} failed too: {list_names(others)}")
    if complete:
        are = "is" if complete == 1 else "are"
        texts.append(
            f"{quantity(complete, 'target')} {are} complete; use {option('resume', True)} for the"
            " rest"
        )
    error.hint = "; ".join(texts) or None
    raise error

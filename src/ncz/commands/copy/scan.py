"""Read the headers of many sources, several at a time.

Local files are parsed by forked processes, or by the workers of a Dask cluster, and sources on
servers by threads. The result is the same as reading one by one: datasets, notices and errors
come in the order of the sources.
"""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from ncz.commands.copy.options import CopyOptions
from ncz.errors import Callbacks, Notice, quantity
from ncz.record import record, replace
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from typing import TypeGuard

    from ncz.commands.sources import Source
    from ncz.formats.kinds import OpenOptions
    from ncz.model.tree import Dataset
    from ncz.zmap.local.kept_headers import KeptHeaders

MANY = 64
"""Sources that are opened one after the other and stay open; of more, the local files are scanned,
and opened again when they are read."""

_TOGETHER = 32
"""Files that a worker of a cluster scans at a time."""

_AHEAD = 2
"""Number of sources that each thread opens in advance."""


def are_many(sources: Sequence[object]) -> bool:
    """Return whether there are too many sources to keep all of them open."""
    return len(sources) > MANY


def is_local_file(source: object) -> TypeGuard[Location]:
    """Return whether a source is a file on this computer."""
    if not isinstance(source, Location) or source.kind in ("remote", "memory"):
        return False
    return os.path.isfile(source.path)


@contextlib.contextmanager
def keep_headers(options: CopyOptions, *, is_worker: bool) -> Iterator[KeptHeaders | None]:
    """Yield the headers that an interrupted run of the same copy left, and keep this run's headers.

    Headers of local files are parsed; of files on servers, the parts that were read are kept. None
    for a copy of few sources, for a target that is not on this computer, and for a worker of a
    cluster.
    """
    target = options.target
    is_kept = are_many(options.sources) and not options.dry_run and not is_worker
    is_kept = is_kept and any(_is_remote(s) or is_local_file(s) for s in options.sources)
    if not is_kept or not isinstance(target, Location) or target.kind in ("remote", "memory"):
        yield None
        return
    from ncz.formats.headers import version_of_headers
    from ncz.zmap.local.kept_headers import kept_headers, remove_headers

    if options.resume is False:
        remove_headers(target.path)
        yield None
        return
    with kept_headers(target.path, version_of_headers()) as headers:
        yield headers


@record
class Scan:
    """The way to read the headers of local files: the processes, or the cluster."""

    how: OpenOptions
    processes: int
    dask: str | None = None

    def headers(
        self, sources: Sequence[Location], kept: KeptHeaders | None
    ) -> Iterator[bytes | None]:
        """Yield the header of each file; None if the file must be opened instead.

        Raises `NczError` at a file that cannot be opened.
        """
        names = [_name(source, self.how) for source in sources]
        found = [None if kept is None else kept.find(name) for name in names]
        if kept is not None:
            kept.note_use(sum(data is not None for data in found))
        rest = [source for source, data in zip(sources, found, strict=True) if data is None]
        scanned = self._scan(rest)
        try:
            for name, data in zip(names, found, strict=True):
                new = next(scanned) if data is None else data
                if data is None and kept is not None and new:
                    kept.add(name, new)
                yield new or None
        finally:
            scanned.close()

    def _scan(self, sources: Sequence[Location]) -> Generator[bytes, None, None]:
        from ncz.formats.headers import scan

        if self.dask is not None and sources:
            yield from self._on_cluster(sources)
        elif self.processes > 1 and len(sources) > 1:
            from ncz.parallel.processes import in_order

            yield from in_order(sources, lambda one: (scan(one, self.how),), self.processes)
        else:
            for source in sources:
                yield scan(source, self.how)

    def _on_cluster(self, sources: Sequence[Location]) -> Iterator[bytes]:
        """Let the workers of a cluster scan files; they must have them by the same names."""
        from ncz.commands.copy.cluster_client import connect, result_of, threads_of

        assert self.dask is not None
        batches = (
            [*sources[first : first + _TOGETHER]] for first in range(0, len(sources), _TOGETHER)
        )
        with contextlib.closing(connect(self.dask)) as client:

            def submit(batch: list[Location]) -> Any:
                return client.submit(scan_many, batch, self.how, pure=False)

            waiting = deque(map(submit, islice(batches, _AHEAD * threads_of(client))))
            while waiting:
                found = result_of(waiting.popleft(), self.dask)
                waiting += map(submit, islice(batches, 1))
                yield from found


def scan_of(options: CopyOptions, how: OpenOptions, *, is_worker: bool) -> Scan:
    """Return the way to read the headers of the sources of a copy."""
    from ncz.parallel.forks import is_alone
    from ncz.parallel.processes import can_fork
    from ncz.parallel.processors import cores

    processes = min(cores(), options.threads or cores())
    if not can_fork() or not is_alone():  # a thread may hold a lock, which a fork would keep
        processes = 1
    return Scan(how, processes, None if is_worker else options.dask)


def scan_many(sources: Sequence[Location], how: OpenOptions) -> list[bytes]:
    """Return the headers of files, in a worker of a cluster."""
    from ncz.formats.headers import scan

    return [scan(source, how) for source in sources]


def _name(source: Location, how: OpenOptions) -> str:
    """Return a name for a file in its present state, and for the options of opening it."""
    try:
        status = os.stat(source.path)
        state = status.st_size, status.st_mtime_ns, status.st_ino
    except OSError:  # opening it reports the error
        state = None
    return repr((source.exact, os.path.abspath(source.path), state, how))


def resumed_notice(kept: KeptHeaders, total: int, place: str) -> Notice:
    """Return the notice of headers that an interrupted run had read."""
    return Notice(
        "scan-resumed",
        f"the headers of {kept.count} of {quantity(total, 'source')} were read before an interrupt,"
        " and are used again",
        place,
    )


Opener = Callable[["Source", Callbacks], "contextlib.AbstractContextManager[Dataset]"]
"""A function that opens a source."""


def keep_parts(opener: Opener, kept: KeptHeaders | None) -> Opener:
    """Return a function that opens sources, and keeps the parts read of files on servers."""
    if kept is None:
        return opener

    @contextlib.contextmanager
    def open_source(source: Source, callbacks: Callbacks) -> Iterator[Dataset]:
        with contextlib.ExitStack() as stack:
            if _is_remote(source):
                from ncz.zmap.remote.kept_parts import keep_parts

                with keep_parts(kept):
                    dataset = stack.enter_context(opener(source, callbacks))
            else:
                dataset = stack.enter_context(opener(source, callbacks))
            yield dataset

    return open_source


def open_ahead(
    sources: Sequence[Source],
    opener: Opener,
    callbacks: Callbacks,
    stack: contextlib.ExitStack,
    threads: int | None,
) -> Iterator[Dataset]:
    """Yield sources that stay open until `stack` is closed; sources on servers are opened ahead.

    Notices and errors come in the order of the sources.
    """
    if sum(map(_is_remote, sources)) < 2:
        for source in sources:
            yield stack.enter_context(opener(source, callbacks))
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    from ncz.parallel.processors import threads_for

    def open_one(source: Source) -> tuple[contextlib.ExitStack, Dataset, list[Notice]]:
        notices: list[Notice] = []
        with contextlib.ExitStack() as own:
            dataset = own.enter_context(opener(source, replace(callbacks, notify=notices.append)))
            return own.pop_all(), dataset, notices

    most = threads or threads_for(is_remote=True)
    rest = iter(sources)
    waiting: deque[Future[Any]] = deque()

    def close_rest() -> None:
        for each in waiting:
            if not each.cancel() and each.exception() is None:
                each.result()[0].close()

    with ThreadPoolExecutor(most, "ncz-scan") as pool:
        try:
            waiting += [pool.submit(open_one, source) for source in islice(rest, _AHEAD * most)]
            while waiting:
                own, dataset, notices = waiting.popleft().result()
                stack.push(own)
                waiting += [pool.submit(open_one, source) for source in islice(rest, 1)]
                for notice in notices:
                    callbacks.notify(notice)
                yield dataset
        finally:
            close_rest()


def _is_remote(source: object) -> bool:
    return isinstance(source, Location) and source.kind == "remote"

"""The bytes of an HDF5 file, read in blocks that are kept."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

from ncz.formats.hdf5.metadata.checksum import Checksums
from ncz.formats.hdf5.metadata.faults import DamageError

_Result = TypeVar("_Result")

_WHOLE = 1 << 16
"""Bytes of the largest local file that is read as a whole."""

_LOCAL_BLOCK = 1 << 12
_REMOTE_BLOCK = 1 << 16

_MOST_KEPT = 32 << 20
"""Bytes of blocks that are kept."""

_LONGEST_RUN = 32
"""Number of blocks that one request reads at the most."""

_SMALL = 4 << 20
_FIRST_RUN = 8
"""Number of blocks at the start of a small file on a server that one request reads."""

_BUDGET = 8
"""The number of times that all bytes of a file may be read as metadata. Messages are read several
times, as parts of a header and of a block that contains it."""


class Readable(Protocol):
    """A file that many threads read by ranges; `ncz.zmap.range_file.RangeFile`."""

    @property
    def size(self) -> int:
        """The number of its bytes."""
        ...

    @property
    def path(self) -> str | None:
        """The path of a local file; None for a file on a server."""
        ...

    def read(self, start: int, count: int) -> bytes:
        """Return `count` bytes from the offset `start`."""
        ...


class FileBlocks:
    """The blocks of a file that were read; the oldest ones are dropped.

    On a server, blocks that are read one after the other are fetched with fewer and longer
    requests, and blocks that are certainly needed are fetched at the same time.
    """

    def __init__(self, file: Readable) -> None:
        self.file = file
        self.size = file.size
        self.is_remote = file.path is None
        block = _REMOTE_BLOCK if self.is_remote else _LOCAL_BLOCK
        self.block = max(1, self.size) if self.size <= _WHOLE and not self.is_remote else block
        self.known: dict[int, bytes] = {}
        self._most = max(4, _MOST_KEPT // self.block)
        self._lock = threading.Lock()
        self._next = -1
        self._run = 1

    def load(self, number: int) -> bytes:
        """Read a block, with those after it if blocks are read in order."""
        self._run = min(2 * self._run, _LONGEST_RUN) if number == self._next else 1
        if number == 0 and self.size <= _SMALL and self.is_remote:
            self._run = _FIRST_RUN
        self._next = number + self._run
        self._keep(number, self._fetch(number, self._run))
        return self.known[number]

    def _fetch(self, number: int, count: int) -> bytes:
        start = number * self.block
        return self.file.read(start, min(count * self.block, self.size - start))

    def _keep(self, first: int, data: bytes) -> None:
        with self._lock:
            for at in range(0, len(data), self.block):
                self.known[first + at // self.block] = data[at : at + self.block]
            while len(self.known) > self._most:
                del self.known[next(iter(self.known))]

    def part(self, at: int, count: int) -> bytes:
        """Return bytes that may be in several blocks; the file has all of them."""
        first, last = at // self.block, (at + count - 1) // self.block
        if last - first > 8:
            return self.file.read(at, count)
        parts = [self.known.get(n) or self.load(n) for n in range(first, last + 1)]
        start = at - first * self.block
        return b"".join(parts)[start : start + count]

    def fetch(self, numbers: Iterable[int]) -> None:
        """Read several blocks, all at the same time, and those between near ones."""
        runs: list[list[int]] = []
        for number in sorted(set(numbers) - self.known.keys())[: self._most // 2]:
            if runs and number - runs[-1][1] <= 2 and number - runs[-1][0] < _LONGEST_RUN:
                runs[-1][1] = number
            else:
                runs.append([number, number])
        if len(runs) == 1:
            first, last = runs[0]
            self._keep(first, self._fetch(first, last - first + 1))
        elif runs:
            self._fetch_together(runs)

    def _fetch_together(self, runs: list[list[int]]) -> None:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(min(_TOGETHER, len(runs)), "ncz-metadata") as pool:
            fetched = pool.map(lambda run: self._fetch(run[0], run[1] - run[0] + 1), runs)
            for (first, _), data in zip(runs, fetched, strict=True):
                self._keep(first, data)


_TOGETHER = 16
"""Number of requests that are under way at the same time."""


class MetadataSource:
    """A reader for the metadata of one operation, such as a header or one index.

    Addresses count from `base`, which is not 0 in a file with a user block.

    Parameters
    ----------
    blocks
        The blocks of the file.
    base
        The offset of address 0.
    bad
        The addresses of structures whose checksums are known to be wrong.
    """

    def __init__(
        self, blocks: FileBlocks, base: int = 0, bad: frozenset[int] = frozenset()
    ) -> None:
        self.size = blocks.size
        self.blocks = blocks
        self.base = base
        self.checksums = Checksums()
        self.bad = bad
        self._left = _BUDGET * blocks.size + (1 << 20)
        self._wanted: set[int] | None = None
        self._block = blocks.block
        self._known = blocks.known

    def peek(self, at: int | None, count: int) -> bytes:
        """Return bytes from an address, fewer at the end of the file.

        Raises `DamageError` if the address is None, or beyond the end of the file.
        """
        if at is None:
            raise DamageError("an address is undefined")
        at += self.base
        self._left -= count
        if self._left < 0:
            raise DamageError("its metadata refer to the same bytes again and again")
        if not 0 <= at < self.size:
            raise DamageError("an address is beyond the end of the file")
        number, start = divmod(at, self._block)
        block = self._known.get(number)
        if block is None:
            if self._wanted is not None:
                self._want(at, count)
            block = self.blocks.load(number)
        end = start + count
        if end <= len(block):
            return block[start:end]
        count = min(count, self.size - at)
        if self._wanted is not None:
            self._want(at, count)
        return self.blocks.part(at, count)

    def read(self, at: int | None, count: int) -> bytes:
        """Return bytes from an address. Raises `DamageError` if the file ends before."""
        data = self.peek(at, count)
        if len(data) < count:
            raise DamageError("a structure is beyond the end of the file")
        return data

    def read_structure(self, at: int | None, count: int, signature: bytes, what: str) -> bytes:
        """Return a structure that begins with a signature and ends with its checksum.

        The checksum is compared later, with others: see `Checksums.verify`.
        """
        data = self.read(at, count)
        if data[:4] != signature:
            raise DamageError(f"{what} is not at its address")
        self.check(at, data[:-4], data[-4:], what)
        return data

    def check(self, at: int | None, data: bytes, checksum: bytes, what: str) -> None:
        """Note the checksum of a structure, which is compared later."""
        if at in self.bad:
            raise DamageError(f"the checksum of {what} is wrong")
        self.checksums.add(at or 0, data, checksum)

    def verify(self) -> None:
        """Compare all checksums that were noted. Raises `DamageError` if one is wrong."""
        if self.checksums.wrong():
            raise DamageError("a checksum of its metadata is wrong")

    def fetch(self, addresses: Iterable[int | None], count: int) -> None:
        """Read bytes at several addresses at the same time, if the file is on a server."""
        if not self.blocks.is_remote:
            return
        wanted = {
            number
            for at in addresses
            if at is not None and 0 <= at + self.base < self.size
            for number in self._numbers(at + self.base, min(count, self.size - at - self.base))
        }
        if self._wanted is not None:
            self._wanted |= wanted
        else:
            self.blocks.fetch(wanted)

    def together(self, tasks: Sequence[Callable[[], _Result]]) -> list[_Result]:
        """Return the results of several tasks, whose requests are made at the same time.

        A task that needs a block which has not been read is interrupted, and done again when the
        blocks that all tasks need next have been read. So it must be possible to repeat it.
        """
        if not self.blocks.is_remote or self._wanted is not None:
            return [task() for task in tasks]
        results: dict[int, _Result] = {}
        for _ in range(_MOST_ROUNDS):
            self._wanted = set()
            try:
                for number, task in enumerate(tasks):
                    left = self._left
                    if number not in results:
                        try:
                            results[number] = task()
                        except _Interruption:
                            self._left = left
            finally:
                wanted, self._wanted = self._wanted, None
            if len(results) == len(tasks):
                break
            self.blocks.fetch(wanted)
        return [results[n] if n in results else task() for n, task in enumerate(tasks)]

    def _want(self, at: int, count: int) -> None:
        """Interrupt the task if blocks have not been read."""
        missing = {number for number in self._numbers(at, count) if number not in self._known}
        if missing and self._wanted is not None and len(missing) <= _LONGEST_RUN:
            self._wanted |= missing
            raise _Interruption

    def _numbers(self, at: int, count: int) -> range:
        """Return the numbers of the blocks of a range."""
        return range(at // self._block, (at + max(1, count) - 1) // self._block + 1)


class _Interruption(Exception):
    """A task of `MetadataSource.together` needs a block that has not been read."""


_MOST_ROUNDS = 100
"""Number of times that tasks are interrupted at the most."""

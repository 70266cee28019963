"""Fetch neighbouring ranges of a target with one request.

The chunks of an array in a file on a server are often neighbours. A request for each would take
longer than one request for all, even with the bytes between them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from itertools import islice

from ncz.record import record
from ncz.zmap.byte_range import ByteRange

GAP = 64_000
"""Bytes of the largest gap between two ranges that are fetched together."""

LARGEST = 8 << 20
"""Bytes of one request for several ranges."""

_WINDOW = 256
"""The number of announced keys among which neighbours are sought."""

Submit = Callable[[Callable[[], bytes]], "Future[bytes]"]


@record
class AnnouncedKey:
    """A key that will be read, and the place of its bytes."""

    key: str
    place: ByteRange


class _Together:
    """Ranges of one target that one request fetches."""

    def __init__(self, members: list[AnnouncedKey]) -> None:
        self.members = members
        first = members[0].place
        self.url = first.url
        self.start = first.offset
        self.stop = max(_stop(member.place) for member in members)
        self.lock = threading.Lock()
        self.future: Future[bytes] | None = None


class JoinedReads:
    """Finds neighbours among announced keys, and requests them together.

    Parameters
    ----------
    submit
        Calls a function in a thread.
    read
        Reads a range of a target; the second argument is the key for messages.
    """

    def __init__(self, submit: Submit, read: Callable[[ByteRange, str], bytes]) -> None:
        self._submit = submit
        self._read = read
        self._together: dict[str, _Together] = {}

    def plan_reads(
        self, wanted: Iterable[tuple[str, int]], find: Callable[[str], ByteRange | None]
    ) -> Iterator[tuple[str, int]]:
        """Yield the announced keys, unchanged, after looking for neighbours among the next ones.

        `find` returns where the bytes of a key are, and None for a key without a range.
        """
        rest = iter(wanted)
        while window := list(islice(rest, _WINDOW)):
            places = [
                AnnouncedKey(key, place) for key, _ in window if (place := find(key)) is not None
            ]
            for group in neighbours(places):
                together = _Together(group)
                self._together.update((member.key, together) for member in group)
            yield from window

    def fetch(self, key: str) -> Future[bytes] | None:
        """Start to fetch a key with its neighbours; None without neighbours."""
        together = self._together.pop(key, None)
        if together is None:
            return None
        with together.lock:
            if together.future is None:
                place = ByteRange(together.url, together.start, together.stop - together.start)
                together.future = self._submit(lambda: self._read(place, key))
        member = next(member for member in together.members if member.key == key)
        return _part_of(together.future, member.place, together.start)


def neighbours(wanted: Iterable[AnnouncedKey]) -> Iterator[list[AnnouncedKey]]:
    """Yield lists of two or more ranges of one target that are close to each other."""
    group: list[AnnouncedKey] = []
    stop = 0
    for each in sorted(wanted, key=lambda w: (w.place.url, w.place.offset)):
        place = each.place
        if group:
            first = group[0].place
            is_near = (
                place.url == first.url
                and place.offset <= stop + GAP
                and max(stop, _stop(place)) - first.offset <= LARGEST
            )
            if not is_near:
                if len(group) > 1:
                    yield group
                group = []
        stop = max(stop, _stop(place)) if group else _stop(place)
        group.append(each)
    if len(group) > 1:
        yield group


def _stop(place: ByteRange) -> int:
    assert place.length is not None
    return place.offset + place.length


def _part_of(whole: Future[bytes], place: ByteRange, start: int) -> Future[bytes]:
    """Return a future with the part of `whole` that a range has; `whole` begins at `start`."""
    part: Future[bytes] = Future()

    def done(whole: Future[bytes]) -> None:
        error = whole.exception()
        if error is not None:
            part.set_exception(error)
        else:
            assert place.length is not None
            first = place.offset - start
            part.set_result(whole.result()[first : first + place.length])

    whole.add_done_callback(done)
    return part

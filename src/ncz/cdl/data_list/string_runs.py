"""Strings of a data list that follow each other, found and measured together.

Comments, char constants, ``_`` and escapes that are wrong end a run of strings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ncz.cdl.constants import ESCAPED
from ncz.late import numpy as np
from ncz.record import record

if TYPE_CHECKING:
    import mmap

    from numpy.typing import NDArray

    Offsets = NDArray[np.int64]

_BLANK = rb"[ \t\r\n\f\v]*+"
_STRING = _BLANK + rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"' + _BLANK
_RUN = re.compile(rb"(?:" + _STRING + rb",)*+", re.DOTALL)
_ONE = re.compile(_STRING + rb",", re.DOTALL)
_LIST = re.compile(rb"(?:" + _STRING + rb",)*+" + _STRING, re.DOTALL)

_BACKSLASH, _QUOTE, _X = b'\\"x'


@record
class StringRun:
    """Strings of a text, by offsets in it.

    `codes` are the bytes of the text; an escape begins with the byte that it means.
    """

    codes: NDArray[np.uint8]
    opening: Offsets
    """The opening quotes."""
    closing: Offsets
    lengths: Offsets
    """The numbers of bytes of the strings."""
    escapes: Offsets
    long_escapes: Offsets
    """Escapes of four characters, such as ``\\012``."""

    def chars(self) -> NDArray[np.uint8]:
        """Return the bytes of all strings, one string after the other."""
        mask = _between(self.opening + 1, self.closing, len(self.codes))
        mask[self.escapes + 1] = False
        for distance in (2, 3):
            mask[self.long_escapes + distance] = False
        return self.codes[mask]

    def split(self) -> Iterator[bytes]:
        """Yield the bytes of each string."""
        chars, start = self.chars().tobytes(), 0
        for length in self.lengths.tolist():
            yield chars[start : start + length]
            start += length

    def rows(self, width: int, fill: bytes) -> NDArray[np.uint8]:
        """Return the bytes of all strings, each but the last one padded to whole rows."""
        if not width:
            return self.chars()
        sizes = padded_lengths(self.lengths, width)
        ends = np.cumsum(sizes)
        starts = ends - sizes
        rows = np.full(int(starts[-1] + self.lengths[-1]), fill, "S1").view(np.uint8)
        rows[_between(starts, starts + self.lengths, len(rows))] = self.chars()
        return rows


def padded_lengths(lengths: Offsets, width: int) -> Offsets:
    """Return the chars that strings take in rows of `width`: at least one row."""
    return np.maximum(-(-lengths // width), 1) * width if width else lengths


def _between(starts: Offsets, stops: Offsets, size: int) -> NDArray[np.bool_]:
    """Return a mask of the elements from each start to its stop, which ascend."""
    some = starts < stops
    steps = np.zeros(size + 1, np.int8)
    steps[starts[some]] += 1
    steps[stops[some]] -= 1
    return np.cumsum(steps[:-1], dtype=np.int8).view(np.bool_)


def find_run(buffer: bytes | mmap.mmap, at: int, stop: int, most: int) -> StringRun | None:
    """Find strings from an offset on, each with a comma after it; None if none exist.

    They have at most `most` bytes, unless a single one has more.
    """
    end = _RUN.match(buffer, at, min(stop, at + most))
    if end is None or end.end() == at:
        end = _ONE.match(buffer, at, stop)
    return None if end is None else _measure(buffer[at : end.end()])


def parse_list(text: bytes) -> StringRun | None:
    """Find the strings of a text; None if it has something else."""
    return _measure(text) if _LIST.fullmatch(text) else None


def _measure(text: bytes) -> StringRun | None:
    """Measure the strings of a text that has nothing else; None if an escape is wrong."""
    codes = np.frombuffer(text, np.uint8)
    escapes = long_escapes = np.zeros(0, np.int64)
    plain = codes
    if b"\\" in text:
        # Now each backslash begins an escape, and each quote a string, or ends it.
        text = text.replace(b"\\\\", b"\\y").replace(b'\\"', b"\\y")
        plain = np.frombuffer(text, np.uint8)
        escapes = np.flatnonzero(plain == _BACKSLASH)
        meant = _meanings(plain, codes[escapes + 1], escapes)
        if meant is None:
            return None
        codes = codes.copy()
        codes[escapes], is_long = meant
        long_escapes = escapes[is_long]
    quotes = np.flatnonzero(plain == _QUOTE)
    opening, closing = quotes[::2], quotes[1::2]
    lengths = closing - opening - 1
    for places, extra in ((escapes, 1), (long_escapes, 2)):
        if places.size:
            numbers = np.searchsorted(opening, places) - 1
            lengths -= extra * np.bincount(numbers, minlength=len(lengths))
    return StringRun(codes, opening, closing, lengths, escapes, long_escapes)


def _meanings(
    plain: NDArray[np.uint8], second: NDArray[np.uint8], escapes: Offsets
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]] | None:
    """Return the byte that each escape means, and whether it is long; None if one is wrong."""
    meant = np.array([ESCAPED.get(bytes([code]), bytes([code]))[0] for code in range(256)], "u1")
    values = meant[second]
    digits = np.full(256, 99, np.uint8)
    for number, pair in enumerate(
        (
            b"00",
            b"11",
            b"22",
            b"33",
            b"44",
            b"55",
            b"66",
            b"77",
            b"88",
            b"99",
            b"aA",
            b"bB",
            b"cC",
            b"dD",
            b"eE",
            b"fF",
        )
    ):
        digits[list(pair)] = number
    is_octal, is_hexadecimal = digits[second] < 8, second == _X
    is_long = is_octal | is_hexadecimal
    for mask, base in ((is_octal, 8), (is_hexadecimal, 16)):
        places = escapes[mask]
        if not places.size:
            continue
        parts = digits[plain.take(places[:, np.newaxis] + (2, 3), mode="clip")]
        first = digits[second[mask]] if base == 8 else 0
        if (parts >= base).any() or (np.max(first) > 3):
            return None
        values[mask] = first * base**2 + parts[:, 0] * base + parts[:, 1]
    return values, is_long

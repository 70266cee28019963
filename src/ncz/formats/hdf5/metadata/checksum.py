"""The checksum of HDF5's metadata, Jenkins' lookup3, of many structures together.

A header of thousands of variables has as many checksums. numpy and numcodecs take longer to import
than the header takes to read, and plain Python takes as long for them as for all the rest. So words
of many structures are put side by side into one large integer, in lanes of 64 bits, and each
operation of Python computes all of them.

Source: Bob Jenkins, "lookup3.c", function hashlittle; HDF5 File Format Specification, "Checksums".
"""

from __future__ import annotations

from array import array
from functools import lru_cache
from struct import pack

_MOST_LANES = 2048
"""Number of structures that are computed together; more do not fit into a processor's cache."""

_MOST_PENDING = 8 << 20
"""Bytes of structures that wait for their checksums."""

_SLOW = 8192
"""For more steps in Python than this, importing numcodecs takes less time."""

_Lanes = int


class Checksums:
    """Structures whose checksums are compared together."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, bytes, bytes]] = []
        self._size = 0
        self._wrong: set[int] = set()

    def add(self, address: int, data: bytes, checksum: bytes) -> None:
        """Add a structure: its address, its bytes, and the four bytes of its checksum."""
        self._waiting.append((address, data, checksum))
        self._size += len(data)
        if self._size > _MOST_PENDING:
            self._compare()

    def wrong(self) -> frozenset[int]:
        """Return the addresses of all structures whose checksum is wrong."""
        self._compare()
        return frozenset(self._wrong)

    def _compare(self) -> None:
        waiting, self._waiting, self._size = self._waiting, [], 0
        groups: dict[int, list[tuple[int, bytes, bytes]]] = {}
        for each in waiting:
            groups.setdefault((len(each[1]) + 11) // 12, []).append(each)
        steps = sum(blocks * (1 + len(same) // _MOST_LANES) for blocks, same in groups.items())
        if steps > _SLOW:
            self._compare_by_numcodecs(waiting)
            return
        for blocks, same in groups.items():
            for at in range(0, len(same), _MOST_LANES):
                self._compare_alike(blocks, same[at : at + _MOST_LANES])

    def _compare_by_numcodecs(self, structures: list[tuple[int, bytes, bytes]]) -> None:
        from numcodecs.jenkins import jenkins_lookup3

        for address, data, checksum in structures:
            if jenkins_lookup3(data, 0) != int.from_bytes(checksum, "little"):
                self._wrong.add(address)

    def _compare_alike(self, blocks: int, same: list[tuple[int, bytes, bytes]]) -> None:
        """Compare structures that have the same number of blocks of 12 bytes."""
        size = 12 * blocks
        data = b"".join([data.ljust(size, b"\0") for _, data, _ in same])
        lengths = pack(f"<{len(same)}I", *[len(data) for _, data, _ in same])
        expected = _widen(b"".join([checksum for _, _, checksum in same]))
        computed = _lookup3(data, lengths, blocks)
        if computed != expected:
            for (address, _, checksum), lane in zip(
                same, _narrow(computed, len(same)), strict=True
            ):
                if lane != checksum:
                    self._wrong.add(address)


@lru_cache(maxsize=16)
def _masks(lanes: int) -> tuple[_Lanes, _Lanes, _Lanes]:
    """Return the low halves of all lanes, the bits above them, and lanes that are 1."""
    ones = int.from_bytes(b"\1\0\0\0\0\0\0\0" * lanes, "little")
    return ones * 0xFFFFFFFF, ones << 32, ones


def _widen(words: bytes) -> _Lanes:
    """Return words of 32 bits as lanes of 64 bits, even numbers first."""
    count = len(words) // 4
    half = (count + 1) // 2
    low, _, _ = _masks(half)
    pairs = int.from_bytes(words, "little")
    return (pairs & low) | ((pairs >> 32) & low) << (64 * half)


def _narrow(lanes: _Lanes, count: int) -> list[bytes]:
    """Return the lower halves of lanes as bytes, in the order of the words that were widened."""
    half = (count + 1) // 2
    data = lanes.to_bytes(16 * half, "little")
    words = [data[at : at + 4] for at in range(0, len(data), 8)]
    return [words[number // 2 + (half if number % 2 else 0)] for number in range(count)]


def _lookup3(data: bytes, lengths: bytes, blocks: int) -> _Lanes:
    """Return the checksums of structures of `blocks` blocks of 12 bytes each, as lanes.

    `data` has the structures one after the other, with zeros at the end of each, and `lengths`
    their lengths without these.
    """
    count = len(lengths) // 4
    low, above, ones = _masks(2 * ((count + 1) // 2))
    words = array("I")
    words.frombytes(data)
    length = 3 * blocks
    a = b = c = (0xDEADBEEF * ones + _widen(lengths)) & low
    if not blocks:
        return c
    for at in range(0, length, 3):
        a = (a + _widen(words[at::length].tobytes())) & low
        b = (b + _widen(words[at + 1 :: length].tobytes())) & low
        c = (c + _widen(words[at + 2 :: length].tobytes())) & low
        if at == length - 3:
            break
        a = ((a + above - c) & low) ^ (((c << 4) | (c >> 28)) & low)
        c = (c + b) & low
        b = ((b + above - a) & low) ^ (((a << 6) | (a >> 26)) & low)
        a = (a + c) & low
        c = ((c + above - b) & low) ^ (((b << 8) | (b >> 24)) & low)
        b = (b + a) & low
        a = ((a + above - c) & low) ^ (((c << 16) | (c >> 16)) & low)
        c = (c + b) & low
        b = ((b + above - a) & low) ^ (((a << 19) | (a >> 13)) & low)
        a = (a + c) & low
        c = ((c + above - b) & low) ^ (((b << 4) | (b >> 28)) & low)
        b = (b + a) & low
    c = ((c ^ b) + above - (((b << 14) | (b >> 18)) & low)) & low
    a = ((a ^ c) + above - (((c << 11) | (c >> 21)) & low)) & low
    b = ((b ^ a) + above - (((a << 25) | (a >> 7)) & low)) & low
    c = ((c ^ b) + above - (((b << 16) | (b >> 16)) & low)) & low
    a = ((a ^ c) + above - (((c << 4) | (c >> 28)) & low)) & low
    b = ((b ^ a) + above - (((a << 14) | (a >> 18)) & low)) & low
    return ((c ^ b) + above - (((b << 24) | (b >> 8)) & low)) & low

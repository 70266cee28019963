"""Change bytes: chunks, shards, archives and netCDF files."""

from __future__ import annotations

import struct
from collections.abc import Callable
from random import Random

INTERESTING = [0, 1, 2, 3, 4, 7, 8, 15, 16, 127, 128, 255, 256, 1 << 15, 1 << 16, 1 << 20, 1 << 29,
               (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 63) - 1,
               (1 << 64) - 1]  # fmt: skip


def change(data: bytes, random: Random) -> bytes:
    """Return bytes with one change or a few."""
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        data = random.choice(_CHANGES)(data, random)
    return data


def _place(data: bytes, random: Random) -> int:
    """Return an offset; headers and ends, where sizes and directories are, are likely."""
    size = len(data)
    where = random.random()
    if where < 0.35:
        return random.randrange(min(size, 32) + 1)
    if where < 0.6:
        return size - random.randrange(min(size, 128) + 1)
    return random.randrange(size + 1)


def _flip(data: bytes, random: Random) -> bytes:
    at = _place(data, random)
    return (
        data[:at]
        + bytes(byte ^ 1 << random.randrange(8) for byte in data[at : at + 1])
        + data[at + 1 :]
    )


def _number(data: bytes, random: Random) -> bytes:
    size, code = random.choice([(1, "B"), (2, "H"), (4, "I"), (4, "I"), (8, "Q"), (8, "Q")])
    order = random.choice("<>")
    at = max(0, min(_place(data, random), len(data) - size))
    number = random.choice(INTERESTING)
    if random.random() < 0.4 and len(data) >= size:
        number = struct.unpack_from(f"{order}{code}", data, at)[0] + random.choice((-1, 1, 7, 4096))
    return data[:at] + struct.pack(f"{order}{code}", number % (1 << 8 * size)) + data[at + size :]


def _truncate(data: bytes, random: Random) -> bytes:
    return data[: _place(data, random)]


def _remove(data: bytes, random: Random) -> bytes:
    at = _place(data, random)
    return data[:at] + data[at + random.choice((1, 2, 4, 8, 64)) :]


def _insert(data: bytes, random: Random) -> bytes:
    at = _place(data, random)
    return data[:at] + random.randbytes(random.choice((1, 2, 4, 8, 64))) + data[at:]


def _repeat(data: bytes, random: Random) -> bytes:
    at, end = sorted((_place(data, random), _place(data, random)))
    return data[:end] + data[at : min(end, at + 4096)] + data[end:]


def _zero(data: bytes, random: Random) -> bytes:
    at = _place(data, random)
    length = min(random.choice((4, 16, 64)), len(data) - at)
    return data[:at] + bytes([random.choice((0, 255))]) * length + data[at + length :]


def _move(data: bytes, random: Random) -> bytes:
    at, to = _place(data, random), _place(data, random)
    part = data[at : at + random.choice((4, 8, 16, 46))]
    return data[:to] + part + data[to + len(part) :]


_CHANGES: list[Callable[[bytes, Random], bytes]] = [
    _flip, _flip, _number, _number, _number, _truncate, _remove, _insert, _repeat, _zero, _move,
]  # fmt: skip

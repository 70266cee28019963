"""The digest as docs/reference/digest.md specifies it, element by element, without numpy."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from hashlib import blake2b
from itertools import product

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(x: int) -> int:
    x ^= x >> 30
    x = x * 0xBF58476D1CE4E5B9 & MASK
    x ^= x >> 27
    x = x * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def number(k: int, axis: int, part: int, i: int) -> int:
    seed = mix((4 * axis + 2 * k + part + 1) * GOLDEN & MASK)
    return mix((seed + (i + 1) * GOLDEN) & MASK) | 1


def weight(k: int, axis: int, i: int) -> int:
    return number(k, axis, 0, i % 1024) * number(k, axis, 1, i // 1024) & MASK


def float_bits(value: float, size: int) -> bytes:
    if value != value:
        return bytes.fromhex("0000c07f" if size == 4 else "000000000000f87f")
    return struct.pack("<f" if size == 4 else "<d", value + 0.0)


def hashed(data: bytes) -> bytes:
    return blake2b(data, digest_size=8).digest()


def text_bits(text: str) -> bytes:
    data = text.encode()
    return hashed(len(data).to_bytes(8, "little") + data)


def sums(elements: Sequence[bytes], shape: Sequence[int]) -> str:
    """Return the sums of elements in row-major order, each as its bytes."""
    shape = shape or (1,)
    *outer, length = shape
    totals = [0, 0]
    rows = [elements[i : i + length] for i in range(0, len(elements), length or 1)]
    for index, row in zip(product(*map(range, outer)), rows, strict=bool(length)):
        data = b"".join(row)
        data += bytes(-len(data) % 8)
        for k in range(2):
            words = struct.unpack(f"{'<>'[k]}{len(data) // 8}Q", data)
            factor = 1
            for axis, i in enumerate(index):
                factor = factor * weight(k, axis, i) & MASK
            row_sum = sum(w * weight(k, len(shape) - 1, j) for j, w in enumerate(words))
            totals[k] += factor * row_sum
    return "".join(f"{total & MASK:016x}" for total in totals)


def digest(description: object) -> str:
    text = json.dumps(description, separators=(",", ":"))
    return blake2b(text.encode(), digest_size=16).hexdigest()

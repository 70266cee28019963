"""How well the levels of zlib and gzip compress."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from ncz.codec import chain, deflate

SOURCES = Path(deflate.__file__).parent.glob("*.py")

FIELD = (
    280 + 20 * np.sin(np.arange(300_000) / 1e4) + np.random.default_rng(1).normal(0, 0.1, 300_000)
)
"""A smooth field with noise."""

ARRAYS = {
    "full precision": FIELD.astype("f4"),
    "double": FIELD,
    "rounded": FIELD.round(2).astype("f4"),
    "smooth": (280 + 20 * np.sin(np.arange(300_000) / 3e3)).astype("f4"),
    "packed": ((FIELD - 280) * 1000).astype("i2"),
    "whole numbers": (FIELD * 1000).astype("i4"),
    "text": np.frombuffer(b"".join(p.read_bytes() for p in sorted(SOURCES)), "u1"),
}


@pytest.mark.parametrize("shuffle", [False, True], ids=["plain", "shuffled"])
@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("levels", [(1, 6), pytest.param(range(1, 10), marks=pytest.mark.long)])
def test_a_level_compresses_as_well_as_in_zlib(name: str, shuffle: bool, levels: Sequence[int]):
    values = ARRAYS[name]
    size = values.itemsize
    filters = [{"id": "shuffle", "elementsize": size}] if shuffle else []
    data = chain.encode(filters, values, item_size=size, location="v")
    for level in levels:
        codecs = [*filters, {"id": "zlib", "level": level}]
        found = chain.encode(codecs, values, item_size=size, location="v")
        assert len(found) <= 1.03 * len(zlib.compress(data, level)), level

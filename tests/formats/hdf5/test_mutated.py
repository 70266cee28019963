"""HDF5 files with changed bytes: an error or values, in little memory and without a loop.

Checksums would refuse most changes, so that the rest of the reader is tried without them, too.
"""

from __future__ import annotations

import math
import tracemalloc
from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.errors import NczError, ZmapError, ignore_notice
from ncz.formats.hdf5.metadata.checksum import Checksums
from ncz.formats.hdf5.reader import read_hdf5
from ncz.model.data import ChunkSource, read_all
from ncz.model.tree import variables_by_fqn
from tests.formats.hdf5.features import FEATURES
from tests.formats.hdf5.test_differential import OTHERS
from tests.fuzz import binary
from tests.sampled import share_of

_LARGEST = 60_000
_MADE = (
    "earliest, 5", "latest, 5", "user block", "addresses of 4 bytes", "types", "types, latest",
    "indexes", "indexes of old files",
)  # fmt: skip


class Bytes:
    """A file in memory."""

    path = None
    url = address = "https://host/x.h5"

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = len(data)

    def read(self, start: int, count: int) -> bytes:
        if start < 0 or start + count > self.size:
            raise ZmapError("beyond the end of the file", self.url)
        return self._data[start : start + count]

    def check_unchanged(self) -> None:
        pass

    def close(self) -> None:
        pass


@cache
def originals() -> tuple[bytes, ...]:
    """Return the files to change: files with every structure, and files of others."""
    import tempfile

    found = [path.read_bytes() for path in OTHERS]
    with tempfile.TemporaryDirectory() as folder:
        for name in _MADE:
            path = Path(folder) / "x.h5"
            FEATURES[name](path)
            found.append(path.read_bytes())
    return tuple(data for data in found if len(data) <= _LARGEST)


def read(data: bytes) -> None:
    """Read a file, and the values that are not many."""
    dataset = read_hdf5(Bytes(data), "x", ignore_notice)
    for _, variable in variables_by_fqn(dataset.root):
        if variable.data is not None and math.prod(variable.data.grid.shape) < 100_000:
            try:
                read_values(variable.data)
            except NczError:
                continue


def read_values(source: ChunkSource) -> None:
    if math.prod(source.grid.chunks) < 1_000_000:
        read_all(source)


@pytest.mark.parametrize("verifies", [True, False])
@settings(max_examples=share_of(400), deadline=None)
@given(random=st.randoms(use_true_random=False))
def test_changed_bytes_are_an_error_or_other_values(verifies, random):
    data = _changed(random)
    with pytest.MonkeyPatch.context() as patch:
        if not verifies:
            patch.setattr(Checksums, "wrong", lambda self: frozenset())
        try:
            read(data)
        except NczError:
            return


@settings(max_examples=share_of(100), deadline=None)
@given(random=st.randoms(use_true_random=False))
def test_a_header_takes_memory_in_proportion_to_the_file(random):
    data = _changed(random)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Checksums, "wrong", lambda self: frozenset())
        tracemalloc.start()
        try:
            read_hdf5(Bytes(data), "x", ignore_notice)
        except NczError:
            pass
        finally:
            _, most = tracemalloc.get_traced_memory()
            tracemalloc.stop()
    assert most < 8 * len(data) + (4 << 20)


def _changed(random: Random) -> bytes:
    data = random.choice(originals())
    return binary.change(data, random) or b"\0"

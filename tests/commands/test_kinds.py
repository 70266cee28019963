"""The kind of netCDF file in Python: the words that ``-k`` takes, and others by name."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.errors import ignore_notice

TEXT = b"netcdf a { dimensions: x = 1 ; }"


@pytest.mark.parametrize(
    ("kind", "start"),
    [
        ("nc4", b"\x89HDF"),
        ("netCDF-4", b"\x89HDF"),
        ("nc3", b"CDF\x01"),
        ("64-bit-data", b"CDF\x05"),
    ],
)
def test_the_words_of_the_command_line(tmp_path: Path, kind: Any, start: bytes):
    ncz.gen(io.BytesIO(TEXT), tmp_path / "a.nc", kind=kind, notify=ignore_notice)
    assert (tmp_path / "a.nc").read_bytes()[:4] == start


def test_another_word_is_refused(tmp_path: Path):
    kind: Any = "nc9"
    with pytest.raises(ncz.NczError, match="'nc9' is not a kind of netCDF file; use one of"):
        ncz.gen(io.BytesIO(TEXT), tmp_path / "a.nc", kind=kind)
    assert not (tmp_path / "a.nc").exists()

"""Parquet files, read with limits."""

from __future__ import annotations

import contextlib
import threading

import pytest

from ncz.errors import FormatError
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap
from ncz.zmap.reference import parquet
from tests.zmap.reference.test_parquet_set import ABSENT, GROUP, array, pq
from tests.zmap.reference.test_parquet_set import written as written


def test_a_file_that_arrow_reads_without_end_is_an_error(written, monkeypatch):
    folder = written({".zgroup": GROUP, "v/.zarray": array([2], [1])}, {"v/refs.0.parq": [ABSENT]})
    ended = threading.Event()
    monkeypatch.setattr(parquet, "TIMEOUT", 0.1)
    monkeypatch.setattr(pq.ParquetFile, "read", lambda *_, **__: ended.wait())
    with (
        contextlib.closing(open_zmap(parse_location(str(folder)))) as zmap,
        pytest.raises(FormatError, match=r"Arrow does not end within 0\.1 s; restore it"),
    ):
        zmap.get("v/0")
    ended.set()

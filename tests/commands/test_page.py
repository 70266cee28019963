"""Rows of the page of a dataset."""

from __future__ import annotations

import io
from typing import Any

import pytest

from ncz.commands.description import Statistics, VariableInfo
from ncz.commands.info import info
from ncz.commands.page import page_of, statistics_rows, storage_rows
from ncz.commands.sources import open_any
from ncz.errors import NO_CALLBACKS
from ncz.parallel.threads import ThreadPool
from ncz.record import replace

INFO = VariableInfo(
    path="/v", type="int", dtype=None, dimensions=("/x",), shape=(4,), chunks=None, shards=None,
    codecs=(), unpacked=None,
)  # fmt: skip


@pytest.mark.parametrize(
    ("known", "rows"),
    [
        ({}, []),
        ({"dtype": "<i4", "chunks": (2, 3)}, [("Data type", "<i4"), ("Chunks", "2x3")]),
        ({"shards": (4,), "codecs": ("a", "b")}, [("Shards", "4"), ("Codecs", "a b")]),
        ({"unpacked": 0, "stored": 0}, [("Size", "0 B"), ("Stored", "0 B")]),
        ({"chunks_present": 0, "chunks_expected": 2}, [("Chunks stored", "0 of 2")]),
    ],
)
def test_only_known_facts_have_rows(known: dict[str, Any], rows: list[tuple[str, str]]):
    assert [*storage_rows(replace(INFO, **known))] == rows


def test_the_ratio_is_after_the_stored_size():
    rows = dict(storage_rows(replace(INFO, unpacked=100, stored=50)))
    assert rows["Stored"].startswith("50 B (ratio 2")


def test_numbers_have_six_digits_and_times_are_dates():
    found = Statistics(count=3, missing=1, infinite=0, minimum=0.0, maximum=1 / 3, std=2)
    assert [*statistics_rows(found)] == [
        ("Values", "3"), ("Missing", "1"), ("Minimum", "0"), ("Maximum", "0.333333"),
        ("Standard deviation", "2"),
    ]  # fmt: skip
    times = replace(found, infinite=2, dates=("2000-01-01", None, None))
    rows = dict(statistics_rows(times))
    assert (rows["Infinite"], rows["Minimum"]) == ("2", "2000-01-01")
    assert rows["Maximum"] == "0.333333"


def test_variables_without_a_description_are_omitted():
    text = b"netcdf s { variables: int first ; int second ; data: first = 1 ; second = 2 ; }"
    described = info(io.BytesIO(text))
    one = replace(described, variables=type(described.variables)(described.variables[:1]))
    errors: list[Exception] = []
    with open_any(io.BytesIO(text), NO_CALLBACKS) as dataset, ThreadPool(1 << 20, 1) as pool:
        whole = page_of(dataset, described, pool, errors.append)
        page = page_of(dataset, one, pool, errors.append)
    assert ("second" in whole, "second" in page, "first" in page) == (True, False, True)
    assert errors == []

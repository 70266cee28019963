"""The objects, chunks and bytes of groups and arrays."""

from __future__ import annotations

import pytest

from ncz.commands.key_patterns import LsOptions
from ncz.commands.totals import Total, total, totals
from ncz.zmap.location import parse_location


@pytest.fixture
def store(tmp_path):
    objects = {
        ".zgroup": b"{}",
        "v/.zarray": b"[]",
        "v/0.0": b"12345",
        "g/.zgroup": b"{}",
        "g/w/.zarray": b"[]",
        "g/w/0": b"1",
        "g/w/1": b"22",
        "g/readme": b"333",
    }
    for key, data in objects.items():
        (tmp_path / key).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / key).write_bytes(data)
    return tmp_path


def test_the_objects_below_a_group_count_for_it(store):
    found = {each.key: each for each in totals(LsOptions(source=parse_location(str(store))))}
    assert found == {
        "/": Total("/", "group", 8, 3, 19),
        "/v": Total("/v", "array", 2, 1, 7),
        "/g": Total("/g", "group", 5, 2, 10),
        "/g/w": Total("/g/w", "array", 3, 2, 5),
    }


def test_a_sum_counts_nothing_twice():
    rows = [
        Total("/g", "group", 5, 2, 10),
        Total("/g/w", "array", 3, 2, 5),
        Total("/gg", "array", 1, 1, 1),
    ]
    assert total(rows) == Total("/", "group", 6, 3, 11)
    assert total([Total("/", "group", 8, 3, 19), *rows]) == Total("/", "group", 8, 3, 19)
    assert total([]) == Total("/", "group")

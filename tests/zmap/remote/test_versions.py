"""Versions of objects, which show that they have changed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from ncz.zmap.remote import versions
from ncz.zmap.remote.versions import (
    ObjectChangedError,
    Version,
    Versions,
    all_seconds,
    seconds_of,
    version_of,
)


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        (Version("a"), Version("a", "later", 9), False),
        (Version("a", "t", 1), Version("b", "t", 1), True),
        (Version(None, "t"), Version("b", "t"), False),
        (Version(None, "t"), Version(None, "u"), True),
        (Version(size=1), Version(size=2), True),
        (Version(size=1), Version("a"), False),
        (Version(), Version(), False),
    ],
)
def test_the_identifier_decides_if_both_have_one(one: Version, other: Version, differ: bool):
    assert one.differs(other) == other.differs(one) == differ


def test_a_part_must_have_the_version_of_the_first():
    known = Versions()
    known.require("v/0", Version("a", size=5))
    known.require("v/0", Version("a"))
    assert known.size_of("v/0") == 5
    assert known.of_part("v/0") == Version("a", size=5)
    with pytest.raises(ObjectChangedError):
        known.require("v/0", Version("b"))
    known.forget("v/0")
    known.require("v/0", Version("b"))
    assert known.size_of("v/1") is None


def test_documents_keep_the_version_that_was_read_first():
    known = Versions()
    known.note(".zgroup", Version("a"))
    known.note(".zgroup", Version("b"))
    assert known.documents() == {".zgroup": Version("a")}


def test_answers_that_cannot_be_compared_are_not():
    known = Versions(is_used=False)
    known.note(".zgroup", Version("a"))
    known.require("v/0", Version("a"))
    known.require("v/0", Version("b"))
    assert known.documents() == {}
    assert known.of_part("v/0") is None


def test_few_versions_are_remembered(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(versions, "_MOST_PARTS", 2)
    known = Versions()
    for key in "abc":
        known.require(key, Version(key, size=1))
    assert [known.size_of(key) for key in "abc"] == [None, None, 1]


@pytest.mark.parametrize(
    ("time", "seconds"),
    [
        (5, 5.0),
        (datetime(1970, 1, 2, tzinfo=UTC), 86400.0),
        ("Fri, 02 Jan 1970 00:00:00 GMT", 86400.0),
        ("1970-01-02T00:00:00+00:00", 86400.0),
        ("yesterday", None),
        (None, None),
    ],
)
def test_times_of_servers(time: object, seconds: float | None):
    assert seconds_of(time) == seconds


def test_an_unknown_time_makes_all_unknown():
    assert all_seconds([1, 2.5]) == [1, 2.5]
    assert all_seconds([1, None]) == []
    assert version_of({"etag": '"a"', "last-modified": "t"}, 3) == Version('"a"', "t", 3)
    assert version_of({}, None) == Version()

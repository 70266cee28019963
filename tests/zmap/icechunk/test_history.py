"""The branches, tags and snapshots of a repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncz.errors import ZmapError
from ncz.zmap.icechunk import history
from ncz.zmap.icechunk.history import history_of
from ncz.zmap.location import parse_location

pytest.importorskip("icechunk")

Versions = tuple[Path, dict[str, str]]


def test_versions_are_listed_from_the_newest(versions: Versions):
    path, names = versions
    found = history_of(parse_location(f"{path}#mode=icechunk"))
    assert found.branches == ("main", "old")
    assert found.tags == ("v1",)
    assert [one.name for one in found.versions[:2]] == [names["second"], names["first"]]
    assert [one.message for one in found.versions[:2]] == ["second", "first"]
    assert found.versions[0].time >= found.versions[1].time
    assert not found.has_more


def test_a_branch_has_its_own_versions(versions: Versions):
    path, names = versions
    found = history_of(parse_location(f"{path}#mode=icechunk&icechunk.branch=old"))
    assert found.versions[0].name == names["first"]


def test_older_versions_than_those_listed_are_named(
    versions: Versions, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(history, "_MOST", 1)
    found = history_of(parse_location(f"{versions[0]}#mode=icechunk"))
    assert [one.message for one in found.versions] == ["second"]
    assert found.has_more
    monkeypatch.setattr(history, "_MOST", 10_000)
    count = len(history_of(parse_location(f"{versions[0]}#mode=icechunk")).versions)
    monkeypatch.setattr(history, "_MOST", count)
    assert not history_of(parse_location(f"{versions[0]}#mode=icechunk")).has_more


def test_an_error_names_a_missing_branch(versions: Versions, tmp_path: Path):
    with pytest.raises(ZmapError, match="none"):
        history_of(parse_location(f"{versions[0]}#mode=icechunk&icechunk.branch=none"))
    with pytest.raises(ZmapError):
        history_of(parse_location(f"{tmp_path}#mode=icechunk"))

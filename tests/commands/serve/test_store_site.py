"""Tags of the responses of a site of stores."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ncz.commands.serve.access import Access
from ncz.commands.serve.served_store import ServedStore

store_site = pytest.importorskip("ncz.commands.serve.store_site")


def site() -> Any:
    access = Access(names=frozenset(), is_open=False, token=None, origins=frozenset())
    return store_site.StoreSite({}, access, threads=1, memory=1 << 20, report=lambda error: None)


def store(version: str, state: str | None) -> ServedStore:
    face: Any = SimpleNamespace(version=version)
    zmap: Any = None
    return ServedStore(zmap=zmap, summary="", check=lambda: None, face=face, state=state)


def test_each_object_has_its_tag():
    one, keys = site(), [("a", "b/c"), ("a/b", "d"), ("a", "b"), ("a", "\udc80")]
    tags = [one.etag(*key) for key in keys]
    assert len({*tags}) == len(keys)
    assert tags == [one.etag(*key) for key in keys]
    assert all(tag.startswith('"') and tag.endswith('"') for tag in tags)
    assert site().etag("a", "b") not in tags


@pytest.mark.parametrize(("state", "stays"), [("unchanged", True), (None, False)])
def test_the_tag_of_a_file_stays_if_its_source_is_known(state, stays):
    first, again = site(), site()
    tag = first.face_etag(store("1", state))
    assert tag == first.face_etag(store("1", state))
    assert (again.face_etag(store("1", state)) == tag) == stays
    assert first.face_etag(store("2", state)) != tag
    assert first.face_etag(store("1", "other")) != tag

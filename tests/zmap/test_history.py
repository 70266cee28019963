"""The history of a store that keeps old versions."""

from __future__ import annotations

import pytest

from ncz.zmap.history import History, StoredVersion


def test_a_history_has_all_versions_unless_it_says_otherwise():
    version = StoredVersion(name="a", time="2024-01-01 00:00:00", message="first")
    history = History(branches=("main",), tags=(), versions=(version,))
    assert not history.has_more
    assert history == History(branches=("main",), tags=(), versions=(version,))
    assert history != History(branches=("main",), tags=(), versions=(version,), has_more=True)


def test_a_version_without_a_message_is_an_error():
    with pytest.raises(TypeError, match="message"):
        StoredVersion(name="a", time="2024-01-01 00:00:00")  # type: ignore[call-arg]

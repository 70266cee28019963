"""The interface of the documents of a store while they are edited."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from ncz.formats.store_draft import StoreDraft
from ncz.formats.zarr.edit.zarr_draft import ZarrDraft

NEEDED = sorted(StoreDraft.__abstractmethods__)


def test_a_store_without_sums_keeps_none():
    members: dict[str, Any] = dict.fromkeys(NEEDED, property(lambda _: None))
    draft = type("Draft", (StoreDraft,), members)()
    assert draft.keep_sums(None, "0" * 32) is None


@pytest.mark.parametrize("name", NEEDED)
def test_a_draft_that_lacks_a_method_cannot_be_made(name: str):
    members: dict[str, Any] = {each: None for each in NEEDED if each != name}
    with pytest.raises(TypeError, match=name):
        type("Draft", (StoreDraft,), members)()


def test_the_draft_of_zarr_takes_the_arguments_of_the_interface():
    assert not inspect.isabstract(ZarrDraft)
    for name in ("edit", "lengthen", "add", "changes", "keep_sums"):
        ours, theirs = (
            list(inspect.signature(getattr(each, name)).parameters)
            for each in (ZarrDraft, StoreDraft)
        )
        assert ours == theirs

"""References to chunks in place of copies."""

from __future__ import annotations

from tests.commands.copy.test_references import here as here
from tests.commands.copy.test_references import places
from tests.commands.copy.test_references import refer as refer
from tests.commands.copy.test_references import store as store


def test_small_objects_are_held_and_large_ones_referred_to(refer, store):
    name = store()
    assert places(refer(name, inline=8 << 20)) == {}
    chunks = {key for key in refer(name, inline=0, overwrite=True) if key[-1].isdigit()}
    assert places(refer(name, inline=0, overwrite=True)).keys() == chunks

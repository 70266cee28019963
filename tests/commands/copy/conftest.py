"""No store in memory is left to the next test."""

from __future__ import annotations

import pytest

from ncz.zmap.memory import STORES

SHARED = "shared"
"""The folder of sources that many tests read; their names in memory begin with it."""


@pytest.fixture(autouse=True)
def no_stores():
    """No store in memory is left to the next test."""
    yield
    for name in [name for name in STORES if not name.startswith(f"{SHARED}-")]:
        del STORES[name]

"""Requests of the page, which may become stale."""

from __future__ import annotations

import pytest

from ncz.commands.view.request import Request, StaleRequest
from tests.commands.view.test_explorer import explorer_of


def test_nothing_is_read_for_a_stale_request():
    explorer, source = explorer_of((64, 64), (8, 8))
    with pytest.raises(StaleRequest):
        explorer.picture(Request(x=1, y=0), lambda: True)
    with pytest.raises(StaleRequest):
        explorer.descriptions.statistics(Request(), lambda: len(source.read) > 3)
    assert len(source.read) <= 64


def test_reading_stops_when_the_request_becomes_stale():
    explorer, source = explorer_of((640, 640), (8, 8))
    with pytest.raises(StaleRequest):
        explorer.picture(Request(x=1, y=0), lambda: len(source.read) >= 10)
    assert len(source.read) < 100

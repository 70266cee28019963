"""Coastlines as answers to the page."""

from __future__ import annotations

from ncz.commands.view.coast import coast_in
from ncz.views.map_window import WORLD, Window


def test_points_are_longitudes_and_latitudes_in_turn():
    answer = coast_in(WORLD, "coarse")
    lines = answer["lines"]
    assert lines
    for line in lines:
        assert len(line) % 2 == 0
        assert all(-90 <= latitude <= 90 for latitude in line[1::2])
        assert all(round(number, 2) == number for number in line)


def test_a_small_window_has_few_points_and_the_sea_none():
    def count(window: Window) -> int:
        return sum(map(len, coast_in(window, "coarse")["lines"]))

    assert 0 < count(Window(-10, 35, 5, 45)) < count(WORLD) / 10
    assert count(Window(-140, -50, -130, -45)) == 0

"""The parts of a picture of a variable."""

from __future__ import annotations

import io

import numpy as np
import pytest

import ncz
from ncz.commands.view.scene import Scene, scene_of
from ncz.errors import ignore_notice
from ncz.formats.opening import open_dataset
from ncz.zmap.location import parse_location

CDL = """netcdf s {{ dimensions: t = 2 ; n = {count} ; variables: float v(t, n) ;
v:_FillValue = -1.f ; data: v = {values} ; }}"""


def scene(values: list[int], **options: int) -> Scene:
    """Return the scene of a variable of two rows with these values; one row is shown."""
    text = CDL.format(count=len(values) // 2, values=", ".join(map(str, values)))
    url = "memory://scene"
    ncz.gen(io.BytesIO(text.encode()), url, overwrite=True, notify=ignore_notice)
    with open_dataset(parse_location(url)) as opened:
        return scene_of(opened.dataset, "/v", axes=["n"], most=(1, options.get("most", 50)))


def test_a_part_of_the_values_is_not_all_of_them():
    assert scene([-1, 7] * 100).notes == (
        "t = [0], every 2 along n", "all values that are shown are missing",
    )  # fmt: skip
    assert scene([-1] * 20).notes == ("t = [0]", "all values are missing")
    assert scene([-1] * 20).missing_notes == ("all values are missing",)
    assert scene([1, -1] * 10).missing_notes == ()


@pytest.mark.parametrize("most", [7, 10, 1000])
def test_each_shown_value_is_at_its_coordinate(most: int):
    found = scene(list(range(200)), most=most)
    step = found.across.step
    assert min(100, most) / 2 < found.values.size <= most
    assert np.array_equal(found.values.reshape(-1), np.arange(0, 100, step))
    assert np.array_equal(found.across.coordinates, np.arange(0, 100, step))

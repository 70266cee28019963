"""The scale of the colours of a picture."""

from __future__ import annotations

import numpy as np

import ncz
from ncz.record import replace
from ncz.zmap.location import location_of
from tests.commands.view.test_text import logarithmic as logarithmic
from tests.commands.view.test_text import pixels


def test_a_logarithmic_scale_leaves_out_values_not_above_zero(run, logarithmic):
    from ncz.commands.view.command import png_picture
    from ncz.commands.view.view_options import ViewOptions

    lines = ncz.view(logarithmic, "v", log=True).splitlines()
    assert "2 values of 0 or less are missing on the logarithmic scale" in lines
    assert lines[-1].split()[0] == "0.01"
    assert lines[-1].split()[-2:] == ["100", "(log)"]
    found = pixels(
        png_picture(
            ViewOptions(source=location_of(logarithmic), variable="v", log=True, plain=True)
        )
    )[0]
    assert found.tolist() == [[0, 127, 254], [255, 255, 190]]
    assert "all values are missing" not in ncz.view(logarithmic, "none")
    assert "3 values of 0 or less" in ncz.view(logarithmic, "none", log=True)
    ran = run("view", logarithmic, "v", "--text", "--log", "--range", "-1:5")
    assert ran.code == 2
    assert "--range '-1:5' has no place on a logarithmic scale" in ran.stderr


def test_a_line_of_equal_ratios_is_straight_on_a_logarithmic_scale(logarithmic):
    from ncz.commands.view.command import png_picture
    from ncz.commands.view.view_options import ViewOptions

    ratios, steps = (
        ViewOptions(
            source=location_of(logarithmic), variable=name, log=is_log, size=(21, 21), plain=True
        )
        for name, is_log in (("w", True), ("a", False))
    )
    assert png_picture(ratios) == png_picture(steps)
    assert png_picture(ratios) != png_picture(replace(ratios, log=False))


def test_a_cyclic_colour_map_is_a_whole_turn_of_an_angle(logarithmic):
    from ncz.commands.view.picture_scale import picture_scale
    from ncz.commands.view.view_options import ViewOptions

    options = ViewOptions(source=location_of(logarithmic), colormap="compass")

    def ends(values: list[float], units: str) -> tuple[float, float]:
        scale = picture_scale(options, np.array(values), units)
        return scale.low, scale.high

    assert ends([10, 200], "degrees") == (0, 360)
    assert ends([-10, 100], "degree") == (-180, 180)
    assert ends([1, 2], "radians") == (0, 2 * np.pi)
    assert ends([1, 2], "K") == (1, 2)

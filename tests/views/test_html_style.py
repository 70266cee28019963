"""The appearance of a page."""

from __future__ import annotations

import re

from ncz.views.html_style import STYLE
from ncz.views.png_map import GRADIENT


def test_every_color_is_declared_for_light_and_for_dark_screens():
    light, dark = (
        set(re.findall(r"(--[a-z]+):", block)) for block in re.findall(r":root \{([^}]*)\}", STYLE)
    )
    used = set(re.findall(r"var\((--[a-z]+)\)", STYLE))
    assert light == dark
    assert used == light


def test_the_scale_has_the_colors_of_the_maps():
    assert f"background: {GRADIENT};" in STYLE


def test_braces_match_and_nothing_is_loaded():
    assert STYLE.count("{") == STYLE.count("}")
    assert "url(" not in STYLE
    assert "@import" not in STYLE

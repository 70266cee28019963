"""A map of values as a PNG picture."""

from __future__ import annotations

import numpy as np

from ncz.views.png_map import png_uri
from tests.views.test_html import decoded


def test_pictures():
    nan = np.nan
    found = decoded(png_uri(np.array([[0.0, 50, 100], [nan, 25, np.inf]])))
    assert found.tolist() == [[0, 127, 254], [255, 63, 255]]
    assert decoded(png_uri(np.full((2, 2), nan))).tolist() == [[255, 255], [255, 255]]
    assert decoded(png_uri(np.full((1, 2), 7.0))).tolist() == [[0, 0]]

"""Tables of partitions with missing values."""

from __future__ import annotations

import numpy as np

from ncz.formats.aggregation.tables import indices_of, is_text, missing
from ncz.model.tree import Variable
from ncz.model.types import Atomic


def test_masks_fills_and_negative_numbers_are_missing():
    variable = Variable(name="shape", type=Atomic.INT)
    values = np.array([[1, -1], [Atomic.INT.default_fill, 0]], "i4")
    assert missing(values, variable).tolist() == [[False, True], [True, False]]
    assert list(indices_of(values)) == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_empty_text_is_missing():
    assert [is_text(value) for value in ("a", "", None, 1)] == [True, False, False, False]

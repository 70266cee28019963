"""The codec cast_value."""

from __future__ import annotations

import numpy as np

from tests.codec.test_casting import through


def test_the_first_entry_of_a_map_counts():
    codec = {
        "id": "cast_value",
        "data_type": "int16",
        "scalar_map": {
            "encode": [["NaN", -1], ["NaN", -2], [7.0, -3]],
            "decode": [[-1, "NaN"], [-3, 7.0]],
        },
    }
    values = np.array([1, np.nan, 7], "f4")
    data, back = through(codec, values)
    assert np.frombuffer(data, "<i2").tolist() == [1, -1, -3]
    np.testing.assert_array_equal(back, values)

"""The codec transpose: the order of the axes."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.codec import ArraySpec, chain
from ncz.errors import CodecError


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0), (2, 1, 0)])
def test_axes_come_back(order):
    values = np.arange(24, dtype="<i2").reshape(2, 3, 4)
    codecs = [{"id": "transpose", "order": list(order)}]
    array = ArraySpec(values.shape, 2, values.dtype)
    encoded = chain.encode_array(codecs, values, array, location="v")
    assert encoded == values.transpose(order).tobytes()
    assert np.array_equal(chain.decode_array(codecs, encoded, array, location="v"), values)


def test_an_order_of_other_axes_is_refused():
    values = np.zeros((2, 3), "<i2")
    codecs = [{"id": "transpose", "order": [0, 2]}]
    with pytest.raises(CodecError, match=r"\[0, 2\] is not an order of 2 axes"):
        chain.encode_array(codecs, values, ArraySpec(values.shape, 2, values.dtype), location="v")

"""The codec shuffle, and numcodecs' own."""

from __future__ import annotations

import numcodecs
import numpy as np

from ncz.codec import chain

VALUES = np.arange(-500, 500, dtype="<i4")
CODECS = [{"id": "shuffle", "elementsize": 4}]


def test_our_shuffle_matches_numcodecs():
    ours = chain.encode(CODECS, VALUES, item_size=4, location="v/0")
    assert ours == bytes(numcodecs.Shuffle(4).encode(VALUES))


def test_shuffle_keeps_a_rest_that_is_no_whole_element():
    data = np.arange(11, dtype="u1")
    stored = chain.encode(CODECS, data, item_size=1, location="v/0")
    assert chain.decode(CODECS, stored, count=11, item_size=1, location="v/0") == data.tobytes()

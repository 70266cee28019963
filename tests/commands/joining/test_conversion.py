"""Values of one dataset in the form of another."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from ncz.commands.joining.conversion import converter
from ncz.commands.joining.numbers import Numbers
from ncz.commands.joining.packing import packing_for
from ncz.model.packing import Packing
from ncz.model.types import Atomic


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30),
    st.sampled_from(["byte", "ubyte", "short", "ushort", "int", "uint"]),
)
@example([5e-324], "byte")
@example([-5e-324, 5e-324], "byte")
@example([0.0, 5e-324], "ushort")
@example([-1e-310, 3e-310, 0.0], "int")
def test_repacked_values_are_within_the_bound(numbers, word):
    chosen = Atomic(word)
    scale, offset, bound = packing_for(min(numbers), max(numbers), chosen)
    ours = Numbers(type=Atomic.DOUBLE)
    packing = Packing(masks=(chosen.default_fill,), scale=scale, offset=offset)
    theirs = Numbers(type=chosen, packing=packing)
    pack, unpack = converter(ours, theirs), converter(theirs, ours)
    assert pack is not None
    assert unpack is not None
    array = np.array([*numbers, math.nan])
    stored = pack(array)
    assert stored[-1] == chosen.default_fill
    assert not np.any(stored[:-1] == chosen.default_fill)
    unpacked = stored[:-1].astype("f8") * scale + offset
    assert np.abs(unpacked - array[:-1]).max() <= bound

"""The new values of one variable of a store."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from ncz.commands.region.patch import Patch
from ncz.model.data import MemoryArray
from ncz.model.encoded_arrays import EncodedTarget
from ncz.model.overlaid_source import Place
from ncz.model.types import Atomic


def test_the_plan_has_the_first_and_the_last_index_of_each_dimension():
    values = MemoryArray(np.zeros((3, 2), "i4"), Atomic.INT)
    places = (Place(np.array([4, 5, 9])), Place(np.array([0, 1]), np.array([1, 0])))
    patch = Patch(
        array=cast("EncodedTarget", SimpleNamespace(fqn="/g/v")), values=values,
        places=places, whole=values, indices=((1, 0), (2, 0)),
    )  # fmt: skip
    assert patch.row == {"variable": "/g/v", "indices": [[4, 10], [0, 2]], "chunks": 2}


def test_nothing_of_a_patch_can_be_left_out():
    with pytest.raises(TypeError, match="whole"):
        Patch(array=None, values=None, places=(), indices=())  # type: ignore[call-arg,arg-type]

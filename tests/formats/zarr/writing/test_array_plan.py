"""The plan of one array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ncz.cdl.reader import read_cdl
from ncz.formats.zarr.writing.array_plan import ArrayPlan
from ncz.formats.zarr.writing.options import WriteOptions
from ncz.formats.zarr.writing.plan import plan_dataset

CDL = b"""netcdf s { dimensions: x = 5 ; group: g { variables: short v(x) ; v:_ChunkSizes = 2 ;
  v:_FillValue = -1s ; v:_Endianness = "big" ; } }"""


def plan(**options: Any) -> ArrayPlan:
    (array,) = plan_dataset(read_cdl(CDL, source="s"), WriteOptions(**options)).arrays
    return array


@pytest.mark.parametrize(
    ("options", "keys"),
    [({}, ["g/v/0", "g/v/2"]), ({"zarr_format": 3}, ["g/v/c/0", "g/v/c/2"])],
)
def test_keys_of_chunks(options, keys):
    array = plan(**options)
    assert array.key == "g/v"
    assert array.chunk_keys([(0,), (2,)]) == keys
    assert array.chunk_key((2,)) == keys[1]
    assert array.encoded_target is array


def test_elements_have_the_stored_dtype():
    array = plan()
    assert (array.stored_dtype, array.item_size, array.mask) == (">i2", 2, -1)
    elements = array.to_elements(np.array([1, 258], "i2"))
    assert elements.tobytes() == b"\0\1\1\2"
    assert array.encode(elements, "s: /g/v/0") == b"\0\1\1\2"
    assert array.fill_element().tobytes() == b"\xff\xff"
    assert array.fill_element().shape == ()

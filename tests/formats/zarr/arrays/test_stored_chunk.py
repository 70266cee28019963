"""One stored chunk, decoded by the document above it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ncz.errors import FormatError
from ncz.formats.zarr.arrays.stored_chunk import decode_chunk
from ncz.formats.zarr.documents.document_v2 import print_array
from ncz.model.types import Atomic
from tests.formats.zarr.arrays.test_array import described, store


def test_decode_chunk_finds_the_array_above_the_key():
    for separator in "./":
        zmap, array = store(
            np.arange(6, dtype="i4").reshape(2, 3), Atomic.INT, (1, 3), separator=separator
        )
        zmap.put("v/.zarray", json.dumps(print_array(described(array))).encode())
        assert decode_chunk(zmap, f"v/1{separator}0").tolist() == [[3, 4, 5]]
    with pytest.raises(FormatError, match="not a chunk"):
        decode_chunk(zmap, "w/0")
    with pytest.raises(FormatError, match="no object exists"):
        decode_chunk(zmap, "v/9/9")

"""The document .zarray."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.formats.zarr.documents.document_v2 import print_array
from tests.formats.zarr.arrays.test_array import CHAINS, arrays, described, store
from tests.sampled import share_of


@settings(max_examples=share_of(40), deadline=None)
@given(arrays(), st.sampled_from("CF"), st.sampled_from("./"), st.sampled_from(CHAINS[:2]))
def test_zarr_python_reads_written_stores(case, order, separator, codecs):
    zarr = pytest.importorskip("zarr", reason="the peer zarr is not installed")
    values, nc_type, chunks = case
    zmap, array = store(values, nc_type, chunks, order=order, separator=separator, codecs=codecs)
    document = {**print_array(described(array, order)), "dimension_separator": separator}
    objects = {key: zmap.get(key) for key in zmap.walk("v")}
    objects["v/.zarray"] = json.dumps(document).encode()
    buffers = {key: zarr.core.buffer.cpu.Buffer.from_bytes(value) for key, value in objects.items()}
    theirs = zarr.open_array(zarr.storage.MemoryStore(buffers), path="v", mode="r", zarr_format=2)[
        ...
    ]
    assert np.asarray(theirs).astype(values.dtype).tobytes() == values.tobytes()

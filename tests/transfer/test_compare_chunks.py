"""Arrays that are compared chunk by chunk, without decoding equal chunks."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.errors import ignore_notice
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.formats.zarr.writing.options import WriteOptions
from ncz.model.encoded_arrays import EncodedSource
from ncz.parallel.threads import ThreadPool
from ncz.transfer.compare_chunks import are_stored_alike, unequal_chunks
from ncz.zmap.memory import MemoryZmap
from tests.test_round_trip import parsed, stored

CDL = """netcdf a {{ dimensions: x = 10 ; variables: {0} v(x) ; v:_ChunkSizes = 4 ; {1}
data: v = {2} ; }}"""


def source(
    values: str = "1, 2, 3, 4, 5, 6, 7, 8, 9", nc_type: str = "int", more: str = ""
) -> EncodedSource:
    """Return the data of an array."""
    text = CDL.format(nc_type, more, values).encode()
    zmap = MemoryZmap(stored(parsed(text), WriteOptions()), "memory://t")
    data = open_dataset(zmap, name="t", notify=ignore_notice).root.variables[0].data
    assert isinstance(data, EncodedSource)
    return data


@pytest.mark.parametrize(
    ("options", "alike"),
    [
        ({}, True),
        ({"values": "7"}, True),
        ({"nc_type": "float"}, False),
        ({"nc_type": "uint"}, False),
        ({"more": "v:_DeflateLevel = 1 ;"}, False),
        ({"more": "v:_FillValue = 7 ;"}, False),
    ],
)
def test_equal_bytes_must_be_equal_values(options, alike: bool):
    assert are_stored_alike(source(), source(**options)) == alike


def test_two_fill_values_that_are_nan_are_equal():
    nan = {"nc_type": "float", "more": "v:_FillValue = NaNf ;"}
    assert are_stored_alike(source(**nan), source(**nan))


def test_only_chunks_with_other_bytes_are_decoded(monkeypatch: pytest.MonkeyPatch):
    ours, theirs = source(), source("1, 2, 3, 4, 5, 0, 7, 8, 9")
    steps: list[int] = []
    decoded: list[tuple[int, ...]] = []
    decode = type(ours).stored_values

    def counted(array: EncodedSource, index: tuple[int, ...]) -> object:
        decoded.append(index)
        return decode(array, index)

    monkeypatch.setattr(type(ours), "stored_values", counted)
    with ThreadPool(1 << 20, 1) as pool:
        ((box, one, other),) = unequal_chunks(ours, theirs, pool, steps.append)
    assert (box.start, box.stop) == ((4,), (8,))
    assert one.tolist() == [5, 6, 7, 8]
    assert other.tolist() == [5, 0, 7, 8]
    assert decoded == [(1,), (1,)]
    assert sum(steps) == 10


def test_a_missing_chunk_is_compared_as_its_fill_value():
    with ThreadPool(1 << 20, 1) as pool:
        blocks = list(unequal_chunks(source("1"), source("1, _, _, _, 5"), pool))
    fill = np.iinfo("i4").min + 1
    ((one, other),) = [(one, other) for box, one, other in blocks if box.start == (4,)]
    assert one.tolist() == [fill] * 4
    assert other.tolist() == [5, fill, fill, fill]

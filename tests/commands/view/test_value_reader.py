"""Values of the variables of a dataset, through a cache."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.cdl.reader import read_cdl
from ncz.commands.view.chunk_cache import ChunkCache
from ncz.commands.view.request import Request, RequestError, never
from ncz.commands.view.value_reader import ValueReader, chunk_cost
from ncz.model.data import MemoryArray
from ncz.model.types import Atomic
from ncz.parallel.threads import ThreadPool

CDL = b"""netcdf s { dimensions: t = UNLIMITED ; x = 3 ;
variables: int v(t, x) ; v:_FillValue = -1 ; float w(t) ; int none(x) ;
data: v = 1, 2, 3, 4, 5, 6 ; w = 1, 2, 3 ; }"""


@pytest.fixture
def reader():
    with ThreadPool(1 << 20, 2) as pool:
        yield ValueReader(read_cdl(CDL, source="s"), pool, ChunkCache(1 << 20), is_remote=False)


def test_values_and_limits_beyond_them(reader):
    assert reader.numbers == {"/v": 0, "/w": 1, "/none": 2}
    assert reader.read(0, [range(2), range(0, 3, 2)], never).tolist() == [[1, 3], [4, 6]]
    assert reader.read(0, [range(3), range(1)], never).tolist() == [[1], [4], [-1]]
    assert reader.read(1, [range(2, 3)], never).tolist() == [3]


def test_the_variable_of_a_request(reader):
    fqn, variable, shape = reader.variable(Request(variable=0, x=1, y=0))
    assert (fqn, variable.name, shape) == ("/v", "v", (3, 3))


@pytest.mark.parametrize(
    ("number", "x", "y", "message"),
    [
        (3, None, None, "the dataset has no such variable"),
        (1, 1, None, "the variable has no such axis"),
        (0, None, 0, "the variable has no such axis"),
    ],
)
def test_requests_that_are_not_valid(reader, number, x, y, message):
    with pytest.raises(RequestError, match=message):
        reader.variable(Request(variable=number, x=x, y=y))


def test_small_chunks_have_a_minimum_cost():
    small = MemoryArray(np.zeros(10, "i4"), Atomic.INT)
    large = MemoryArray(np.zeros(10_000, "i4"), Atomic.INT)
    assert [chunk_cost(each) for each in (small, large)] == [4096, 40_000]

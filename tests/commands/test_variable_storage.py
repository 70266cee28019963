"""The storage of a variable: its form, and its chunks."""

from __future__ import annotations

import io

import pytest

import ncz
from ncz.commands.variable_storage import describe, with_census
from ncz.errors import ignore_notice
from ncz.formats.opening import open_dataset
from ncz.model.tree import Variable
from ncz.parallel.threads import ThreadPool
from ncz.zmap.location import parse_location
from tests.test_round_trip import parsed

CDL = """netcdf a {{ types: byte enum e_t {{ A = 0 }} ; dimensions: x = 10 ;
variables: {} v(x) ; {} data: v = {} ; }}"""


def variable(nc_type: str = "int", storage: str = "", values: str = "1, 2") -> Variable:
    return parsed(CDL.format(nc_type, storage, values).encode()).root.variables[0]


@pytest.fixture
def pool():
    with ThreadPool(1 << 20, 1) as pool:
        yield pool


@pytest.mark.parametrize(
    ("nc_type", "values", "name", "unpacked"),
    [
        ("int", "1", "int", 40),
        ("double", "1", "double", 80),
        ("string", '"a"', "string", None),
        ("e_t", "A", "/e_t", 10),
    ],
)
def test_a_type_has_its_name_and_its_bytes(
    nc_type: str, values: str, name: str, unpacked: int | None
):
    info = describe("/v", variable(nc_type, values=values), (10,))
    assert (info.path, info.type, info.unpacked) == ("/v", name, unpacked)
    assert (info.dimensions, info.shape, info.dtype) == (("/x",), (10,), None)


def test_a_store_adds_its_dtype_chunks_and_codecs(pool):
    text = CDL.format("int", "v:_ChunkSizes = 4 ; v:_DeflateLevel = 2 ;", "1, 2, 3, 4, 5")
    ncz.gen(io.BytesIO(text.encode()), "memory://storage", overwrite=True, notify=ignore_notice)
    with open_dataset(parse_location("memory://storage")) as opened:
        found = opened.dataset.root.variables[0]
        info = with_census(describe("/v", found, (10,)), found, pool)
    assert (info.dtype, info.chunks, info.codecs) == ("<i4", (4,), ("zlib",))
    assert info.chunks_expected == 3
    assert info.chunks_present in (2, 3)
    assert info.stored is not None
    assert 0 < info.stored < 100


def test_a_text_has_no_chunks_to_count(pool):
    info = describe("/v", variable(), (10,))
    assert with_census(info, variable(), pool) is info
    assert (info.chunks_present, info.stored) == (None, None)

"""The storage of a dataset and its variables in words."""

from __future__ import annotations

import pytest

from ncz.errors import ignore_notice
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.formats.zarr.writing.options import WriteOptions
from ncz.model.tree import Provenance, Storage, Variable
from ncz.model.types import Atomic
from ncz.views.stored_form import format_of, stored_form
from ncz.zmap.memory import MemoryZmap
from tests.test_round_trip import parsed, stored

CDL = b"""netcdf t { dimensions: x = 8 ; variables: int v(x) ; v:_ChunkSizes = 2 ;
 v:_DeflateLevel = 1 ; data: v = 1, 2, 3, 4, 5, 6, 7, 8 ; }"""


@pytest.mark.parametrize(
    ("provenance", "text"),
    [
        (Provenance(), None),
        (Provenance(zarr_format=2), "Zarr V2"),
        (Provenance(zarr_format=3), "Zarr V3"),
        (Provenance(zarr_format=2, superblock=2), "NCZarr 2 on Zarr V2"),
        (Provenance(protocol="DAP2"), "OPeNDAP, DAP2"),
        (Provenance(netcdf_kind="cdf5"), "cdf5"),
        (Provenance(hdf5_superblock=2), "netCDF-4"),
        (Provenance(hdf5_superblock=2, aggregation="CFA-0.4"), "netCDF-4, CFA-0.4 aggregation"),
    ],
)
def test_a_format_has_its_generation(provenance: Provenance, text: str | None):
    assert format_of(provenance) == text


def stored_variable(cdl: bytes, options: WriteOptions) -> Variable:
    objects = stored(parsed(cdl), options)
    dataset = open_dataset(MemoryZmap(objects, "memory://t"), name="t", notify=ignore_notice)
    return dataset.root.variables[0]


def test_chunks_and_codecs_equal_the_store_s():
    found = stored_form(stored_variable(CDL, WriteOptions()))
    assert (found.chunks, found.shards, found.codecs) == ((2,), None, ("zlib",))


def test_chunks_within_shards_can_be_read_alone():
    cdl = CDL.replace(b"v:_Deflate", b"v:_ShardSizes = 4 ; v:_Deflate")
    found = stored_form(stored_variable(cdl, WriteOptions(zarr_format=3)))
    assert (found.chunks, found.shards, found.codecs) == ((2,), (4,), ("gzip",))


def test_a_variable_without_data_has_its_requested_storage():
    variable = Variable(name="v", type=Atomic.INT, storage=Storage(chunks=(5,), shards=(10,)))
    found = stored_form(variable)
    assert (found.chunks, found.shards, found.codecs) == ((5,), (10,), ())

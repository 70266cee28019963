"""Storage properties that a netCDF file does not keep."""

from __future__ import annotations

from typing import Any, cast

import pytest

from ncz.errors import ignore_notice
from ncz.formats.netcdf.storage_changes import changes_of
from ncz.formats.write_plan import RequestedChanges
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.formats.zarr.writing.options import WriteOptions
from ncz.model.encoded_arrays import TargetArray
from ncz.model.filters import Filter
from ncz.model.tree import Provenance
from ncz.record import replace
from ncz.zmap.memory import MemoryZmap
from tests.test_round_trip import parsed, stored

CDL = b"""netcdf s { dimensions: x = 4 ; variables: int v(x) ; v:_ChunkSizes = 2 ;
 v:_DeflateLevel = 4 ; data: v = 1, 2, 3, 4 ; }"""


class Array:
    """A target of a variable with other codecs."""

    fqn = "/v"
    item_size = 4
    encoded_target = True

    def __init__(self, *codecs: dict[str, Any]) -> None:
        zmap = MemoryZmap(stored(parsed(CDL), WriteOptions()), "memory://t")
        (self.variable,) = open_dataset(zmap, name="t", notify=ignore_notice).root.variables
        layout = self.variable.data.layout  # type: ignore[union-attr]
        self.layout = replace(layout, codecs=tuple(map(Filter.from_json, codecs)))


def changes(source: Provenance, *arrays: Array, codecs: bool = False) -> list[tuple[str, bool]]:
    requested = RequestedChanges(codecs=codecs)
    found = changes_of(source, "netCDF-4", cast("list[TargetArray]", list(arrays)), requested)
    return [(change.message, change.requested) for change in found]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (Provenance(zarr_format=3), "Zarr V3 becomes netCDF-4"),
        (Provenance(netcdf_kind="classic"), "classic becomes netCDF-4"),
    ],
)
def test_another_format(source: Provenance, message: str):
    assert changes(source) == [(message, True)]


def test_the_same_kind_and_a_text_change_nothing():
    assert changes(Provenance(hdf5_superblock=2)) == []
    assert changes(Provenance()) == []


def test_other_codecs_are_named_with_their_variables():
    assert changes(Provenance(), Array({"id": "zlib", "level": 4})) == []
    found = changes(Provenance(), Array({"id": "bz2", "level": 1}))
    assert found == [("codecs zlib become bz2 (/v)", False)]
    assert changes(Provenance(), Array(), codecs=True) == [("codecs zlib become none (/v)", True)]


def test_gzip_and_zlib_are_the_same_stream():
    assert changes(Provenance(), Array({"id": "gzip", "level": 4})) == []

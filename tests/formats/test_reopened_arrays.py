"""Arrays of a dataset that was closed."""

from __future__ import annotations

import io
import os

import numpy as np
import pytest

import ncz
from ncz.errors import ZmapError, ignore_notice
from ncz.formats.kinds import OpenOptions
from ncz.formats.linear_array import LinearArray
from ncz.formats.open_datasets import OpenDatasets
from ncz.formats.opening import open_dataset
from ncz.formats.reopened_arrays import ReopenedChunks, reopened_dataset
from ncz.model.data import read_all
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.tree import variables_by_fqn
from ncz.zmap.location import location_of

CDL = b"""netcdf s { dimensions: t = UNLIMITED ; x = 5 ;
variables: int v(t, x) ; v:_ChunkSizes = 1, 5 ; int w(t, x) ; int c(x) ; string s(x) ; int none ;
data: v = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 ; w = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 ;
  c = 1, 2, 3, 4, 5 ; s = "a", "b", "c", "d", "e" ; }"""


def sources(path, kind):
    """Return the arrays of a file while it is open, and again after it was closed."""
    names = ["v", "w", "c"] if kind == "classic" else ["v", "w", "c", "s"]
    ncz.gen(io.BytesIO(CDL), path.with_suffix(".zarr"), notify=ignore_notice)
    ncz.copy(path.with_suffix(".zarr"), path, variables=names, kind=kind, notify=ignore_notice)
    location = location_of(path)
    pool = OpenDatasets(lambda place: open_dataset(place, OpenOptions()))
    with open_dataset(location, OpenOptions()) as opened:
        again = reopened_dataset(opened.dataset, location, pool)
        values = {
            fqn: read_all(v.data).tolist()
            for fqn, v in variables_by_fqn(opened.dataset.root)
            if v.data is not None
        }
    return pool, values, {fqn: v.data for fqn, v in variables_by_fqn(again.root)}


@pytest.mark.parametrize("kind", ["classic", "netCDF-4"])
def test_values_after_the_file_was_closed(tmp_path, kind):
    pool, values, found = sources(tmp_path / "s.nc", kind)
    for fqn, expected in values.items():
        source = found[fqn]
        assert source is not None
        assert read_all(source).tolist() == expected
        if isinstance(source, EncodedSource):
            for index in source.present():
                np.testing.assert_array_equal(
                    source.chunk_elements(index), source.elements([index])[0]
                )
    pool.close()


def test_values_of_classic_files_need_no_header(tmp_path):
    pool, _, found = sources(tmp_path / "s.nc", "classic")
    record = found["/w"]
    assert isinstance(record, LinearArray)
    assert record.read is not None
    assert record.read(16, 8) == np.array([5, 6], ">i4").tobytes()
    assert not pool._opened


def test_small_arrays_stay_in_memory(tmp_path):
    pool, _, found = sources(tmp_path / "s.nc", "netCDF-4")
    small = found["/c"]
    assert isinstance(small, ReopenedChunks)
    assert small.values_of([(0,)])[0].tolist() == [1, 2, 3, 4, 5]  # type: ignore[union-attr]
    assert not pool._opened


@pytest.mark.parametrize("fqn", ["/v", "/c", "/s"])
def test_a_file_that_changed(tmp_path, fqn):
    pool, _, found = sources(tmp_path / "s.nc", "netCDF-4")
    os.utime(tmp_path / "s.nc", ns=(0, 0))
    source = found[fqn]
    assert source is not None
    with pytest.raises(ZmapError, match="the file changed while it was read"):
        read_all(source)
    pool.close()

"""The bytes that a target would refer to, and the bytes that it would contain."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.formats.opening import open_dataset
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.grid import Index
from ncz.transfer import referred_sizes
from ncz.transfer.referred_sizes import ReferredSizes, sizes_of, sizes_of_all
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.location import parse_location

CDL = f"""netcdf a {{ dimensions: x = 1000 ; variables: int v(x) ; v:_ChunkSizes = 100 ;
 data: v = {", ".join("7" * 1000)} ; }}"""


@contextlib.contextmanager
def source(path: Path) -> Iterator[EncodedSource]:
    with open_dataset(parse_location(str(path))) as opened:
        data = opened.dataset.root.variables[0].data
        assert isinstance(data, EncodedSource)
        yield data


@pytest.fixture
def array(tmp_path: Path) -> Iterator[EncodedSource]:
    """An array of ten chunks of 400 bytes in a directory."""
    (tmp_path / "a.cdl").write_text(CDL)
    ncz.gen(tmp_path / "a.cdl", tmp_path / "a.zarr", notify=ignore_notice)
    with source(tmp_path / "a.zarr") as data:
        yield data


def test_large_chunks_are_referred_to_and_small_ones_are_held(array: EncodedSource):
    assert sizes_of_all(array, 399) == ReferredSizes(references=10, referred=4000)
    assert sizes_of_all(array, 400) == ReferredSizes(chunks=10, held=4000)


def test_chunks_of_a_set_that_contains_all(array: EncodedSource):
    assert sizes_of(array, [(0,), (1,)], None) == ReferredSizes(chunks=2, held=800)
    assert sizes_of(array, [(99,)], 10) == ReferredSizes(chunks=1, held=400)  # a missing one
    assert sizes_of(array, [], None) == ReferredSizes()


def test_many_chunks_are_judged_by_a_sample(array: EncodedSource, monkeypatch: pytest.MonkeyPatch):
    whole = ReferredSizes(references=10, referred=4000)
    places: list[object] = []
    place = type(array).place

    def counted(source: EncodedSource, index: Index) -> ByteRange | None:
        places.append(index)
        return place(source, index)

    monkeypatch.setattr(type(array), "place", counted)
    monkeypatch.setattr(referred_sizes, "_MOST", 3)
    assert sizes_of(array, array.present(), 10) == whole
    assert places == [(0,), (3,), (6,)]
    monkeypatch.setattr(referred_sizes, "_LISTED", 2)
    assert sizes_of(array, array.present(), 10).references == 2


def test_places_of_a_file_are_counted_from_its_table(tmp_path: Path):
    (tmp_path / "a.cdl").write_text(CDL)
    ncz.gen(tmp_path / "a.cdl", tmp_path / "a.nc", notify=ignore_notice)
    with source(tmp_path / "a.nc") as data:
        found = sizes_of_all(data, 10)
    assert found == ReferredSizes(references=10, referred=4000)

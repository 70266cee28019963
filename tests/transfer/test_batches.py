"""Chunks that are requested together equal chunks requested one by one, for every source."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz
from ncz.errors import ignore_notice
from ncz.formats.kinds import OpenOptions
from ncz.formats.open_datasets import OpenDatasets
from ncz.formats.opening import open_dataset
from ncz.formats.reopened_arrays import reopened_dataset
from ncz.model.composite_chunks import CompositeChunks
from ncz.model.data import ChunkSource, ListedChunks
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.expanded_source import expanded_source
from ncz.model.mapped_source import MappedSource
from ncz.model.sparse_source import SparseSource
from ncz.model.subset import subset_source
from ncz.model.tree import variables_by_fqn
from ncz.transfer.joined_chunks import Part, join_parts
from ncz.zmap.location import location_of
from ncz.zmap.memory import MemoryZmap
from tests.sampled import share_of

CDL = """netcdf t { dimensions: a = 5 ; b = 7 ; variables: int v(a, b) ; v:_ChunkSizes = 2, 3 ;
  v:_DeflateLevel = 1 ; v:_FillValue = -1 ; data: v = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 ; }"""

FORMS: dict[str, tuple[str, dict[str, Any]]] = {
    "v2": ("s.zarr", {}),
    "v3": ("s.zarr", {"modes": ["zarr", "v3"]}),
    "shards": ("s.zarr", {"modes": ["zarr", "v3"], "shards": "a/4,b/6"}),
    "zip": ("s.zip", {}),
    "netcdf-4": ("s.nc", {}),
    "classic": ("s.nc", {"kind": "classic"}),
    "aggregation": ("s.nca", {"modes": ["cfa"], "pieces": {"a": 2}}),
}

Wrap = Callable[[ChunkSource], ChunkSource]
WRAPPERS: dict[str, Wrap] = {
    "itself": lambda source: source,
    "mapped": lambda source: MappedSource(source, lambda values, _: values + 1),
    "expanded": lambda source: expanded_source(source, 1),
    "subset": lambda source: subset_source(source, (range(4, -1, -2), range(1, 7))),
    "joined": lambda source: join_parts([Part(source, 0, 4), Part(source, 0, 5)], 0),
    "referable": lambda source: source.referable(),
}


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, ChunkSource]]:
    """The variable in each form, from a dataset that stays open, and from one that is reopened."""
    folder = tmp_path_factory.mktemp("batches")
    (folder / "s.cdl").write_text(CDL)
    found: dict[str, ChunkSource] = {}
    with ExitStack() as stack:
        pool = OpenDatasets(lambda location: open_dataset(location, OpenOptions()))
        stack.callback(pool.close)
        for form, (name, options) in FORMS.items():
            path = folder / form / name
            path.parent.mkdir()
            first = path.parent / "first.zarr"
            if "pieces" in options:
                ncz.gen(folder / "s.cdl", first, notify=ignore_notice)
                ncz.copy(first, path, notify=ignore_notice, **options)
            else:
                ncz.gen(folder / "s.cdl", path, notify=ignore_notice, **options)
            location = location_of(path)
            dataset = stack.enter_context(open_dataset(location, OpenOptions())).dataset
            again = reopened_dataset(dataset, location, pool)
            for made, state in ((dataset, ""), (again, " reopened")):
                data = dict(variables_by_fqn(made.root))["/v"].data
                assert data is not None
                found[form + state] = data
        yield found


CASES = [f"{form}{state}" for form in FORMS for state in ("", " reopened")]


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("case", CASES)
def test_chunks_together_are_those_one_by_one(case, wrapper, sources):
    source = WRAPPERS[wrapper](sources[case])
    every = list(source.grid.indices())

    @settings(max_examples=share_of(20))
    @given(st.lists(st.sampled_from(every), max_size=8))
    def check(indices):
        for found, index in zip(source.values_of(indices), indices, strict=True):
            np.testing.assert_equal(found, source.chunk(index))

    check()


ENCODED = [
    *((case, "itself") for case in CASES if not case.startswith("aggregation")),
    *((f"{form}{state}", wrapper)
      for form in ("v2", "v3", "zip", "netcdf-4")
      for state in ("", " reopened")
      for wrapper in ("expanded", "joined")),
    ("aggregation", "referable"),
    ("aggregation reopened", "referable"),
]  # fmt: skip


@pytest.mark.parametrize(("case", "wrapper"), ENCODED)
def test_stored_chunks_together_are_those_one_by_one(case, wrapper, sources):
    source = WRAPPERS[wrapper](sources[case])
    assert isinstance(source, EncodedSource)
    every = [index for index in source.layout.grid.indices() if source.is_stored(index)]
    chunks = {index: source.encoded_chunk(index) for index in every}
    assert source.encoded_chunks(every) == [chunks[index] for index in every]
    assert source.with_checks(decodes=True).encoded_chunks(every) == source.encoded_chunks(every)
    for found, index in zip(source.elements(every), every, strict=True):
        np.testing.assert_equal(found, source.chunk_elements(index))
    for copied in (source, source.with_checks(decodes=False)):
        zmap = MemoryZmap()
        keys = [".".join(map(str, index)) for index in every]
        sizes = list(copied.copy(every, zmap, keys))
        assert sizes == [None if chunk is None else len(chunk) for chunk in chunks.values()]
        there = {key: chunk for key, chunk in zip(keys, chunks.values(), strict=True) if chunk}
        assert {key: zmap.get(key) for key in zmap.walk()} == there


def test_a_piece_is_opened_once_for_chunks_that_follow_each_other(sources, monkeypatch):
    source = sources["aggregation"].referable()
    assert isinstance(source, CompositeChunks)
    opened: list[object] = []
    part = type(source).part

    def counted(self, number):
        opened.append(number)
        return part(self, number)

    monkeypatch.setattr(type(source), "part", counted)
    chunks = source.encoded_chunks(list(source.layout.grid.indices()))
    assert [chunk is not None for chunk in chunks] == [True] * 3 + [False] * 6
    assert opened == [(0, 0)]  # no value of the others was written


def test_missing_chunks_are_counted_in_batches(sources):
    data = sources["v2"]
    assert isinstance(data, ListedChunks)
    source = SparseSource(data, patience=2)
    assert sum(values is None for values in source.values_of(list(source.grid.indices()))) > 2
    assert len(list(source.indices_in(source.grid.box((0, 0))))) == 1

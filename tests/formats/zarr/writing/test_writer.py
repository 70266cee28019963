"""Datasets to stores: written values read back."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ncz.errors import LossError, Notice
from ncz.formats.create_options import CreateOptions
from ncz.formats.zarr.json import parse_document
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.formats.zarr.writing.options import WriteOptions
from ncz.formats.zarr.writing.writer import write_dataset
from ncz.model.data import MemoryArray, read_all
from ncz.model.filters import make_filter
from ncz.model.quantization import Quantization
from ncz.model.tree import Attribute, Dataset, Dimension, Group, Storage, Variable, walk
from ncz.model.types import Atomic
from ncz.zmap.memory import MemoryZmap
from tests import strategies
from tests.sampled import few_or_many

NCZARR, PURE = WriteOptions(), WriteOptions(flavour="zarr")


def write(
    dataset: Dataset, options: WriteOptions = NCZARR
) -> tuple[dict[str, bytes], list[Notice]]:
    """The objects of the written store in the order of writing, and the notices."""
    objects: dict[str, bytes] = {}
    notices: list[Notice] = []
    write_dataset(dataset, MemoryZmap(objects), options, notices.append)
    return objects, notices


def read(objects: dict[str, bytes]) -> tuple[Dataset, list[Notice]]:
    notices: list[Notice] = []
    return open_dataset(MemoryZmap(objects), name="drawn", notify=notices.append), notices


def bits(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Values with floats as their bits, so that -0.0 is distinguished; all NaNs are one to JSON."""
    return tuple(
        struct.pack("<d", math.nan if v != v else v) if isinstance(v, float) else v for v in values
    )


def told(attributes: tuple[Attribute, ...]) -> list[tuple[Any, ...]]:
    """Everything of attributes but NULs at the end of texts, which are not written."""
    return [
        (a.name, a.type, a.text if a.type is Atomic.CHAR else bits(a.values)) for a in attributes
    ]


def elements(variable: Variable) -> list[Any]:
    """All values; floats as bits; an empty string is NIL, as in stored strings."""
    if variable.data is None:
        return []
    values = read_all(variable.data)
    if variable.type is Atomic.STRING:
        return [s or None for s in values.flat]
    return [*np.ascontiguousarray(values).tobytes()]


def header(group: Group) -> tuple[Any, ...]:
    """Everything of a group but its storage and data."""
    return (
        group.name,
        group.dimensions,
        [(v.name, v.type, v.dimensions, told(v.attributes)) for v in group.variables],
        told(group.attributes),
        [header(child) for child in group.groups],
    )


def variables(dataset: Dataset) -> Iterator[Variable]:
    for _, group in walk(dataset.root):
        yield from group.variables


options = st.builds(
    WriteOptions,
    xarray=st.booleans(),
    consolidated=st.booleans(),
    store=st.builds(
        CreateOptions,
        separator=st.sampled_from([".", "/"]),
        char=st.sampled_from([None, "|S1", ">S1"]),
    ),
)


@few_or_many(18, 100)
def test_written_nczarr_reads_back(examples):
    @settings(suppress_health_check=[HealthCheck.too_slow], max_examples=examples)
    @given(strategies.datasets(), options)
    def holds(dataset, options):
        assert_nczarr_reads_back(dataset, options)

    holds()


def assert_nczarr_reads_back(dataset, options):
    objects, _ = write(dataset, options)
    back, notices = read(objects)
    assert notices == []
    assert header(back.root) == header(dataset.root)
    for before, after in zip(variables(dataset), variables(back), strict=True):
        if before.data is not None:
            assert elements(after) == elements(before)
        assert after.storage.no_fill == before.storage.no_fill
        if before.storage.chunks is not None:
            assert after.storage.chunks == before.storage.chunks
        # The dataset that is read writes the same store.
    again, _ = write(back, options)
    assert again == objects


@few_or_many(18, 100)
def test_written_pure_zarr_keeps_values_and_numbers(examples):
    @settings(suppress_health_check=[HealthCheck.too_slow], max_examples=examples)
    @given(strategies.datasets())
    def holds(dataset):
        assert_pure_zarr_keeps_values(dataset)

    holds()


def assert_pure_zarr_keeps_values(dataset):
    objects, _ = write(dataset, PURE)
    back, _ = read(objects)
    after = {v.name: v for v in back.root.variables}
    assert sorted(after) == sorted(v.name for v in dataset.root.variables)
    for before in dataset.root.variables:
        found = after[before.name]
        is_text = before.type in (Atomic.CHAR, Atomic.STRING)
        assert found.type is (Atomic.STRING if is_text else before.type)
        assert len(found.dimensions) == len(before.dimensions)
        if before.data is not None and not is_text:
            assert elements(found) == elements(before)
    assert not any("_nczarr_" in text for text in map(str, objects.values()))


def small(**changes: Any) -> Dataset:
    """One variable v(x) of three ints, changed."""
    variable = Variable(
        name="v",
        type=Atomic.INT,
        dimensions=("/x",),
        data=MemoryArray(np.arange(3, dtype="i4"), Atomic.INT),
    )
    return Dataset(
        name="small",
        root=Group(
            dimensions=(Dimension(name="x", size=3),), variables=(replace(variable, **changes),)
        ),
    )


def text(name: str, value: str) -> Attribute:
    return Attribute(name=name, type=Atomic.CHAR, values=(value,))


def test_scalars():
    dataset = small(dimensions=(), data=None)
    nczarr, pure = write(dataset)[0], write(dataset, PURE)[0]
    assert parse_document(nczarr["v/.zarray"], "x")["shape"] == [1]
    assert parse_document(nczarr["v/.zattrs"], "x")["_ARRAY_DIMENSIONS"] == ["_scalar_"]
    assert parse_document(nczarr["v/.zattrs"], "x")["_nczarr_array"]["scalar"] == 1
    assert parse_document(pure["v/.zarray"], "x")["shape"] == []
    assert parse_document(pure["v/.zattrs"], "x") == {"_ARRAY_DIMENSIONS": []}


@pytest.mark.parametrize("options", [PURE, replace(PURE, zarr_format=3)], ids=str)
@pytest.mark.parametrize("has_data", [True, False])
def test_codecs_that_cannot_encode_are_refused_before_writing(options, has_data):
    szip, wrong = make_filter("szip"), make_filter("bz2", level=0)
    dataset = small(storage=Storage(filters=(wrong,)))
    if not has_data:
        dataset = small(storage=Storage(filters=(wrong,)), data=None)
    objects: dict[str, bytes] = {}
    with pytest.raises(LossError, match=r"variable /v: .*level must be an integer from 1 to 9"):
        write_dataset(dataset, MemoryZmap(objects), options)
    with pytest.raises(LossError, match="szip"):
        write_dataset(small(storage=Storage(filters=(szip,))), MemoryZmap(objects), options)
    assert objects == {}


def test_quantize_is_reported():
    values = MemoryArray(np.array([1.2345678, 2.3456789, 3.4567891], "f4"), Atomic.FLOAT)
    storage = Storage(quantize=Quantization(algorithm="BitRound", digits=5))
    objects, _ = write(small(type=Atomic.FLOAT, data=values, storage=storage))
    back = next(variables(read(objects)[0]))
    assert back.storage.quantize == storage.quantize
    assert back.data is not None
    rounded = read_all(back.data)
    assert rounded.tolist() != values.values.tolist()
    assert np.allclose(rounded, values.values, rtol=2**-5)


def test_chunk_sizes_of_another_rank_are_ignored():
    objects, notices = write(small(storage=Storage(chunks=(2, 2))))
    assert [(n.code, n.location) for n in notices] == [("chunk-sizes-ignored", "/v")]
    assert json.loads(objects["v/.zarray"])["chunks"] == [3]

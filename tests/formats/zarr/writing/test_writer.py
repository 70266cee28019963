"""Datasets to stores: what is written reads back."""

from __future__ import annotations

import base64
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
from ncz.formats.zarr.json import parse_document, print_document
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
from tests.sampled import few_or_many, share_of

NCZARR, PURE = WriteOptions(), WriteOptions(flavour="zarr")


def write(
    dataset: Dataset, options: WriteOptions = NCZARR
) -> tuple[dict[str, bytes], list[Notice]]:
    """The objects of the written store, in the order in which they were put; and the notices."""
    objects: dict[str, bytes] = {}
    notices: list[Notice] = []
    write_dataset(dataset, MemoryZmap(objects), options, notices.append)
    return objects, notices


def read(objects: dict[str, bytes]) -> tuple[Dataset, list[Notice]]:
    notices: list[Notice] = []
    return open_dataset(MemoryZmap(objects), name="drawn", notify=notices.append), notices


def bits(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Values with floats as their bits, so that -0.0 is told apart; all NaNs are one to JSON."""
    return tuple(
        struct.pack("<d", math.nan if v != v else v) if isinstance(v, float) else v for v in values
    )


def told(attributes: tuple[Attribute, ...]) -> list[tuple[Any, ...]]:
    """Everything of attributes but NULs at the end of texts, which are not written."""
    return [
        (a.name, a.type, a.text if a.type is Atomic.CHAR else bits(a.values)) for a in attributes
    ]


def elements(variable: Variable) -> list[Any]:
    """All values; floats as bits; an empty string is NIL, for a stored string cannot tell."""
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
        # What is read writes the same store.
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


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=share_of(60))
@given(strategies.datasets(), st.sampled_from([NCZARR, PURE]))
def test_the_same_dataset_gives_the_same_bytes_in_the_same_order(dataset, options):
    assert list(write(dataset, options)[0].items()) == list(write(dataset, options)[0].items())


# --- a dataset by hand ---------------------------------------------------------------------------


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


def test_documents_are_laid_out_as_netcdf_c_lays_them_out():
    dataset = small(attributes=(text("units", "m"),))
    objects, notices = write(dataset)
    assert notices == []
    assert objects["v/.zarray"].decode() == (
        '{"zarr_format": 2, "shape": [3], "dtype": "<i4", "chunks": [3], '
        '"fill_value": null, "order": "C", "compressor": null, "filters": null}'
    )
    assert objects["v/.zattrs"].decode() == (
        '{"units": "m", "_ARRAY_DIMENSIONS": ["x"], '
        '"_nczarr_array": {"dimension_references": ["/x"], "storage": "chunked", '
        '"fill_value": -2147483647}, '
        '"_nczarr_attr": {"types": '
        '{"units": ">S1", "_nczarr_array": "|J0", "_nczarr_attr": "|J0"}}}'
    )
    assert objects[".zgroup"] == b'{"zarr_format": 2}'
    root = parse_document(objects[".zattrs"], "x")
    assert list(root) == ["_NCProperties", "_nczarr_group", "_nczarr_superblock", "_nczarr_attr"]
    assert root["_nczarr_group"] == {"dimensions": {"x": 3}, "arrays": ["v"], "groups": []}


def test_the_root_comes_last():
    inner = Group(name="g", groups=(Group(name="h"),))
    dataset = replace(small(), root=replace(small().root, groups=(inner,)))
    objects, _ = write(dataset, replace(NCZARR, consolidated=True))
    assert list(objects) == [
        "v/0", "v/.zattrs", "v/.zarray",
        "g/h/.zattrs", "g/h/.zgroup", "g/.zattrs", "g/.zgroup",
        ".zmetadata", ".zattrs", ".zgroup",
    ]  # fmt: skip
    metadata = parse_document(objects[".zmetadata"], "x")
    assert metadata["zarr_consolidated_format"] == 1
    assert {k: print_document(v) for k, v in metadata["metadata"].items()} == {
        k: v for k, v in objects.items() if "/." in f"/{k}" and k != ".zmetadata"
    }


def test_scalars():
    dataset = small(dimensions=(), data=None)
    nczarr, pure = write(dataset)[0], write(dataset, PURE)[0]
    assert parse_document(nczarr["v/.zarray"], "x")["shape"] == [1]
    assert parse_document(nczarr["v/.zattrs"], "x")["_ARRAY_DIMENSIONS"] == ["_scalar_"]
    assert parse_document(nczarr["v/.zattrs"], "x")["_nczarr_array"]["scalar"] == 1
    assert parse_document(pure["v/.zarray"], "x")["shape"] == []
    assert parse_document(pure["v/.zattrs"], "x") == {"_ARRAY_DIMENSIONS": []}


def test_noxarray_leaves_only_the_names_out():
    objects, _ = write(small(), replace(NCZARR, xarray=False))
    attributes = parse_document(objects["v/.zattrs"], "x")
    assert list(attributes) == ["_nczarr_array", "_nczarr_attr"]


def test_char_is_noted_where_the_dtype_does_not_say_it():
    dataset = small(type=Atomic.CHAR, data=MemoryArray(np.array([b"a", b"b", b""]), Atomic.CHAR))
    objects, notices = write(dataset)
    assert json.loads(objects["v/.zarray"])["dtype"] == ">S1"
    assert "type" not in json.loads(objects["v/.zattrs"])["_nczarr_array"]
    assert notices == []
    objects, notices = write(dataset, replace(NCZARR, store=CreateOptions(char="|S1")))
    assert json.loads(objects["v/.zarray"])["dtype"] == "|S1"
    assert json.loads(objects["v/.zattrs"])["_nczarr_array"]["type"] == "char"
    assert notices == []
    assert next(variables(read(objects)[0])).type is Atomic.CHAR


def test_a_fill_of_text_is_literal_in_nczarr_and_base64_in_pure_zarr():
    fill = Attribute(name="_FillValue", type=Atomic.STRING, values=("none",))
    dataset = strings("a", attributes=(fill,))
    objects, notices = write(dataset)
    assert json.loads(objects["v/.zarray"])["fill_value"] == "none"
    assert ["base64" in n.message and "/v" in n.message for n in notices] == [True]
    objects, notices = write(dataset, PURE)
    fill_value = json.loads(objects["v/.zarray"])["fill_value"]
    assert base64.b64decode(fill_value) == b"none".ljust(128, b"\0")  # as tensorstore needs it
    assert not any("base64" in n.message for n in notices)
    assert next(variables(read(objects)[0])).storage.fill == "none"


def test_the_last_filter_is_the_compressor_if_it_compresses():
    shuffle, zlib = make_filter("shuffle", elementsize=0), make_filter("zlib", level=3)
    fletcher = make_filter("fletcher32")
    for chain, compressor, filters in [
        ((shuffle, zlib), zlib.to_json(), [{"id": "shuffle", "elementsize": 4}]),
        ((shuffle,), None, [{"id": "shuffle", "elementsize": 4}]),
        ((zlib, fletcher), None, [zlib.to_json(), fletcher.to_json()]),
        ((), None, None),
    ]:
        objects, _ = write(small(storage=Storage(filters=chain)))
        document = json.loads(objects["v/.zarray"])
        assert (document["compressor"], document["filters"]) == (compressor, filters)


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


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (NCZARR, []),
        (PURE, []),
        (replace(PURE, zarr_format=3), []),
        (replace(NCZARR, zarr_format=3), ["xarray and zarr-python see text"]),
    ],
)
def test_widespread_readers_that_see_text_for_numbers_are_named(options, words):
    """Of others, tests/interop/test_not_finite.py asserts that ``check --for`` tells."""
    attribute = Attribute(name="a", type=Atomic.DOUBLE, values=(float("nan"),))
    _, notices = write(Dataset(name="n", root=Group(attributes=(attribute,))), options)
    found = [n.message for n in notices if n.code == "attribute-not-finite"]
    assert [message.partition(" for ")[0] for message in found] == words
    assert all(message.endswith(": :a") for message in found)


# --- strings -------------------------------------------------------------------------------------


def strings(*values: str | None, **changes: Any) -> Dataset:
    return small(
        type=Atomic.STRING,
        data=MemoryArray(np.array([*values, None, None][:3], dtype=object), Atomic.STRING),
        **changes,
    )

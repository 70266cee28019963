"""Datasets to stores: what is written reads back, here and by others; what cannot be is refused."""

from __future__ import annotations

import base64
import json
import math
import struct
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ncz.errors import LossError, Notice
from ncz.formats.zarr.json import parse_document, print_document
from ncz.formats.zarr.options import AS_NETCDF_C, WriteOptions
from ncz.formats.zarr.reader import open_dataset
from ncz.formats.zarr.writer import write_dataset
from ncz.model.data import MemoryArray, read_all
from ncz.model.filters import make_filter
from ncz.model.quantize import Quantize
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Group,
    Storage,
    Variable,
    walk,
)
from ncz.model.types import Atomic, Opaque
from ncz.zmap.memory import MemoryZmap
from tests import strategies
from tests.sampled import few_or_many

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
    return [(a.name, a.type, bits(a.values)) for a in attributes]


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
    separator=st.sampled_from([".", "/"]),
    char=st.sampled_from([None, "|S1", ">S1"]),
)


@few_or_many(30, 100)
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


@few_or_many(30, 100)
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


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=30)
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
    objects, notices = write(dataset, replace(NCZARR, char="|S1"))
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


def test_quantize_is_told():
    values = MemoryArray(np.array([1.2345678, 2.3456789, 3.4567891], "f4"), Atomic.FLOAT)
    storage = Storage(quantize=Quantize(algorithm="BitRound", digits=5))
    objects, _ = write(small(type=Atomic.FLOAT, data=values, storage=storage))
    back = next(variables(read(objects)[0]))
    assert back.storage.quantize == storage.quantize
    assert back.data is not None
    rounded = read_all(back.data)
    assert rounded.tolist() != values.values.tolist()
    assert np.allclose(rounded, values.values, rtol=2**-5)


def test_a_contiguous_variable_is_one_chunk():
    objects, _ = write(small(storage=Storage(storage_class="contiguous")))
    assert json.loads(objects["v/.zarray"])["chunks"] == [3]


def described(dataset: Dataset, options: WriteOptions = AS_NETCDF_C) -> tuple[Any, Any]:
    """The `.zarray` and the `.zattrs` of v."""
    objects, _ = write(dataset, options)
    return json.loads(objects["v/.zarray"]), json.loads(objects["v/.zattrs"])


@pytest.mark.parametrize("options", [AS_NETCDF_C, WriteOptions(flavour="zarr")])
@pytest.mark.parametrize("filler", [Storage(no_fill=True), Storage(fill=7), Storage()])
def test_fill_value_is_null_without_a_mask(filler, options):
    array, attributes = described(small(storage=filler), options)
    assert array["fill_value"] is None
    noted = None if filler.no_fill else (filler.fill or -2147483647)
    if not options.pure:
        assert attributes["_nczarr_array"].get("fill_value") == noted


@pytest.mark.parametrize("options", [AS_NETCDF_C, WriteOptions(flavour="zarr")])
def test_fill_value_is_the_mask(options):
    fill = Attribute(name="_FillValue", type=Atomic.INT, values=(5,))
    array, attributes = described(small(attributes=(fill,)), options)
    assert array["fill_value"] == 5
    assert attributes.get("_FillValue") == (None if options.pure else 5)


@pytest.mark.parametrize("options", [AS_NETCDF_C, WriteOptions(flavour="zarr")])
def test_fill_value_is_the_default_of_a_variable_without_data(options):
    assert described(small(data=None), options)[0]["fill_value"] == -2147483647


def test_fill_value_without_names_of_dimensions_masks_nothing():
    options = WriteOptions(flavour="zarr", xarray=False)
    assert described(small(storage=Storage(fill=7)), options)[0]["fill_value"] == 7


# --- strings -------------------------------------------------------------------------------------


def strings(*values: str | None, **changes: Any) -> Dataset:
    return small(
        type=Atomic.STRING,
        data=MemoryArray(np.array([*values, None, None][:3], dtype=object), Atomic.STRING),
        **changes,
    )


def dtype_of(dataset: Dataset) -> str:
    dtype: str = json.loads(write(dataset)[0]["v/.zarray"])["dtype"]
    return dtype


def test_string_length_is_128_or_what_the_data_needs():
    assert dtype_of(strings("a")) == "|S128"
    assert dtype_of(strings("é" * 100)) == "|S200"


def test_a_declared_string_length_is_kept():
    maximum = Attribute(name="_nczarr_maxstrlen", type=Atomic.INT, values=(6,))
    everywhere = Attribute(name="_nczarr_default_maxstrlen", type=Atomic.INT, values=(12,))
    assert dtype_of(strings("twotwo", attributes=(maximum,))) == "|S6"
    assert dtype_of(strings("a", storage=Storage(string_length=3))) == "|S3"
    root = replace(strings("a").root, attributes=(everywhere,))
    assert dtype_of(Dataset(name="s", root=root)) == "|S12"


def test_a_string_longer_than_declared_is_refused_before_anything_is_written():
    maximum = Attribute(name="_nczarr_maxstrlen", type=Atomic.INT, values=(3,))
    objects: dict[str, bytes] = {}
    with pytest.raises(LossError, match=r"/v has a string of 4 bytes.*v:_nczarr_maxstrlen = 4"):
        write_dataset(strings("ab", "éé", attributes=(maximum,)), MemoryZmap(objects), NCZARR)
    assert objects == {}


def test_a_string_with_nul_is_refused():
    with pytest.raises(LossError, match=r"/v .*NUL"):
        write(strings("a\0b"))


# --- losses --------------------------------------------------------------------------------------


def test_a_type_that_is_not_declared_is_refused():
    dataset = small(type=Opaque(name="/blob", size=4), data=None)
    objects: dict[str, bytes] = {}
    with pytest.raises(LossError, match="variable /v of the type /blob, which is not declared"):
        write_dataset(dataset, MemoryZmap(objects), NCZARR)
    assert objects == {}


@pytest.mark.parametrize(
    "name", ["", "a/b", ".", "..", ".zarray", ".zgroup", "a\nb", "\x7f", "n" * 1025]
)
def test_names_that_cannot_be_keys_are_refused(name):
    with pytest.raises(LossError, match="cannot hold"):
        write(small(name=name))


def test_names_of_a_group_and_a_variable_cannot_be_one():
    dataset = replace(small(), root=replace(small().root, groups=(Group(name="v"),)))
    with pytest.raises(LossError, match="already exists"):
        write(dataset)


@pytest.mark.parametrize("name", ["_ARRAY_DIMENSIONS", "_nczarr_array", "_NCZARR_ATTR"])
@pytest.mark.parametrize("options", [NCZARR, PURE])
def test_reserved_attributes_are_refused(name, options):
    with pytest.raises(LossError, match=f"attribute {name}, whose name is reserved"):
        write(small(attributes=(text(name, "x"),)), options)


def test_pure_zarr_reports_each_kind_of_loss_once():
    root = Group(
        dimensions=(
            Dimension(name="t", size=2, unlimited=True),
            Dimension(name="n", size=2, unlimited=True),
            Dimension(name="unused", size=9),
        ),
        variables=(
            Variable(name="c", type=Atomic.CHAR, dimensions=("/t",)),
            Variable(
                name="d",
                type=Atomic.INT,
                dimensions=("/n",),
                attributes=(Attribute(name="s", type=Atomic.SHORT, values=(1,)),),
            ),
        ),
        groups=(
            Group(name="g", variables=(Variable(name="e", type=Atomic.INT, dimensions=("/t",)),)),
        ),
    )
    _, notices = write(Dataset(name="x", root=root), PURE)
    lines = [n.message for n in notices]
    assert len(lines) == 5
    for part in ("/t, /n", "unused", "outer group", "char variables", "d:s"):
        assert sum(part in line for line in lines) == 1


# --- peers ---------------------------------------------------------------------------------------


def on_disk(objects: dict[str, bytes], root: Path) -> Path:
    for key, value in objects.items():
        path = root / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(value)
    return root


EVERY = tuple(t for t in Atomic if t is not Atomic.STRING)


def every_type(*types: Atomic) -> Dataset:
    """A variable of each type over an unlimited and a fixed dimension, with its attributes."""
    rng = np.random.default_rng(3)
    members = []
    for nc_type in types:
        if nc_type is Atomic.CHAR:
            values = np.array([[b"a", b"b", b"c"], [b"d", b"e", b""]])
        elif nc_type is Atomic.STRING:
            values = np.array([["a", "é", "long " * 30], ["x", "y", "z"]], dtype=object)
        elif nc_type.is_floating:
            values = rng.normal(size=(2, 3)).astype(nc_type.dtype)
        else:
            values = rng.integers(*nc_type.limits, (2, 3), nc_type.dtype, endpoint=True)
        members.append(
            Variable(
                name=f"v_{nc_type.word}",
                type=nc_type,
                dimensions=("/t", "/x"),
                storage=Storage(chunks=(1, 2), endianness="big" if nc_type.size > 1 else None),
                data=MemoryArray(values, nc_type),
            )
        )
    scalar = Variable(
        name="scalar",
        type=Atomic.DOUBLE,
        attributes=(
            Attribute(name="third", type=Atomic.DOUBLE, values=(1 / 3,)),
            Attribute(name="nan", type=Atomic.DOUBLE, values=(float("nan"), 1.0)),
            Attribute(name="u64", type=Atomic.UINT64, values=(2**64 - 1,)),
            text("twelve", "12"),
            text("json", '{"a": [1,{"b": null}]}'),
            text("odd", 'q"\\\n\té'),
        ),
        data=MemoryArray(np.array(0.1), Atomic.DOUBLE),
    )
    dimensions = (Dimension(name="t", size=2, unlimited=True), Dimension(name="x", size=3))
    return Dataset(name="every", root=Group(dimensions=dimensions, variables=(*members, scalar)))


def test_netcdf_c_reads_what_ncz_writes(tmp_path):
    netcdf4 = pytest.importorskip("netCDF4", reason="the peer netcdf-c comes with netCDF4")
    dataset = every_type(*Atomic)
    root = on_disk(write(dataset)[0], tmp_path / "s")
    with netcdf4.Dataset(f"file://{root}#mode=nczarr,file") as peer:
        peer.set_auto_maskandscale(False)
        peer.set_auto_chartostring(False)
        assert peer.dimensions["t"].isunlimited()
        assert list(peer.variables) == [v.name for v in dataset.root.variables]
        for variable in dataset.root.variables:
            assert variable.data is not None
            assert peer[variable.name][...].tolist() == read_all(variable.data).tolist()
        scalar = peer["scalar"]
        assert scalar.dimensions == ()
        assert scalar.third == 1 / 3
        assert np.isnan(scalar.nan[0])
        assert scalar.u64 == 2**64 - 1
        assert scalar.twelve == "12"
        assert scalar.json == '{"a": [1,{"b": null}]}'
        assert scalar.odd == 'q"\\\n\té'


@pytest.mark.parametrize("options", [PURE, WriteOptions(char="|S1")])
def test_zarr_python_reads_what_ncz_writes(tmp_path, options):
    zarr = pytest.importorskip("zarr", reason="the peer zarr-python is not installed")
    dataset = every_type(*EVERY)
    root = on_disk(write(dataset, options)[0], tmp_path / "s")
    group = zarr.open_group(str(root), mode="r")
    for variable in dataset.root.variables:
        assert variable.data is not None
        expected = read_all(variable.data)
        assert np.array_equal(np.squeeze(group[variable.name][...]), expected)
    assert group["scalar"].attrs["third"] == 1 / 3
    assert group["scalar"].attrs["twelve"] == "12"
    assert group["scalar"].attrs["json"] == {"a": [1, {"b": None}]}


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::UserWarning")
def test_xarray_reads_what_ncz_writes(tmp_path):
    pytest.importorskip("zarr", reason="xarray reads through zarr-python, which is not installed")
    xarray = pytest.importorskip("xarray", reason="the peer xarray is not installed")
    dataset = every_type(*EVERY)
    root = on_disk(write(dataset, replace(PURE, consolidated=True))[0], tmp_path / "s")
    with xarray.open_zarr(root, mask_and_scale=False) as peer:
        assert dict(peer.sizes) == {"t": 2, "x": 3}
        assert peer["scalar"].dims == ()
        for variable in dataset.root.variables:
            assert variable.data is not None
            assert np.array_equal(peer[variable.name].values, read_all(variable.data))


def test_netcdf_c_opens_odd_attributes(tmp_path):
    netcdf4 = pytest.importorskip("netCDF4", reason="the peer netcdf-c comes with netCDF4")
    attributes = (
        *(Attribute(name=f"e_{t.word}", type=t, values=()) for t in Atomic),
        Attribute(name="nil", type=Atomic.STRING, values=(None,)),
        Attribute(name="nils", type=Atomic.STRING, values=("a", None)),
        text("nul", "a\0b"),
        text("bytes", "a\udcffb"),
        text("escape", "\x1b"),
    )
    objects, _ = write(Dataset(name="x", root=Group(attributes=attributes)))
    back, notices = read(objects)
    assert (told(back.root.attributes), notices) == (told(attributes), [])
    with netcdf4.Dataset(f"file://{on_disk(objects, tmp_path / 's')}#mode=nczarr,file") as peer:
        assert peer.ncattrs() == [a.name for a in attributes]
        for name in ("e_int", "e_double", "e_uint64"):
            assert np.size(peer.getncattr(name)) == 0

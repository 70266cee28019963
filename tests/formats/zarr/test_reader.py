"""Stores to datasets: every generation, stores of other writers, and stores that are broken."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.errors import FormatError, NczError, Notice
from ncz.formats.zarr.reader import open_dataset
from ncz.model.data import read_all
from ncz.model.tree import Attribute, Dataset, Dimension, Group, Variable, walk
from ncz.model.types import Atomic
from ncz.zmap.local.directory import DirectoryZmap
from ncz.zmap.memory import MemoryZmap
from tests.conftest import ROOT as PROJECT

STORES = PROJECT / "tests" / "stores"
NCZARR = ["nczarr-1", "nczarr-4.9.0", "nczarr-4.9.2", "nczarr-4.10.1"]

Objects = dict[str, bytes]


def objects_of(name: str) -> Objects:
    """A frozen store's keys and bytes."""
    root = STORES / name
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def read(objects: dict[str, Any], *modes: str) -> tuple[Dataset, list[Notice]]:
    """The dataset of a store, and what was noticed; documents may be given as JSON or text."""
    stored = {
        key: value
        if isinstance(value, bytes)
        else (value if isinstance(value, str) else json.dumps(value)).encode()
        for key, value in objects.items()
    }
    notices: list[Notice] = []
    zmap = MemoryZmap(stored, url="memory://x")
    return open_dataset(zmap, name="x", modes=set(modes), notify=notices.append), notices


def variable(dataset: Dataset, name: str) -> Variable:
    """A variable of the root group."""
    return next(v for v in dataset.root.variables if v.name == name)


def array(**members: Any) -> dict[str, Any]:
    """A `.zarray` of three ints, changed."""
    return {
        "zarr_format": 2,
        "shape": [3],
        "chunks": [3],
        "dtype": "<i4",
        "fill_value": 0,
        "order": "C",
        "compressor": None,
        "filters": None,
    } | members


ROOT = {".zgroup": {"zarr_format": 2}}


# --- generations ---------------------------------------------------------------------------------


@pytest.mark.parametrize("store", NCZARR)
def test_every_generation_is_the_same_dataset(store):
    notices: list[Notice] = []
    dataset = open_dataset(DirectoryZmap(str(STORES / store)), name="x", notify=notices.append)
    assert notices == []
    unlimited = store == "nczarr-4.10.1"
    assert dataset.root.dimensions == (
        Dimension(name="t", size=3, unlimited=unlimited),
        Dimension(name="y", size=2),
        Dimension(name="x", size=3),
    )
    shapes = {
        f"{fqn}/{v.name}": (v.type, v.dimensions, read_all(v.data).tolist())
        for fqn, group in walk(dataset.root)
        for v in group.variables
        if v.data is not None
    }
    temperature = [
        [[1, 2, 3], [4, 5, 6]],
        [[7, 8, 9], [10, 11, 12]],
        [[13, 14, -9.5], [16, 17, 18]],
    ]
    assert shapes == {
        "/temperature": (Atomic.FLOAT, ("/t", "/y", "/x"), temperature),
        "/counts": (Atomic.INT, ("/x",), [10, 20, 30]),
        "/scale": (Atomic.DOUBLE, (), 0.5),
        "/steps": (Atomic.SHORT, ("/t",), [1, -32767, 3]),
        "/code": (Atomic.CHAR, ("/y", "/x"), [[b"a", b"b", b"-"], [b"c", b"d", b"e"]]),
        "/forecast/height": (Atomic.INT64, ("/forecast/level", "/x"), [[1, 2, 3], [4, 5, 6]]),
    }
    assert list(shapes) == [
        *(f"/{n}" for n in ("temperature", "counts", "scale", "steps", "code")),
        "/forecast/height",
    ]
    attributes = {a.name: (a.type, a.values) for a in variable(dataset, "temperature").attributes}
    assert attributes == {
        "units": (Atomic.CHAR, ("K",)),
        "_FillValue": (Atomic.FLOAT, (-9.5,)),
        "valid_range": (Atomic.FLOAT, (0.0, 400.0)),
    }
    assert variable(dataset, "steps").attributes == (
        Attribute(name="flags", type=Atomic.BYTE, values=(1, 2)),
    )
    assert [a.name for a in dataset.root.attributes] == ["title", "number"]
    assert dataset.provenance.superblock == (1 if store == "nczarr-1" else 2)


def test_provenance():
    dataset, _ = read(objects_of("nczarr-4.10.1"))
    assert dataset.provenance.properties == "version=2,netcdf=4.10.1,nczarr=2.0.0"


def test_pure_zarr_is_listed_by_name_with_dimensions_by_group():
    dataset, notices = read(objects_of("zarr-python"))
    assert notices == []
    assert [v.name for v in dataset.root.variables] == [
        "code", "counts", "scale", "steps", "temperature",
    ]  # fmt: skip
    assert [(d.name, d.size) for d in dataset.root.dimensions] == [("y", 2), ("x", 3), ("t", 3)]
    forecast = dataset.root.groups[0]
    assert [(d.name, d.size) for d in forecast.dimensions] == [("level", 2), ("x", 3)]
    assert forecast.variables[0].dimensions == ("/forecast/level", "/forecast/x")
    assert dataset.provenance.superblock == 0


@pytest.mark.parametrize(
    "name", [*NCZARR, "zarr-python", "foreign/datatree-v2", "foreign/datatree-v3"]
)
def test_a_header_reads_no_document_twice(name):
    asked: list[str] = []

    class Counting(MemoryZmap):
        def get(self, key, *limit):
            asked.append(key)
            return super().get(key, *limit)

    open_dataset(Counting(objects_of(name), url="memory://x"), name="x")
    assert len(asked) > 5
    assert sorted(set(asked)) == sorted(asked)


def test_mode_zarr_reads_nczarr_as_pure():
    dataset, _ = read(objects_of("nczarr-4.10.1"), "zarr")
    assert variable(dataset, "scale").dimensions == ("/_scalar_",)
    assert variable(dataset, "code").type is Atomic.STRING
    assert not dataset.root.dimensions[0].unlimited
    assert dataset.provenance.superblock == 0


def test_storage_tells_the_layout():
    shuffle, zlib = {"id": "shuffle", "elementsize": 0}, {"id": "zlib", "level": 5}
    dataset, notices = read(
        ROOT | {"v/.zarray": array(dtype=">i4", chunks=[2], filters=[shuffle], compressor=zlib)}
    )
    storage = variable(dataset, "v").storage
    assert notices == []
    assert (storage.chunks, storage.endianness, storage.fill) == ((2,), "big", 0)
    assert [f.to_json() for f in storage.filters or ()] == [shuffle, zlib]


def test_an_unknown_codec_still_has_a_header():
    dataset, notices = read(ROOT | {"v/.zarray": array(compressor={"id": "nosuch", "x": [1]})})
    assert variable(dataset, "v").type is Atomic.INT
    assert notices == []


# --- dimensions ----------------------------------------------------------------------------------


def test_dimensions_without_names_are_named_by_length():
    dataset, _ = read(
        ROOT
        | {
            "a/.zarray": array(shape=[4, 3], chunks=[4, 3]),
            "b/.zarray": array(shape=[0], chunks=[0]),
            "g/.zgroup": {"zarr_format": 2},
            "g/c/.zarray": array(shape=[4, 5], chunks=[4, 5]),
        }
    )
    assert [(d.name, d.unlimited) for d in dataset.root.dimensions] == [
        ("_Anonymous_Dim_4", False),
        ("_Anonymous_Dim_3", False),
        ("_Anonymous_Dim_0", True),
        ("_Anonymous_Dim_5", False),
    ]
    inner = dataset.root.groups[0]
    assert inner.dimensions == ()
    assert inner.variables[0].dimensions == ("/_Anonymous_Dim_4", "/_Anonymous_Dim_5")


def test_a_name_with_two_lengths_falls_back():
    named = {"_ARRAY_DIMENSIONS": ["x"]}
    dataset, notices = read(
        ROOT
        | {
            "a/.zarray": array(),
            "a/.zattrs": named,
            "b/.zarray": array(shape=[5]),
            "b/.zattrs": named,
        }
    )
    assert variable(dataset, "a").dimensions == ("/x",)
    assert variable(dataset, "b").dimensions == ("/_Anonymous_Dim_5",)
    assert len(notices) == 1
    assert notices[0].location == "memory://x: /b/.zarray"


@pytest.mark.parametrize("names", ["x", ["x", "y"], 3, [], {"x": 3}])
def test_names_that_do_not_fit_fall_back(names):
    dataset, notices = read(
        ROOT | {"a/.zarray": array(), "a/.zattrs": {"_ARRAY_DIMENSIONS": names}}
    )
    assert variable(dataset, "a").dimensions == ("/_Anonymous_Dim_3",)
    assert variable(dataset, "a").attributes == ()
    assert len(notices) == 1


def test_noxarray_ignores_the_names_and_hides_them():
    dataset, notices = read(
        ROOT | {"a/.zarray": array(), "a/.zattrs": {"_ARRAY_DIMENSIONS": ["x"]}}, "noxarray"
    )
    assert variable(dataset, "a").dimensions == ("/_Anonymous_Dim_3",)
    assert variable(dataset, "a").attributes == ()
    assert notices == []


def test_an_array_at_the_root_is_a_variable_with_the_name_of_the_dataset():
    dataset, notices = read({".zarray": array(), ".zattrs": {"units": "m"}, "0": b"\1\0\0\0" * 3})
    assert notices == []
    found = variable(dataset, "x")
    assert found.data is not None
    assert read_all(found.data).tolist() == [1, 1, 1]
    assert [a.name for a in found.attributes] == ["units"]
    assert dataset.root.attributes == ()


# --- consolidated metadata -----------------------------------------------------------------------


def consolidated(objects: Objects) -> Objects:
    """The store with `.zmetadata`, and without the objects that it stands for."""
    metadata = {k: json.loads(v) for k, v in objects.items() if "/." in f"/{k}"}
    chunks = {k: v for k, v in objects.items() if k not in metadata}
    document = {"metadata": metadata, "zarr_consolidated_format": 1}
    return chunks | {".zmetadata": json.dumps(document).encode()}


@pytest.mark.parametrize("store", [*NCZARR, "zarr-python"])
def test_consolidated_metadata_is_enough(store):
    objects = objects_of(store)
    expected, _ = read(objects)
    dataset, notices = read(consolidated(objects))
    assert notices == []
    assert dataset == expected


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"metadata": {}, "zarr_consolidated_format": 1}', "{}"]
)
def test_broken_consolidated_metadata_is_passed_over(text):
    objects = objects_of("nczarr-4.10.1")
    expected, _ = read(objects)
    dataset, notices = read(objects | {".zmetadata": text.encode()})
    assert dataset == expected
    assert len(notices) == 1
    assert ".zmetadata" in str(notices[0])


# --- what is no store, and what is broken --------------------------------------------------------


def test_no_store_says_what_was_looked_for():
    with pytest.raises(FormatError, match=r"/\.zgroup") as caught:
        read({"readme.txt": "hello", "inner/.zgroup": "{}"})
    assert "/inner looks like a store" in str(caught.value)


def test_version_3_is_found_by_looking():
    document = '{"zarr_format": 3, "node_type": "group", "attributes": {"a": 1}}'
    dataset, _ = read({"zarr.json": document})
    assert [(a.name, a.values) for a in dataset.root.attributes] == [("a", (1,))]
    with pytest.raises(FormatError, match=r"/zarr\.json: node_type must be"):
        read({"zarr.json": '{"zarr_format": 3}'})


@pytest.mark.parametrize("key", [".zgroup", ".zattrs"])
def test_a_broken_root_is_one_error(key):
    objects = objects_of("nczarr-4.10.1") | {key: b'{"zarr_format": '}
    with pytest.raises(FormatError, match=rf"memory://x: /\{key}: line 1"):
        read(objects)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"counts/.zarray": b"{"}, "invalid JSON"),
        ({"counts/.zarray": b"[]"}, "must be a JSON object"),
        ({"counts/.zarray": json.dumps(array(dtype="<q7")).encode()}, "q7"),
        ({"counts/.zarray": json.dumps(array(shape="x")).encode()}, "shape"),
        ({"counts/.zarray": json.dumps(array(shape=[-1])).encode()}, "shape"),
        ({"counts/.zarray": json.dumps(array(shape=[2**70])).encode()}, "shape"),
        ({"counts/.zarray": json.dumps(array(chunks=[1, 1])).encode()}, "chunks"),
        ({"counts/.zarray": json.dumps(array(zarr_format=3)).encode()}, "zarr_format"),
        ({"counts/.zarray": json.dumps(array(order="Z")).encode()}, "order"),
        ({"counts/.zarray": json.dumps(array(filters=[1])).encode()}, "filters"),
        ({"counts/.zarray": json.dumps(array(fill_value={"a": 1})).encode()}, "fill_value"),
    ],
)
def test_a_broken_array_hides_no_other(changed, says):
    dataset, notices = read(objects_of("nczarr-4.10.1") | changed)
    names = [v.name for v in dataset.root.variables]
    assert names == ["temperature", "scale", "steps", "code"]
    assert any(
        says in n.message and n.location and "/counts/.zarray" in n.location for n in notices
    )


def test_what_is_listed_and_not_there_is_reported():
    objects = {k: v for k, v in objects_of("nczarr-4.10.1").items() if not k.startswith("counts/")}
    dataset, notices = read(objects)
    assert [v.name for v in dataset.root.variables] == ["temperature", "scale", "steps", "code"]
    assert [n.location for n in notices] == ["memory://x: /counts"]


def test_an_array_without_annotation_is_shown():
    objects = objects_of("nczarr-4.10.1")
    del objects["counts/.zattrs"]
    dataset, notices = read(objects)
    assert variable(dataset, "counts").dimensions == ("/_Anonymous_Dim_3",)
    assert len(notices) == 1


def test_a_group_without_annotation_is_searched():
    objects = objects_of("nczarr-4.10.1")
    del objects["forecast/.zattrs"]
    dataset, notices = read(objects)
    assert [v.name for v in dataset.root.groups[0].variables] == ["height"]
    assert len(notices) > 0


def test_a_missing_root_zgroup_does_no_harm():
    objects = objects_of("nczarr-4.10.1")
    expected, _ = read(objects)
    del objects[".zgroup"]
    dataset, notices = read(objects)
    assert (dataset, notices) == (expected, [])


def test_a_shape_that_is_not_that_of_its_dimensions_is_shown_and_reported():
    objects = objects_of("nczarr-4.10.1")
    document = json.loads(objects["counts/.zarray"]) | {"shape": [2]}
    dataset, notices = read(objects | {"counts/.zarray": json.dumps(document).encode()})
    assert variable(dataset, "counts").dimensions == ("/_Anonymous_Dim_2",)
    assert [n.location for n in notices] == ["memory://x: /counts/.zarray"]


def test_groups_deeper_than_can_be_read_are_reported():
    objects: dict[str, Any] = {
        "/".join([*["g"] * n, ".zgroup"]): {"zarr_format": 2} for n in range(400)
    }
    dataset, notices = read(objects)
    assert sum(1 for _ in walk(dataset.root)) == 101
    assert len(notices) == 1


def test_odd_names_that_a_search_finds_are_read():
    names = ["a\nb", "n" * 1100, "\udcff"]
    dataset, notices = read(ROOT | {f"{name}/.zarray": array() for name in names})
    assert {v.name for v in dataset.root.variables} == set(names)
    assert notices == []


@pytest.mark.parametrize("key", ["../evil/.zarray", "g//w/.zarray"])
def test_consolidated_keys_that_are_none_are_reported(key):
    groups = {".zgroup": ROOT[".zgroup"], "g/.zgroup": ROOT[".zgroup"]}
    metadata = groups | {key: array(), "v/.zarray": array()}
    document = {"metadata": metadata, "zarr_consolidated_format": 1}
    dataset, notices = read({".zmetadata": document})
    assert [f"{fqn}/{v.name}" for fqn, g in walk(dataset.root) for v in g.variables] == ["/v"]
    assert [n.code for n in notices if n.code != "consolidated-stale"] == ["object-left-out"]


@pytest.mark.parametrize("name", ["..", "a/b", "", "\u0000", "x" * 5000, 7, None, ["a"]])
def test_names_that_cannot_be_keys_are_left_out(name):
    note = {"dimensions": {}, "arrays": [name], "groups": []}
    dataset, notices = read(
        ROOT | {".zattrs": {"_nczarr_superblock": {"version": "2.0.0"}, "_nczarr_group": note}}
    )
    assert dataset.root.variables == ()
    assert len(notices) == 1


SEED = objects_of("nczarr-4.10.1") | {"bad/.zarray": b"{}"}
DOCUMENTS = sorted(k for k in SEED if "/." in f"/{k}")

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=5), v, max_size=3),
    max_leaves=6,
)


def survives(objects: Objects) -> None:
    """Reading headers and data gives values, notices or an `NczError`; nothing else."""
    with contextlib.suppress(NczError):
        dataset, _ = read(objects)
        for _, group in walk(dataset.root):
            for found in group.variables:
                if found.data is not None and found.data.grid.size < 100:
                    with contextlib.suppress(NczError):
                        read_all(found.data)


@given(st.sampled_from(DOCUMENTS), st.binary(max_size=60))
def test_any_bytes_for_a_document(key, data):
    survives(SEED | {key: data})


@given(st.sampled_from(DOCUMENTS), st.data())
def test_any_change_of_a_byte(key, data):
    original = SEED[key]
    position = data.draw(st.integers(0, max(0, len(original) - 1)))
    replacement = data.draw(st.binary(max_size=2))
    survives(SEED | {key: original[:position] + replacement + original[position + 1 :]})


@given(st.sampled_from(DOCUMENTS), st.data(), json_values)
def test_any_json_for_a_member(key, data, value):
    document = json.loads(SEED[key])
    path = data.draw(st.lists(st.integers(0, 10), min_size=1, max_size=3))
    node = document
    for step in path[:-1]:
        children = list(node.values()) if isinstance(node, dict) else []
        node = children[step % len(children)] if children else node
    if isinstance(node, dict) and node:
        node[list(node)[path[-1] % len(node)]] = value
    survives(SEED | {key: json.dumps(document).encode()})


def test_a_deep_document_is_one_error():
    with pytest.raises(FormatError, match="nested deeper"):
        read({".zgroup": "{}", ".zattrs": b'{"a": ' + b"[" * 200_000})


def test_an_empty_store():
    dataset, notices = read(ROOT)
    assert dataset.root == Group()
    assert notices == []

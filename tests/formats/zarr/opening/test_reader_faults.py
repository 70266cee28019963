"""Broken stores: readable parts, and reports."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.errors import FormatError, NczError
from ncz.model.data import read_all
from ncz.model.tree import Group, walk
from tests.formats.zarr.opening.test_reader import ROOT, Objects, array, objects_of, read, variable


def test_no_store_says_which_documents_are_missing():
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


def test_missing_members_of_a_list_are_reported():
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


def test_a_shape_that_contradicts_its_dimensions_is_shown_and_reported():
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
def test_invalid_consolidated_keys_are_reported(key):
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

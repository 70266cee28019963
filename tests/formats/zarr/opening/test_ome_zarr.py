"""OME-Zarr images: names of dimensions that a group gives."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ncz.errors import ignore_notice
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.model.tree import variables_by_fqn
from ncz.zmap.memory import MemoryZmap


def array(*shape: int, names: list[str] | None = None) -> dict[str, Any]:
    document = {
        "zarr_format": 3, "node_type": "array", "shape": shape, "data_type": "uint8",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": shape}},
        "chunk_key_encoding": {"name": "default"}, "fill_value": 0, "attributes": {},
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
    }  # fmt: skip
    return document if names is None else {**document, "dimension_names": names}


def axes(multiscales: Any, *, is_old: bool = False, **arrays: dict[str, Any]) -> dict[str, Any]:
    """Return the dimensions of each variable of an image."""
    attributes = {"multiscales": multiscales}
    root = {"zarr_format": 3, "node_type": "group",
            "attributes": attributes if is_old else {"ome": attributes}}  # fmt: skip
    documents = {"": root, **{name.replace("_", "/"): each for name, each in arrays.items()}}
    if any("/" in name for name in documents):
        documents["s"] = {"zarr_format": 3, "node_type": "group"}
    objects = {f"{k}/zarr.json".lstrip("/"): json.dumps(d).encode() for k, d in documents.items()}
    dataset = open_dataset(MemoryZmap(objects, "memory://t"), name="t", notify=ignore_notice)
    return {fqn: v.dimensions for fqn, v in variables_by_fqn(dataset.root)}


IMAGE = {"axes": [{"name": "y"}, {"name": "x"}], "datasets": [{"path": "a"}, {"path": "b"}]}


@pytest.mark.parametrize("is_old", [False, True])
def test_an_axis_of_another_length_ends_in_the_path(is_old: bool):
    found = axes([IMAGE], is_old=is_old, a=array(4, 6), b=array(2, 6))
    assert found == {"/a": ("/y", "/x"), "/b": ("/y_b", "/x")}


def test_axes_may_be_plain_names_and_arrays_in_groups():
    image = {"axes": ["y", "x"], "datasets": [{"path": "s/0"}, {"path": "s/1"}]}
    found = axes([image], s_0=array(4, 6), s_1=array(2, 3))
    assert [each.rpartition("/")[2] for each in found["/s/1"]] == ["y_s_1", "x_s_1"]


def test_existing_names_of_an_array_stay():
    found = axes([IMAGE], a=array(4, 6, names=["lat", "lon"]), b=array(4, 6))
    assert found["/a"] == ("/lat", "/lon")


@pytest.mark.parametrize(
    "multiscales",
    [
        None,
        {},
        [5],
        [{"axes": ["y", "x"]}],
        [{"datasets": [{"path": "a"}]}],
        [{"axes": ["y", 5], "datasets": [{"path": "a"}]}],
        [{"axes": ["y", "a/b"], "datasets": [{"path": "a"}]}],
        [{"axes": ["y"], "datasets": [{"path": "a"}]}],
        [{"axes": ["y", "x"], "datasets": [5, {"path": ""}, {"path": "none/such"}]}],
    ],
)
def test_a_description_that_is_not_valid_names_nothing(multiscales: Any):
    (names,) = axes(multiscales, a=array(4, 6)).values()
    assert not {"/y", "/x"} & {*names}

"""Annotations of a store that another program changed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.formats.zarr.documents.consolidated_metadata import consolidate_store
from ncz.formats.zarr.json import print_document
from ncz.formats.zarr.opening.annotation_merge import renewed_document
from ncz.model.tree import dimensions_by_fqn, shape_of, variables_by_fqn
from ncz.zmap.memory import MemoryZmap
from tests.formats.zarr.documents.test_annotations import attributes, changed, document, opened
from tests.formats.zarr.documents.test_annotations import objects as objects
from tests.sampled import few_or_many
from tests.test_round_trip import printed


def with_attributes(objects: dict[str, bytes], key: str, **members: Any) -> dict[str, bytes]:
    """Return a store after another program set attributes of an array."""
    if ".zgroup" in objects:
        return changed(objects, f"{key}/.zattrs", **members)
    old = json.loads(objects[f"{key}/zarr.json"])["attributes"]
    return changed(objects, f"{key}/zarr.json", attributes={**old, **members})


def renewed(objects: dict[str, bytes]) -> dict[str, bytes]:
    """Return a store that is consolidated again."""
    _, key, whole = consolidate_store(MemoryZmap(dict(objects), "memory://s"))
    return {**objects, key: print_document(renewed_document(key, whole))}


def check_changes(objects, changes):
    """The present documents are read, with any earlier annotations, and can be annotated."""
    now = dict(objects)
    shape_key = document(now, "time", ".zarray")
    names = {"t": ("time", "x"), "lazy": ("x",)}
    for change in changes:
        if change == "grow":
            for key, length in (("time", [4]), ("t", [4, 3]), ("g/v", [4])):
                now = changed(now, document(now, key, ".zarray"), shape=length)
        elif change == "resize":
            now = changed(now, document(now, "lazy", ".zarray"), shape=[9])
        elif change == "set":
            now = with_attributes(now, "t", n=7, valid_range=[0, 4])
        elif change == "retype":
            now = with_attributes(now, "t", n="text", valid_range=[0.25, 70000])
        elif change == "delete":
            now = {key: data for key, data in now.items() if not key.startswith("crs/")}
        elif change == "add":
            copies = {k.replace("lazy", "new", 1): v for k, v in now.items() if k[:5] == "lazy/"}
            now |= copies
        elif ".zgroup" in now:
            now = with_attributes(now, "lazy", _ARRAY_DIMENSIONS=["other"])
            names["lazy"] = ("other",)
        else:
            now = changed(now, "lazy/zarr.json", dimension_names=["other"])
            names["lazy"] = ("other",)
    # Another program consolidates again, or none does.
    found, codes = opened(now)
    again, told = opened(renewed(now))
    assert "annotation-outdated" not in told
    assert renewed(renewed(now)) == renewed(now)
    dimensions = dimensions_by_fqn(found.root)
    variables = dict(variables_by_fqn(found.root))
    assert ("/crs" in variables) or "delete" in changes
    if "delete" in changes:
        return  # consolidated metadata has the lost document
    assert printed(again) == printed(found)
    for fqn, variable in variables.items():
        stored = json.loads(now[document(now, fqn[1:], ".zarray")])["shape"]
        assert list(shape_of(variable, dimensions)) == stored, fqn
    assert ("/new" in variables) == ("add" in changes)
    assert dimensions["/time"].unlimited
    assert dimensions["/time"].size == json.loads(now[shape_key])["shape"][0]
    last = [change for change in changes if change in ("set", "retype")][-1:]
    if last:
        n, valid_range = (attributes(found, "/t")[name] for name in ("n", "valid_range"))
        is_retyped = last == ["retype"]
        assert n == (("char", ("text",)) if is_retyped else ("int64", (7,)))
        assert valid_range == (("double", (0.25, 70000.0)) if is_retyped else ("short", (0, 4)))
    if "resize" not in changes:
        assert [d.rpartition("/")[2] for d in variables["/lazy"].dimensions] == list(names["lazy"])
    is_outdated = {"resize", "rename"} & set(changes) or last == ["retype"]
    assert ("annotation-outdated" in codes) == bool(is_outdated)


@few_or_many(15, 40)
def test_the_present_documents_are_read(objects, examples):
    kinds = ["grow", "resize", "set", "retype", "delete", "add", "rename"]

    @settings(deadline=None, max_examples=examples)
    @given(st.lists(st.sampled_from(kinds), max_size=4, unique=True))
    def holds(changes):
        check_changes(objects, changes)

    holds()


def test_annotations_that_fit_are_not_changed(objects):
    assert renewed(objects) == objects


@pytest.mark.parametrize("value", [3, [], {"version": 2, "nodes": {}}, {"version": 1}])
def test_annotations_that_cannot_be_read_are_ignored(objects, value):
    if ".zmetadata" in objects:
        broken = changed(objects, ".zmetadata", nczarr=value)
    else:
        whole = json.loads(objects["zarr.json"])["consolidated_metadata"]
        broken = changed(objects, "zarr.json", consolidated_metadata={**whole, "nczarr": value})
    found, codes = opened(broken)
    assert "annotation-damaged" in codes
    assert not dimensions_by_fqn(found.root)["/time"].unlimited

"""Documents that say the same in other words, and consolidated metadata that do."""

from __future__ import annotations

import copy
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz
from ncz.errors import Notice
from ncz.formats.zarr.documents.meaning import canonical_text, means_same
from tests.sampled import share_of

zarr = pytest.importorskip("zarr", reason="zarr is not installed")

pytestmark = pytest.mark.filterwarnings("ignore:Consolidated metadata is currently not part")

ARRAY_V2: dict[str, Any] = {
    "zarr_format": 2, "shape": [4], "chunks": [2], "dtype": "<f4", "fill_value": "NaN",
    "order": "C", "filters": None, "compressor": None, "dimension_separator": ".",
}  # fmt: skip
ARRAY_V3: dict[str, Any] = {
    "zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "float32",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
    "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
    "fill_value": "NaN", "codecs": [{"name": "bytes", "configuration": {"endian": "little"}},
    {"name": "crc32c", "configuration": {}}], "attributes": {}, "storage_transformers": [],
}  # fmt: skip
SHARDED: dict[str, Any] = {
    "name": "sharding_indexed",
    "configuration": {
        "chunk_shape": [1],
        "codecs": [{"name": "bytes", "configuration": {}}],
        "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, "crc32c"],
        "index_location": "end",
    },
}


def without(document: dict[str, Any], *members: str) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name not in members}


SAME: list[tuple[str, Any, Any]] = [
    (".zattrs", {}, None),
    (".zattrs", {"a": float("nan")}, {"a": "NaN"}),
    (".zgroup", {"zarr_format": 2}, {"zarr_format": 2, "consolidated_metadata": {}}),
    (".zarray", ARRAY_V2, without(ARRAY_V2, "dimension_separator", "filters", "compressor")),
    (".zarray", ARRAY_V2, {**ARRAY_V2, "filters": [], "dimension_separator": None}),
    (".zarray", ARRAY_V2, {**ARRAY_V2, "fill_value": float("nan")}),
    (".zarray", {**ARRAY_V2, "fill_value": 0}, {**ARRAY_V2, "fill_value": 0.0}),
    ("zarr.json", ARRAY_V3, without(ARRAY_V3, "attributes", "storage_transformers")),
    ("zarr.json", ARRAY_V3, {**ARRAY_V3, "chunk_key_encoding": "default"}),
    ("zarr.json", ARRAY_V3, {**ARRAY_V3, "chunk_key_encoding": {"name": "default"}}),
    ("zarr.json", ARRAY_V3, {**ARRAY_V3, "codecs": [ARRAY_V3["codecs"][0], "crc32c"]}),
    ("zarr.json", ARRAY_V3, {**ARRAY_V3, "dimension_names": None, "fill_value": float("nan")}),
    ("zarr.json", ARRAY_V3, {**ARRAY_V3, "data_type": {"name": "float32", "configuration": {}}}),
    (
        "zarr.json",
        {**ARRAY_V3, "codecs": [SHARDED]},
        {**ARRAY_V3, "codecs": [{**SHARDED, "configuration": {
            **without(SHARDED["configuration"], "index_location"), "codecs": ["bytes"],
        }}]},
    ),
    (
        "zarr.json",
        {"zarr_format": 3, "node_type": "group"},
        {"zarr_format": 3, "node_type": "group", "attributes": {}, "consolidated_metadata": None},
    ),
]  # fmt: skip
OTHER: list[tuple[str, Any, Any]] = [
    (".zattrs", {"a": 1}, None),
    (".zattrs", {"a": 1}, {"a": "1"}),
    (".zgroup", {"zarr_format": 2}, None),
    (".zarray", ARRAY_V2, {**ARRAY_V2, "dimension_separator": "/"}),
    (".zarray", ARRAY_V2, {**ARRAY_V2, "fill_value": None}),
    ("zarr.json", ARRAY_V3, {**ARRAY_V3, "chunk_key_encoding": "v2"}),
    ("zarr.json", ARRAY_V3, {**ARRAY_V3, "codecs": ["bytes"]}),
    ("zarr.json", ARRAY_V3, {**ARRAY_V3, "shape": [5]}),
]


@pytest.mark.parametrize(("name", "one", "other"), SAME)
def test_documents_that_mean_the_same(name: str, one: Any, other: Any):
    assert means_same(one, other, name)
    assert means_same(other, one, name)


@pytest.mark.parametrize(("name", "one", "other"), OTHER)
def test_documents_that_mean_something_else(name: str, one: Any, other: Any):
    assert not means_same(one, other, name)
    assert not means_same(other, one, name)


def stored(folder: Path, zarr_format: int) -> Path:
    path = folder / "s.zarr"
    shutil.rmtree(path, ignore_errors=True)
    root = zarr.open_group(path, mode="w", zarr_format=zarr_format)
    names = {"dimension_names": ("x",)} if zarr_format == 3 else {}
    for name in ("a", "g/b"):
        array = root.create_array(
            name, shape=(4,), chunks=(2,), dtype="f4", fill_value=float("nan"), **names
        )
        array[:] = [1, 2, 3, 4]
        if zarr_format == 2:
            array.attrs["_ARRAY_DIMENSIONS"] = ["x"]
    zarr.consolidate_metadata(path)
    return path


def reworded(document: dict[str, Any], draw: Any) -> dict[str, Any]:
    """Return a document with defaults left out, or written, at random."""
    optional: dict[str, Any] = {
        "dimension_separator": ".", "filters": None, "compressor": None, "attributes": {},
        "storage_transformers": [],
    }  # fmt: skip
    result = copy.deepcopy(document)
    for member, default in optional.items():
        if result.get(member, default) == default and member in result and draw(st.booleans()):
            del result[member]
    for member in ("chunk_key_encoding",):
        if result.get(member) == {"name": "default", "configuration": {"separator": "/"}}:
            result[member] = draw(st.sampled_from(["default", {"name": "default"}, result[member]]))
    return result


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_other_words_in_consolidated_metadata_are_no_fault(tmp_path: Path, zarr_format: int):
    @given(st.data())
    @settings(max_examples=share_of(50), deadline=None)
    def holds(data: st.DataObject) -> None:
        path = stored(tmp_path, zarr_format)
        place = path / (".zmetadata" if zarr_format == 2 else "zarr.json")
        whole = json.loads(place.read_text())
        consolidated = whole if zarr_format == 2 else whole["consolidated_metadata"]
        nodes = consolidated["metadata"]
        consolidated["metadata"] = {k: reworded(d, data.draw) for k, d in nodes.items()}
        place.write_text(json.dumps(whole))
        notices: list[Notice] = []
        ncz.dump(path, notify=notices.append)
        assert notices == []
        codes = {finding.code for finding in ncz.check(path).findings}
        assert codes.isdisjoint({"consolidated-stale", "consolidated-damaged"})

    holds()


@pytest.mark.parametrize("count", [5, 60, 1100])
def test_old_consolidated_metadata_of_many_documents_are_reported(tmp_path: Path, count: int):
    path = tmp_path / "s.zarr"
    path.mkdir()
    (path / ".zgroup").write_text('{"zarr_format": 2}')
    documents = {".zgroup": {"zarr_format": 2}}
    for number in range(count):
        (path / f"v{number}").mkdir()
        (path / f"v{number}" / ".zarray").write_text(json.dumps({**ARRAY_V2, "shape": [6]}))
        documents[f"v{number}/.zarray"] = ARRAY_V2
    whole = {"zarr_consolidated_format": 1, "metadata": documents}
    (path / ".zmetadata").write_text(json.dumps(whole))
    notices: list[Notice] = []
    dataset = ncz.open(path, notify=notices.append)
    assert [notice.code for notice in notices] == ["consolidated-stale"]
    assert dataset["v3"].shape == (6,)


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_a_store_may_live_in_its_consolidated_metadata(run, tmp_path: Path, zarr_format: int):
    path = stored(tmp_path, zarr_format)
    root = zarr.open_group(path, mode="r+", zarr_format=zarr_format, use_consolidated=False)
    root.create_array("empty", shape=(4,), chunks=(2,), dtype="f4")
    zarr.consolidate_metadata(path)
    whole = ".zmetadata" if zarr_format == 2 else "zarr.json"
    for document in [*path.rglob(".z*"), *path.rglob("zarr.json")]:
        if document != path / whole:
            document.unlink()
    shutil.rmtree(path / "empty")
    for command in (
        ("dump", path), ("dump", f"{path}#mode=consolidated"), ("info", path), ("check", path),
        ("copy", path, tmp_path / "out.zarr"),
    ):  # fmt: skip
        ran = run(*command)
        assert (ran.code, ran.stderr) == (0, ""), command
    assert ncz.diff(path, tmp_path / "out.zarr") == []


NAMES = st.sampled_from([
    "chunk_key_encoding", "codecs", "configuration", "name", "data_type", "chunk_grid",
    "attributes",
])  # fmt: skip

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@given(
    st.dictionaries(NAMES, JSON, max_size=8),
    st.sampled_from([".zarray", ".zgroup", ".zattrs", "zarr.json"]),
)
def test_documents_of_any_form_are_compared(document, name):
    assert means_same(document, document | {}, name)
    assert canonical_text(document | {"node_type": "array"}, name)

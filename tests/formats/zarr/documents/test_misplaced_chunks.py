"""Chunks with keys that do not fit the metadata, and nodes below folders without documents."""

from __future__ import annotations

import base64
import itertools
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz
from ncz.errors import CodecError, Notice
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.model.data import read_all
from ncz.zmap.key import ChunkKeys
from ncz.zmap.memory import MemoryZmap
from tests.sampled import paired, sampled, share_of

KEYS = [ChunkKeys(separator, marked) for marked in (False, True) for separator in "./"]
GROUPS: dict[int, dict[str, Any]] = {
    2: {".zgroup": {"zarr_format": 2}},
    3: {"zarr.json": {"zarr_format": 3, "node_type": "group", "attributes": {}}},
}


def array(keys: ChunkKeys, zarr_format: int, shape: tuple[int, ...], chunks: tuple[int, ...]):
    """Return the document of an array with such keys, and its name."""
    if zarr_format == 2:
        return ".zarray", {
            "zarr_format": 2, "shape": shape, "chunks": chunks, "dtype": "|u1", "fill_value": 9,
            "order": "C", "filters": None, "compressor": None,
            "dimension_separator": keys.separator,
        }  # fmt: skip
    encoding = {"separator": keys.separator}
    return "zarr.json", {
        "zarr_format": 3, "node_type": "array", "shape": shape, "data_type": "uint8",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunks}},
        "chunk_key_encoding": {
            "name": "default" if keys.marked else "v2", "configuration": encoding
        },
        "fill_value": 9, "codecs": [{"name": "bytes"}], "attributes": {},
    }  # fmt: skip


def store(
    asked: ChunkKeys,
    stored: ChunkKeys,
    zarr_format: int = 3,
    shape: tuple[int, ...] = (4, 6),
    chunks: tuple[int, ...] = (2, 3),
    missing: frozenset[int] = frozenset(),
) -> dict[str, bytes]:
    """Return the objects of a store whose chunks contain ones, without the missing chunks."""
    name, document = array(asked, zarr_format, shape, chunks)
    objects = {key: json.dumps(each).encode() for key, each in GROUPS[zarr_format].items()}
    objects[f"a/{name}"] = json.dumps(document).encode()
    counts = [-(-n // m) for n, m in zip(shape, chunks, strict=True)]
    for number, index in enumerate(itertools.product(*map(range, counts))):
        if number not in missing:
            objects[stored.key("a", index)] = b"\1" * int(np.prod(chunks))
    return objects


def written(objects: dict[str, bytes], place: Path, kind: str) -> Path:
    if kind == "zip":
        with zipfile.ZipFile(place.with_suffix(".zip"), "w") as archive:
            for key, data in objects.items():
                archive.writestr(key, data)
        return place.with_suffix(".zip")
    if kind == "references":
        refs = {
            key: data.decode() if data[:1] == b"{" else "base64:" + base64.b64encode(data).decode()
            for key, data in objects.items()
        }
        place.with_suffix(".json").write_text(json.dumps({"version": 1, "refs": refs}))
        return place.with_suffix(".json")
    for key, data in objects.items():
        (place / key).parent.mkdir(parents=True, exist_ok=True)
        (place / key).write_bytes(data)
    return place


@pytest.fixture(autouse=True)
def anonymous(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")


PAIRS = [
    (zarr_format, asked, stored)
    for zarr_format in (2, 3)
    for asked, stored in itertools.permutations(KEYS, 2)
    if zarr_format == 3 or not asked.marked
]


@pytest.mark.parametrize(("kind", "pair"), paired(["folder", "zip", "references"], PAIRS), ids=str)
def test_every_command_reports_chunks_with_other_keys(
    run, tmp_path: Path, pair: tuple[int, ChunkKeys, ChunkKeys], kind: str
):
    zarr_format, asked, stored = pair
    place = written(store(asked, stored, zarr_format), tmp_path / "s.zarr", kind)
    for command in (
        ("dump", "-h", place), ("dump", place), ("info", place),
        ("copy", place, tmp_path / "out.nc"), ("copy", place, tmp_path / "out.zarr"),
    ):  # fmt: skip
        ran = run(*command)
        assert ran.code == 1, command
        assert "has the key" in ran.stderr, command
        assert command[0] == "copy" or "correct " in ran.stderr, command
    assert not (tmp_path / "out.nc").exists()
    findings = ncz.check(place).findings
    assert "chunk-misplaced" in {finding.code for finding in findings}
    assert not any("delete" in (finding.advice or "") for finding in findings)


@pytest.mark.parametrize(("zarr_format", "asked", "stored"), sampled(PAIRS, 3))
def test_a_server_gets_requests_for_the_other_keys_of_one_chunk(
    run, web, zarr_format: int, asked: ChunkKeys, stored: ChunkKeys
):
    objects = store(asked, stored, zarr_format)
    web.objects = {f"b/s.zarr/{key}": data for key, data in objects.items()}
    ran = run("dump", f"{web.endpoint}/b/s.zarr#mode=s3")
    assert ran.code == 1
    assert "has the key" in ran.stderr


@given(
    st.sampled_from(PAIRS),
    st.lists(st.tuples(st.integers(1, 5), st.integers(1, 3)), min_size=1, max_size=3),
    st.frozensets(st.integers(0, 8), max_size=4),
)
@settings(max_examples=share_of(200))
def test_chunks_are_read_or_reported(pair, axes, missing):
    zarr_format, asked, stored = pair
    shape, chunks = tuple(n for n, _ in axes), tuple(n for _, n in axes)
    objects = store(asked, stored, zarr_format, shape, chunks, missing)
    notices: list[Notice] = []
    dataset = open_dataset(MemoryZmap(objects), name="s", notify=notices.append)
    (variable,) = dataset.root.variables
    assert variable.data is not None
    is_read = bool((read_all(variable.data) == 1).any())
    has_chunks = any(key.startswith("a/") and not key.endswith(("json", "y")) for key in objects)
    told = [notice for notice in notices if notice.code == "chunk-misplaced"]
    assert all(notice.lost for notice in told)
    assert is_read or told or not has_chunks
    assert not (is_read and told)


def test_a_chunk_of_a_closed_array_is_an_error_where_listing_costs():
    class Distant(MemoryZmap):
        is_distant = True

    objects = store(KEYS[0], KEYS[1], 2)
    dataset = open_dataset(Distant(objects), name="s")
    data = dataset.root.variables[0].data
    assert data is not None
    with pytest.raises(CodecError, match="the chunk has the key /a/0/0"):
        read_all(data)


@pytest.mark.parametrize("kind", ["folder", "zip", "references"])
@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("path", ["g/a", "g/h/a", "g/h/i/j/a", "0/1/a"])
def test_nodes_below_folders_without_documents_are_reported(
    run, tmp_path: Path, zarr_format: int, path: str, kind: str
):
    keys = ChunkKeys("/", marked=zarr_format == 3)
    objects = {
        key.replace("a/", f"{path}/", 1) if key.startswith("a/") else key: data
        for key, data in store(keys, keys, zarr_format).items()
    }
    place = written(objects, tmp_path / "s.zarr", kind)
    ran = run("copy", place, tmp_path / "out.nc")
    assert ran.code == 1
    assert "groups or arrays without the document of their group" in ran.stderr
    assert run("info", place).code == 1


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_consolidated_metadata_on_a_server_list_them(run, web, zarr_format: int):
    keys = ChunkKeys("/", marked=zarr_format == 3)
    objects = {
        key.replace("a/", "g/h/a/", 1) if key.startswith("a/") else key: data
        for key, data in store(keys, keys, zarr_format).items()
    }
    if zarr_format == 2:
        documents = {k: json.loads(v) for k, v in objects.items() if k[-1] in "py" and ".z" in k}
        whole = {"zarr_consolidated_format": 1, "metadata": documents}
        objects[".zmetadata"] = json.dumps(whole).encode()
    else:
        whole = {"kind": "inline", "metadata": {"g/h/a": json.loads(objects["g/h/a/zarr.json"])}}
        root = {**GROUPS[3]["zarr.json"], "consolidated_metadata": whole}
        objects["zarr.json"] = json.dumps(root).encode()
    web.objects = {f"b/s.zarr/{key}": data for key, data in objects.items()}
    ran = run("dump", "-h", f"{web.endpoint}/b/s.zarr#mode=s3")
    assert ran.code == 1
    assert "groups or arrays without the document of their group" in ran.stderr

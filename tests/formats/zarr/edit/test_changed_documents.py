"""Documents that are written for a draft."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.formats.edits import Edit, Removal, Rename, Request
from ncz.formats.zarr.edit.zarr_draft import ZarrDraft
from ncz.zmap.journal import Changes
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap

CDL = b"""netcdf s { dimensions: x = 2 ; variables: int v(x) ; v:a = 1 ;
group: g { variables: int w(x) ; w:a = 1 ; group: h { } } }"""
DELETE = Edit(action="delete", node="g/w", name="a")


def changes(mode: str, *requests: Request) -> Changes:
    url = f"memory://documents-{mode}"
    ncz.gen(io.BytesIO(CDL), f"{url}#mode={mode}", overwrite=True, notify=ignore_notice)
    location = parse_location(url)
    draft = ZarrDraft(open_zmap(location), location, True)
    for request in requests:
        draft.edit(request)
    return draft.changes(is_structural=False)


def documents(found: Changes) -> dict[str, Any]:
    return {key: json.loads(data) for key, data in found.documents.items()}


@pytest.mark.parametrize("mode", ["zarr", "zarr,v3", "zarr,consolidated", "zarr,v3,consolidated"])
def test_nothing_is_written_without_a_change(mode: str):
    assert changes(mode).documents == {}


def test_only_changed_documents_are_written_and_inner_ones_first():
    assert [*changes("nczarr", DELETE).documents] == ["g/w/.zattrs"]
    outer = Edit(action="delete", node="v", name="a")
    assert [*changes("nczarr", outer, DELETE).documents] == ["g/w/.zattrs", "v/.zattrs"]


def test_consolidated_metadata_of_v2_are_written_with_the_change():
    found = documents(changes("zarr,consolidated", DELETE))
    assert [*found] == ["g/w/.zattrs", ".zmetadata"]
    copies = found[".zmetadata"]["metadata"]
    assert "a" not in copies["g/w/.zattrs"]
    assert copies["v/.zattrs"]["a"] == 1


def test_consolidated_metadata_of_v3_are_in_the_root():
    found = documents(changes("zarr,v3,consolidated", DELETE))
    assert [*found] == ["g/w/zarr.json", "zarr.json"]
    copies = found["zarr.json"]["consolidated_metadata"]["metadata"]
    assert "a" not in copies["g/w"]["attributes"]
    assert copies["v"]["attributes"]["a"] == 1


@pytest.mark.parametrize("mode", ["zarr,consolidated", "zarr,v3,consolidated"])
def test_copies_of_documents_move_with_their_nodes(mode: str):
    found = changes(mode, Rename(path="g", new="k"), Removal(path="v"))
    assert found.places["g"] == "k"
    assert found.places["v"] is None
    root = documents(found)["zarr.json" if "v3" in mode else ".zmetadata"]
    copies = root["consolidated_metadata"]["metadata"] if "v3" in mode else root["metadata"]
    nodes = {key.partition("/.")[0] for key in copies if not key.startswith(".z")}
    assert nodes == {"k", "k/w", "k/h"}

"""The draft of a Zarr store: requests, and the documents that they change."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

import ncz
from ncz.errors import FormatError, ignore_notice
from ncz.formats.edits import Edit, Removal, Rename
from ncz.formats.zarr.edit.zarr_draft import ZarrDraft
from ncz.model.tree import Attribute
from ncz.model.types import Atomic
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap

CDL = b"""netcdf s { dimensions: x = 2 ; y = 2 ;
variables: int x(x) ; short v(x, y) ; v:a = 1b ; v:b = "t" ; group: g { variables: int w(x) ; } }"""


def draft(mode: str) -> ZarrDraft:
    url = f"memory://draft-{mode}"
    ncz.gen(io.BytesIO(CDL), f"{url}#mode={mode}", overwrite=True, notify=ignore_notice)
    location = parse_location(url)
    return ZarrDraft(open_zmap(location), location, True)


def documents(found: ZarrDraft, *, is_structural: bool = False) -> dict[str, Any]:
    changes = found.changes(is_structural=is_structural)
    return {key: json.loads(data) for key, data in changes.documents.items()}


MODES = ["nczarr", "nczarr,v3", "zarr", "zarr,v3"]
NUMBER = Attribute(name="a", type=Atomic.INT, values=(7,))


@pytest.mark.parametrize("mode", MODES)
def test_an_attribute(mode):
    found = draft(mode)
    (change,) = found.edit(Edit(action="set", node="v", name="a", attribute=NUMBER))
    assert (change.node, change.name, change.before, change.after) == ("v", "a", "1", "7")
    assert found.nodes["v"].visible_attributes["a"] == 7
    key = "v/zarr.json" if "v3" in mode else "v/.zattrs"
    changed = documents(found)[key]
    assert (changed["attributes"] if "v3" in mode else changed)["a"] == 7
    assert found.is_pure == mode.startswith("zarr")


@pytest.mark.parametrize("mode", MODES)
def test_the_order_of_attributes_stays(mode):
    found = draft(mode)
    before = [name for name in found.nodes["v"].visible_attributes if name in "ab"]
    found.edit(Edit(action="rename", node="v", name="a", new="c"))
    after = [name for name in found.nodes["v"].visible_attributes if name in "abc"]
    assert (before, after) == (["a", "b"], ["c", "b"])
    found.edit(Edit(action="delete", node="v", name="c"))
    assert "c" not in found.nodes["v"].visible_attributes


@pytest.mark.parametrize("mode", MODES)
def test_names(mode):
    found = draft(mode)
    changes = found.edit(Rename(path="x", new="lon"))
    assert {(c.kind, c.before, c.after) for c in changes} == {
        ("variable", "/x", "/lon"), ("dimension", "/x", "/lon"),
    }  # fmt: skip
    assert (found.nodes["lon"].key, found.nodes["lon"].origin) == ("lon", "x")
    found.edit(Removal(path="g"))
    assert not any(key.startswith("g") for key in found.nodes)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (Edit(action="delete", node="absent", name="a"), "no variable or group /absent"),
        (Edit(action="delete", node="v", name="absent"), "no attribute absent"),
        (Edit(action="rename", node="v", name="a", new="b"), "attribute b already exists"),
        (Rename(path="absent", new="z"), "absent"),
        (Rename(path="v", new="x"), "already exists"),
    ],
)
def test_requests_that_are_not_possible(mode, request_, message):
    with pytest.raises(FormatError, match=message):
        draft(mode).edit(request_)

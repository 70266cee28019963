"""Annotations of pure Zarr: metadata that its documents lack."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap

CDL = b"""netcdf s { dimensions: t = UNLIMITED ; x = 2 ;
variables: int v(t, x) ; v:small = 1b ; v:plain = 1 ; char c(x) ; int w(x) ;
data: v = 1, 2 ; group: g { :short = 2s ; } }"""


def nodes_of_store(mode: str) -> dict[str, Any]:
    url = f"memory://annotations-{mode}"
    ncz.gen(io.BytesIO(CDL), f"{url}#mode={mode}", overwrite=True, notify=ignore_notice)
    key = "zarr.json" if "v3" in mode else ".zmetadata"
    data = open_zmap(parse_location(url)).get(key)
    assert data is not None
    return _nodes(json.loads(data))


def _nodes(value: Any) -> dict[str, Any]:
    """Return the first object of a document whose member "nodes" has the root."""
    if isinstance(value, dict):
        nodes = value.get("nodes")
        if isinstance(nodes, dict) and "v" in nodes:
            return nodes
        value = list(value.values())
    for inner in value if isinstance(value, list) else []:
        if found := _nodes(inner):
            return found
    return {}


@pytest.mark.parametrize("mode", ["zarr,consolidated", "zarr,v3,consolidated"])
def test_types_and_dimensions(mode):
    nodes = nodes_of_store(mode)
    assert set(nodes) == {"", "v", "c", "w", "g"}
    types = nodes["v"]["attributes"]["types"]
    assert "small" in types
    assert "plain" not in types
    assert nodes["v"]["array"]["dimension_references"] == ["/t", "/x"]
    assert nodes["c"]["array"]["type"] == "char"
    assert "type" not in nodes["w"]["array"]
    assert nodes[""]["group"]["dimensions"] == {"t": {"size": 1, "unlimited": 1}, "x": 2}
    assert nodes["g"]["attributes"]["types"] == {"short": "<i2"}

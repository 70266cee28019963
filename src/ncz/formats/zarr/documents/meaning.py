"""Compare the meaning of two metadata documents.

Programs that consolidate metadata write documents again, with other defaults and spellings.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping

from ncz.formats.zarr.documents.document_v2 import ZARRAY, ZATTRS, ZGROUP
from ncz.formats.zarr.json import Json
from ncz.zmap.key import ZARR_JSON


def means_same(one: Json, other: Json, name: str) -> bool:
    """Return whether two documents named `name` mean the same; None is a missing one.

    Missing attributes are those without members.
    """
    if name == ZATTRS:
        one, other = one or {}, other or {}
    if one is None or other is None:
        return one is other
    return one == other or canonical_text(one, name) == canonical_text(other, name)


def canonical_text(document: Json, name: str = "") -> str:
    """Return a text that is the same for documents named `name` with the same meaning."""
    normal = _NORMAL.get(name)
    if normal is not None and isinstance(document, dict):
        document = normal(document)
    return json.dumps(_finite(document), sort_keys=True)


def _finite(value: Json) -> Json:
    """Return a value with texts for numbers that JSON lacks, as writers spell them in both ways."""
    if isinstance(value, dict):
        return {key: _finite(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return list(map(_finite, value))
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def _number(value: Json) -> Json:
    """Return a number as an integer if it is one: as a fill value, 0.0 is 0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _array_v2(document: Mapping[str, Json]) -> dict[str, Json]:
    return {
        **document,
        "fill_value": _number(document.get("fill_value")),
        "compressor": document.get("compressor"),
        "filters": document.get("filters") or None,
        "dimension_separator": document.get("dimension_separator") or ".",
    }


def _group_v2(document: Mapping[str, Json]) -> dict[str, Json]:
    """Return a group without its consolidated metadata, which zarr-python writes in V2, too."""
    return {k: v for k, v in document.items() if k != "consolidated_metadata"}


def _node_v3(document: Mapping[str, Json]) -> dict[str, Json]:
    normal = _group_v2(document)
    normal["attributes"] = document.get("attributes") or {}
    if document.get("node_type") != "array":
        return normal
    keys = _with_configuration(document.get("chunk_key_encoding"))
    if isinstance(keys, dict) and isinstance(keys["configuration"], dict):
        default = "/" if keys.get("name") == "default" else "."
        keys["configuration"] = {"separator": default, **keys["configuration"]}
    return {
        **normal,
        "chunk_key_encoding": keys,
        "chunk_grid": _with_configuration(document.get("chunk_grid")),
        "codecs": _codecs(document.get("codecs")),
        "data_type": _with_configuration(document.get("data_type")),
        "fill_value": _number(document.get("fill_value")),
        "storage_transformers": document.get("storage_transformers") or [],
        "dimension_names": document.get("dimension_names"),
    }


def _with_configuration(value: Json) -> Json:
    """Return an object with a name and a configuration, which may be a name alone."""
    if isinstance(value, str):
        return {"name": value, "configuration": {}}
    if isinstance(value, dict):
        return {**value, "configuration": value.get("configuration") or {}}
    return value


def _codecs(value: Json) -> Json:
    """Return a list of codecs, also of those within shards, each with its configuration."""
    if not isinstance(value, list):
        return value
    codecs = []
    for codec in map(_with_configuration, value):
        if isinstance(codec, dict) and isinstance(codec["configuration"], dict):
            inner = codec["configuration"]
            chains = {n: _codecs(inner[n]) for n in ("codecs", "index_codecs") if n in inner}
            location = {"index_location": "end"} if chains else {}
            codec = {**codec, "configuration": {**location, **inner, **chains}}
        codecs.append(codec)
    return codecs


_NORMAL: Mapping[str, Callable[[Mapping[str, Json]], Json]] = {
    ZARRAY: _array_v2,
    ZGROUP: _group_v2,
    ZARR_JSON: _node_v3,
}
"""Functions that return a document with all that it can leave out, by its name."""

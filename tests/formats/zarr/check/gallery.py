"""Broken stores: each takes a good store and breaks it by one rule."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ncz.commands.consolidate import consolidate
from ncz.zmap.location import parse_location

CDL = b"""netcdf s {
dimensions: x = 4 ; y = 2 ;
variables:
 int a(x) ; a:units = "m" ;
 int v(y, x) ; v:_ChunkSizes = 1, 2 ;
 byte b(x) ;
 char c(x) ;
 short z(x) ; z:_Shuffle = "true" ; z:_DeflateLevel = 1 ;
data:
 a = 1, 2, 3, 4 ;
 v = 11, 12, 13, 14, 21, 22, 23, 24 ;
 b = 1, 2, 3, 4 ;
 c = "abcd" ;
 z = 1, 2, 3, 4 ;
group: g { variables: int w(x) ; data: w = 5, 6, 7, 8 ; }
}
"""

Break = Callable[[Path], None]


def change(path: Path, **members: Any) -> None:
    """Change members of a document."""
    path.write_text(json.dumps({**json.loads(path.read_text()), **members}))


def _damage(store: Path) -> None:
    (store / "a/.zarray").write_text("{")


def _unknown_type(store: Path) -> None:
    change(store / "a/.zarray", dtype="<q9")


def _no_document(store: Path) -> None:
    (store / "a/.zarray").unlink()


def _no_group(store: Path) -> None:
    (store / "g/.zgroup").unlink()


def _no_group_v3(store: Path) -> None:
    (store / "g/zarr.json").unlink()


def _unlisted(store: Path) -> None:
    shutil.copytree(store / "a", store / "new")


def _missing(store: Path) -> None:
    shutil.rmtree(store / "a")


def _orphaned_attributes(store: Path) -> None:
    (store / "lost").mkdir()
    (store / "lost/.zattrs").write_text("{}")


def _stale(store: Path) -> None:
    consolidate(parse_location(str(store)))
    change(store / "a/.zattrs", units="km")


def _stale_v3(store: Path) -> None:
    consolidate(parse_location(str(store)))
    change(store / "a/zarr.json", attributes={"units": "km"})


def _damaged_copy(store: Path) -> None:
    (store / ".zmetadata").write_text('{"metadata": 1}')


def _gone(store: Path) -> None:
    consolidate(parse_location(str(store)))
    shutil.rmtree(store / "a")


def _element_size(store: Path) -> None:
    document = json.loads((store / "z/.zarray").read_text())
    document["filters"][0]["elementsize"] = 0
    (store / "z/.zarray").write_text(json.dumps(document))


def _byte_order(store: Path) -> None:
    change(store / "b/.zarray", dtype="<i1")


def _number(store: Path) -> None:
    change(store / "a/.zattrs", units=17)


def _bare_word(store: Path) -> None:
    path = store / "a/.zattrs"
    path.write_text(path.read_text().replace('"m"', "007"))


def _twice(store: Path) -> None:
    path = store / "a/.zattrs"
    path.write_text(path.read_text().replace('"m"', '"km", "units": "m"'))


def _infinite(store: Path) -> None:
    change(store / "a/.zattrs", largest=float("inf"))


def _annotation(store: Path) -> None:
    change(store / ".zattrs", _nczarr_group=3)


def _outside(store: Path) -> None:
    shutil.copy(store / "v/0.0", store / "v/2.0")


def _empty(store: Path) -> None:
    (store / "v/0.0").write_bytes(b"")


def _short(store: Path) -> None:
    (store / "v/0.0").write_bytes(bytes(7))


def _unowned(store: Path) -> None:
    (store / "notes.txt").write_text("mine")
    (store / "v/0.0.bak").write_text("mine")


def _flipped(store: Path) -> None:
    path = store / "z/0"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(bytes(data))


def _unknown_codec(store: Path) -> None:
    change(store / "a/.zarray", compressor={"id": "nothing-knows-it"})


def _stray(store: Path) -> None:
    (store / "a/zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')


def _other_dimension(store: Path) -> None:
    consolidated = json.loads((store / ".zmetadata").read_text())
    attributes = consolidated["metadata"]["a/.zattrs"]
    attributes["_ARRAY_DIMENSIONS"] = ["other"]
    change(store / ".zmetadata", **consolidated)
    (store / "a/.zattrs").write_text(json.dumps(attributes))


def _root(store: Path) -> None:
    (store / ".zgroup").write_text("{")


GALLERY: dict[str, tuple[str, Break, set[tuple[str, str]]]] = {
    "damaged document": ("nczarr", _damage, {("document-damaged", "a/.zarray")}),
    "damaged root": (
        "zarr",
        _root,
        {("document-damaged", ".zgroup"), ("store-unreadable", ".zgroup")},
    ),
    "unknown dtype": ("zarr", _unknown_type, {("variable-left-out", "a/.zarray")}),
    "no document, NCZarr": (
        "nczarr",
        _no_document,
        {("object-missing", "a")},
    ),
    "no document": (
        "zarr",
        _no_document,
        {("object-left-out", "a")},
    ),
    "no group": ("zarr", _no_group, {("group-missing", "g")}),
    "no group, NCZarr": ("nczarr", _no_group, {("group-missing", "g")}),
    "no group, V3": ("zarr,v3", _no_group_v3, {("group-missing", "g")}),
    "unlisted": ("nczarr", _unlisted, {("object-unlisted", "new")}),
    "missing": ("nczarr", _missing, {("object-missing", "a")}),
    "attributes alone": ("zarr", _orphaned_attributes, {("attributes-orphaned", "lost/.zattrs")}),
    "stale": ("zarr", _stale, {("consolidated-stale", "a/.zattrs")}),
    "stale V3": ("zarr,v3", _stale_v3, {("consolidated-stale", "a/zarr.json")}),
    "consolidated and gone": (
        "zarr",
        _gone,
        {("consolidated-stale", "a/.zattrs"), ("consolidated-stale", "a/.zarray")},
    ),
    "damaged copy": ("zarr", _damaged_copy, {("consolidated-damaged", ".zmetadata")}),
    "element size": ("nczarr", _element_size, {("elementsize-zero", "z/.zarray")}),
    "byte order": ("nczarr", _byte_order, {("dtype-byte-order", "b/.zarray")}),
    "number for text": ("nczarr", _number, {("attribute-not-text", "a/.zattrs")}),
    "bare word": ("nczarr", _bare_word, {("document-not-strict", "a/.zattrs")}),
    "member twice": ("zarr", _twice, {("document-not-strict", "a/.zattrs")}),
    "infinite": ("zarr", _infinite, {("document-not-finite", "a/.zattrs")}),
    "annotation": (
        "nczarr",
        _annotation,
        {
            ("annotation-damaged", ".zattrs"),
            *(("dimension-inferred", f"{key}/.zarray") for key in ("a", "b", "c", "g/w", "v", "z")),
        },
    ),
    "other dimension": ("zarr,consolidated", _other_dimension, {("annotation-outdated", "")}),
    "outside": ("nczarr", _outside, {("chunk-outside", "v/2.0")}),
    "empty": ("nczarr", _empty, {("chunk-empty", "v/0.0")}),
    "short": ("zarr", _short, {("chunk-length", "v/0.0")}),
    "unowned": (
        "zarr",
        _unowned,
        {("key-unowned", "notes.txt"), ("key-unowned", "v/0.0.bak")},
    ),
    "unknown codec": ("zarr", _unknown_codec, {("codec-missing", "a")}),
    "stray": ("zarr", _stray, {("stray-document", "a/zarr.json")}),
    "flipped": ("zarr", _flipped, set()),
}
"""Name -> mode of the store, its damage, and the codes and keys of the findings."""

WITH_DATA = {
    "flipped": {("chunk-damaged", "z/0")},
    "short": {("chunk-length", "v/0.0"), ("chunk-damaged", "v/0.0")},
    "empty": {("chunk-empty", "v/0.0"), ("chunk-damaged", "v/0.0")},
}
"""Name -> the findings if chunks are decoded, if they differ."""

"""Documents of Zarr V2."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import Any

import numpy as np

from ncz.formats.create_options import CreateOptions
from ncz.formats.zarr.json import parse_document
from ncz.model.data import MemoryArray
from ncz.model.filters import make_filter
from ncz.model.tree import Attribute, Dataset, Storage
from ncz.model.types import Atomic
from tests.formats.zarr.writing.test_writer import NCZARR, PURE, read, small, variables, write


def test_noxarray_leaves_only_the_names_out():
    objects, _ = write(small(), replace(NCZARR, xarray=False))
    attributes = parse_document(objects["v/.zattrs"], "x")
    assert list(attributes) == ["_nczarr_array", "_nczarr_attr"]


def test_char_is_noted_where_the_dtype_does_not_say_it():
    dataset = small(type=Atomic.CHAR, data=MemoryArray(np.array([b"a", b"b", b""]), Atomic.CHAR))
    objects, notices = write(dataset)
    assert json.loads(objects["v/.zarray"])["dtype"] == ">S1"
    assert "type" not in json.loads(objects["v/.zattrs"])["_nczarr_array"]
    assert notices == []
    objects, notices = write(dataset, replace(NCZARR, store=CreateOptions(char="|S1")))
    assert json.loads(objects["v/.zarray"])["dtype"] == "|S1"
    assert json.loads(objects["v/.zattrs"])["_nczarr_array"]["type"] == "char"
    assert notices == []
    assert next(variables(read(objects)[0])).type is Atomic.CHAR


def test_a_fill_of_text_is_literal_in_nczarr_and_base64_in_pure_zarr():
    fill = Attribute(name="_FillValue", type=Atomic.STRING, values=("none",))
    dataset = strings("a", attributes=(fill,))
    objects, notices = write(dataset)
    assert json.loads(objects["v/.zarray"])["fill_value"] == "none"
    assert ["base64" in n.message and "/v" in n.message for n in notices] == [True]
    objects, notices = write(dataset, PURE)
    fill_value = json.loads(objects["v/.zarray"])["fill_value"]
    assert base64.b64decode(fill_value) == b"none".ljust(128, b"\0")  # as tensorstore needs it
    assert not any("base64" in n.message for n in notices)
    assert next(variables(read(objects)[0])).storage.fill == "none"


def test_the_last_filter_is_the_compressor_if_it_compresses():
    shuffle, zlib = make_filter("shuffle", elementsize=0), make_filter("zlib", level=3)
    fletcher = make_filter("fletcher32")
    for chain, compressor, filters in [
        ((shuffle, zlib), zlib.to_json(), [{"id": "shuffle", "elementsize": 4}]),
        ((shuffle,), None, [{"id": "shuffle", "elementsize": 4}]),
        ((zlib, fletcher), None, [zlib.to_json(), fletcher.to_json()]),
        ((), None, None),
    ]:
        objects, _ = write(small(storage=Storage(filters=chain)))
        document = json.loads(objects["v/.zarray"])
        assert (document["compressor"], document["filters"]) == (compressor, filters)


def strings(*values: str | None, **changes: Any) -> Dataset:
    return small(
        type=Atomic.STRING,
        data=MemoryArray(np.array([*values, None, None][:3], dtype=object), Atomic.STRING),
        **changes,
    )

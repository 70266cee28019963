"""Notes and chunks that were damaged, or made to exhaust a reader: errors by name, and no more."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ncz.errors import CodecError, Notice
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.formats.zarr.writing.options import WriteOptions
from ncz.model.data import read_all
from ncz.model.tree import Dataset
from ncz.model.type_declarations import read_declarations
from ncz.zmap.memory import MemoryZmap
from tests.test_round_trip import parsed, stored

TEXT = b"""netcdf t {
types: opaque(4) o_t ; int(*) v_t ; byte enum e_t {a = 1} ;
  compound c_t { int x ; float y(2) ; } ; compound s_t { string s ; int n ; } ;
dimensions: n = 2 ;
variables: o_t o(n) ; v_t v(n) ; e_t e(n) ; c_t c(n) ; s_t s(n) ; c_t :r = {1, {2, 3}} ; int plain ;
data: o = 0x01, 0x02 ; v = {1}, {2, 3} ; e = a, a ; c = {1, {2, 3}}, {4, {5, 6}} ;
  s = {"one", 1}, {"two", 2} ; plain = 5 ;
}
"""

Document = dict[str, Any]


def opened(
    zarr_format: int, changes: dict[str, Callable[[Document], object]]
) -> tuple[Dataset, list[Notice]]:
    """Return a store's dataset, and the notices, after changes of some of its documents."""
    objects = stored(parsed(TEXT), WriteOptions(zarr_format=zarr_format))
    for key, change in changes.items():
        document = json.loads(objects[key])
        change(document)
        objects[key] = json.dumps(document).encode()
    notices: list[Notice] = []
    return open_dataset(MemoryZmap(objects), name="t", notify=notices.append), notices


def set_dtype(dtype: object) -> Callable[[Document], object]:
    return lambda document: document.update(dtype=dtype)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("o", "|V3"), ("o", "<i4"), ("e", "<i2"), ("e", "|b1"), ("v", "<i4"), ("c", "|V12"),
        ("c", [["x", "<i4"]]), ("c", [["x", "<i4"], ["y", "|V4"]]), ("s", "|S8"),
        ("c", [["x", "<i4"], ["z", "|V8"]]), ("c", [["x", "<f4"], ["y", "|V8"]]),
    ],
)  # fmt: skip
def test_a_dtype_that_cannot_represent_the_type_omits_the_variable(name: str, dtype: object):
    dataset, notices = opened(2, {f"{name}/.zarray": set_dtype(dtype)})
    assert [n.code for n in notices] == ["variable-left-out"]
    assert notices[0].lost
    assert f"its type /{name}_t" in notices[0].message
    assert {v.name for v in dataset.root.variables} == {"o", "v", "e", "c", "s", "plain"} - {name}


def test_the_items_of_vlen_array_must_have_the_type():
    def items(dtype: str) -> Callable[[Document], object]:
        filters = [{"id": "vlen-array", "dtype": dtype}]
        return lambda document: document.update(filters=filters, fill_value=None)

    def fill(document: Document) -> None:
        document["_nczarr_array"]["fill_value"] = []

    assert opened(2, {"v/.zarray": items("<i4"), "v/.zattrs": fill})[1] == []
    _, notices = opened(2, {"v/.zarray": items("<i8"), "v/.zattrs": fill})
    assert [n.code for n in notices] == ["variable-left-out"]


def test_big_endian_structures_are_read():
    dataset, notices = opened(
        2, {"c/.zarray": set_dtype([["x", ">i4"], ["y", "|V8"]]), "e/.zarray": set_dtype("<i1")}
    )
    assert notices == []
    c = next(v for v in dataset.root.variables if v.name == "c")
    assert c.data is not None
    assert read_all(c.data)[0] == (1 << 24, (2.0, 3.0))


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize(
    "declaration",
    [
        None, 7, {}, {"kind": "opaque"}, {"kind": "opaque", "size": 0}, {"kind": "union"},
        {"kind": "opaque", "size": 1 << 30}, {"kind": "vlen", "base": "/o_t"},
        {"kind": "vlen", "base": "nothing"}, {"kind": "enum", "base": "float", "members": {"a": 1}},
        {"kind": "enum", "base": "byte", "members": {"a": 300}}, {"kind": "compound", "fields": []},
        {"kind": "compound", "fields": [{"name": "a", "type": "int", "shape": [0]}]},
        {"kind": "compound", "fields": [{"name": "a", "type": "int"}] * 2},
        {"kind": "compound", "fields": [{"name": "a", "type": "int", "shape": [4096, 8192]}]},
    ],
)  # fmt: skip
def test_a_wrong_declaration_leaves_out_the_type_and_its_variables(
    declaration: object, zarr_format: int
):
    def change(document: Document) -> None:
        attributes = document["attributes"] if zarr_format == 3 else document
        attributes["_nczarr_group"]["types"]["o_t"] = declaration

    key = "zarr.json" if zarr_format == 3 else ".zattrs"
    dataset, notices = opened(zarr_format, {key: change})
    assert [n.code for n in notices] == ["type-left-out", "variable-left-out"]
    assert all("/o_t" in n.message for n in notices)
    assert [v.name for v in dataset.root.variables] == ["v", "e", "c", "s", "plain"]


def test_an_attribute_that_does_not_fit_its_type_is_named():
    def change(document: Document) -> None:
        document["r"] = "[[1, 2]]"

    dataset, notices = opened(2, {".zattrs": change})
    assert [(n.code, n.lost) for n in notices] == [("attribute-type-inferred", True)]
    assert "attribute r: its type /c_t does not fit" in notices[0].message
    assert [a.name for a in dataset.root.attributes] == ["r"]


@pytest.mark.parametrize("text", ["[", "[1]", '["a", "b"]', "[" * 100_000, '["a", 1e999]'])
def test_json_text_that_is_not_a_value_is_an_error_of_the_chunk(text: str):
    import numcodecs
    import numpy as np

    objects = stored(parsed(TEXT), WriteOptions())
    elements = np.array(['["one", 1]', text], object)
    objects["s/0"] = bytes(numcodecs.VLenUTF8().encode(elements))
    dataset = open_dataset(MemoryZmap(objects), name="t")
    s = next(v for v in dataset.root.variables if v.name == "s")
    assert s.data is not None
    with pytest.raises(CodecError, match="is not a value of /s_t"):
        read_all(s.data)


def declared(declarations: dict[str, object]) -> tuple[list[str], list[str]]:
    """Return the names of the types that are read, and of the types that are not."""
    wrong: list[str] = []
    found = read_declarations(declarations, lambda name, _: wrong.append(name))
    return list(found), wrong


def test_types_may_be_declared_in_any_order_but_not_in_a_circle():
    vlens: dict[str, object] = {
        f"/{name}": {"kind": "vlen", "base": f"/{base}"} for name, base in ("ab", "bc", "xy", "yx")
    }
    found, wrong = declared({**vlens, "/c": {"kind": "opaque", "size": 1}})
    assert found == ["/c", "/b", "/a"]
    assert sorted(wrong) == ["/x", "/y"]


def doubled(depth: int, kind: str) -> dict[str, object]:
    """Return types that each contain the type before twice, so that the last is exponential."""
    first: dict[str, object] = {"/t0": {"kind": "vlen", "base": "int"}}
    for level in range(1, depth):
        parts = [{"name": name, "type": f"/t{level - 1}", "shape": []} for name in "ab"]
        compound = {"kind": "compound", "fields": parts}
        first[f"/t{level}"] = compound if kind == "compound" else {
            "kind": "vlen", "base": f"/t{level - 1}"
        }  # fmt: skip
    return first


@pytest.mark.parametrize(("kind", "most"), [("compound", 16), ("vlen", 51)])
def test_types_that_grow_exponentially_or_deep_are_refused_immediately(kind: str, most: int):
    found, wrong = declared(doubled(3000, kind))
    assert len(found) < most
    assert len(found) + len(wrong) == 3000

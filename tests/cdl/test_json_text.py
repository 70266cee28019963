"""Attributes that are JSON, in CDL and in JSON of ncz."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.cdl.reader import read_cdl
from ncz.errors import CdlError, Notice
from ncz.model.types import Atomic

SPELLINGS = [
    '{"a": [1,2.5,{"b": null}]}',
    '{ "a":[ 1, 2.50, {"b":null} ] }',
    '{"a":\n[1,2.5,{"b":null}]}',
]
VALUE = {"a": [1, 2.5, {"b": None}]}
FORMS = ["nczarr,v2", "nczarr,v3", "zarr,v2", "zarr,v3"]


def cdl(*declarations: str) -> str:
    return f"netcdf x {{ dimensions: n = 1 ; variables: int v(n) ; {' '.join(declarations)} }}"


def attributes_of(store: Path) -> dict[str, Any]:
    """Return the JSON of the attributes of a store, without annotations."""
    attributes: dict[str, Any] = {}
    for path in [*store.rglob(".zattrs"), *store.rglob("zarr.json")]:
        document = json.loads(path.read_text())
        attributes |= document.get("attributes", document)
    return {name: value for name, value in attributes.items() if not name.startswith("_")}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_is_written_as_json(tmp_path: Path, form: str, spelling: str):
    text = json.dumps(spelling)
    (tmp_path / "x.cdl").write_text(
        cdl(f"json v:m = {text} ;", f"v:t = {text} ;", f"json :o = {text} ;")
    )
    ncz.gen(tmp_path / "x.cdl", tmp_path / "x.zarr", modes=[form], notify=lambda _: None)
    assert attributes_of(tmp_path / "x.zarr") == {"m": VALUE, "t": spelling, "o": VALUE}


@pytest.mark.parametrize("form", FORMS)
def test_json_and_text_do_not_change(tmp_path: Path, form: str):
    text = json.dumps(SPELLINGS[0])
    (tmp_path / "x.cdl").write_text(cdl(f"json v:m = {text} ;", f"v:t = {text} ;"))
    ncz.gen(tmp_path / "x.cdl", tmp_path / "x.zarr", modes=[form], notify=lambda _: None)
    expected = {"m": VALUE, "t": SPELLINGS[0]}
    for other in FORMS:
        target = tmp_path / f"{other}.zarr"
        ncz.copy(tmp_path / "x.zarr", target, modes=[other], allow_loss=True, notify=lambda _: None)
        assert attributes_of(target) == expected, other
    (tmp_path / "x.json").write_text(ncz.dump(tmp_path / "x.zarr", view="json"))
    ncz.gen(tmp_path / "x.json", tmp_path / "again.zarr", modes=[form], notify=lambda _: None)
    assert attributes_of(tmp_path / "again.zarr") == expected


def test_netcdf_and_cdl_have_the_text_and_say_so(tmp_path: Path):
    text = json.dumps(SPELLINGS[0])
    (tmp_path / "x.cdl").write_text(cdl(f"json v:m = {text} ;", f"v:t = {text} ;"))
    ncz.gen(tmp_path / "x.cdl", tmp_path / "x.zarr", modes=["zarr"], allow_loss=True)
    notices: list[Notice] = []
    ncz.copy(tmp_path / "x.zarr", tmp_path / "x.nc", notify=notices.append)
    printed = ncz.dump(tmp_path / "x.zarr", notify=notices.append)
    said = [n.message.rpartition(": ")[2] for n in notices if n.code == "attribute-as-text"]
    assert said == ["v:m", "v:m"]
    for name in "mt":
        assert f"v:{name} = {text} ;" in printed
        assert f"v:{name} = {text} ;" in ncz.dump(tmp_path / "x.nc")


def test_types_and_variables_named_json_do_not_change():
    text = (
        "netcdf x { types: int(*) json ; dimensions: n = 1 ; variables: int v(n) ;"
        " json v:a = {1, 2} ; }"
    )
    variable = read_cdl(text.encode(), source="x").root.variables[0]
    assert variable.attributes[0].values == ((1, 2),)
    text = (
        'netcdf x { dimensions: n = 1 ; variables: int json(n) ; json:a = "{}" ; json :b = "{}" ; }'
    )
    root = read_cdl(text.encode(), source="x").root
    (of_variable,) = root.variables[0].attributes
    assert (of_variable.name, of_variable.type, of_variable.original) == ("a", Atomic.CHAR, None)
    assert root.attributes[0].original == ({},)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ('"{"', "attribute a is not JSON: "),
        ('"[1,2]"', "neither an object nor a list of objects"),
        ('"5"', "neither an object nor a list of objects"),
        ('""', "attribute a is not JSON: "),
        ("5", "text"),
    ],
)
def test_a_text_that_is_not_json_is_an_error(value: str, message: str):
    with pytest.raises(CdlError, match=message):
        read_cdl(f"netcdf x {{ json :a = {value} ; }}".encode(), source="x")

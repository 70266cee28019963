"""NCZarr's notes as text: the document of 2024 describes them as attributes of type string."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.errors import Notice
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.model.types import Atomic
from ncz.zmap.local.directory import DirectoryZmap
from tests.conftest import ROOT
from tests.formats.zarr.opening.test_reader import array, read

CDL = """netcdf s {
dimensions: t = UNLIMITED ; x = 3 ;
variables: int v(t, x) ; v:n = 1s ; char c(x) ; double s ;
data: v = 1, 2, 3, 4, 5, 6 ; c = "abc" ; s = 2.5 ;
group: g { dimensions: y = 2 ; variables: ubyte w(y) ; data: w = 1, 2 ; }
}
"""
STORES = ["nczarr-4.9.0", "nczarr-4.9.2", "nczarr-4.10.1"]


def quiet(_: Notice) -> None:
    """Discard a notice."""


def as_texts(store: Path) -> int:
    """Replace the notes in the documents of a store by the texts of their JSON; count them."""
    count = 0

    def texts(value: Any) -> Any:
        nonlocal count
        if not isinstance(value, dict):
            return value
        names = {name for name in value if name.lower().startswith("_nczarr_")}
        count += len(names)
        return {n: json.dumps(v) if n in names else texts(v) for n, v in value.items()}

    for path in (*store.rglob(".z*"), *store.rglob("zarr.json")):
        path.write_text(json.dumps(texts(json.loads(path.read_text()))))
    return count


def header(store: Path, **options: Any) -> str:
    notices: list[Notice] = []
    text = ncz.dump(str(store), name="s", notify=notices.append, **options)
    assert notices == []
    return text


@pytest.mark.parametrize("name", STORES)
def test_notes_that_are_texts(tmp_path, name):
    store = tmp_path / "s.zarr"
    shutil.copytree(ROOT / "tests" / "stores" / name, store)
    whole = header(store, special=True)
    assert as_texts(store) > 5
    assert header(store, special=True) == whole
    dataset = open_dataset(DirectoryZmap(str(store)), name="x", notify=quiet)
    assert dataset.provenance.superblock == 2


@pytest.mark.parametrize("mode", ["nczarr", "v3"])
@pytest.mark.parametrize("consolidated", [False, True])
def test_a_store_whose_notes_are_texts_is_edited_and_grows(tmp_path, mode, consolidated):
    (tmp_path / "s.cdl").write_text(CDL)
    ncz.gen(tmp_path / "s.cdl", f"{tmp_path}/more.zarr#mode={mode}", notify=quiet)
    texts = []
    for name in ("objects", "texts"):
        store = tmp_path / f"{name}.zarr"
        more = ",consolidated" if consolidated else ""
        ncz.gen(tmp_path / "s.cdl", f"{store}#mode={mode}{more}", notify=quiet)
        if name == "texts":
            assert as_texts(store) > 5
        ncz.copy(tmp_path / "more.zarr", store, append="t", notify=quiet)
        ncz.edit(
            store,
            set=["v:n = 3s"],
            rename=["dimension x=lon", "/g=/grid"],
            remove=["s"],
        )
        texts.append(header(store))
    assert texts[0] == texts[1]
    assert "lon = 3" in texts[0]
    assert "v:n = 3s" in texts[0]
    assert "t = UNLIMITED ; // (4 currently)" in texts[0]


@pytest.mark.parametrize("text", ["{", "[1]", "text", "1", ""])
def test_text_that_is_no_object_is_reported_as_damaged(text):
    objects = {
        ".zgroup": {"zarr_format": 2},
        ".zattrs": {"_nczarr_superblock": {"version": "2.0.0"}, "_nczarr_group": text},
        "v/.zarray": array(),
        "v/.zattrs": {"_nczarr_array": text, "_nczarr_attr": {"types": {}}},
    }
    dataset, notices = read(objects)
    assert [v.name for v in dataset.root.variables] == ["v"]
    assert [notice.code for notice in notices].count("annotation-damaged") == 2


@pytest.mark.parametrize(
    ("alias", "nc_type", "codes"),
    [
        ("char", Atomic.CHAR, []),
        ("json", Atomic.CHAR, []),
        ("text", Atomic.UBYTE, ["annotation-damaged"]),
        (["char"], Atomic.UBYTE, ["annotation-damaged"]),
    ],
)
def test_the_types_that_arrays_of_bytes_mean(tmp_path, alias, nc_type, codes):
    (tmp_path / "s.cdl").write_text(
        'netcdf s { dimensions: x = 2 ; variables: char c(x) ; data: c = "{}" ; }'
    )
    ncz.gen(tmp_path / "s.cdl", f"{tmp_path}/s.zarr#mode=v3", notify=quiet)
    path = tmp_path / "s.zarr" / "c" / "zarr.json"
    document = json.loads(path.read_text())
    document["attributes"]["_nczarr_array"]["type_alias"] = alias
    path.write_text(json.dumps(document))
    notices: list[Notice] = []
    dataset = open_dataset(DirectoryZmap(str(tmp_path / "s.zarr")), name="x", notify=notices.append)
    assert [v.type for v in dataset.root.variables] == [nc_type]
    assert [notice.code for notice in notices] == codes

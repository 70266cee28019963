"""Annotations of pure Zarr: reading them back, also after other programs changed a store."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.errors import FormatError, Notice, ignore_notice
from ncz.formats.zarr.arrays.array import ZeroedArray
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.model.tree import Dataset, variables_by_fqn
from ncz.zmap.memory import MemoryZmap
from tests.test_round_trip import printed

CDL = b"""netcdf s {
types: compound pair { int i ; float f ; } ; byte enum flag { off = 0, on = 1 } ;
dimensions: time = UNLIMITED ; x = 3 ; unused = 7 ; len = 4 ;
variables:
 float t(time, x) ; t:units = "K" ; t:valid_range = 1s, 2s ; t:_FillValue = -1.f ; t:n = 5LL ;
 int time(time) ; time:units = "days since 2000-01-01" ;
 char name(x, len) ; string s(x) ; string s:one = "one" ; string s:nil = "a", NIL ;
 pair c(x) ; flag e(x) ; int crs ; double lazy(x) ;
 :units = "deg\\260C" ; :json = "{\\"a\\": 1}" ;
data:
 t = 1, 2, 3, 4, 5, 6 ; time = 0, 1 ; name = "abcd", "ef", "g" ; s = "a", "b", "" ;
 c = {1, 1}, {2, 2}, {3, 3} ; e = off, on, off ; crs = 5 ;
group: g {
 dimensions: x = 5 ;
 variables: short v(time) ; v:scale_factor = 0.5f ; int w(x) ;
 data: v = 1, 2 ; w = 1, 2, 3, 4, 5 ; } }
"""
VERSIONS = ["zarr", "zarr,v3"]


def objects_of(folder: Path) -> dict[str, bytes]:
    files = (p for p in folder.rglob("*") if p.is_file())
    return {str(p.relative_to(folder)): p.read_bytes() for p in files}


@pytest.fixture(scope="module", params=VERSIONS)
def objects(tmp_path_factory: pytest.TempPathFactory, request) -> dict[str, bytes]:
    store = tmp_path_factory.mktemp("annotated") / "s.zarr"
    modes = [request.param, "consolidated"]
    ncz.gen(io.BytesIO(CDL), store, modes=modes, notify=ignore_notice)
    return objects_of(store)


def opened(objects: dict[str, bytes]) -> tuple[Dataset, list[str]]:
    notices: list[Notice] = []
    zmap = MemoryZmap(dict(objects), "memory://s")
    return open_dataset(zmap, name="s", notify=notices.append), [n.code for n in notices]


def document(objects: dict[str, bytes], key: str, name: str) -> str:
    """Return the key of the document of a node: its own, or its key in V3."""
    return f"{key}/{name}" if ".zgroup" in objects else f"{key}/zarr.json"


def changed(objects: dict[str, bytes], key: str, **members: Any) -> dict[str, bytes]:
    """Return a store whose documents another program changed without consolidating."""
    return {**objects, key: json.dumps({**json.loads(objects[key]), **members}).encode()}


def attributes(dataset: Dataset, fqn: str) -> dict[str, tuple[str, tuple[Any, ...]]]:
    variable = dict(variables_by_fqn(dataset.root))[fqn]
    return {a.name: (getattr(a.type, "word", "user"), a.values) for a in variable.attributes}


def test_everything_is_read_back(objects, tmp_path):
    ncz.gen(io.BytesIO(CDL), tmp_path / "n.zarr", notify=ignore_notice)
    expected, _ = opened(objects_of(tmp_path / "n.zarr"))
    found, codes = opened(objects)
    assert printed(found) == printed(expected)
    assert codes == []


@pytest.mark.parametrize("mode", VERSIONS)
def test_enums_next_to_numbers_that_are_stored_alike(mode, tmp_path):
    text = """netcdf s { types: ubyte enum e { a = 0, m = 255 } ; dimensions: x = 3 ;
    variables: ubyte v(x) ; v:_FillValue = 255UB ; e w(x) ; e w:_FillValue = m ; e y(x) ;
    data: v = 1, 2, 255 ; w = a, m, a ; y = a, m, a ; }"""
    ncz.gen(io.BytesIO(text.encode()), tmp_path / "n.zarr", notify=ignore_notice)
    ncz.copy(tmp_path / "n.zarr", tmp_path / "p.zarr", modes=mode.split(","), notify=ignore_notice)
    assert list(ncz.diff(tmp_path / "n.zarr", tmp_path / "p.zarr")) == []


@pytest.mark.parametrize(("mode", "stored"), [("zarr", ""), ("zarr,v3", [])])
def test_attributes_without_values_are_read_back(mode, stored, tmp_path):
    import h5py

    np = pytest.importorskip("numpy", reason="make setup")
    enum = h5py.enum_dtype({"a": 1, "b": 2}, basetype="i1")
    with h5py.File(tmp_path / "f.nc", "w") as file:
        file["e"] = np.dtype(enum)
        attributes_of_v = file.create_dataset("v", data=[1, 2]).attrs
        attributes_of_v.create("numbers", np.zeros(0, "f4"))
        attributes_of_v.create("enums", np.zeros(0, enum), dtype=file["e"])
    notices: list[Notice] = []
    ncz.copy(tmp_path / "f.nc", tmp_path / "p.zarr", modes=mode.split(","), notify=notices.append)
    assert list(ncz.diff(tmp_path / "f.nc", tmp_path / "p.zarr", notify=notices.append)) == []
    assert [notice.code for notice in notices] == []
    made = objects_of(tmp_path / "p.zarr")
    document_of_v = json.loads(made.get("v/.zattrs", made.get("v/zarr.json", b"")))
    written = document_of_v.get("attributes", document_of_v)
    assert (written["numbers"], written["enums"]) == (stored, stored)
    xarray = pytest.importorskip("xarray", reason="make setup")
    with xarray.open_dataset(tmp_path / "p.zarr", engine="ncz") as dataset:
        read = dataset["v"].attrs["numbers"]
        assert (read.dtype, read.shape) == (np.dtype("f4"), (0,))
    other, as_stored = ("zarr,v2", "") if "v3" in mode else ("zarr,v3", [])
    ncz.copy(tmp_path / "p.zarr", tmp_path / "o.zarr", modes=other.split(","))
    assert list(ncz.diff(tmp_path / "f.nc", tmp_path / "o.zarr")) == []
    made = objects_of(tmp_path / "o.zarr")
    document_of_v = json.loads(made.get("v/.zattrs", made.get("v/zarr.json", b"")))
    written = document_of_v.get("attributes", document_of_v)
    assert (written["numbers"], written["enums"]) == (as_stored, as_stored)


def test_without_annotations_losses_are_named(tmp_path):
    ncz.gen(io.BytesIO(CDL), tmp_path / "n.zarr", notify=ignore_notice)
    source, target, told = tmp_path / "n.zarr", tmp_path / "p.zarr", "unlimited dimensions become"
    with pytest.raises(ncz.LossError, match=told):
        ncz.copy(source, target, modes=["zarr"], annotations=False, notify=ignore_notice)
    with pytest.raises(ncz.LossError, match=told):
        ncz.copy(source, target, modes=["zarr"], consolidated=False, notify=ignore_notice)


def test_no_document_of_a_node_has_annotations(objects):
    nodes = {key: data for key, data in objects.items() if key != ".zmetadata"}
    texts = [data for key, data in nodes.items() if key.endswith(("json", ".zattrs", ".zarray"))]
    root = json.loads(objects.get(".zmetadata", objects.get("zarr.json", b"")))
    kept = root if ".zmetadata" in objects else root["consolidated_metadata"]
    assert kept["nczarr"]["version"] == 1
    assert not [text for text in texts if b"_nczarr" in text]
    assert not [text for text in objects.values() if b"\\ud" in text]  # is not valid JSON


def test_a_vast_array_whose_zeros_are_left_out_is_read_by_the_chunks_that_exist(tmp_path):
    text = b'netcdf s { dimensions: x = 8 ; variables: char c(x) ; data: c = "abcdefgh" ; }'
    ncz.gen(
        io.BytesIO(text), tmp_path / "s.zarr", modes=["zarr", "consolidated"], notify=ignore_notice
    )
    objects = objects_of(tmp_path / "s.zarr")
    vast = {"shape": [2**31], "chunks": [8], "fill_value": None, "compressor": None}
    found, _ = opened(changed(objects, "c/.zarray", **vast, filters=None))
    variable = dict(variables_by_fqn(found.root))["/c"]
    assert isinstance(variable.data, ZeroedArray)
    assert printed(found).endswith(b'c = "abcdefgh" ;\n}\n')  # the rest is NUL
    with pytest.raises(FormatError, match=r"1 of 268,435,456 chunks exist, and fill_value is null"):
        next(iter(variable.data.present()))


def test_a_copy_of_a_vast_array_whose_zeros_are_left_out_is_refused(tmp_path):
    text = b"netcdf s { dimensions: x = 2 ; variables: short v(x) ; data: v = 1, 2 ; }"
    modes = ["zarr", "consolidated"]
    ncz.gen(io.BytesIO(text), tmp_path / "s.zarr", modes=modes, notify=ignore_notice)
    vast = {"shape": [2**31], "chunks": [8], "fill_value": None}
    document, collected = tmp_path / "s.zarr" / "v" / ".zarray", tmp_path / "s.zarr" / ".zmetadata"
    changed_document = json.loads(document.read_bytes()) | vast
    document.write_text(json.dumps(changed_document))
    everything = json.loads(collected.read_bytes())
    everything["metadata"]["v/.zarray"] = changed_document
    collected.write_text(json.dumps(everything))
    with pytest.raises(FormatError, match=r"1 of 268,435,456 chunks exist, and fill_value is null"):
        ncz.copy(tmp_path / "s.zarr", tmp_path / "t.zarr", notify=ignore_notice)
    assert not (tmp_path / "t.zarr").exists()


@pytest.mark.parametrize("target", ["t.zarr", "t.zip", "t.json"])
@pytest.mark.parametrize("check_data", [False, True])
def test_zeros_that_another_program_left_out_are_copied(tmp_path, target, check_data):
    """Chunks move raw, and the fill value of the copy is another one."""
    text = b"""netcdf s { dimensions: x = 4 ;
      variables: ubyte v(x) ; v:_ChunkSizes = 2 ; data: v = 1, 2, 0, 0 ; }"""
    source = tmp_path / "s.zarr"
    ncz.gen(io.BytesIO(text), source, modes=["zarr"], notify=ignore_notice)
    assert json.loads((source / "v/.zarray").read_bytes())["fill_value"] is None
    (source / "v/1").unlink()
    with ncz.open(source) as dataset:
        assert dataset["v"][:].tolist() == [1, 2, 0, 0]
    if target.endswith(".json"):
        ncz.copy(source, tmp_path / "refs.json", notify=ignore_notice)
        source, target = tmp_path / "refs.json", "t.zarr"
    ncz.copy(source, tmp_path / target, check_data=check_data, notify=ignore_notice)
    with ncz.open(tmp_path / target) as dataset:
        assert dataset["v"][:].tolist() == [1, 2, 0, 0]


def test_a_scalar_has_no_mask_that_is_not_annotated(tmp_path):
    """netCDF-C takes the fill value of a bare scalar for one."""
    text = b"netcdf s { variables: int i ; data: i = 0 ; }"
    ncz.gen(io.BytesIO(text), tmp_path / "s.zarr", modes=["nczarr"], notify=ignore_notice)
    dumped = json.loads(ncz.dump(tmp_path / "s.zarr", view="json"))
    dumped["variables"]["i"]["storage"] = {"chunks": [], "fill": 0}
    (tmp_path / "s.json").write_text(json.dumps(dumped))
    ncz.gen(tmp_path / "s.json", tmp_path / "t.zarr", modes=["zarr"], notify=ignore_notice)
    with ncz.open(tmp_path / "t.zarr") as dataset:
        assert not dataset["i"].attrs
        assert dataset["i"][...] == 0

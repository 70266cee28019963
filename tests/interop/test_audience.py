"""The table of readers is true: they read stores of ``--for``, and nothing that a row excludes."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.formats.zarr.readers.programs import READERS
from tests.interop.contents.writing import Version
from tests.interop.peers.peers import PEERS, Request, absent, ask
from tests.interop.plain import from_json
from tests.interop.readers import read
from tests.interop.targets import Done, run_ncz

CDL = """netcdf x {
dimensions: n = 4 ; m = 6 ;
variables: int v(n) ; v:_DeflateLevel = 5 ; v:_Shuffle = "true" ;
double f(n, m) ; f:_Codecs = "[{\\"id\\": \\"lzma\\"}]" ;
char c(n) ; string w(n) ; float s ;
data: v = 1, 2, 3, 4 ;
f = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23 ;
c = "abcd" ; w = "a", "bb", "ccc", "Ø" ; s = 1.5 ;
}
"""
EXPECTED = {
    "v": [1, 2, 3, 4],
    "f": np.arange(24.0).reshape(4, 6).tolist(),
    "c": ["a", "b", "c", "d"],
    "w": ["a", "bb", "ccc", "Ø"],
    "s": 1.5,
}
PEER_OF = {"zarr-python-2": "zarr-2", **{name: name for name in PEERS}}


def gen(folder: Path, *options: str, text: str = CDL, suffix: str = "zarr") -> tuple[Path, Done]:
    source, store = folder / "x.cdl", folder / f"target.{suffix}"
    source.write_text(text)
    done, _ = run_ncz("gen", str(source), "-o", str(store), "--overwrite", *options)
    return store, done


def seen(reader: str, store: Path) -> dict[str, Any]:
    """Return values as lists by name, with text for bytes; skip if the reader is absent."""
    if reader in ("xarray", "zarr-python"):
        pytest.importorskip("zarr", reason="zarr is not installed")
        found = read("xarray" if reader == "xarray" else "zarr-3", store).arrays
        return {path.lstrip("/"): _listed(array.values) for path, array in found.items()}
    peer = PEER_OF[reader]
    if reason := absent(peer):
        pytest.skip(reason)
    with ncz.open(store, notify=lambda _: None) as dataset:
        made = dataset.record.provenance
    zarr_format: Version = 3 if made.zarr_format == 3 else 2
    request = Request(store, zarr_format, "nczarr" if made.superblock else "zarr")
    (answer,) = ask(peer, [request])
    arrays = answer.get("arrays", {})
    return {
        path.lstrip("/"): _listed(from_json(values))
        for path, values in arrays.items()
        if "error" not in values
    }


def _listed(values: Any) -> Any:
    def text(value: Any) -> Any:
        if isinstance(value, list):
            return [text(each) for each in value]
        return value.decode("utf-8") if isinstance(value, bytes) else value

    return text(np.asarray(getattr(values, "values", values)).tolist())


@pytest.mark.parametrize("reader", [name for name in READERS if name != "gdal"])
def test_a_store_for_a_reader_is_read_by_it(reader, tmp_path):
    store, done = gen(tmp_path, "--for", reader)
    assert done.code == 0, done.error
    assert seen(reader, store) == EXPECTED


@pytest.mark.parametrize(
    "readers",
    ["zarr-python,tensorstore", "xarray,zarr-python-2,zarrita", "zarrs,zarrita,tensorstore"],
)
def test_a_store_for_several_readers_is_read_by_all(readers, tmp_path):
    store, done = gen(tmp_path, "--for", readers)
    assert done.code == 0, done.error
    for reader in readers.split(","):
        assert seen(reader, store) == EXPECTED, reader


def test_numbers_are_written_for_netcdf_c_and_xarray_alike(tmp_path):
    text = "netcdf x { dimensions: n = 2 ; variables: int v(n) ; data: v = 1, 2 ; }"
    store, done = gen(tmp_path, "--for", "netcdf-c,xarray,tensorstore", text=text)
    assert done.code == 0, done.error
    for reader in ("netcdf-c", "xarray"):
        assert seen(reader, store) == {"v": [1, 2]}


TEXTS = {
    "char": ("char a(n) ;", 'a = "xy" ;', ["x", "y"]),
    "scalar": ("int a ;", "a = 7 ;", 7),
    "string": ("string a(n) ;", 'a = "xx", "y" ;', ["xx", "y"]),
    "zip": ("int a(n) ;", "a = 1, 2 ;", [1, 2]),
    "number": ("int a(n) ; a:limits = 0., NaN ;", "a = 1, 2 ;", [1, 2]),
}
OPTIONS = {
    ("char", ">S1"): (),
    ("char", "|S1"): ("--mode", "zarr"),
    ("char", "uint8"): ("--zarr-format", "3"),
    ("char", "bytes"): ("--zarr-format", "3", "--mode", "zarr"),
    ("scalar", "[1]"): (),
    ("scalar", "[]"): ("--mode", "zarr"),
    ("string", "vlen"): ("--for", "xarray", "--mode", "zarr", "--zarr-format", "2"),
    ("string", "string"): ("--zarr-format", "3"),
    ("zip", "folder"): (),
    ("number", "bare-v2"): (),
    ("number", "bare-v3"): ("--zarr-format", "3", "--mode", "zarr"),
}
ROWS = [
    (name, feature)
    for name, reader in READERS.items()
    for feature in sorted(reader.unread)
    if feature in OPTIONS
    and name != "gdal"
    and (name, feature) != ("netcdf-c", ("char", "|S1"))  # has a separate test
    and (feature[0] != "zip" or name in ("xarray", "zarr-python"))
]


@pytest.mark.parametrize(("reader", "feature"), ROWS, ids=lambda x: "-".join(x) if x else "")
def test_excluded_forms_of_a_row_are_not_read(reader, feature, tmp_path):
    variable, data, values = TEXTS[feature[0]]
    text = f"netcdf x {{ dimensions: n = 2 ; variables: {variable} data: {data} }}"
    suffix = "zip" if feature[0] == "zip" else "zarr"
    store, done = gen(tmp_path, *OPTIONS[feature], text=text, suffix=suffix)
    assert done.code == 0, done.error
    found: dict[str, Any] = {}
    with contextlib.suppress(Exception):  # of any kind: the reader does not open the store
        found = seen(reader, store)
    assert found != {"a": values}


UNAVOIDABLE = {
    ("enum", "number"): ("byte enum e { a = 0, b = 1 }", "e", "b, a", [1, 0]),
    ("vlen", "text"): ("string(*) w", "w", '{"a"}, {"b", "c"}', ['["a"]', '["b", "c"]']),
}


@pytest.mark.parametrize(
    ("reader", "feature"),
    [(n, f) for n, r in READERS.items() for f in UNAVOIDABLE if f in r.unavoidable and n != "gdal"],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else value,
)
def test_differences_in_every_form_have_a_notice(reader, feature, tmp_path):
    declared, name, data, shown = UNAVOIDABLE[feature]
    text = f"""netcdf x {{ types: {declared} ; dimensions: n = 2 ; variables: {name} a(n) ;
    data: a = {data} ; }}"""
    store, done = gen(tmp_path, "--for", reader, text=text)
    assert done.code == 0, done.error
    assert any(f"{reader} misreads" in notice for notice in done.notices)
    assert seen(reader, store) == {"a": shown}
    copied, _ = run_ncz("copy", str(store), str(tmp_path / "b.zarr"), "--for", reader)
    assert any(f"{reader} misreads" in notice for notice in copied.notices)


HIDDEN = """netcdf x {{ dimensions: x = 3 ; variables: int a(x) ; data: a = 1, 2, 3 ;
group: g {{ dimensions: x = 2 ; variables: int b(x) ;{} data: b = 1, 2 ; }} }}"""


def test_xarray_opens_groups_but_no_tree_of_hidden_dimensions(tmp_path):
    xarray = pytest.importorskip("xarray", reason="xarray is not installed")
    pytest.importorskip("zarr", reason="zarr is not installed")
    text = HIDDEN.format("")
    store, done = gen(tmp_path, "--for", "xarray", text=text)
    assert any("xarray misreads a dimension" in n for n in done.notices)
    assert xarray.open_zarr(store, group="g", consolidated=False)["b"].values.tolist() == [1, 2]
    with pytest.raises(ValueError, match="not aligned"):  # or the notice can go
        xarray.open_datatree(store, engine="zarr", consolidated=False)


@pytest.mark.parametrize("form", [("nczarr", "2"), ("nczarr", "3"), ("zarr", "2"), ("zarr", "3")])
def test_xarray_and_netcdf_c_do_not_open_two_lengths_of_a_name(form, tmp_path):
    xarray = pytest.importorskip("xarray", reason="xarray is not installed")
    pytest.importorskip("zarr", reason="zarr is not installed")
    flavour, version = form
    options = ("--mode", flavour, "--zarr-format", version)
    store, done = gen(tmp_path, *options, text=HIDDEN.format(" int c(/x) ;"))
    assert any("several lengths" in notice for notice in done.notices) == (flavour == "zarr")
    findings = ncz.check(store, audience=("xarray",)).findings
    assert any("several lengths" in finding.message for finding in findings)
    with pytest.raises(ValueError, match="conflicting sizes"):
        xarray.open_groups(store, engine="zarr", consolidated=False)
    if form == ("zarr", "2"):
        assert seen("netcdf-c", store) == {}
    _, refused = gen(tmp_path, "--for", "xarray", text=HIDDEN.format(" int c(/x) ;"))
    assert (refused.code, "several lengths" in (refused.error or "")) == (2, True)


def test_netcdf_c_reads_char_of_pure_zarr_as_string(tmp_path):
    netcdf4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
    text = 'netcdf x { dimensions: n = 2 ; variables: char a(n) ; data: a = "xy" ; }'
    types = []
    for options in (("--for", "netcdf-c"), ("--mode", "zarr")):
        store, _ = gen(tmp_path, *options, text=text)
        mode = "zarr" if "zarr" in options else "nczarr"
        with netcdf4.Dataset(f"file://{store}#mode={mode},file") as dataset:
            types.append(dataset["a"].dtype)
    assert types == ["S1", str]


CODEC = """netcdf x { dimensions: n = 4 ;
variables: int v(n) ; v:_Codecs = "[{\\"id\\": \\"lzma\\"}]" ;
data: v = 1, 2, 3, 4 ; }"""


@pytest.mark.parametrize(
    ("options", "told", "asked"),
    [
        (("--zarr-format", "2"), ("netcdf-c",), ("tensorstore", "zarrita")),
        (("--zarr-format", "3"), (), ("tensorstore", "zarrita", "gdal")),
    ],
)
def test_a_notice_names_the_readers_that_do_not_decode_a_codec(options, told, asked, tmp_path):
    store, done = gen(tmp_path, *options, text=CODEC)
    names = [f"{reader} cannot decode lzma (/v)" for reader in told]
    assert [name in notice for name, notice in zip(names, done.notices, strict=True)] == [
        True for _ in told
    ]
    for reader in (*told, *asked):
        _, checked = run_ncz("check", "--for", reader, str(store))
        words = f"{READERS[reader].title} does not decode chunks of the codec lzma"
        assert words in checked.decode()
    for reader in {*told, *asked} - {"gdal"}:  # test_gdal reads with it
        found: dict[str, Any] = {}
        with contextlib.suppress(Exception):  # of any kind: the reader does not open the store
            found = seen(reader, store)
        assert not found, reader
    assert seen("zarr-python", store) == {"v": [1, 2, 3, 4]}


def test_scalars_of_nczarr_are_named_and_open_in_netcdf_c(tmp_path):
    text = "netcdf x { variables: int s ; s:_DeflateLevel = 5 ; data: s = 3 ; }"
    store, done = gen(tmp_path, "--zarr-format", "2", text=text)
    told = " ".join(done.notices)
    assert "stored without codecs" in told
    assert "shape [1]" in told
    assert seen("netcdf-c", store) == {"s": 3}
    assert seen("zarr-python", store) == {"s": [3]}

"""User-defined types of any nesting in HDF5 files: through files and stores, and by peers."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz
from ncz.errors import LossError, Notice, ignore_notice
from ncz.formats.create_options import CreateOptions
from ncz.formats.opening import create_dataset, open_dataset
from ncz.model.data import read_all
from ncz.model.tree import Dataset, Variable, variables_by_fqn
from ncz.model.types import Atomic, Compound, Enumeration, NcType, Opaque, Value, Vlen
from ncz.zmap.file import LocalFile
from ncz.zmap.location import parse_location
from tests.sampled import sampled, share_of
from tests.user_types import strategies
from tests.user_types.netcdf_c import NEEDS_NETCDF_BIN, ncdump


def has_nul(value: Value, nc_type: NcType) -> bool:
    """Return whether a value has a string with a NUL, which HDF5 cannot store."""
    match nc_type:
        case Atomic.STRING:
            return value is not None and "\0" in value
        case Vlen(base=base):
            return any(has_nul(item, base) for item in value)
        case Compound(fields=fields):
            return any(
                has_nul(item, part.type)
                for own, part in zip(value, fields, strict=True)
                for item in (own if part.shape else [own])
            )
        case _:
            return False


def write(dataset: Dataset, path: Path) -> None:
    options = CreateOptions(kind="netCDF-4")
    create_dataset(dataset, parse_location(str(path)), options, notify=ignore_notice)


def contents(path: Path) -> tuple[Any, list[Notice]]:
    """Return the types, the attributes and the values of a file, by the bits of numbers."""
    notices: list[Notice] = []
    with open_dataset(parse_location(str(path)), notify=notices.append) as opened:
        return told(opened.dataset), notices


def elements(variable: Variable) -> list[Value]:
    assert variable.data is not None
    return list(read_all(variable.data).tolist())


def told(dataset: Dataset) -> str:
    values = [(v.name, v.type, elements(v)) for v in dataset.root.variables]
    attributes = [(a.name, a.type, a.values) for a in dataset.root.attributes]
    return repr((dataset.root.types, values, attributes))


def writable(dataset: Dataset) -> bool:
    """Return whether HDF5 has the names of types, and h5py writes the members of all enums."""
    enums = [t for t in dataset.root.types if isinstance(t, Enumeration)]
    taken = {"/n", *(f"/{variable.name}" for variable in dataset.root.variables)}
    forms = {form_of(t) for t in dataset.root.types}  # the type of a field is the first equal one
    return (
        taken.isdisjoint(t.name for t in dataset.root.types)
        and len(forms) == len(dataset.root.types)
        and all(number < 2**63 for t in enums for _, number in t.members)
    )


def form_of(nc_type: NcType) -> Any:
    """Return a key that equal datatypes of HDF5 share; they have no names."""
    match nc_type:
        case Opaque(size=size):
            return size
        case Enumeration(base=base, members=members):
            return base, frozenset(members)
        case Vlen(base=base):
            return "vlen", form_of(base)
        case Compound(fields=fields):
            return frozenset((part.name, form_of(part.type), part.shape) for part in fields)
        case _:
            return nc_type


@given(strategies.datasets().filter(writable))
@settings(max_examples=share_of(60))
def test_a_file_keeps_types_and_values_of_any_nesting(dataset: Dataset):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.nc"
        if not is_storable(dataset):
            with pytest.raises(LossError, match="a string with a NUL byte"):
                write(dataset, path)
            return
        write(dataset, path)
        assert contents(path) == (told(dataset), [])


def is_storable(dataset: Dataset) -> bool:
    """Return whether a file can contain a dataset: no string in it has a NUL."""
    return writable(dataset) and not (
        any(has_nul(v, a.type) for a in dataset.root.attributes for v in a.values)
        or any(has_nul(element, v.type) for v in dataset.root.variables for element in elements(v))
    )


@given(strategies.datasets().filter(is_storable), st.sampled_from(["nczarr", "nczarr,v3"]))
@settings(max_examples=6)
def test_copies_to_stores_and_back_keep_types_and_values(dataset: Dataset, mode: str):
    with tempfile.TemporaryDirectory() as folder:
        file, store, again = f"{folder}/x.nc", f"{folder}/x.zarr", f"{folder}/y.nc"
        write(dataset, Path(file))
        ncz.copy(file, f"{store}#mode={mode}", notify=ignore_notice)
        ncz.copy(store, again, notify=ignore_notice)
        assert contents(Path(again)) == (told(dataset), [])


def test_a_type_cannot_have_the_name_of_something_else(tmp_path: Path):
    text = tmp_path / "x.cdl"
    text.write_text("netcdf x { types: opaque(2) n ; dimensions: n = 1 ; }")
    with pytest.raises(LossError, match="dimension /n next to a type of the same name"):
        ncz.gen(text, tmp_path / "x.nc", notify=ignore_notice)


CDL = """netcdf x {
types: char(*) text_t ; compound k_t { char c ; int i ; } ; text_t(*) texts_t ;
  compound m_t { int i ; char name(4) ; string s ; char c ; k_t k(2) ; texts_t t ; } ;
dimensions: n = 2 ; u = UNLIMITED ;
variables: text_t w(n) ; m_t x(n) ; k_t y(n) ; int t(u) ; string s(n) ;
  text_t z ; text_t z:_FillValue = {"q"} ; k_t kf(n) ; k_t kf:_FillValue = {"y", 7} ;
  m_t z:note = {1, {"ab"}, "", "x", {{"a", 1}, {"b", 2}}, {{"de"}, {""}}} ;
  k_t kk(u) ; k_t kk:_FillValue = {"z", 7} ; kk:_ChunkSizes = 1 ;
  text_t :a = {"abc"}, {"d"} ; string :s = NIL, "", "x" ;
data: w = {"abc"}, {"d"} ; y = {"a", 1}, {"b", 2} ; t = 1, 2, 3 ; kk = {"a", 1} ; s = NIL, "" ;
  x = {1, {"ab"}, "str", "c", {{"a", 1}, {"b", 2}}, {{"de"}, {""}}},
    {2, {"wxyz"}, NIL, "y", {{"c", 3}, {"d", 4}}, {}} ;
}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a file of chars and strings in user-defined types."""
    (tmp_path / "x.cdl").write_text(CDL)
    ncz.gen(tmp_path / "x.cdl", tmp_path / "x.nc", notify=ignore_notice)
    return tmp_path / "x.nc"


def test_peers_see_chars_and_strings_in_user_types(file: Path):
    with h5py.File(file) as opened:
        assert [bytes(b"".join(v)) for v in opened["w"][:]] == [b"abc", b"d"]
        assert opened["x"]["name"].tolist() == [[b"a", b"b", b"", b""], [b"w", b"x", b"y", b"z"]]
        assert opened["x"]["s"].tolist() == [b"str", b""]
        assert opened["x"]["k"].tolist() == [[(b"a", 1), (b"b", 2)], [(b"c", 3), (b"d", 4)]]
        assert opened["y"][:].tolist() == [(b"a", 1), (b"b", 2)]
        assert opened["kk"][:].tolist() == [(b"a", 1), (b"z", 7), (b"z", 7)]
        assert opened["kf"][:].tolist() == [(b"y", 7), (b"y", 7)]
        assert [bytes(b"".join(v)) for v in opened.attrs["a"]] == [b"abc", b"d"]
    netcdf = pytest.importorskip("netCDF4")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it leaves out nested types
        dataset = netcdf.Dataset(file)
    with dataset:
        dataset.set_auto_mask(False)
        assert [b"".join(v) for v in dataset["w"][:]] == [b"abc", b"d"]
        assert dataset["y"][:].tolist() == [(b"a", 1), (b"b", 2)]


@NEEDS_NETCDF_BIN
def test_ncdump_prints_the_chars(file: Path):
    theirs, ours = ncdump(file), ncz.dump(file, notify=ignore_notice)
    for line in (' y = {"a", 1}, {"b", 2} ;', ' kk = {"a", 1}, _, _ ;', " s = NIL, _ ;"):
        assert f"{line}\n" in theirs
        assert f"{line}\n" in ours
    assert " w = {a, b, c}, {d} ;" in theirs
    assert ' w = {"abc"}, {"d"} ;' in ours


def test_copies_of_files_of_netcdf4_python_keep_chars(tmp_path: Path):
    netcdf = pytest.importorskip("netCDF4")
    with netcdf.Dataset(tmp_path / "x.nc", "w") as dataset:
        dataset.createDimension("n", 2)
        kind = dataset.createVLType("S1", "text_t")
        variable = dataset.createVariable("v", kind, ("n",))
        variable[0] = np.array([b"a", b"b"])
        variable[1] = np.array([b"c"])
    ncz.copy(tmp_path / "x.nc", tmp_path / "y.nc", notify=ignore_notice)
    with netcdf.Dataset(tmp_path / "y.nc") as dataset:
        assert [b"".join(v) for v in dataset["v"][:]] == [b"ab", b"c"]


def h5py_file(path: Path) -> None:
    """Write a file as h5py does: of types without names."""
    record = np.dtype([("i", "i4"), ("d", "f8"), ("s", "S5")])
    nested = np.dtype([("i", "i4"), ("n", [("x", "i2"), ("y", "f4")])])
    with h5py.File(path, "w") as file:
        file["a"] = np.array([(1, 2.5, b"abc  ")], record)
        file["b"] = np.array([True, False])
        file["c"] = np.array([(1, (2, 3.0))], nested)
        file["cx"] = np.array([1 + 2j])
        file["e"] = np.array([1, 2], h5py.enum_dtype({"A": 1, "B": 2}, "u1"))
        file["o"] = np.array([b"xy"], "V2")
        file["u"] = np.array([(3, 4.5, b"e\xff")], record)
        file["v"] = np.array([(1, "é")], [("i", "i4"), ("s", h5py.string_dtype())])
        rows = file.create_dataset("w", (2,), h5py.vlen_dtype("i4"))
        rows[0] = [1, 2]
        file["a"].attrs["flag"] = True
        file["a"].attrs["pair"] = np.array([(1, 2)], [("p", "i2"), ("q", "i2")])
        file["g/k"] = np.array([(1.5,)], [("only", "f8")])
        file["g/z"] = np.array([False])


NAMES = {
    "a": "_AnonymousCompound1", "b": "_AnonymousEnum2", "c": "_AnonymousCompound3",
    "cx": "_AnonymousCompound4", "e": "_AnonymousEnum5", "o": "_AnonymousOpaque6",
    "u": "_AnonymousCompound1", "v": "_AnonymousCompound7", "w": "_AnonymousVlen8",
    "g/k": "_AnonymousCompound9", "g/z": "_AnonymousEnum2",
}  # fmt: skip


def test_types_without_names_are_read(tmp_path: Path):
    h5py_file(tmp_path / "x.h5")
    notices: list[Notice] = []
    with open_dataset(parse_location(str(tmp_path / "x.h5")), notify=notices.append) as opened:
        found = {fqn: v.type for fqn, v in variables_by_fqn(opened.dataset.root)}
    assert {name: getattr(found[f"/{name}"], "name", "").rpartition("/")[2] for name in NAMES} == (
        NAMES
    )
    text = ncz.dump(tmp_path / "x.h5", notify=notices.append)
    for line in (
        ' a = {1, 2.5, {"abc  "}} ;', " b = TRUE, FALSE ;", " c = {1, {2, 3}} ;", " e = A, B ;",
        ' u = {3, 4.5, {"e\\377"}} ;', ' v = {1, "é"} ;', " w = {1, 2}, {} ;",
        "\t\t_AnonymousEnum2 a:flag = TRUE ;", "\t\t_AnonymousCompound10 a:pair = {1, 2} ;",
    ):  # fmt: skip
        assert f"{line}\n" in text
    assert notices == []


@pytest.mark.parametrize("target", ["y.nc", "y.zarr", "y.zarr#mode=nczarr,v3"])
def test_types_without_names_are_kept_by_copies(tmp_path: Path, target: str):
    h5py_file(tmp_path / "x.h5")
    ncz.copy(tmp_path / "x.h5", f"{tmp_path}/{target}", verify=True, notify=ignore_notice)
    copied = ncz.dump(f"{tmp_path}/{target}", name="x", notify=ignore_notice)
    assert (
        copied.partition("variables:")[2]
        == (ncz.dump(tmp_path / "x.h5", notify=ignore_notice).partition("variables:")[2])
    )


def test_netcdf_c_gives_the_same_names(tmp_path: Path):
    h5py_file(tmp_path / "x.h5")
    code = (
        "import netCDF4, sys, os, warnings; warnings.simplefilter('ignore')\n"
        "d = netCDF4.Dataset(sys.argv[1])\n"
        "for g in (d, d['g']):\n"
        "  for n, v in g.variables.items():\n"
        "    print(g.path.strip('/') + '/' * (g is not d) + n, v.datatype.name, flush=True)\n"
        "os._exit(0)"  # netCDF-C 4.10.1 crashes when it closes the file
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "x.h5")], capture_output=True, check=False
    )
    if done.returncode != 0 or b"_Anonymous" not in done.stdout:
        pytest.skip("this netCDF-C reads no types without names")
    seen = dict(line.split() for line in done.stdout.decode().splitlines())
    assert len(seen) >= 8
    assert {name: NAMES[name] for name in seen} == seen


def test_texts_padded_with_blanks_keep_them(tmp_path: Path):
    kind = h5py.h5t.C_S1.copy()
    kind.set_size(4)
    with h5py.File(tmp_path / "x.h5", "w") as file:
        for name, pad in (("b", h5py.h5t.STR_SPACEPAD), ("n", h5py.h5t.STR_NULLTERM)):
            kind.set_strpad(pad)
            space = h5py.h5s.create_simple((2,))
            made = h5py.h5d.create(file.id, name.encode(), kind, space)
            made.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([b"ab  ", b"c\0xy"], "S4"), kind)
    text = ncz.dump(tmp_path / "x.h5", notify=ignore_notice)
    assert ' b = "ab  ", "c\\000xy" ;' in text or ' b = "ab  ", "c" ;' in text
    assert ' n = "ab  ", "c" ;' in text


HIDING = """netcdf t { types: int(*) T ;
group: g { types: int(*) T ; T(*) VT ; compound C { T t ; } ;
dimensions: n = 1 ; variables: VT v(n) ; C c(n) ; T w(n) ; T w:a = {1} ;
data: v = {{1}} ; c = {{1, 2}} ; w = {4} ;
group: h { dimensions: m = 1 ; variables: T x(m) ; data: x = {1} ; } } }
"""


@pytest.mark.parametrize("name", ["t.nc", "t.zarr"])
def test_equal_types_of_fields_and_items_match_the_nearest_group(tmp_path: Path, name: str):
    (tmp_path / "t.cdl").write_text(HIDING)
    ncz.gen(tmp_path / "t.cdl", tmp_path / name, notify=ignore_notice)
    text = ncz.dump(tmp_path / name, notify=ignore_notice)
    assert "T(*) VT ;" in text
    assert "/T" not in text


NIL = """netcdf x { dimensions: n = 3 ; variables: string s(n) ; string only(n) ;
string :nil = NIL, "", "x" ; data: s = NIL, "", "x" ; only = NIL, "y", NIL ; }
"""


@pytest.mark.parametrize(
    ("mode", "written"),
    [
        ("zarr", ["", "", "x"]), ("zarr,v3", ["", "", "x"]),
        ("nczarr", [None, "", "x"]), ("nczarr,v3", [None, "", "x"]),
        ("zarr,consolidated", [None, "", "x"]),
    ],
)  # fmt: skip
def test_stores_name_lost_nil_values(tmp_path: Path, mode: str, written: list[Value]):
    notices: list[Notice] = []
    (tmp_path / "x.cdl").write_text(NIL)
    ncz.gen(
        tmp_path / "x.cdl",
        f"{tmp_path}/x.zarr#mode={mode}",
        consolidated="consolidated" in mode,
        allow_loss=True,
        notify=notices.append,
    )
    assert [n.location for n in notices if n.code == "string-nil"] == ["/s"]
    assert len([n for n in notices if n.code == "attribute-nil"]) == (None not in written)
    with open_dataset(parse_location(str(tmp_path / "x.zarr"))) as opened:
        (attribute,) = opened.dataset.root.attributes
    assert list(attribute.values) == written


EMPTY = """netcdf x { dimensions: n = 3 ; variables: string s(n) ; string all(n) ; string sc ;
string nil(n) ; data: s = "", "", "x" ; all = "", "", "" ; sc = "" ; nil = NIL, "y", NIL ; }
"""


@pytest.mark.parametrize(
    ("mode", "is_kept", "again"),
    sampled(
        (
            (mode, mode.startswith("nczarr") or mode.endswith("consolidated"), again)
            for mode in (
                "zarr", "zarr,v3", "nczarr", "nczarr,v3", "zarr,consolidated",
                "zarr,v3,consolidated",
            )
            for again in ("", "nczarr", "zarr,v3,consolidated")
        ),
        4,
    ),
)  # fmt: skip
def test_stores_keep_empty_strings_or_say_that_they_do_not(
    tmp_path: Path, mode: str, is_kept: bool, again: str
):
    (tmp_path / "x.cdl").write_text(EMPTY)
    ncz.gen(tmp_path / "x.cdl", tmp_path / "x.nc")
    notices: list[Notice] = []
    store = f"{tmp_path}/x.zarr#mode={mode}"
    ncz.copy(tmp_path / "x.nc", store, annotations=is_kept, notify=notices.append)
    if again:
        ncz.copy(f"{tmp_path}/x.zarr", f"{tmp_path}/a.zarr#mode={again}", notify=notices.append)
    ncz.copy(tmp_path / ("a.zarr" if again else "x.zarr"), tmp_path / "y.nc", notify=notices.append)
    told = sorted(str(n.location) for n in notices if n.code == "string-nil")
    assert told == ([] if is_kept else ["/all", "/s", "/sc"])
    texts = [ncz.dump(tmp_path / name, notify=ignore_notice) for name in ("x.nc", "y.nc")]
    expected = 's = _, _, "x"' if is_kept else 's = NIL, NIL, "x"'
    assert [expected in text and 'nil = NIL, "y", NIL' in text for text in texts] == [is_kept, True]


def test_a_text_with_empty_strings_gives_a_notice_that_nczarr_reads_them_as_nil(tmp_path: Path):
    notices: list[Notice] = []
    (tmp_path / "x.cdl").write_text(EMPTY)
    ncz.gen(tmp_path / "x.cdl", tmp_path / "x.zarr", notify=notices.append)
    told = sorted(str(n.location) for n in notices if n.code == "string-nil")
    assert told == ["/all", "/s", "/sc"]


def test_files_keep_nil_and_empty_strings(tmp_path: Path):
    notices: list[Notice] = []
    (tmp_path / "x.cdl").write_text(NIL)
    ncz.gen(tmp_path / "x.cdl", tmp_path / "x.nc", notify=notices.append)
    ncz.copy(tmp_path / "x.nc", tmp_path / "y.nc", notify=notices.append)
    assert notices == []
    text = ncz.dump(tmp_path / "y.nc", notify=ignore_notice)
    assert 'string :nil = NIL, "", "x" ;' in text
    assert ' s = NIL, _, "x" ;' in text
    assert ' only = NIL, "y", NIL ;' in text


def test_many_values_are_read_with_one_read_of_each_part_of_the_heap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        rows = file.create_dataset("rows", (3000,), h5py.vlen_dtype("i4"), chunks=(500,))
        rows[:] = [np.arange(n % 40, dtype="i4") for n in range(3000)]
    read: list[int] = []
    with monkeypatch.context() as patch:
        patch.setattr(LocalFile, "read", counted(LocalFile.read, read))
        with open_dataset(parse_location(str(tmp_path / "x.h5"))) as opened:
            (variable,) = opened.dataset.root.variables
            read.clear()
            assert variable.data is not None
            values = read_all(variable.data).tolist()
    assert values == [tuple(range(n % 40)) for n in range(3000)]
    assert len(read) > 10
    assert len(read) == len(set(read))


def counted(function: Callable[..., bytes], offsets: list[int]) -> Callable[..., bytes]:
    """Return a function that reads a file, and notes the offsets."""

    def read(self: LocalFile, start: int, count: int) -> bytes:
        offsets.append(start)
        return function(self, start, count)

    return read

"""netCDF files that ncz writes: chunks that move raw, losses, and whole or nothing."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

import ncz
from tests.conftest import Run

CDL = """netcdf x {
dimensions: t = UNLIMITED ; y = 6 ; x = 10 ;
variables:
  float a(t, y, x) ; a:_ChunkSizes = 1, 3, 4 ; a:_DeflateLevel = 4 ; a:_Shuffle = "true" ;
    a:_FillValue = -1.f ; a:_Fletcher32 = "true" ;
  int b(y, x) ; b:_ChunkSizes = 3, 5 ; b:_DeflateLevel = 1 ; b:_Endianness = "big" ;
  short z(y, x) ; z:_ChunkSizes = 2, 5 ; z:_Filter = "32015,3" ;
  short other(y, x) ; other:_ChunkSizes = 2, 5 ; other:_Codecs = "[{\\"id\\": \\"lzma\\"}]" ;
  string s(y) ; char c(y) ; double k ;
data:
  a = A ;
  b = B ; z = B ; other = B ; s = "one", "two", NIL, "", "five", "six" ; c = "abc" ; k = 1.5 ;
}
"""
NUMBERS = ", ".join(map(str, range(60)))
RAW = ("a", "b")


@pytest.fixture
def store(tmp_path: Path, run: Run) -> Path:
    """Make a store without the chunks a/1.1.0 and b/0.1."""
    path = tmp_path / "x.zarr"
    text = CDL.replace("= A ;", f"= {NUMBERS}, {NUMBERS} ;").replace("= B ;", f"= {NUMBERS} ;")
    assert run("gen", "-", "-o", path, stdin=text.encode()).code == 0
    (path / "a" / "1.1.0").unlink()
    (path / "b" / "0.1").unlink()
    return path


def plan(run: Run, *arguments: str | Path) -> dict[str, dict[str, object]]:
    done = run("copy", "--dry-run", "--json", *arguments)
    assert done.code == 0, done.stderr
    return {row["name"]: row for row in json.loads(done.text)["variables"]}


def test_encoded_chunks_move_without_decoding(store: Path, run: Run, tmp_path):
    target = tmp_path / "x.nc"
    ways = {name: row["way"] for name, row in plan(run, store, target).items()}
    assert ways == {
        **dict.fromkeys(("/a", "/b", "/c"), "raw"),
        **dict.fromkeys(("/z", "/other"), "recode"),
        **dict.fromkeys(("/s", "/k"), "write"),
    }
    assert run("copy", store, target).code == 0
    with h5py.File(target) as file:
        for name in RAW:
            dataset = file[name]
            stored = {}
            for number in range(dataset.id.get_num_chunks()):
                offset = dataset.id.get_chunk_info(number).chunk_offset
                mask, data = dataset.id.read_direct_chunk(offset)
                index = [o // n for o, n in zip(offset, dataset.chunks, strict=True)]
                assert mask == 0
                stored[".".join(map(str, index))] = data
            chunks = {p.name: p.read_bytes() for p in (store / name).iterdir() if p.name[0] != "."}
            assert stored == chunks


def test_filters_match_the_codecs(store: Path, run: Run, tmp_path):
    target = tmp_path / "x.nc"
    assert run("copy", store, target).code == 0
    with h5py.File(target) as file:
        filters = {
            name: [file[name].id.get_create_plist().get_filter(i)[::2] for i in range(n)]
            for name in ("a", "b", "z", "other", "s")
            for n in [file[name].id.get_create_plist().get_nfilters()]
        }
    assert filters == {
        "a": [(2, (4,)), (1, (4,)), (3, ())],
        "b": [(1, (1,))],
        "z": [(1, (4,))],
        "other": [(1, (4,))],
        "s": [],
    }


def test_a_requested_filter_is_kept_without_compressing_again(store: Path, run: Run, tmp_path):
    target, options = tmp_path / "x.nc", ["-V", "z", "--codec", "zstd:3"]
    assert plan(run, *options, store, target)["/z"]["way"] == "raw"
    assert run("copy", *options, store, target).code == 0
    with h5py.File(target) as file:
        assert file["z"].id.get_create_plist().get_filter(0)[::2] == (32015, (3,))
        assert file["z"].id.read_direct_chunk((0, 0)) == (0, (store / "z" / "0.0").read_bytes())


def test_gzip_becomes_zlib_without_compressing_again(store: Path, run: Run, tmp_path):
    third, target = tmp_path / "third.zarr", tmp_path / "x.nc"
    assert run("copy", "-V", "b", "--zarr-format", "3", store, third).code == 0
    assert '"gzip"' in (third / "b" / "zarr.json").read_text()
    assert plan(run, third, target)["/b"]["codecs"] == [{"id": "zlib", "level": 1}]
    done = run("copy", third, target)
    assert (done.code, done.stderr) == (0, "")
    with h5py.File(target) as file:
        assert file["b"].id.read_direct_chunk((0, 0)) == (0, (store / "b" / "0.0").read_bytes())


def test_missing_chunks_stay_missing(store: Path, run: Run, tmp_path):
    target = tmp_path / "x.nc"
    assert run("copy", store, target).code == 0
    with h5py.File(target) as file:
        assert file["a"].id.get_num_chunks() == 11
        assert file["a"].fillvalue == -1
        assert file["b"].id.get_num_chunks() == 3
        assert file["b"][0, 9] == -2147483647


@pytest.mark.parametrize("engine", ["netcdf4", "h5netcdf"])
@pytest.mark.parametrize("decoded", [False, True])
def test_xarray_sees_equal_datasets(store: Path, run: Run, tmp_path, engine, decoded):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip({"netcdf4": "netCDF4"}.get(engine, engine))
    target = tmp_path / "x.nc"
    options = ["-V", "a,b,other,c,k"]  # other readers do not have all filters
    again = tmp_path / "again.zarr"
    assert run("copy", *options, store, target).code == 0
    assert run("copy", *options, "--allow-loss", "--mode", "zarr", store, again).code == 0
    how = {"mask_and_scale": decoded, "decode_times": decoded, "concat_characters": False}
    with (
        xarray.open_dataset(target, engine=engine, **how) as ours,
        xarray.open_dataset(again, engine="zarr", consolidated=False, **how) as theirs,
    ):
        assert sorted(ours.variables) == sorted(theirs.variables)
        for name in ("a", "other", "k"):
            np.testing.assert_array_equal(ours[name].values, theirs[name].values)
            assert ours[name].dims == theirs[name].dims


@pytest.mark.parametrize("kind", ["netCDF-4", "classic", "64-bit offset", "cdf5"])
def test_verify_finds_no_difference(store: Path, run: Run, tmp_path, kind):
    options = [] if kind == "netCDF-4" else ["-V", "a,b,z,c,k"]
    done = run("copy", *options, "--kind", kind, "--verify", "--json", store, tmp_path / "x.nc")
    assert done.code == 0, done.stderr
    assert json.loads(done.text)["values_compared"] > 240


def test_there_and_back_keeps_everything(store: Path, run: Run, tmp_path):
    file, again = tmp_path / "x.nc", tmp_path / "again.zarr"
    assert run("copy", store, file).code == 0
    assert run("copy", file, again).code == 0
    assert run("dump", "-n", "x", again).text == run("dump", "-n", "x", store).text


def test_losses_of_a_kind_are_listed_first(run: Run, tmp_path):
    text = """netcdf x { dimensions: t = UNLIMITED ; u = UNLIMITED ;
    variables: int v(t, u) ; string :s = "text" ; data: v = {1, 2}, {3, 4} ; }"""
    store, target = tmp_path / "x.zarr", tmp_path / "x.nc"
    assert run("gen", "-", "-o", store, stdin=text.encode()).code == 0
    shown = run("copy", "--dry-run", "-3", store, target)
    assert "loss: unlimited dimensions become fixed in a file of kind 'classic': /u" in shown.text
    assert "loss: string attributes become char in a file of kind 'classic': :s" in shown.text
    assert "target: classic" in shown.text
    refused = run("copy", "-3", store, target)
    assert refused.code == 1
    assert not target.exists()


STRINGS = """netcdf x {
dimensions: y = 3 ; x = 2 ; string5 = 7 ;
variables:
  string a(y) ; a:_FillValue = "none" ; a:units = "m" ;
  string b(y, x) ;
  string k ;
  int v(string5) ;
data: a = "one", "drei\u00dfig", _ ; b = "", "two", NIL, "xyz", "12345", "1" ; k = "abc" ; v = 7 ;
}"""


@pytest.mark.parametrize("kind", ["classic", "cdf5", "netCDF-4 classic model"])
def test_strings_become_char_in_kinds_without_them(kind, run: Run, tmp_path):
    store, target = tmp_path / "x.zarr", tmp_path / "x.nc"
    made = run("gen", "-", "-o", f"{store}#mode=zarr,v3", stdin=STRINGS.encode())
    assert made.code == 0, made.stderr
    refused = run("copy", "--kind", kind, store, target)
    assert refused.code == 1
    assert f"strings become char in a file of kind '{kind}': /a, /b, /k" in refused.stderr
    ran = run("copy", "--kind", kind, "--allow-loss", "--verify", store, target)
    assert ran.code == 0, ran.stderr
    text = run("dump", target).text
    assert "char a(y, string8)" in text
    assert "char b(y, x, string5_)" in text  # string5 is another dimension, of length 7
    assert "char k(string3)" in text
    assert "a:_FillValue" not in text
    with ncz.open(target) as found:
        assert found["a"].attrs == {"units": "m", "_Encoding": "utf-8"}
        rows = ["".join(c.decode("latin-1") for c in row) for row in found["a"][...].tolist()]
        assert rows == ["one", "drei\u00dfig".encode().decode("latin-1"), "none"]
        assert b"".join(found["b"][1, 1].tolist()) == b"xyz"
        assert b"".join(found["b"][1, 0].tolist()) == b""


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("variables: int64 i ;", "variable /i of the type int64"),
        ("group: g { }", "group /g"),
        ('string :s = "a", "b" ;', "attribute s of the type string"),
    ],
)
def test_types_outside_the_classic_model_are_refused(body, fault, run: Run, tmp_path):
    done = run("gen", "-7", "-", "-o", tmp_path / "x.nc", stdin=f"netcdf x {{ {body} }}".encode())
    assert done.code == 1
    assert f"'netCDF-4 classic model' cannot represent {fault}" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_text_may_become_char_in_a_classic_file(run: Run, tmp_path):
    """As in a copy of a file; ncgen fails."""
    text = b'netcdf x { dimensions: n = 2 ; variables: string s(n) ; data: s = "a", "bcd" ; }'
    done = run("gen", "-3", "-", "-o", tmp_path / "x.nc", stdin=text)
    assert (done.code, "strings become char" in done.stderr) == (1, True)
    assert "use --allow-loss" in done.stderr
    assert run("gen", "-3", "-", "-o", tmp_path / "x.nc", "--allow-loss", stdin=text).code == 0
    assert "char s(n, string3)" in run("dump", "-h", tmp_path / "x.nc").text


def test_user_defined_types_are_refused_by_name_in_classic_files(run: Run, tmp_path):
    text = b"netcdf x { types: opaque(4) raw ; variables: raw v ; }"
    done = run("gen", "-5", "-", "-o", tmp_path / "x.nc", stdin=text)
    assert done.code == 1
    assert "the user-defined type /raw" in done.stderr


@pytest.mark.parametrize("kind", ["netCDF-4", "cdf5"])
def test_an_error_in_the_middle_leaves_nothing(kind, store: Path, run: Run, tmp_path):
    (store / "z" / "2.1").write_bytes(b"damaged")
    before = sorted(path.name for path in tmp_path.iterdir())
    done = run("copy", "-V", "b,z,k", "-c", "/", "--kind", kind, store, tmp_path / "new.nc")
    assert done.code == 1
    assert "cannot be decoded by zstd" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_full_disk_is_one_line(store: Path, run: Run, tmp_path, monkeypatch):
    def refuse(*_: object) -> None:
        raise RuntimeError("Can't flush (file write failed: errno = 28, error message = '...')")

    monkeypatch.setattr("ncz.formats.hdf5.write.DatasetWriter.put", refuse)
    done = run("copy", "-V", "a", store, tmp_path / "new.nc")
    assert done.code == 1
    assert "new.nc: cannot write: No space left on device; free some space" in done.stderr
    assert list(tmp_path.glob("*.nc")) + list(tmp_path.glob(".ncz*")) == []


def test_an_audience_belongs_to_a_store(store: Path, run: Run, tmp_path):
    done = run("copy", "--for", "xarray", store, tmp_path / "new.nc")
    assert done.code == 1
    assert "--for chooses the form of a Zarr store" in done.stderr


def test_overwrite_replaces_a_netcdf_file_and_keeps_its_mode(run: Run, tmp_path):
    target = tmp_path / "x.nc"
    for kind, overwrite in (("nc4", ()), ("nc3", ("--overwrite",)), ("nc4", ("--overwrite",))):
        done = run("gen", "-k", kind, "-", "-o", target, *overwrite, stdin=b"netcdf x { :a = 1 ; }")
        assert done.code == 0, done.stderr
        target.chmod(0o640)
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert run("gen", "-", "-o", target, stdin=b"netcdf x { }").code == 1
    other = tmp_path / "notes.nc"
    other.write_text("not a netCDF file")
    done = run("gen", "-", "-o", other, "--overwrite", stdin=b"netcdf x { }")
    assert "it is a file of another kind" in done.stderr


@pytest.mark.parametrize(
    ("name", "options", "is_file"),
    [
        ("x.nc", [], True),
        ("x.NC4", [], True),
        ("x.cdf", [], True),
        ("x", ["-k", "nc4"], True),
        ("x.zarr", ["-k", "nc4"], False),
        ("x.zarr", [], False),
        ("x.nc#mode=nczarr", [], False),
    ],
)
def test_the_name_and_the_options_choose_the_format(name, options, is_file, run: Run, tmp_path):
    text = b"netcdf x { }"
    assert run("gen", *options, "-", "-o", f"{tmp_path}/{name}", stdin=text).code == 0
    assert (tmp_path / name.partition("#")[0]).is_file() is is_file


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("netcdf x { :a = 1 ; }", "x.nc", "classic"),
        ("netcdf x { :a = 1 ; }", "x.nc4", "netCDF-4"),
        ('netcdf x { :_Format = "64-bit offset" ; }', "x.nc", "64-bit offset"),
        ("netcdf x { variables: string s ; }", "x.nc", "netCDF-4"),
        ("netcdf x { variables: int64 i ; }", "x.nc", "netCDF-4"),
        ("netcdf x { dimensions: n = 2 ; variables: int v(n) ; v:_DeflateLevel = 1 ; }", "x.nc",
         "netCDF-4"),
    ],
)  # fmt: skip
def test_the_kind_follows_from_the_text(text, name, kind, run: Run, tmp_path):
    done = run("gen", "-", "-o", tmp_path / name, stdin=text.encode())
    assert (done.code, done.stderr) == (0, "")
    assert run("dump", "-k", tmp_path / name).text.strip() == kind


def test_the_message_says_what_to_install(run: Run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    done = run("gen", "-4", "-", "-o", tmp_path / "x.nc", stdin=b"netcdf x { }")
    assert done.code == 1
    assert "pip install h5py" in done.stderr
    assert run("gen", "-3", "-", "-o", tmp_path / "x.nc", stdin=b"netcdf x { }").code == 0


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.filterwarnings("ignore:Consolidated metadata", "ignore:The data type")
def test_xarray_opens_strings_that_it_wrote_as_bytes(zarr_format: int, run: Run, tmp_path):
    """It writes `_Encoding` for such bytes in Zarr, and opens no strings that have it."""
    xarray = pytest.importorskip("xarray", reason="xarray is not installed (make setup)")
    given = xarray.Dataset({"s": ("x", np.array(["one", "drei\u00dfig"]))})
    store, target = tmp_path / "x.zarr", tmp_path / "x.nc"
    given.to_zarr(store, zarr_format=zarr_format, encoding={"s": {"dtype": "S1"}})
    ran = run("copy", "--verify", store, target)
    assert ran.code == 0, ran.stderr
    assert "_Encoding is left out, because strings of netCDF are UTF-8: /s" in ran.stderr
    with xarray.open_dataset(target, engine="netcdf4") as found:
        assert found["s"].values.tolist() == given["s"].values.tolist()


@pytest.mark.filterwarnings("ignore:Consolidated metadata")
def test_a_mask_of_complex_numbers_that_xarray_does_not_open_is_reported(run: Run, tmp_path):
    xarray = pytest.importorskip("xarray", reason="xarray is not installed (make setup)")
    store, target = tmp_path / "x.zarr", tmp_path / "x.nc"
    encoding = {"c": {"_FillValue": 1j}}
    xarray.Dataset({"c": ("x", np.array([1, 1j]))}).to_zarr(store, encoding=encoding)
    ran = run("copy", store, target)
    assert "opens no file with a compound _FillValue: c; use" in ran.stderr
    with pytest.raises(TypeError, match="unhashable"):  # or the notice can go
        xarray.open_dataset(target, engine="netcdf4")
    ran = run("copy", "--overwrite", "--drop-attribute", "c:_FillValue", store, target)
    assert "compound" not in ran.stderr
    with xarray.open_dataset(target, engine="netcdf4") as found:
        assert found["c"].values.tolist() == [(1, 0), (0, 1)]

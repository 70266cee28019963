"""A copy for some readers: another form where the form of the source does not serve them."""

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.formats.zarr.readers.programs import READERS
from tests.conftest import EXAMPLES
from tests.sampled import sampled

CDL = """netcdf x {
dimensions: n = 4 ;
variables: int v(n) ; v:_DeflateLevel = 5 ; v:_Shuffle = "true" ; char c(n) ; string w(n) ;
data: v = 1, 2, 3, 4 ; c = "abcd" ; w = "a", "bb", "ccc", "d" ; }
"""


def made(folder: Path, text: str = CDL, *modes: str) -> Path:
    (folder / "x.cdl").write_text(text)
    ncz.gen(folder / "x.cdl", folder / "x.zarr", modes=modes, notify=lambda _: None)
    return folder / "x.zarr"


def document(store: Path, name: str) -> dict[str, object]:
    found: dict[str, object] = json.loads((store / name / ".zarray").read_text())
    return found


def test_char_and_strings_for_xarray_are_pure_zarr(run, tmp_path):
    ran = run("copy", "--allow-loss", "--verify", "--for", "xarray", made(tmp_path),
              tmp_path / "t.zarr")  # fmt: skip
    assert ran.code == 0, ran.stderr
    assert "cannot open" not in ran.stderr
    assert document(tmp_path / "t.zarr", "c")["dtype"] == "|S1"
    assert document(tmp_path / "t.zarr", "w")["dtype"] == "|O"


def test_a_form_that_serves_is_kept(run, tmp_path):
    text = "netcdf x { dimensions: n = 2 ; variables: int v(n) ; data: v = 1, 2 ; }"
    source = made(tmp_path, text, "v3", "zarr")
    ran = run("copy", "--for", "zarr-python,tensorstore", source, tmp_path / "t.zarr")
    assert ran.code == 0, ran.stderr
    files = [str(p.relative_to(source)) for p in source.rglob("*") if p.is_file()]
    assert all((tmp_path / "t.zarr" / f).read_bytes() == (source / f).read_bytes() for f in files)


def test_two_that_cannot_be_served_are_named_with_the_reason(run, tmp_path):
    ran = run("copy", "--for", "xarray,netcdf-c", made(tmp_path), tmp_path / "t.zarr")
    assert ran.code == 2
    assert "xarray and netcdf-c cannot both read one store" in ran.stderr
    assert "char as |S1 (/c)" in ran.stderr
    assert not (tmp_path / "t.zarr").exists()


def test_a_mode_that_excludes_the_reader_is_refused(run, tmp_path):
    ran = run(
        "copy", "--for", "netcdf-c", "--zarr-format", "3", made(tmp_path), tmp_path / "t.zarr"
    )
    assert ran.code == 2
    assert "netcdf-c cannot read NCZarr in Zarr V3" in ran.stderr


def test_an_unknown_reader_is_an_error_that_lists_the_known(run, tmp_path):
    ran = run("gen", "--for", "panoply", made(tmp_path).with_suffix(".cdl"), "-o", tmp_path / "t")
    assert ran.code == 2
    assert "known readers are xarray, netcdf-c" in ran.stderr


def test_filters_that_a_reader_does_not_know_are_left_out(run, tmp_path):
    text = CDL.replace("char c(n) ; string w(n) ;", "").partition("data:")[0]
    source = made(tmp_path, text + "data: v = 1, 2, 3, 4 ; }")
    ran = run("copy", "--for", "tensorstore", "--verify", source, tmp_path / "t.zarr")
    assert ran.code == 0, ran.stderr
    assert document(source, "v")["filters"]
    assert document(tmp_path / "t.zarr", "v")["filters"] is None


def test_a_copy_of_the_same_form_has_no_notice_of_readers(run, tmp_path):
    assert "cannot open" not in run("copy", made(tmp_path), tmp_path / "same.zarr").stderr
    # xarray did not open the source either, and tensorstore was not named
    assert "cannot open" not in run("copy", tmp_path / "x.zarr", tmp_path / "x.zip").stderr
    told = run("check", "--for", "tensorstore", tmp_path / "x.zip").text
    assert "does not open a zip file with its keys below a folder" in told
    ran = run("copy", "--for", "tensorstore", tmp_path / "x.zarr", tmp_path / "t.zip#mode=nczarr")
    assert (ran.code, "tensorstore cannot read a zip file" in ran.stderr) == (2, True), ran.stderr


def test_xarray_is_served_strings_with_a_mask_in_v2(run, tmp_path):
    """xarray cannot decode the attribute `_FillValue` of the data type string of Zarr V3."""
    xarray = pytest.importorskip("xarray", reason="xarray is not installed (make setup)")
    text = 'netcdf x { dimensions: n = 2 ; variables: string w(n) ; w:_FillValue = "-" ; '
    source = made(tmp_path, text + 'data: w = "a", "-" ; }')
    for modes in ("zarr,v3", "v3"):
        options = ("--overwrite", "--allow-loss", "--no-annotations")
        ran = run("copy", *options, source, f"{tmp_path}/three.zarr#mode={modes}")
        assert (ran.code, "cannot open a _FillValue" in ran.stderr) == (0, True), ran.stderr
        with pytest.raises(ValueError, match="fill_value"):  # or the notice can go
            xarray.open_zarr(tmp_path / "three.zarr", consolidated=False)
    ran = run("copy", "--for", "xarray", tmp_path / "three.zarr", tmp_path / "two.zarr")
    assert (ran.code, "cannot open" in ran.stderr) == (0, False), ran.stderr
    opened = xarray.open_zarr(tmp_path / "two.zarr", consolidated=False)
    assert opened["w"].isnull().to_numpy().tolist() == [False, True]


@pytest.mark.filterwarnings("ignore")
def test_xarray_is_served_strings_with_a_mask_in_v3(run, tmp_path):
    """`missing_value` replaces the mask; without annotations nothing does."""
    xarray = pytest.importorskip("xarray", reason="xarray is not installed (make setup)")
    text = """netcdf x { dimensions: n = 3 ; variables: string w(n) ; w:_FillValue = "-" ;
    string e(n) ; e:_FillValue = "" ; string m(n) ; string m:missing_value = "-" ;
    data: w = "a", "-", "b" ; e = "a", "", "b" ; m = "a", "-", "b" ; }"""
    (tmp_path / "x.cdl").write_text(text)
    source, store = tmp_path / "x.nc", tmp_path / "x.zarr"
    ncz.gen(tmp_path / "x.cdl", source)
    how = ("--for", "xarray", "--zarr-format", "3")
    ran = run("copy", *how, "--no-annotations", "--allow-loss", source, tmp_path / "refused")
    assert (ran.code, "a _FillValue of the data type string" in ran.stderr) == (2, True)
    ran = run("copy", *how, source, store)
    assert (ran.code, "has these masks as missing_value" in ran.stderr) == (0, True), ran.stderr
    for raw in (False, True):
        with (
            xarray.open_dataset(source, engine="netcdf4", mask_and_scale=not raw) as ours,
            xarray.open_zarr(store, mask_and_scale=not raw) as theirs,
        ):
            for name in "wem":
                one, other = (each[name].load().astype(object) for each in (ours, theirs))
                check = xarray.testing.assert_equal if raw else xarray.testing.assert_identical
                check(one, other)
    assert not ncz.diff(source, store)
    assert run("check", "--for", "xarray", store).code == 0


@pytest.mark.filterwarnings("ignore:Consolidated metadata", "ignore:The data type")
@pytest.mark.parametrize("dtype", ["str", "<U2", "S2"])
def test_xarray_is_served_masked_texts_of_pure_zarr_v3(run, tmp_path, dtype):
    xarray = pytest.importorskip("xarray", reason="xarray is not installed (make setup)")
    zarr = pytest.importorskip("zarr", reason="zarr is not installed (make setup)")
    source, store = tmp_path / "x.zarr", tmp_path / "y.zarr"
    array = zarr.open_group(source, mode="w", zarr_format=3).create_array(
        "v", shape=2, dtype=dtype, dimension_names=["x"], attributes={"_FillValue": "-"}
    )
    array[:] = np.array(["a", "-"], None if dtype == "str" else dtype)
    with pytest.raises(ValueError, match="fill_value"):  # or nothing has to be served
        xarray.open_dataset(source, engine="zarr", consolidated=False)
    ran = run("check", "--for", "xarray", source)
    assert b"does not open a _FillValue of t" in ran.stdout
    ran = run("copy", "--for", "xarray", "--zarr-format", "3", source, store)
    assert ran.code == 0, ran.stderr
    assert run("check", "--for", "xarray", store).code == 0
    with xarray.open_dataset(store, engine="zarr") as dataset:
        assert dataset["v"].isnull().values.tolist() == [False, dtype != "S2"]
    assert not ncz.diff(source, store)


@pytest.mark.filterwarnings("ignore:Consolidated metadata", "ignore:The data type")
@pytest.mark.parametrize("dtype", ["str", "<U2"])
def test_no_notice_names_a_mask_that_is_left_out_or_text(run, tmp_path, dtype):
    """xarray reads `fill_value` of UTF-32 as text, and opens V3 without the mask."""
    xarray = pytest.importorskip("xarray", reason="xarray is not installed (make setup)")
    zarr = pytest.importorskip("zarr", reason="zarr is not installed (make setup)")
    array = zarr.open_group(tmp_path / "x.zarr", mode="w", zarr_format=2).create_array(
        "v", shape=2, dtype=dtype, fill_value="-", attributes={"_ARRAY_DIMENSIONS": ["x"]}
    )
    array[:] = np.array(["a", "-"])
    for version, masked in (("2", True), ("3", False)):
        store = tmp_path / f"{version}.zarr"
        ran = run("copy", "--zarr-format", version, tmp_path / "x.zarr", store)
        assert ran.code == 0
        assert "base64" not in ran.stderr
        assert "cannot open" not in ran.stderr
        with xarray.open_dataset(store, engine="zarr", consolidated=False) as dataset:
            assert dataset["v"].isnull().values.tolist() == [False, masked]


@pytest.mark.parametrize("zarr_format", ["2", "3"])
def test_a_store_for_xarray_has_consolidated_metadata(run, tmp_path, zarr_format):
    xarray = pytest.importorskip("xarray", reason="xarray is not installed")
    source, store = made(tmp_path), tmp_path / "t.zarr"
    form = ("--allow-loss", "--for", "xarray,zarr-python", "--zarr-format", zarr_format)
    assert run("copy", *form, source, store).code == 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zarr-python warns of the codecs of numcodecs in Zarr V3
        with xarray.open_zarr(store, consolidated=True) as seen:
            assert seen["v"].values.tolist() == [1, 2, 3, 4]


def test_no_consolidated_also_holds_for_xarray(run, tmp_path):
    source, store = made(tmp_path), tmp_path / "t.zarr"
    options = ("--allow-loss", "--for", "xarray", "--no-consolidated")
    assert run("copy", *options, source, store).code == 0
    assert not (store / ".zmetadata").exists()


SAME = """netcdf x {
dimensions: time = UNLIMITED ; n = 4 ;
variables: double time(time) ; int v(time, n) ; v:_DeflateLevel = 5 ; v:_Shuffle = "true" ;
  v:valid_range = 1s, 2s ; char c(n) ; float s ; string w(n) ;
data: time = 1, 2 ; v = 1, 2, 3, 4, 5, 6, 7, 8 ; c = "abcd" ; s = 1 ; w = "a", "b", "c", "d" ; }
"""


@pytest.mark.parametrize("reader", READERS)
def test_gen_and_copy_write_the_same_store_for_a_reader(run, tmp_path, reader):
    text = SAME.encode()
    of_text, of_file = tmp_path / "text.zarr", tmp_path / "file.zarr"
    of_store = tmp_path / "store.zarr"
    assert run("gen", "-", "-o", tmp_path / "x.nc", stdin=text).code == 0
    assert run("gen", "-", "-o", tmp_path / "x.zarr", stdin=text).code == 0
    ran = run("gen", "-", "-o", of_text, "--for", reader, stdin=text)
    assert (ran.code, "pure Zarr" in ran.stderr) == (0, False)
    for source, target in (("x.nc", of_file), ("x.zarr", of_store)):
        ran = run("copy", "--for", reader, tmp_path / source, target)
        assert (ran.code, "become fixed" in ran.stderr) == (0, False), ran.stderr
        files = {p.relative_to(target) for p in target.rglob("*") if p.is_file()}
        assert files == {p.relative_to(of_text) for p in of_text.rglob("*") if p.is_file()}
        for file in files:
            assert (target / file).read_bytes() == (of_text / file).read_bytes(), file
        assert not ncz.diff(tmp_path / "x.nc", target)
    has_objects = document(of_text, "w")["dtype"] == "|O"
    assert has_objects == (("string", "vlen") not in READERS[reader].unread)
    has_annotations = ".zmetadata" in {p.name for p in of_text.iterdir()}
    assert has_annotations == (reader != "netcdf-c")


def test_a_reader_without_unlimited_dimensions_misses_none(run, tmp_path):
    text = "netcdf x { dimensions: t = UNLIMITED ; variables: int v(t) ; data: v = 1 ; }"
    source = made(tmp_path, text)
    ran = run("copy", "--for", "gdal", "--no-annotations", source, tmp_path / "t.zarr")
    assert (ran.code, "become fixed" in ran.stderr) == (0, True)
    assert run("copy", "--mode", "zarr", "--no-annotations", source, tmp_path / "u.zarr").code == 1


@pytest.fixture
def settings(tmp_path, monkeypatch):
    """A file of settings, and no other settings."""
    monkeypatch.delenv("NCZ_FOR", raising=False)
    monkeypatch.setenv("NCZ_CONFIG", str(tmp_path / "config.toml"))
    return tmp_path / "config.toml"


@pytest.mark.parametrize("place", ["variable", "file"])
def test_settings_choose_the_form_of_new_stores(run, tmp_path, monkeypatch, settings, place):
    if place == "file":
        settings.write_text('for = "xarray, zarr-python"\n[alias.a]\nendpoint = "http://a"\n')
    else:
        settings.write_text('for = "netcdf-c"\n')  # which the variable replaces
        monkeypatch.setenv("NCZ_FOR", "xarray,zarr-python")
    text, store = SAME.encode(), tmp_path / "a.zarr"
    assert run("gen", "-", "-o", tmp_path / "a.nc", stdin=text).code == 0  # no Zarr store
    assert run("gen", "-", "-o", store, stdin=text).code == 0
    assert document(store, "c")["dtype"] == "|S1"
    assert run("gen", "-", "-o", f"{tmp_path}/b.zarr#mode=nczarr", stdin=text).code == 0
    assert document(tmp_path / "b.zarr", "c")["dtype"] == ">S1"
    assert run("gen", "--for", "netcdf-c", "-", "-o", tmp_path / "c.zarr", stdin=text).code == 0
    assert document(tmp_path / "c.zarr", "c")["dtype"] == ">S1"
    assert run("copy", tmp_path / "c.zarr", tmp_path / "d.zarr").code == 0
    assert (tmp_path / "d.zarr/.zmetadata").read_bytes() == (store / ".zmetadata").read_bytes()
    assert run("copy", tmp_path / "d.zarr", tmp_path / "d.nc").code == 0
    assert run("copy", tmp_path / "d.zarr", tmp_path / "d.cdl").code == 0
    later = text.replace(b"time = 1, 2 ;", b"time = 3, 4 ;")
    assert run("gen", "-", "-o", tmp_path / "later.nc", stdin=later).code == 0
    assert run("copy", "--append", "time", tmp_path / "later.nc", store).code == 0
    assert run("copy", "--cloud", tmp_path / "a.nc", tmp_path / "e.zarr").code == 0
    assert (tmp_path / "e.zarr/zarr.json").exists()
    found = run("config").text
    source = "NCZ_FOR" if place == "variable" else str(settings)
    assert "readers of new stores" in found
    assert source in found


def test_settings_for_netcdf_c_hold_for_files(run, tmp_path, settings):
    settings.write_text('for = "netcdf-c"')
    assert run("gen", "-", "-o", tmp_path / "a.nc", stdin=SAME.encode()).code == 0
    assert run("copy", tmp_path / "a.nc", tmp_path / "a.zarr").code == 0
    assert document(tmp_path / "a.zarr", "c")["dtype"] == ">S1"
    settings.write_text("for = 3")
    ran = run("copy", tmp_path / "a.nc", tmp_path / "b.zarr")
    assert (ran.code, "for must be a string" in ran.stderr) == (1, True)


OTHERWISE = {
    "codecs": {"delta", "gzip", "lz4", "lzma", "scaled", "summed"},  # HDF5 has other codecs
    "filters": {"blosc_lz4", "blosc_zlib"},  # HDF5 has the block size, which is 0 in the text
    "no_data": {"label"},  # strings that were never written are written to HDF5
    "scalars": {"never_given"},
    "user_types": {"sounding"},  # netCDF-4 has no fill value of vlens
}
"""Variables of examples that have the same values in both stores, but not the same bytes."""

CLASSIC = """netcdf x { dimensions: t = UNLIMITED ; n = 2 ;
variables: short v(t, n) ; v:_FillValue = -1s ; double w(n) ; w:valid_range = 1., 2. ; int crs ;
data: v = 1, 2, 3, _ ; w = 1, 2 ; crs = 5 ; }
"""


def stored(store: Path) -> dict[str, bytes]:
    files = [path for path in store.rglob("*") if path.is_file()]
    return {path.relative_to(store).as_posix(): path.read_bytes() for path in files}


def run_of(command: Callable[..., object], *places: Path, **options: object) -> int:
    """Return the exit code of a command."""
    try:
        command(*places, overwrite=True, notify=ignore_notice, **options)
    except ncz.NczError as error:
        return error.exit_code
    return 0


@pytest.mark.parametrize("path", sampled(EXAMPLES, 12), ids=lambda path: path.stem)
def test_gen_and_copy_write_the_same_for_a_reader(path, tmp_path):
    source, made, copied = (tmp_path / f"{path.stem}{name}" for name in (".nc", ".gen", ".copy"))
    ncz.gen(path, source, kind="netCDF-4", notify=ignore_notice)
    for reader in ("xarray", "netcdf-c", "zarr-python"):
        code = run_of(ncz.gen, path, made, audience=reader, name=path.stem)
        assert run_of(ncz.copy, source, copied, audience=reader) == code
        if code == 0:
            assert not ncz.diff(made, copied), reader
            ours, theirs = stored(made), stored(copied)
            keys = {key for key in {*ours, *theirs} if ours.get(key) != theirs.get(key)}
            differ = {key.rpartition("/")[0] for key in keys} - {""}  # documents of all arrays
            assert differ <= OTHERWISE.get(path.stem, set()), reader
            assert not keys or path.stem in OTHERWISE, reader


@pytest.mark.parametrize("reader", READERS)
def test_gen_and_copy_of_a_classic_file_have_the_same_values(reader, tmp_path):
    """The values of classic files are moved unchanged, and are big-endian."""
    (tmp_path / "x.cdl").write_text(CLASSIC)
    ncz.gen(tmp_path / "x.cdl", tmp_path / "x.nc", kind="classic")
    ncz.gen(tmp_path / "x.cdl", tmp_path / "gen.zarr", audience=reader, notify=ignore_notice)
    ncz.copy(tmp_path / "x.nc", tmp_path / "copy.zarr", audience=reader, notify=ignore_notice)
    assert not ncz.diff(tmp_path / "gen.zarr", tmp_path / "copy.zarr")
    form = [sorted(p.name for p in (tmp_path / s).iterdir()) for s in ("gen.zarr", "copy.zarr")]
    assert form[0] == form[1]


@pytest.mark.filterwarnings("ignore:Consolidated metadata")
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_xarray_reads_parts_of_its_texts_as_text(tmp_path, zarr_format):
    """Bytes of a fixed length, which it reads as bytes, would cut texts of more than 128 bytes."""
    xarray = pytest.importorskip("xarray", reason="xarray is not installed (make setup)")
    texts = ["a", "\u00e9", "b" * 200]
    given = xarray.Dataset({"o": ("x", np.array(texts, "O")), "u": ("x", texts)})
    given.to_zarr(tmp_path / "x.zarr", zarr_format=zarr_format)
    source, target = tmp_path / "x.zarr", tmp_path / "y.zarr"
    ncz.copy(source, target, isel={"x": slice(1, 3)}, notify=ignore_notice)
    with xarray.open_zarr(target) as found:
        assert [found[name].values.tolist() for name in "ou"] == [texts[1:]] * 2


def test_vlens_of_pure_zarr_stay_vlens(tmp_path):
    """They became text while strings of such a source stayed strings."""
    cdl = "netcdf v { types: int(*) list ; dimensions: n = 2 ; variables: list v(n) ; string s(n) ;"
    cdl += ' data: v = {0, 1}, {2} ; s = "a", "bc" ; }'
    source, target = tmp_path / "x.zarr", tmp_path / "y.zarr"
    ncz.gen(
        io.BytesIO(cdl.encode()), source, modes=["zarr"], annotations=False, allow_loss=True,
        notify=ignore_notice,
    )  # fmt: skip
    assert "vlen-array" in (source / "v" / ".zarray").read_text()
    ncz.copy(source, target)
    assert not ncz.diff(source, target)
    part = {"n": slice(1, 2)}
    ncz.copy(source, target, isel=part, overwrite=True, allow_loss=True, notify=ignore_notice)
    found = ncz.open(target)
    assert found["v"][:].tolist() == [(2,)]
    assert found["s"][:].tolist() == ["bc"]

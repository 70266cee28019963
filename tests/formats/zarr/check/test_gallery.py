"""Every broken store of the gallery has its findings, and good stores have none."""

from __future__ import annotations

import io
import shutil
import warnings
import zipfile
from pathlib import Path

import pytest

import ncz
from ncz.formats.findings import Finding
from tests.conftest import ROOT
from tests.formats.zarr.check.gallery import CDL, GALLERY, WITH_DATA

STORES = ROOT / "tests/stores"
GOOD = [
    *sorted(p for p in (STORES / "foreign").iterdir() if p.is_dir()),
    *(STORES / name for name in ("nczarr-1", "nczarr-4.9.0", "nczarr-4.9.2", "nczarr-4.10.1")),
    *(STORES / "kerchunk" / name for name in ("inline.json", "ranges.json", "ranges.parq")),
    STORES / "zarr-python",
]


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A good store of every mode."""
    folder = tmp_path_factory.mktemp("good")
    stores = {}
    for mode in ("nczarr", "zarr", "v3", "zarr,v3", "zarr,consolidated"):
        stores[mode] = folder / mode
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ncz.gen(
                io.BytesIO(CDL),
                f"{stores[mode]}#mode={mode}",
                consolidated="consolidated" in mode,
                allow_loss=True,
            )
    return stores


def told(findings: tuple[Finding, ...]) -> set[tuple[str, str]]:
    return {(f.code, f.key) for f in findings if not f.code.startswith("reader-")}


@pytest.mark.parametrize("name", GALLERY)
def test_a_broken_store(good, tmp_path, name):
    mode, break_it, expected = GALLERY[name]
    store = tmp_path / "s.zarr"
    shutil.copytree(good[mode], store)
    break_it(store)
    assert told(ncz.check(store).findings) == expected
    assert told(ncz.check(store, data=True).findings) == WITH_DATA.get(name, expected)


@pytest.mark.parametrize("mode", ["nczarr", "zarr", "v3", "zarr,v3"])
@pytest.mark.parametrize("suffix", ["zarr", "zip"])
def test_stores_of_ncz_are_good(good, tmp_path, mode, suffix):
    target = tmp_path / f"s.{suffix}"
    ncz.copy(good[mode], f"{target}#mode={mode},consolidated", notify=lambda _: None)
    report = ncz.check(target, data=True)
    assert report.is_clean
    assert told(report.findings) == set()
    assert {a.key: a.present for a in report.arrays or ()}["v"] == 4


@pytest.mark.parametrize("store", GOOD, ids=lambda path: path.name)
def test_stores_of_other_writers_are_good(store):
    if store.suffix == ".parq":
        pytest.importorskip("pyarrow")
    report = ncz.check(store, data=True)
    assert told(report.findings) == set()
    assert report.is_clean


def test_the_census_counts_chunks(good, tmp_path):
    store = tmp_path / "s.zarr"
    shutil.copytree(good["nczarr"], store)
    (store / "v/0.1").unlink()
    (store / "v/1.0").write_bytes(b"")
    (census,) = [a for a in ncz.check(store).arrays or () if a.key == "v"]
    assert (census.expected, census.present, census.missing, census.empty) == (4, 3, 1, 1)
    assert census.bytes == sum(p.stat().st_size for p in (store / "v").glob("[0-9]*"))


def test_a_zip_file_with_two_entries_of_a_name_and_one_that_leads_out(good, tmp_path):
    target = tmp_path / "s.zip"
    with zipfile.ZipFile(target, "w") as archive:
        for path in sorted(p for p in good["zarr"].rglob("*") if p.is_file()):
            archive.write(path, path.relative_to(good["zarr"]).as_posix())
        archive.writestr("../evil", b"x")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            archive.write(good["zarr"] / "a/0", "a/0")
    assert told(ncz.check(target).findings) == {
        ("zip-duplicate", "a/0"),
        ("zip-name-unsafe", "../evil"),
    }


def test_references_whose_target_is_gone_or_too_short(tmp_path):
    shutil.copytree(STORES / "kerchunk", tmp_path / "k")
    source = tmp_path / "k/ranges.json"
    whole = (tmp_path / "k/a.nc").read_bytes()
    (tmp_path / "k/a.nc").write_bytes(whole[: len(whole) // 2])
    short = [f for f in ncz.check(source).findings if f.severity == "error"]
    assert {f.code for f in short} == {"reference-broken"}
    assert all("past the end" in f.message for f in short)
    (tmp_path / "k/a.nc").unlink()
    gone = [f for f in ncz.check(source).findings if f.severity == "error"]
    assert {f.code for f in gone} == {"reference-broken"}
    assert all("does not exist" in f.message for f in gone)
    assert {f.key for f in short} <= {f.key for f in gone}


def test_what_readers_do_not_read(good):
    asked = ncz.check(good["nczarr"], audience=("netcdf-c",)).findings
    assert asked == ()
    asked = ncz.check(good["nczarr"], audience=("xarray",)).findings
    assert [(f.code, f.severity, f.key) for f in asked] == [("reader-unopened", "error", "c")]
    asked = ncz.check(good["zarr,v3"], audience=("netcdf-c",)).findings
    assert [(f.code, f.severity, f.key) for f in asked] == [("reader-unopened", "error", "")]
    assert ncz.check(good["nczarr"]).is_clean
    with pytest.raises(ncz.NczError, match="unknown reader 'nothing'"):
        ncz.check(good["nczarr"], audience=("nothing",))


GROUPS = """netcdf a {{ dimensions: x = 3 ; variables: int a(x) ; data: a = 1, 2, 3 ;
group: g {{ dimensions: x = 2 ; variables: int b({}) ; data: b = {} ; }} }}"""


@pytest.mark.parametrize(
    ("axes", "mode", "reader", "found"),
    [
        ("x, /x", "nczarr,v2", "xarray", [("reader-unopened", "several lengths")]),
        ("x, /x", "zarr,v3", "xarray", [("reader-unopened", "several lengths")]),
        ("x, /x", "zarr,v2", "netcdf-c", [("reader-unopened", "several lengths")]),
        ("x, /x", "nczarr,v2", "netcdf-c", []),
        ("x", "nczarr,v2", "xarray", [("reader-misread", "hides one of another length")]),
        ("x", "nczarr,v2", "zarr-python", []),
    ],
)
def test_dimensions_of_one_name_are_judged_for_each_reader(axes, mode, reader, found, tmp_path):
    (tmp_path / "a.cdl").write_text(
        GROUPS.format(axes, "1, 2, 3, 4, 5, 6" if "," in axes else "1, 2")
    )
    ncz.gen(tmp_path / "a.cdl", f"{tmp_path}/a.zarr#mode={mode}", notify=lambda _: None)
    findings = ncz.check(tmp_path / "a.zarr", audience=(reader,)).findings
    of_readers = [f for f in findings if f.code.startswith("reader-")]
    assert [f.code for f in of_readers] == [code for code, _ in found]
    for finding, (_, words) in zip(of_readers, found, strict=True):
        assert words in finding.message
        assert finding.key == "g/x"


@pytest.mark.parametrize(
    ("mode", "below", "unopened"),
    [
        ("nczarr,v2", None, ["xarray", "zarr-python"]),
        ("zarr,v2", None, ["netcdf-c"]),
        ("zarr,v2", "folder/", ["xarray", "zarr-python"]),
    ],
)
def test_the_layout_of_a_zip_file_is_judged(mode, below, unopened, tmp_path):
    (tmp_path / "a.cdl").write_text("netcdf a { dimensions: n = 2 ; variables: int v(n) ; }")
    store = tmp_path / "a.zip"
    ncz.gen(tmp_path / "a.cdl", f"{store}#mode={mode}", notify=lambda _: None)
    if below is not None:
        with zipfile.ZipFile(store) as old, zipfile.ZipFile(tmp_path / "b.zip", "w") as new:
            for name in old.namelist():
                new.writestr(below + name, old.read(name))
        store = tmp_path / "b.zip"
    found = [f for f in ncz.check(store).findings if "a zip file" in f.message]
    assert [f.message.partition(" ")[0] for f in found] == unopened
    assert {(f.code, f.severity) for f in found} == {("reader-unopened", "note")}


@pytest.mark.parametrize(
    ("text", "mode", "reader", "code", "what"),
    [
        ("opaque(3) t", "nczarr,v2", "netcdf-c 4.10.1", "reader-unopened", "opaque values"),
        ("int(*) t", "nczarr,v2", "netcdf-c 4.10.1", "reader-unopened", "vlen values as text"),
        ("compound t { int i ; }", "nczarr,v2", "netcdf-c 4.10.1", "reader-unopened", "compound"),
        (None, "nczarr,v2", "xarray", "reader-misread", "were never written"),
    ],
)
def test_readers_of_types_are_judged_as_when_a_store_is_written(
    text, mode, reader, code, what, tmp_path
):
    types = f"types: {text} ; " if text else ""
    cdl = f"netcdf a {{ {types}dimensions: n = 2 ; variables: {'t' if text else 'int'} v(n) ; }}"
    (tmp_path / "a.cdl").write_text(cdl)
    notices: list[ncz.Notice] = []
    ncz.gen(tmp_path / "a.cdl", f"{tmp_path}/a.zarr#mode={mode}", notify=notices.append)
    name = reader.partition(" ")[0]
    findings = ncz.check(tmp_path / "a.zarr", audience=(name,)).findings
    (found,) = (f for f in findings if f.code != "chunk-missing")
    assert (found.code, found.key) == (code, "v")
    assert found.message.startswith(reader)
    assert what in found.message
    assert any(name in notice.message and "/v" in notice.message for notice in notices)

"""Every broken store of the gallery has its findings, and good stores have no findings."""

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

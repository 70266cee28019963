"""Repairs by --fix: check is silent after them, and values and chunks are the same."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import pytest

import ncz
from ncz.errors import ZmapError
from ncz.zmap.local.writable import WritableDirectoryZmap
from tests.conftest import Run
from tests.formats.zarr.check.gallery import CDL, GALLERY

MENDED = (
    "no group", "no group, NCZarr", "no group, V3", "stale", "stale V3", "damaged copy",
    "element size", "byte order", "number for text", "bare word", "member twice",
    "other dimension",
)  # fmt: skip


def ignore(notice: object) -> None:
    """Ignore a notice."""


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def broken(folder: Path, name: str) -> Path:
    """Create a broken store of the gallery."""
    mode, break_it, _ = GALLERY[name]
    store = folder / "s.zarr"
    ncz.gen(
        io.BytesIO(CDL),
        f"{store}#mode={mode}",
        consolidated="consolidated" in mode,
        allow_loss=True,
        notify=lambda _: None,
    )
    break_it(store)
    return store


def is_chunk(key: str) -> bool:
    return key[-1:].isdigit()


@pytest.mark.parametrize("name", MENDED)
def test_a_repaired_store(tmp_path, name):
    store = broken(tmp_path, name)
    before = contents(store)
    planned = ncz.check(store, fix=True, dry_run=True)
    assert contents(store) == before
    assert not planned.is_clean
    report = ncz.check(store, data=True, fix=True)
    assert report.is_clean
    assert report.repairs == planned.repairs
    assert report.repairs
    after = contents(store)
    assert {k: v for k, v in after.items() if is_chunk(k)} == {
        k: v for k, v in before.items() if is_chunk(k)
    }
    with ncz.open(store) as dataset:
        assert ncz.read(dataset, "a").tolist() == [1, 2, 3, 4]
        assert ncz.read(dataset, "b").tolist() == [1, 2, 3, 4]
        assert ncz.read(dataset, "z").tolist() == [1, 2, 3, 4]
        assert ncz.read(dataset, "g/w").tolist() == [5, 6, 7, 8]
    assert ncz.check(store, fix=True).repairs == ()


@pytest.mark.parametrize("name", sorted(GALLERY.keys() - set(MENDED)))
def test_errors_that_need_a_decision_are_not_repaired(tmp_path, name):
    store = broken(tmp_path, name)
    before = contents(store)
    findings = ncz.check(store).findings
    report = ncz.check(store, fix=True)
    assert report.repairs == ()
    assert report.findings == findings
    assert contents(store) == before


@pytest.mark.parametrize("name", ["element size", "byte order"])
def test_zarr_python_reads_repaired_stores(tmp_path, name):
    zarr = pytest.importorskip("zarr")
    store = broken(tmp_path, name)
    ncz.check(store, fix=True)
    array = "z" if name == "element size" else "b"
    assert zarr.open_array(store / array, mode="r")[:].tolist() == [1, 2, 3, 4]


def test_a_zip_file_is_repaired(tmp_path):
    store = broken(tmp_path, "element size")
    target = tmp_path / "s.zip"
    shutil.make_archive(str(target.with_suffix("")), "zip", store)
    assert ncz.check(target, data=True, fix=True).is_clean
    with ncz.open(target) as dataset:
        assert ncz.read(dataset, "z").tolist() == [1, 2, 3, 4]


def test_a_failed_write_leaves_the_old_store(tmp_path, monkeypatch):
    store = broken(tmp_path, "stale")
    (store / "a/.zattrs").write_text('{"units": 007}')
    before = contents(store)
    put, calls = WritableDirectoryZmap.put, []

    def failing(zmap: WritableDirectoryZmap, key: str, value: bytes) -> None:
        calls.append(key)
        if len(calls) == 2:
            raise ZmapError("no space left on the device", key)
        put(zmap, key, value)

    monkeypatch.setattr(WritableDirectoryZmap, "put", failing)
    with pytest.raises(ZmapError, match="no space left"):
        ncz.check(store, fix=True)
    assert contents(store) == before


def test_the_command_line(tmp_path, run: Run):
    store = broken(tmp_path, "element size")
    ran = run("check", "-q", "--fix", "--dry-run", store)
    assert ran.code == 1
    assert ran.text.startswith(
        "would fix: /z/.zarray: set elementsize to 2\nerror: elementsize-zero"
    )
    ran = run("check", "-q", "--fix", "--json", store)
    assert ran.code == 0
    report = json.loads(ran.text)
    assert report["dry_run"] is False
    assert report["fixes"] == [{"key": "/z/.zarray", "what": "set elementsize to 2"}]
    assert run("check", "--dry-run", store).code == 2


@pytest.mark.parametrize(("version", "document"), [(2, ".zgroup"), (3, "zarr.json")])
def test_a_root_without_its_document(tmp_path, run: Run, version, document):
    store = tmp_path / "s.zarr"
    ncz.gen(io.BytesIO(CDL), f"{store}#mode=zarr,v{version}", allow_loss=True, notify=ignore)
    names = ("a", "v", "b", "z", "g/w")
    values = [ncz.read(store, name).tolist() for name in names]
    for name in (document, ".zmetadata", ".zattrs"):
        (store / name).unlink(missing_ok=True)
    assert "run ncz check --fix to create it" in run("info", store).stderr
    found = run("check", store)
    assert found.text.startswith("error: group-missing: /: ")
    assert "run ncz check --fix to create it" in found.text
    assert run("check", "--fix", store).code == 0
    assert [ncz.read(store, name).tolist() for name in names] == values


@pytest.mark.parametrize(("group", "version"), [("", "v2"), ("g", "v2"), ("g", "v3")])
def test_a_lost_group_is_restored_from_its_consolidated_copy(tmp_path, run: Run, group, version):
    store = tmp_path / "s.zarr"
    text = CDL.replace(b"group: g {", b'group: g { :kept = "inner" ;')
    text = text.replace(b"data:", b':kept = "root" ; data:', 1)
    mode = f"{store}#mode=zarr,{version},consolidated"
    ncz.gen(io.BytesIO(text), mode, allow_loss=True, notify=ignore)
    wanted = ncz.dump(store, notify=ignore)
    assert wanted.count("kept = ") == 2
    for name in (".zgroup", ".zattrs", "zarr.json"):
        (store / group / name).unlink(missing_ok=True)
    assert "ncz consolidate" not in run("check", store).text
    assert run("check", "--fix", store).code == 0
    assert ncz.dump(store, notify=ignore) == wanted


def test_a_folder_of_stores_is_not_made_a_store(tmp_path, run: Run):
    for name in "ab":
        for version in "23":
            store = f"{tmp_path}/{name}{version}#mode=zarr,v{version}"
            ncz.gen(io.BytesIO(CDL), store, allow_loss=True, notify=ignore)
    before = contents(tmp_path)
    assert "looks like a store; open that" in run("info", tmp_path).stderr
    assert "looks like a store; open that" in run("check", "--fix", tmp_path).text
    assert contents(tmp_path) == before


def test_findings_that_name_consolidate_can_be_consolidated(tmp_path, run: Run):
    store = tmp_path / "s.zarr"
    ncz.gen(io.BytesIO(CDL), f"{store}#mode=zarr,v2,consolidated", allow_loss=True, notify=ignore)
    (store / ".zgroup").unlink()
    found = run("check", store).text
    assert "consolidated-stale: /.zgroup" in found
    assert "ncz consolidate" not in found
    assert run("check", "--fix", store).code == 0

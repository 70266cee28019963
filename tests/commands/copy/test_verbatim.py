"""``copy --verbatim``: every object unchanged, independent of its metadata."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.errors import NczError, ignore_notice
from ncz.zmap.local.writable import WritableDirectoryZmap
from tests.conftest import Run


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def store(run: Run, tmp_path: Path) -> Path:
    """A store with a codec that nobody knows, damaged metadata, and files of no array."""
    path = tmp_path / "s.zarr"
    text = b"netcdf s { dimensions: x = 6 ; variables: int v(x) ; v:_ChunkSizes = 2 ;"
    text += b" int w(x) ; data: v = 1, 2, 3, 4, 5, 6 ; w = 1, 2, 3, 4, 5, 6 ; }"
    assert run("gen", "-", "-o", f"{path}#mode=zarr", "--no-consolidated", stdin=text).code == 0
    document = path / "v/.zarray"
    members = json.loads(document.read_text("utf-8"))
    document.write_text(json.dumps(members | {"compressor": {"id": "nobody_knows"}}), "utf-8")
    (path / "w/.zarray").write_bytes(b'{"zarr_format": 2, "shape": [6')
    (path / "notes").mkdir()
    (path / "notes/README.txt").write_bytes(b"\xff not a chunk")
    (path / "v/empty").write_bytes(b"")
    return path


def test_every_object_is_copied(run: Run, store: Path, tmp_path: Path):
    target = tmp_path / "copy.zarr"
    assert run("copy", store, tmp_path / "plain.zarr").code == 1
    assert run("copy", "--verbatim", "--verify", store, target).stderr == ""
    assert contents(target) == contents(store)


def test_a_zip_file_and_back(run: Run, store: Path, tmp_path: Path):
    archive, target = tmp_path / "s.zip", tmp_path / "back.zarr"
    assert run("copy", "--verbatim", store, archive).code == 0
    with zipfile.ZipFile(archive) as opened:
        assert {name: opened.read(name) for name in opened.namelist()} == contents(store)
    assert run("copy", "--verbatim", archive, target).code == 0
    assert contents(target) == contents(store)


def test_s3_and_back(run: Run, s3: str, store: Path, tmp_path: Path):
    url, target = f"{s3}/copy.zarr#mode=s3", tmp_path / "back.zarr"
    result = run("copy", "--verbatim", "--verify", store, url)
    assert (result.code, result.stderr) == (0, "")
    assert run("copy", "--verbatim", url, target).code == 0
    assert contents(target) == contents(store)


def test_the_summary_counts_objects(store: Path, tmp_path: Path):
    summary = ncz.copy(store, tmp_path / "copy.zarr", verbatim=True, notify=ignore_notice)
    assert summary.chunks == len(contents(store))
    assert summary.size == sum(map(len, contents(store).values()))


def test_an_existing_store_is_kept(run: Run, store: Path, tmp_path: Path):
    (store / "v/empty").unlink()
    shutil.rmtree(store / "notes")
    target = tmp_path / "copy.zarr"
    assert run("copy", "--verbatim", store, target).code == 0
    (store / "v/0").write_bytes(b"other")
    assert "use --overwrite to replace it" in run("copy", "--verbatim", store, target).stderr
    assert (target / "v/0").read_bytes() != b"other"
    assert run("copy", "--verbatim", "--overwrite", store, target).code == 0
    assert contents(target) == contents(store)


@pytest.mark.parametrize("failing", range(1, 7))
def test_an_error_leaves_nothing_and_a_resumed_copy_is_whole(
    run: Run, store: Path, tmp_path: Path, monkeypatch, failing
):
    target, calls = tmp_path / "copy.zarr", []
    put_from = WritableDirectoryZmap.put_from

    def put_or_fail(self, key, *arguments):
        calls.append(key)
        if len(calls) == failing:
            raise ncz.NczError("no space left")
        return put_from(self, key, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(WritableDirectoryZmap, "put_from", put_or_fail)
        result = run("copy", "--verbatim", "--resume", "--threads", "1", store, target)
    assert (result.code, "no space left" in result.stderr) == (1, True)
    assert not target.exists()
    assert run("copy", "--verbatim", "--resume", store, target).code == 0
    assert contents(target) == contents(store)


@pytest.mark.parametrize(
    "options",
    [("--vars", "v"), ("--codec", "zlib"), ("--zarr-format", "3"), ("--cloud",), ("-d", "1")],
)
def test_options_that_convert_are_refused(run: Run, store: Path, tmp_path: Path, options):
    result = run("copy", "--verbatim", *options, store, tmp_path / "copy.zarr")
    assert result.code == 2
    assert "--verbatim copies objects unchanged" in result.stderr
    assert not (tmp_path / "copy.zarr").exists()


def test_texts_and_empty_folders_are_refused(run: Run, store: Path, tmp_path: Path):
    assert (
        "copies stores, and not texts" in run("copy", "--verbatim", "-", tmp_path / "c.zarr").stderr
    )
    (tmp_path / "empty").mkdir()
    result = run("copy", "--verbatim", tmp_path / "empty", tmp_path / "copy.zarr")
    assert "nothing is stored here" in result.stderr
    assert not (tmp_path / "copy.zarr").exists()


@pytest.mark.parametrize("how", [{"append": "x"}, {"into": {"x": slice(0, 1)}}])
def test_values_of_a_store_are_not_changed_verbatim(store: Path, tmp_path: Path, how: Any):
    shutil.copytree(store, tmp_path / "other.zarr")
    with pytest.raises(NczError, match="cannot be used together"):
        ncz.copy(store, tmp_path / "other.zarr", verbatim=True, **how)
    assert contents(tmp_path / "other.zarr") == contents(store)

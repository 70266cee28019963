"""Data that cannot be decoded, and arrays that cannot be read, are a loss."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ncz
from ncz.commands.dump import DumpOptions, print_dataset
from ncz.zmap.location import parse_location
from tests.lost.stores import CDL, chunk, damage_document, document


def test_cdl_continues_after_data_that_break_off(run, store):
    chunk(store, "v", 1, 0).write_bytes(b"xx")
    ran = run("dump", "-q", store)
    assert ran.code == 1
    assert "data of /v: the decoded chunk has 2 bytes, not 8" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1
    text = ran.text
    assert "\n // data of /v cannot be read: the decoded chunk has 2 bytes, not 8" in text
    assert "\n w = 5, 6, 7, 8 ;\n" in text
    assert text.endswith("}\n")
    refused = run("gen", "-", "-o", "again.zarr", stdin=ran.stdout)
    assert refused.code == 1
    assert "stdin:" in refused.stderr
    assert not Path("again.zarr").exists()


def test_a_last_variable_that_breaks_off_is_refused_by_gen(run, store):
    chunk(store, "c", 0).write_bytes(b"x")
    ran = run("dump", store)
    assert ran.code == 1
    assert ran.text.endswith("}\n")
    assert run("gen", "-", "-o", "again.zarr", stdin=ran.stdout).code == 1


def test_json_stays_json_and_is_refused_by_gen(run, store):
    chunk(store, "v", 1, 0).write_bytes(b"xx")
    chunk(store, "c", 0).write_bytes(b"x")
    ran = run("dump", "-q", "--json", store)
    assert ran.code == 1
    variables = json.loads(ran.text)["variables"]
    assert variables["w"]["data"] == [5, 6, 7, 8]
    assert "2 bytes, not 8" in variables["v"]["data_error"]
    assert variables["v"]["data"] in (None, [[11, 12, 13, 14]])
    assert variables["c"]["data"] is None
    refused = run("gen", "-", "-o", "again.zarr", stdin=ran.stdout)
    assert refused.code == 1
    assert 'unknown member "data_error"' in refused.stderr


def test_allowed_loss_is_exit_code_0(run, store):
    chunk(store, "v", 1, 0).write_bytes(b"xx")
    for view in ((), ("--json",), ("--summary",)):
        ran = run("dump", *view, "--allow-loss", store)
        assert ran.code == 0
    assert run("dump", "-q", "--allow-loss", store).stderr == ""
    assert run("dump", "-h", store).code == 0
    assert run("dump", "-v", "w", store).code == 0


def test_the_api_raises_unless_loss_is_allowed(store):
    chunk(store, "v", 1, 0).write_bytes(b"xx")
    with pytest.raises(ncz.NczError, match="data of /v"):
        ncz.dump(store, notify=lambda _: None)
    notices: list[ncz.Notice] = []
    text = ncz.dump(store, allow_loss=True, notify=notices.append)
    assert "w = 5, 6, 7, 8 ;" in text
    assert [n.code for n in notices if n.lost] == ["data-unreadable"]


def test_a_folder_in_the_place_of_a_chunk_is_not_a_missing_chunk(run, store):
    place = chunk(store, "w", 0)
    place.unlink()
    place.mkdir()
    ran = run("dump", store)
    assert ran.code == 1
    assert "data of /w: a folder is in the place of this chunk" in ran.stderr
    ran = run("copy", store, "t.zarr")
    assert ran.code == 1
    assert "a folder is in the place of this chunk" in ran.stderr
    assert not Path("t.zarr").exists()


def test_a_large_copy_notices_a_folder_in_the_place_of_a_chunk(run, folder):
    text = CDL.replace(b"x = 4", b"x = 40").replace(b"_ChunkSizes = 1, 2", b"_ChunkSizes = 1, 1")
    assert run("gen", "-q", "-", "-o", "s.zarr", stdin=text).code == 0
    (folder / "s.zarr/v/0.3").unlink()
    (folder / "s.zarr/v/0.3").mkdir()
    (folder / "s.zarr/v/0.3/x").write_bytes(b"1")
    ran = run("copy", "s.zarr", "t.zarr")
    assert ran.code == 1
    assert "/v/0.3: a folder is in the place of this chunk" in ran.stderr


def test_an_error_of_writing_is_not_one_of_the_data(store):
    def refuse(_: bytes) -> int:
        raise ncz.ZmapError("cannot write: no space", "here")

    with pytest.raises(ncz.ZmapError, match=r"^here: cannot write: no space$"):
        print_dataset(parse_location(str(store)), DumpOptions(partial=True), refuse)


def change_type(store: Path) -> None:
    path = document(store, "v")
    name = "data_type" if path.name == "zarr.json" else "dtype"
    path.write_text(json.dumps(json.loads(path.read_text()) | {name: "<q9"}))


@pytest.mark.parametrize("damage", [damage_document, change_type])
@pytest.mark.parametrize("view", [(), ("--json",), ("-x",), ("--summary",), ("-h",)])
def test_an_array_that_cannot_be_read_is_named(run, store, damage, view):
    damage(store)
    ran = run("dump", "-q", *view, store)
    assert ran.code == 1
    assert "/v/" in ran.stderr
    assert "left out" in ran.stderr
    assert "w" in ran.text
    assert run("dump", "-q", *view, "--allow-loss", store).code == 0


def test_ls_continues_after_a_key_that_cannot_be_looked_up(run, store, monkeypatch):
    from ncz.zmap.local.directory import DirectoryZmap

    size = DirectoryZmap.size

    def broken(zmap: DirectoryZmap, key: str) -> int | None:
        if key.endswith("v"):
            raise ncz.ZmapError("cannot read: Input/output error", f"{zmap.url}: /{key}")
        return size(zmap, key)

    monkeypatch.setattr(DirectoryZmap, "size", broken)
    ran = run("ls", "-q", "-l", store)
    assert ran.code == 1
    assert "cannot read: Input/output error" in ran.stderr
    assert "           -  other       /v" in ran.text
    assert "/w" in ran.text
    assert run("ls", "-q", "-l", "--allow-loss", store).code == 0

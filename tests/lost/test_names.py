"""Children whose names cannot be read, or cannot be written: the message of each command."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from ncz.zmap.memory import STORES
from tests.conftest import Run
from tests.lost.stores import CDL, PLAIN

ARRAY = {
    "zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<i4", "compressor": None,
    "fill_value": 0, "order": "C", "filters": None,
}  # fmt: skip
ARRAY_V3 = {
    "zarr_format": 3, "node_type": "array", "shape": [2], "data_type": "int32", "fill_value": 0,
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
    "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
    "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}], "attributes": {},
}  # fmt: skip
CHUNK = bytes([1, 0, 0, 0, 2, 0, 0, 0])


def of_v2(name: str) -> dict[str, bytes]:
    """Return a pure Zarr V2 store with an array with a name next to another one."""
    array = json.dumps(ARRAY).encode()
    return {
        ".zgroup": b'{"zarr_format": 2}', "ok/.zarray": array, "ok/0": CHUNK,
        f"{name}/.zarray": array, f"{name}/0": CHUNK,
    }  # fmt: skip


def of_nczarr(name: str) -> dict[str, bytes]:
    """Return the same store, whose root lists its arrays."""
    note = {"dims": {}, "arrays": ["ok", name], "groups": []}
    notes = {"_nczarr_superblock": {"version": "2.0.0"}, "_nczarr_group": note}
    return of_v2(name) | {".zattrs": json.dumps(notes).encode()}


def of_v3(name: str) -> dict[str, bytes]:
    """Return a Zarr V3 store whose consolidated metadata has the same two arrays."""
    nodes = {"ok": ARRAY_V3, name: ARRAY_V3}
    root = {"zarr_format": 3, "node_type": "group", "attributes": {}}
    held = {"kind": "inline", "must_understand": False, "metadata": nodes}
    store = {"zarr.json": json.dumps(root | {"consolidated_metadata": held}).encode()}
    for key in nodes:
        store |= {f"{key}/zarr.json": json.dumps(ARRAY_V3).encode(), f"{key}/c/0": CHUNK}
    return store


def held(monkeypatch: pytest.MonkeyPatch, store: dict[str, bytes]) -> str:
    monkeypatch.setitem(STORES, "names", store)
    return "memory://names"


def test_every_command_reports_objects_that_it_cannot_name(run, monkeypatch, folder):
    cases = [
        (of_v2, "..", "/: '..': a key cannot contain the segment '..'; left out"),
        (of_v2, ".", "/: '.': a key cannot contain the segment '.'; left out"),
        (of_v2, "", "/: '': a key cannot be absolute; left out"),
        (of_v2, "...", "/...: readers of Zarr V2 skip names that begin with a dot; left out"),
        (of_v2, ".zfoo", "/.zfoo: readers of Zarr V2 skip names that begin with a dot; left out"),
        (of_nczarr, "..", "/.zattrs: '..' is not a valid array name; left out"),
        (of_nczarr, "a/b", "/.zattrs: 'a/b' is not a valid array name; left out"),
        (of_v3, "..", "/../zarr.json: '..': a key cannot contain the segment '..'; left out"),
    ]
    for make, name, told in cases:
        url = held(monkeypatch, make(name))
        for command in (["dump"], ["info"], ["copy", "-q"]):
            target = ["t.zarr"] if "copy" in command else []
            ran = run(*command, url, *target)
            assert (ran.code, told in ran.stderr) == (1, True), (name, command, ran.stderr)
        assert "int ok(" in run("dump", url).text
        assert "nothing was written" in ran.stderr
        assert not Path("t.zarr").exists()
        checked = run("check", url)
        why = told.removesuffix("; left out").rpartition(": ")[2]
        assert (checked.code, why in checked.text) == (1, True), (name, checked.text)
        listed = run("ls", "-r", url)
        assert (listed.code, "/ok/" in listed.text) == (0, True)


def zipped(path: str, store: dict[str, bytes]) -> None:
    """Write a zip file whose entries have exactly these names."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in store.items():
            entry = zipfile.ZipInfo("entry")
            entry.filename = name
            archive.writestr(entry, data)


NO_KEYS = [
    "a//b/.zarray", "/a/.zarray", "../x/.zarray", "a/../b/.zarray", "a/./b/.zarray",
    "..\\x/.zarray", "a\0b/.zarray", "a\\.zarray", "ok//0",
]  # fmt: skip


@pytest.mark.parametrize("name", NO_KEYS)
def test_entries_of_a_zip_file_whose_names_are_not_keys_are_reported(run, folder, name):
    zipped("x.zip", of_v2("good") | {name: json.dumps(ARRAY).encode()})
    told = f"documents or chunks whose names are not keys: {name!r}; left out"
    for command in (["dump", "x.zip"], ["info", "x.zip"], ["copy", "-q", "x.zip", "t.zarr"]):
        ran = run(*command)
        assert (ran.code, told in ran.stderr) == (1, True), (command, ran.stderr)
    assert not Path("t.zarr").exists()
    assert run("dump", "x.zip").text.count("int ") == 2
    assert run("copy", "-q", "--allow-loss", "x.zip", "t.zarr").code == 0
    checked = run("check", "x.zip")
    assert (checked.code, f"error: object-left-out: /: {told}" in checked.text) == (1, True)


def test_entries_of_a_zip_file_that_are_no_part_of_its_store_are_no_loss(run, folder):
    zipped("x.zip", {f"top/{key}": data for key, data in of_v2("a\\b").items()})
    assert run("dump", "x.zip").text.count("int ") == 2  # a backslash can be part of a name
    with zipfile.ZipFile("x.zip", "a") as archive:
        for name in ("top/a//notes.txt", "__MACOSX//.zarray", "other//.zarray", "../.zarray"):
            archive.writestr(name, b"")
    assert run("copy", "-q", "x.zip", "t.zarr").code == 0
    zipped("y.zip", of_v2("g//b") | {"g/.zgroup": b'{"zarr_format": 2}'})
    assert run("dump", "-h", "y.zip/ok").code == 0
    assert run("dump", "-h", "y.zip/g").code == 1


@pytest.mark.parametrize("name", ["a//b", "/a", "./a", "../x", "a/../b"])
def test_a_reference_set_with_a_name_that_is_not_a_key_is_refused(run, folder, name):
    store = {key: data.decode("latin-1") for key, data in of_v2(name).items()}
    Path("refs.json").write_text(json.dumps({"version": 1, "refs": store}))
    for command in (["dump"], ["info"], ["check"], ["ls", "-r"], ["copy", "t.zarr"]):
        ran = run(command[0], "refs.json", *command[1:])
        assert (ran.code, f"key '{name}/.zarray': a key cannot" in ran.stderr) == (1, True), command


@pytest.mark.parametrize("make", [of_v2, of_v3])
def test_names_that_cannot_be_written_are_reported_before_a_copy(run, monkeypatch, folder, make):
    for name, told in (
        ("a\x01b", r"'/a\x01b': a key cannot contain control characters"),
        ("a\nb", r"'/a\nb': a key cannot contain control characters"),
        ("zarr.json", "'/zarr.json': this is the name of a metadata object"),
    ):
        url = held(monkeypatch, make(name))
        assert run("dump", url).text.count("int ") == 2
        assert (run("info", url).code, run("ls", "-r", url).code) == (0, 0)
        ran = run("copy", "-q", url, "t.zarr")
        assert (ran.code, told in ran.stderr, ran.stderr.count("\n")) == (1, True, 1), ran.stderr
        assert not Path("t.zarr").exists()


@pytest.mark.parametrize("mode", ["zarr", "zarr,v3"])
@pytest.mark.parametrize("below", ["int v(x) ; data: v = 1, 2, 3, 4 ;", "int v ; data: v = 1 ;"])
def test_a_group_without_its_document_is_reported(run: Run, folder: Path, mode: str, below: str):
    text = CDL[:-2] + b"group: g { variables: int u(x) ; group: h { variables: %s } }\n}\n"
    made = run(*PLAIN, "-o", f"s.zarr#mode={mode}", stdin=text % below.encode())
    assert made.code == 0, made.stderr
    name = "zarr.json" if "v3" in mode else ".zgroup"
    for group in ("g/h", "g"):
        (folder / "s.zarr" / group / name).unlink()
        told = f"/{group}: groups or arrays without the document of their group; left out"
        for command in (["dump", "-h", "s.zarr"], ["info", "s.zarr"], ["copy", "s.zarr", "t.zarr"]):
            ran = run(*command)
            assert (ran.code, told in ran.stderr) == (1, True), (command, ran.stderr)
        assert not Path("t.zarr").exists()
        ran = run("check", "s.zarr")
        assert (ran.code, f"group-missing: /{group}: " in ran.text) == (1, True), ran.text
    assert run("check", "--fix", "s.zarr").code == 0
    assert run("dump", "-h", "s.zarr").code == 0
    for path in (folder / "s.zarr/g").rglob(name):
        path.unlink()
    shutil.rmtree("s.zarr/g/u")
    shutil.rmtree("s.zarr/g/h")
    assert run("dump", "-h", "s.zarr").code == 0  # an empty folder is nothing

"""Documents that are missing, hidden or contradictory are a loss."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from tests.lost.stores import CDL, PLAIN, document

LISTED = "listed by its group, but missing in the store"
ORPHANED = "chunks without the document of their array; left out"


@pytest.mark.parametrize("group", ["", "g/"])
@pytest.mark.parametrize(
    ("mode", "told"),
    [
        ("nczarr", LISTED),
        ("v3", LISTED),
        ("zarr", f"{ORPHANED}; restore the document, or remove the chunks"),
        ("zarr,v3", f"{ORPHANED}; restore the document, or remove the chunks"),
    ],
)
def test_chunks_without_a_document_are_reported(run, mode, told, group):
    text = CDL[:-2] + b"group: g { variables: int v(x) ; data: v = 1, 2, 3, 4 ; }\n}\n"
    assert run(*PLAIN, "-o", f"s.zarr#mode={mode}", stdin=text).code == 0
    document(Path("s.zarr"), f"{group}v").unlink()
    ran = run("dump", "-q", "-h", "s.zarr")
    assert (ran.code, ran.stderr) == (1, f"ncz: notice: s.zarr: /{group}v: {told}\n")
    assert run("copy", "s.zarr", "t.zarr").code == 1
    assert not Path("t.zarr").exists()


@pytest.mark.parametrize("mode", ["zarr", "zarr,v3"])
def test_an_empty_folder_is_not_an_array(run, mode):
    assert run(*PLAIN, "-o", f"s.zarr#mode={mode}", stdin=CDL).code == 0
    shutil.rmtree("s.zarr/v")
    Path("s.zarr/v").mkdir()
    ran = run("dump", "-q", "-h", "s.zarr")
    assert (ran.code, ran.stderr) == (0, "")


def test_a_folder_in_the_place_of_a_document_is_reported(run, store):
    document(store, "v").unlink()
    document(store, "v").mkdir()
    ran = run("dump", "-q", "-h", store)
    assert ran.code == 1
    assert "/v: " in ran.stderr


def test_folders_that_contain_no_array_are_not_reported(run, store):
    (store / "notes").mkdir()
    (store / "notes" / "README.md").write_text("about")
    (store / "README.md").write_text("about")
    ran = run("dump", "-h", store)
    assert (ran.code, "notes" in ran.stderr, "README" in ran.stderr) == (0, False, False)


@pytest.mark.parametrize("arrays", [None, ["a"]])
@pytest.mark.parametrize("mode", ["nczarr", "v3"])
@pytest.mark.parametrize("kind", ["directory", "zip"])
def test_arrays_that_their_group_does_not_list_are_reported(run, folder, arrays, mode, kind):
    assert run(*PLAIN, "-o", f"s.zarr#mode={mode}", stdin=CDL).code == 0
    path = folder / "s.zarr" / ("zarr.json" if mode == "v3" else ".zattrs")
    whole = json.loads(path.read_text())
    note = (whole["attributes"] if mode == "v3" else whole)["_nczarr_group"]
    note.pop("arrays")
    if arrays is not None:
        note["arrays"] = arrays
    path.write_text(json.dumps(whole))
    source = "s.zarr"
    if kind == "zip":
        source = "s.zip"
        with zipfile.ZipFile(source, "w") as file:
            for each in sorted(Path("s.zarr").rglob("*")):
                if each.is_file():
                    file.write(each, str(each.relative_to("s.zarr")))
    ran = run("dump", "-q", "-h", source)
    assert ran.code == 1
    for name in "vwc":
        assert f"/{name}: not listed by its group; left out" in ran.stderr


def test_a_listed_array_that_is_not_there_is_a_loss(run, folder):
    assert run("gen", "-q", "-", "-o", "s.zarr", stdin=CDL).code == 0
    shutil.rmtree("s.zarr/v")
    ran = run("dump", "-q", "-h", "s.zarr")
    assert ran.code == 1
    assert "/v: listed by its group, but missing in the store" in ran.stderr


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [(".zattrs", "", 0), (".zattrs", "{}", 0), (".zattrs", '{"a": 1}', 1), (".zgroup", "x", 1)],
)
def test_v3_wins_over_stray_documents_of_v2(run, folder, name, text, code):
    assert run(*PLAIN, "-o", "s.zarr#mode=zarr,v3", stdin=CDL).code == 0
    expected = run("dump", "s.zarr").text
    (folder / "s.zarr" / name).write_text(text)
    ran = run("dump", "s.zarr")
    assert ran.code == code
    assert ran.text == expected
    assert f"/{name}: the store is read as Zarr V3; this document of V2 is not read" in ran.stderr
    ran = run("dump", "-q", "s.zarr#mode=v3")
    assert (ran.code, ran.stderr, ran.text) == (0, "", expected)


@pytest.fixture
def hybrid(run, folder):
    """A pure store whose metadata zarr-python has migrated, with the documents of V2 left there."""
    from zarr.metadata.migrate_v3 import migrate_v2_to_v3

    text = b"""netcdf s { dimensions: x = 2 ; group: g { variables:
      int v(x) ; v:_FillValue = -1 ; v:long_name = "values" ; data: v = 1, 2 ; } }"""
    assert run(*PLAIN, "-o", "s.zarr#mode=zarr", stdin=text).code == 0
    migrate_v2_to_v3(input_store=str(folder / "s.zarr"))
    return folder / "s.zarr"


def test_documents_of_v2_that_say_the_same_are_not_a_loss(run, hybrid):
    ran = run("dump", "-h", hybrid)
    assert ran.code == 0
    assert "/.zgroup: the store is read as Zarr V3; this document of V2 says the same" in ran.stderr
    assert run("copy", hybrid, "t.zarr").code == 0


@pytest.mark.parametrize(
    ("document", "change"),
    [
        ("g/v/.zattrs", {"units": "K"}),
        ("g/v/.zarray", {"shape": [3]}),
        ("g/v/.zarray", {"chunks": [1]}),
        ("g/v/.zarray", {"dtype": "<q9"}),
        ("new/.zgroup", {"zarr_format": 2}),
    ],
)
def test_documents_of_v2_that_say_something_else_are_a_loss(run, hybrid, document, change):
    path = hybrid / document
    path.parent.mkdir(exist_ok=True)
    members = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(members | change))
    ran = run("dump", "-q", "-h", hybrid)
    assert ran.code == 1
    assert "/.zgroup: the store is read as Zarr V3; this document of V2 is not read" in ran.stderr
    assert run("dump", "-h", f"{hybrid}#mode=v3").code == 0


def test_an_attribute_that_netcdf_never_shows_is_a_loss_for_copies_only(run, folder):
    assert run("gen", "-q", "-", "-o", "s.zarr", stdin=CDL).code == 0
    path = folder / "s.zarr/v/.zattrs"
    path.write_text(json.dumps({"CLASS": "DIMENSION_SCALE"} | json.loads(path.read_text())))
    ran = run("dump", "-h", "s.zarr")
    assert (ran.code, "attribute CLASS is reserved by HDF5" in ran.stderr) == (0, True)
    ran = run("copy", "s.zarr", "t.zarr")
    assert (ran.code, "attribute CLASS is reserved by HDF5" in ran.stderr) == (1, True)
    assert run("copy", "--allow-loss", "s.zarr", "t.zarr").code == 0


def test_arrays_below_a_root_that_is_an_array_are_named(run, store):
    root = "zarr.json" if (store / "zarr.json").exists() else ".zarray"
    shutil.copy(document(store, "a"), store / root)
    (store / ".zgroup").unlink(missing_ok=True)
    for command in ("dump", "copy"):
        ran = run(command, "-q", store, *(["t.zarr"] if command == "copy" else []))
        assert ran.code == 1, command
        assert "below an array, which cannot have groups or arrays; left out" in ran.stderr
        assert all(f"s.zarr: /{name}: below" in ran.stderr for name in "avwc"), command
    assert not Path("t.zarr").exists()


@pytest.mark.parametrize("left", [".zgroup", ".zattrs"])
@pytest.mark.parametrize("chunk", ["0", "0.0", "0/0"])
@pytest.mark.parametrize("consolidated", [False, True])
def test_chunks_next_to_a_document_of_a_group_are_reported(run, left, chunk, consolidated):
    store, array = Path("s.zarr"), Path("s.zarr/g")
    (array / chunk).parent.mkdir(parents=True)
    (array / chunk).write_bytes(bytes(16))
    (store / ".zgroup").write_text('{"zarr_format": 2}')
    (array / left).write_text('{"zarr_format": 2}')
    if consolidated:
        documents = {".zgroup": {"zarr_format": 2}, f"g/{left}": {"zarr_format": 2}}
        text = {"zarr_consolidated_format": 1, "metadata": documents}
        (store / ".zmetadata").write_text(json.dumps(text))
    ran = run("dump", "-q", "-h", "s.zarr")
    assert ran.code == 1
    assert ORPHANED in ran.stderr
    assert run("copy", "s.zarr", "t.zarr").code == 1
    assert not Path("t.zarr").exists()


@pytest.mark.parametrize(("mode", "name"), [("nczarr", ".zattrs"), ("v3", "zarr.json")])
def test_a_folder_is_not_listed_by_a_group_without_a_list(run, mode, name):
    """A group of NCZarr whose annotation is missing is searched, and a folder is only found."""
    assert run(*PLAIN, "-o", f"s.zarr#mode={mode}", stdin=CDL).code == 0
    root = Path("s.zarr") / name
    text = root.read_text().replace('"_nczarr_group"', '"_other"')
    root.write_text(text)
    Path("s.zarr/figures").mkdir()
    Path("s.zarr/figures/README.md").write_text("about")
    ran = run("dump", "-h", "s.zarr")
    assert (ran.code, "figures" in ran.stderr) == (0, False)
    assert "the group has no NCZarr annotation" in ran.stderr


def test_a_group_without_a_document_is_reported_of_consolidated_v3(run):
    text = CDL[:-2] + b"group: g { variables: int v(x) ; data: v = 1, 2, 3, 4 ; }\n}\n"
    assert run(*PLAIN, "-o", "s.zarr#mode=zarr,v3", stdin=text).code == 0
    Path("s.zarr/g/zarr.json").unlink()
    assert run("consolidate", "s.zarr").code == 0
    ran = run("dump", "-q", "-h", "s.zarr")
    assert ran.code == 1
    assert "/g: groups or arrays without the document of their group; left out" in ran.stderr

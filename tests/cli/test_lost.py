"""Exit code 0 means that nothing was lost."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import pytest

import ncz
from ncz.commands.dump import DumpOptions, dump
from ncz.zmap.local import writable
from tests.conftest import Run

CDL = b"""netcdf s {
dimensions:
 x = 4 ;
 y = 2 ;
variables:
 int a(x) ;
 int v(y, x) ;
  v:_ChunkSizes = 1, 2 ;
 int w(x) ;
 char c(x) ;
data:
 a = 1, 2, 3, 4 ;
 v = 11, 12, 13, 14, 21, 22, 23, 24 ;
 w = 5, 6, 7, 8 ;
 c = "abcd" ;
}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(params=["nczarr", "zarr", "v3", "zarr,v3"])
def store(run: Run, folder: Path, request: pytest.FixtureRequest) -> Path:
    """A store of every kind."""
    assert run("gen", "-q", "-", "-o", f"s.zarr#mode={request.param}", stdin=CDL).code == 0
    return folder / "s.zarr"


def chunk(store: Path, array: str, *index: int) -> Path:
    """Return the path of a chunk."""
    if (store / "zarr.json").exists():
        return store.joinpath(array, "c", *map(str, index))
    return store / array / ".".join(map(str, index))


def document(store: Path, array: str) -> Path:
    """Return the path of the document of an array."""
    name = "zarr.json" if (store / "zarr.json").exists() else ".zarray"
    return store / array / name


def consolidated(run: Run, *, modes: str = "zarr") -> Path:
    """Create a store with consolidated metadata."""
    target = f"s.zarr#mode={modes},consolidated"
    assert run("gen", "-q", "-", "-o", target, stdin=CDL).code == 0
    return Path("s.zarr")


# --- data that cannot be decoded -----------------------------------------------------------------


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
        dump(str(store), DumpOptions(partial=True), refuse)


# --- arrays that cannot be read ------------------------------------------------------------------


def damage_document(store: Path) -> None:
    document(store, "v").write_bytes(b"{")


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


def test_ls_goes_on_after_a_key_that_cannot_be_looked_up(run, store, monkeypatch):
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


# --- listing and documents -----------------------------------------------------------------------


def test_chunks_without_a_document_are_reported(run, store):
    document(store, "v").unlink()
    ran = run("dump", "-q", "-h", store)
    assert ran.code == 1
    assert "/v: " in ran.stderr
    assert "chunks without the document" in ran.stderr or "listed by its group" in ran.stderr
    assert run("copy", store, "t.zarr").code == 1
    assert not Path("t.zarr").exists()


def test_a_folder_in_the_place_of_a_document_is_reported(run, store):
    document(store, "v").unlink()
    document(store, "v").mkdir()
    ran = run("dump", "-q", "-h", store)
    assert ran.code == 1
    assert "/v: " in ran.stderr


def test_folders_that_hold_no_array_are_not_reported(run, store):
    (store / "notes").mkdir()
    (store / "notes" / "README.md").write_text("about")
    (store / "README.md").write_text("about")
    ran = run("dump", "-h", store)
    assert (ran.code, "notes" in ran.stderr, "README" in ran.stderr) == (0, False, False)


@pytest.mark.parametrize("arrays", [None, ["a"]])
@pytest.mark.parametrize("mode", ["nczarr", "v3"])
@pytest.mark.parametrize("kind", ["directory", "zip"])
def test_arrays_that_their_group_does_not_list_are_reported(run, folder, arrays, mode, kind):
    assert run("gen", "-q", "-", "-o", f"s.zarr#mode={mode}", stdin=CDL).code == 0
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
    assert run("gen", "-q", "-", "-o", "s.zarr#mode=zarr,v3", stdin=CDL).code == 0
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
    assert run("gen", "-q", "-", "-o", "s.zarr#mode=zarr", stdin=text).code == 0
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


@pytest.mark.parametrize("modes", ["zarr", "nczarr", "zarr,v3", "v3"])
def test_consolidated_metadata_that_is_right_is_not_reported(run, modes):
    ran = run("dump", consolidated(run, modes=modes))
    assert ran.code == 0
    assert "consolidated" not in ran.stderr


@pytest.mark.parametrize("modes", ["zarr", "zarr,v3"])
def test_a_consolidated_array_that_is_gone_is_a_loss(run, modes):
    store = consolidated(run, modes=modes)
    shutil.rmtree(store / "v")
    ran = run("dump", "-q", "-h", store)
    assert ran.code == 1
    assert "the consolidated metadata is out of date: missing in the store: /v;" in ran.stderr
    assert "int v(" in ran.text
    ran = run("dump", "-h", "--no-consolidated", store)
    assert ran.code == 0
    assert "consolidated" not in ran.stderr
    assert "int v(" not in ran.text


@pytest.mark.parametrize("modes", ["zarr", "zarr,v3"])
def test_an_array_that_is_not_consolidated_is_a_loss(run, modes):
    store = consolidated(run, modes=modes)
    shutil.copytree(store / "v", store / "new")
    ran = run("dump", "-q", "-h", store)
    assert ran.code == 1
    assert "missing in the consolidated metadata: /new; run ncz consolidate" in ran.stderr
    assert run("copy", "-q", store, "t.zarr").code == 1
    assert run("copy", "-q", "--no-consolidated", store, "t.zarr").code == 0
    assert "int new(" in run("dump", "-h", "t.zarr").text


def test_a_document_that_is_newer_than_its_copy_is_a_loss(run):
    store = consolidated(run)
    (store / "v" / ".zattrs").write_text('{"units": "K"}')
    ran = run("dump", "-q", "-h", store)
    assert ran.code == 1
    assert "different in the store: /v/.zattrs;" in ran.stderr
    assert "units" not in ran.text
    assert 'v:units = "K"' in run("dump", "-h", "--no-consolidated", store).text
    with ncz.open(store, consolidated=False) as dataset:
        assert [a.name for a in ncz.find(dataset, "v").attributes] == ["units"]


@pytest.mark.parametrize("modes", ["zarr", "zarr,v3"])
def test_consolidated_metadata_can_be_required(run, modes):
    assert run("gen", "-q", "-", "-o", f"p.zarr#mode={modes}", stdin=CDL).code == 0
    with (
        pytest.raises(ncz.FormatError, match="the store has no consolidated metadata"),
        ncz.open("p.zarr", consolidated=True),
    ):
        pass
    with ncz.open(consolidated(run, modes=modes), consolidated=True) as dataset:
        assert len(dataset.root.variables) == 4


# --- copy ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["t.zarr", "t.zip"])
def test_a_short_chunk_is_not_moved_raw(run, store, target):
    chunk(store, "v", 0, 1).write_bytes(b"short")
    options = ("--mode", "v3") if (store / "zarr.json").exists() else ()
    ran = run("copy", "-q", *options, store, target)
    assert ran.code == 1
    assert "5 bytes, not 8" in ran.stderr
    assert str(chunk(store, "v", 0, 1).relative_to(store)) in ran.stderr
    assert not Path(target).exists()
    ran = run("copy", "--keep-going", *options, store, target)
    assert ran.code == 1
    assert "5 bytes, not 8; it was copied unchanged" in ran.stderr
    assert Path(target).exists()


@pytest.mark.parametrize("options", [("-d", "1"), ("-c", "v:2,4")])
def test_a_chunk_that_cannot_be_decoded_is_left_out_if_loss_is_allowed(run, folder, options):
    assert run("gen", "-q", "-", "-o", "s.zarr", stdin=CDL).code == 0
    chunk(folder / "s.zarr", "v", 1, 1).write_bytes(b"short")
    ran = run("copy", "-q", *options, "s.zarr", "t.zarr")
    assert ran.code == 1
    assert not Path("t.zarr").exists()
    ran = run("copy", *options, "--allow-loss", "s.zarr", "t.zarr")
    assert ran.code == 0
    assert "5 bytes, not 8" in ran.stderr
    assert "\n  11, 12, 13, 14,\n  21, 22, _, _ ;\n" in run("dump", "-v", "v", "t.zarr").text


def test_a_copy_to_cdl_is_complete_or_absent(run, folder):
    assert run("gen", "-q", "-", "-o", "s.zarr", stdin=CDL).code == 0
    chunk(folder / "s.zarr", "v", 1, 1).write_bytes(b"short")
    assert run("copy", "s.zarr", "t.cdl").code == 1
    damage_document(folder / "s.zarr")
    ran = run("copy", "s.zarr", "t.cdl")
    assert ran.code == 1
    assert "use --allow-loss to omit it" in ran.stderr
    assert not Path("t.cdl").exists()
    assert run("copy", "--allow-loss", "s.zarr", "t.cdl").code == 0


def test_a_codec_that_nobody_knows_stops_a_copy(run, folder):
    assert run("gen", "-q", "-", "-o", "s.zarr", stdin=CDL).code == 0
    path = folder / "s.zarr/v/.zarray"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"compressor": {"id": "nosuch"}}))
    ran = run("copy", "-q", "s.zarr", "t.zarr")
    assert ran.code == 1
    assert "/v: unknown codec 'nosuch'; its chunks can only be copied unseen" in ran.stderr
    assert not Path("t.zarr").exists()
    assert run("copy", "--allow-loss", "s.zarr", "t.zarr").code == 0
    assert (folder / "t.zarr/v/0.0").read_bytes() == (folder / "s.zarr/v/0.0").read_bytes()


def test_an_error_of_reading_is_told_as_one():
    class Failing:
        def fileno(self) -> int:
            return -1

        def read(self, _: int) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(ncz.ZmapError, match=r"^/v/0: cannot read: Input/output error"):
        writable._copy_all(Failing(), -1, "/v/0")  # type: ignore[arg-type]


# --- targets that are not stores -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("x.h5", "an HDF5 file"),
        ("x.json", "a JSON file; use ncz dump --json for JSON"),
        ("x.parquet", "a Parquet reference set"),
        ("x.icechunk", "an Icechunk repository"),
    ],
)
def test_names_that_are_not_those_of_stores_are_refused(run, target, told):
    assert run("gen", "-q", "-", "-o", "s.zarr", stdin=CDL).code == 0
    for ran in (run("gen", "-", "-o", target, stdin=CDL), run("copy", "s.zarr", target)):
        assert ran.code == 1
        assert told in ran.stderr
        assert len(ran.stderr.splitlines()) == 1
    assert not list(Path().glob("x*"))


def test_a_mode_says_that_a_store_is_meant(run):
    assert run("gen", "-", "-o", "x.nc#mode=nczarr,file", stdin=CDL).code == 0
    assert run("copy", "-q", "--mode", "nczarr", "x.nc", "y.nc").code == 0


def test_a_store_cannot_be_written_to_standard_output(run):
    ran = run("gen", "-", "-o", "-", stdin=CDL)
    assert ran.code == 1
    assert "a store cannot be written to standard output" in ran.stderr
    assert not Path("-").exists()


# --- levels --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        ("copy", "s.zarr", "t.zarr", "--codec", "zlib:10"),
        ("copy", "s.zarr", "t.zarr", "--codec", "zstd:99"),
        ("copy", "s.zarr", "t.zarr", "-d", "10"),
        ("copy", "s.zarr", "t.zarr", "-F", "v,1,10"),
    ],
)
def test_levels_are_checked_before_a_copy_writes(run, command):
    assert run("gen", "-q", "-", "-o", "s.zarr", stdin=CDL).code == 0
    ran = run(*command)
    assert ran.code in (1, 2)
    assert "level" in ran.stderr
    assert not Path("t.zarr").exists()


def test_levels_are_checked_before_gen_writes(run):
    text = CDL.replace(b"_ChunkSizes = 1, 2", b"_DeflateLevel = 10")
    ran = run("gen", "-", "-o", "t.zarr", stdin=text)
    assert ran.code == 1
    assert "DeflateLevel" in ran.stderr or "level" in ran.stderr
    assert not Path("t.zarr").exists()


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

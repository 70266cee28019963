"""Edits of attributes: the views of other programs after them; they are made all or not at all."""

from __future__ import annotations

import io
import shutil
from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.errors import ZmapError
from ncz.zmap.local.writable import WritableDirectoryZmap
from tests.conftest import Run

CDL = b"""netcdf s {
dimensions: x = 3 ;
variables: double v(x) ; v:units = "m" ; v:old = 1 ; v:keep = 0.5f ;
 :title = "a" ;
data: v = 1, 2, 3 ;
group: g { variables: int w(x) ; w:a = 1, 2 ; :note = "n" ; data: w = 4, 5, 6 ; }
}
"""
MODES = ["nczarr", "zarr", "v3", "zarr,v3"]
EDITS: dict[str, Any] = {
    "delete": ["v:old"],
    "rename": ["v:units=v:unit", "/g:note=/g:remark"],
    "set": ['v:units = "K"', ':title = "b"', "g/w:a = 3s, 4s", 'string v:names = "p", "q"'],
}


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A store of every mode, with consolidated metadata."""
    folder = tmp_path_factory.mktemp("originals")
    stores = {mode: folder / f"{mode}.zarr" for mode in MODES}
    for mode, store in stores.items():
        ncz.gen(io.BytesIO(CDL), f"{store}#mode={mode},consolidated", notify=lambda _: None)
    return stores


@pytest.fixture(params=MODES)
def store(originals, tmp_path, request) -> Path:
    """A copy that a test may change."""
    target: Path = tmp_path / "s.zarr"
    mode: str = request.param
    shutil.copytree(originals[mode], target)
    return target


def header(store: Path, **options: Any) -> str:
    return ncz.dump(store, header_only=True, notify=lambda _: None, **options)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_all_kinds_of_edits(store):
    before = contents(store)
    ncz.edit(store, **EDITS)
    text = header(store)
    assert text == header(store, consolidated=False)
    for line in ('v:unit = "m" ;', 'v:units = "K" ;', ':title = "b" ;', ':remark = "n" ;'):
        assert line in text
    assert 'string v:names = "p", "q" ;' in text
    assert "v:old" not in text
    assert ":note" not in text
    assert ncz.check(store, data=True).is_clean
    after = contents(store)
    changed = {key for key in before if before[key] != after[key]}
    assert not [key for key in changed if key.rpartition("/")[2][-1:].isdigit()]


@pytest.mark.parametrize("mode", ["nczarr", "v3"])
def test_types_match_cdl(originals, tmp_path, mode):
    store = tmp_path / "s.zarr"
    shutil.copytree(originals[mode], store)
    ncz.edit(store, set=["v:s = 3s, 4s", "v:f = 1.5f", "v:b = 7b", "v:u = 5ull", 'v:c = "17"'])
    text = header(store)
    for line in ("v:s = 3s, 4s ;", "v:f = 1.5f ;", "v:b = 7b ;", "v:u = 5ULL ;", 'v:c = "17" ;'):
        assert line in text


@pytest.mark.parametrize("mode", MODES)
def test_a_zip_file_is_written_again(originals, tmp_path, mode):
    target = tmp_path / "s.zip"
    ncz.copy(originals[mode], f"{target}#mode={mode},consolidated", notify=lambda _: None)
    ncz.edit(target, **EDITS)
    directory = tmp_path / "s.zarr"
    shutil.copytree(originals[mode], directory)
    ncz.edit(directory, **EDITS)
    assert ncz.dump(target, notify=lambda _: None) == ncz.dump(directory, notify=lambda _: None)
    assert ncz.check(target, data=True).is_clean
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


@pytest.mark.parametrize("mode", ["zarr", "zarr,v3"])
def test_xarray_and_zarr_python_see_the_edits(originals, tmp_path, mode):
    xarray = pytest.importorskip("xarray")
    zarr = pytest.importorskip("zarr")
    store = tmp_path / "s.zarr"
    shutil.copytree(originals[mode], store)
    ncz.edit(store, **EDITS)
    for consolidated in (True, False):
        with xarray.open_zarr(store, consolidated=consolidated) as dataset:
            assert dataset.attrs["title"] == "b"
            assert dataset.v.attrs == {"unit": "m", "keep": 0.5, "units": "K", "names": ["p", "q"]}
            assert dataset.v.values.tolist() == [1, 2, 3]
    assert dict(zarr.open_group(store, mode="r")["g/w"].attrs)["a"] == [3, 4]


@pytest.mark.parametrize("failing", [1, 2, 3, 4])
def test_a_failed_write_leaves_the_old_store(store, monkeypatch, failing):
    before = contents(store)
    put, calls = WritableDirectoryZmap.put, []

    def broken(zmap: WritableDirectoryZmap, key: str, value: bytes) -> None:
        calls.append(key)
        if len(calls) == failing:
            raise ZmapError("no space left on the device", key)
        put(zmap, key, value)

    monkeypatch.setattr(WritableDirectoryZmap, "put", broken)
    with pytest.raises(ZmapError, match="no space left"):
        ncz.edit(store, **EDITS)
    assert contents(store) == before


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ({"set": ["nothing:a = 1"]}, "no variable or group /nothing"),
        ({"delete": ["v:none"]}, "no attribute none"),
        ({"rename": ["v:old=v:units"]}, "attribute units already exists"),
        ({"rename": ["v:old=w:old"]}, "moves an attribute"),
        ({"rename": ["v"]}, "'v' has no new name; write it as v=NEW"),
        ({"rename": ["v:w"]}, "write it as v=w, or v:w=NEW for an attribute"),
        ({"set": ["v:_FillValue = 1."]}, "_FillValue describes how data are stored"),
        ({"delete": [":_nczarr_group"]}, "_nczarr_group describes how data are stored"),
        ({"set": ["v:a = ;"]}, "v:a = ;"),
        ({"set": ["v:a = 1 ; :b = 2"]}, "not a single attribute"),
        ({"set": ["v.a"]}, "is not an attribute"),
        ({"rename": ["v=a b"]}, r"'v=a b' is not .*; write a space in a name as '\\ '"),
        ({"remove": ["a b"]}, r"'a b' is not .*; write a space in a name as '\\ '"),
        ({"set": ["v:a b = 1"]}, r"is not an attribute; write a space in a name as '\\ '"),
    ],
)
def test_a_wrong_edit_changes_nothing(store, edits, message):
    before = contents(store)
    everything = {**edits, "set": ['v:units = "K"', *edits.get("set", [])]}
    with pytest.raises(ncz.NczError, match=message):
        ncz.edit(store, **everything)
    assert contents(store) == before


def test_a_dry_run_changes_nothing(store, run: Run):
    before = contents(store)
    ran = run("edit", store, "--dry-run", "--delete", "v:old", "--set", ':title = "b"')
    assert (ran.code, ran.stderr) == (0, "")
    assert ran.text.splitlines() == [
        "would delete /v:old (was 1)",
        'would set /:title = "b" (was "a")',
    ]
    assert contents(store) == before


def test_the_command_line(store, run: Run):
    ran = run("edit", store, "--json", "--set", 'v:units = "K"')
    assert ran.code == 0
    assert ran.text == (
        '{"dry_run": false, "changes": [{"kind": "attribute", "node": "/v", "name": "units",'
        ' "before": "\\"m\\"", "after": "\\"K\\""}]}\n'
    )
    assert run("edit", store).code == 2
    assert run("edit", store, "--set", "v").code == 2
    assert run("edit", store, "--delete", "v:none").code == 1


def test_names_with_special_characters(tmp_path):
    store = tmp_path / "s.zarr"
    ncz.gen(
        io.BytesIO(b"netcdf s { variables: int a\\:b ; a\\:b:c\\ d = 1 ; }"),
        store,
        notify=lambda _: None,
    )
    ncz.edit(store, rename=[r"a\:b:c\ d=a\:b:e"], set=[r"a\:b:f\=g = 2"])
    text = header(store)
    assert r"a\:b:e = 1 ;" in text
    assert r"a\:b:f\=g = 2 ;" in text


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--set", "v:a = 1", "--rename", "v:a=v:b", "--set", "v:a = 2"], {"a": 2, "b": 1}),
        (["--set", "v:a = 1", "--delete", "v:a"], {}),
        (["--rename", "v:old=v:a", "--delete", "v:a", "--set", "v:a = 3"], {"a": 3}),
        (["--rename", "v=w", "--set", "w:a = 4", "--rename", "w=v"], {"a": 4}),
        (["--delete", "v:old", "--set", "v:b = 5", "--remove", "g"], {"b": 5}),
    ],
)
def test_the_command_makes_changes_in_the_order_given(
    run: Run, originals, tmp_path, options, expected
):
    shutil.copytree(originals["zarr"], tmp_path / "s.zarr")
    done = run("edit", tmp_path / "s.zarr", *options)
    assert (done.code, done.stderr) == (0, "")
    with ncz.open(tmp_path / "s.zarr") as dataset:
        attributes = {k: v for k, v in dataset["v"].attrs.items() if k in ("a", "b")}
    assert attributes == expected


def test_a_change_that_comes_too_early_is_an_error(run: Run, originals, tmp_path):
    shutil.copytree(originals["zarr"], tmp_path / "s.zarr")
    done = run("edit", tmp_path / "s.zarr", "--delete", "v:new", "--set", "v:new = 1")
    assert done.code == 1
    assert "no attribute new" in done.stderr


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--set", "v@note=n"], 'v:note = "n"'),
        (["--set", "v@valid_range=180f,350.5f"], "v:valid_range = 180.f, 350.5f"),
        (["v:limits=-1f"], "v:limits = -1.f"),
        (["--append", "title=, more"], ':title = "a, more"'),
        (["--append", "v:units=s"], 'v:units = "ms"'),
        (["--prepend", "title=not "], ':title = "not a"'),
        (["-a", "units,v,o,c,km"], 'v:units = "km"'),
        (["-a", "title=x,y z"], ':title = "x,y z"'),
        (["--rename", "v", "w"], "w("),
    ],
)
def test_words_of_nco_change_attributes(originals, tmp_path, run: Run, words, line):
    shutil.copytree(originals["zarr"], tmp_path / "s.zarr")
    done = (
        run("edit", *words, tmp_path / "s.zarr")
        if words[0][0] == "-"
        else run("edit", tmp_path / "s.zarr", *words)
    )
    assert done.stderr == ""
    assert line in header(tmp_path / "s.zarr")


def test_a_name_alone_deletes_a_global_attribute(originals, tmp_path, run: Run):
    shutil.copytree(originals["zarr"], tmp_path / "s.zarr")
    assert run("edit", tmp_path / "s.zarr", "--delete", "title").code == 0
    assert ":title" not in header(tmp_path / "s.zarr")
    done = run("edit", tmp_path / "s.zarr", "--delete", "units")
    assert done.code == 1
    assert "units" in done.stderr

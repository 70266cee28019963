"""A copy keeps the form of its source, and reports changes of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ncz
from ncz.commands.copy.options import PROGRAM_MEMORY
from ncz.errors import Notice
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.model.tree import variables_by_fqn
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap

CDL = """netcdf x {
dimensions: t = UNLIMITED ; n = 4 ;
variables: int v(t, n) ; char c(n) ; double s ;
:title = "text" ;
data: v = 1, 2, 3, 4, 5, 6, 7, 8 ; c = "abcd" ; s = 1.5 ;
}
"""


def made(folder: Path, modes: list[str]) -> Path:
    text, store = folder / "x.cdl", folder / "source.zarr"
    text.write_text(CDL)
    ncz.gen(text, store, modes=modes, notify=lambda _: None)
    return store


def objects(store: Path) -> dict[str, bytes]:
    return {str(p.relative_to(store)): p.read_bytes() for p in store.rglob("*") if p.is_file()}


def array(store: Path, name: str, shape: tuple[int, ...], **members: object) -> None:
    """Write the documents of a V3 array without chunks."""
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(shape),
        "data_type": "int32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(shape)}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": 0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "attributes": {},
        **members,
    }
    (store / name).mkdir(parents=True)
    (store / name / "zarr.json").write_text(json.dumps(document))
    root = {"zarr_format": 3, "node_type": "group", "attributes": {}}
    (store / "zarr.json").write_text(json.dumps(root))


@pytest.mark.parametrize("consolidated", [[], ["consolidated"]], ids=["plain", "consolidated"])
@pytest.mark.parametrize("flavour", ["nczarr", "zarr"])
@pytest.mark.parametrize("version", ["v2", "v3"])
def test_a_copy_without_options_has_the_same_objects(version, flavour, consolidated, tmp_path):
    source = made(tmp_path, [version, flavour, *consolidated])
    target = tmp_path / "target.zarr"
    notices: list[Notice] = []
    ncz.copy(source, target, verify=True, notify=notices.append)
    assert objects(target) == objects(source)
    assert [n for n in notices if n.code == "form-changed"] == []


@pytest.mark.parametrize(
    ("options", "zarr_format", "flavour"),
    [
        ([], 3, "zarr"),
        (["--mode", "nczarr"], 3, "nczarr"),
        (["--zarr-format", "2"], 2, "zarr"),
        (["--mode", "nczarr", "--zarr-format", "2"], 2, "nczarr"),
    ],
)
def test_options_change_one_part_of_the_form(options, zarr_format, flavour, run, tmp_path):
    source = made(tmp_path, ["v3", "zarr"])
    ran = run("copy", "--dry-run", "--json", *options, source, tmp_path / "target.zarr")
    plan = json.loads(ran.text)
    assert (plan["zarr_format"], plan["flavour"]) == (zarr_format, flavour)
    assert not (tmp_path / "target.zarr").exists()


def test_text_becomes_nczarr_v2(run, tmp_path):
    (tmp_path / "x.cdl").write_text(CDL)
    ran = run("copy", "--dry-run", tmp_path / "x.cdl", tmp_path / "target.zarr")
    assert "target: NCZarr, Zarr V2" in ran.text.splitlines()


def test_consolidated_metadata_can_be_left_out_and_added(run, tmp_path):
    source = made(tmp_path, ["consolidated"])
    without, again = tmp_path / "without.zarr", tmp_path / "again.zarr"
    assert run("copy", "--no-consolidated", source, without).code == 0
    assert not (without / ".zmetadata").exists()
    assert run("copy", "--consolidated", without, again).code == 0
    assert (again / ".zmetadata").read_bytes() == (source / ".zmetadata").read_bytes()


def test_the_char_dtype_of_nczarr_is_kept(tmp_path):
    text, store = tmp_path / "x.cdl", tmp_path / "source.zarr"
    text.write_text(CDL)
    ncz.gen(text, store, char="|S1", notify=lambda _: None)
    ncz.copy(store, tmp_path / "target.zarr", notify=lambda _: None)
    assert json.loads((tmp_path / "target.zarr/c/.zarray").read_text())["dtype"] == "|S1"


def test_names_in_several_lengths_and_axes_without_a_name_are_kept(tmp_path):
    source, target = tmp_path / "source.zarr", tmp_path / "target.zarr"
    array(source, "0", (8, 3), dimension_names=["y", "x"])
    array(source, "1", (4, 3), dimension_names=["y", "x"])
    array(source, "2", (4, 3), dimension_names=["y", None])
    array(source, "g/3", (4, 3))
    (source / "g" / "zarr.json").write_bytes((source / "zarr.json").read_bytes())
    ncz.copy(source, target, verify=True, notify=lambda _: None)
    for name in ("0", "1", "2", "g/3"):
        theirs, ours = (json.loads((s / name / "zarr.json").read_text()) for s in (source, target))
        assert ours.get("dimension_names") == theirs.get("dimension_names")


def test_names_survive_a_way_through_nczarr(tmp_path):
    source, middle, target = (tmp_path / f"{n}.zarr" for n in ("source", "middle", "target"))
    array(source, "0", (8, 3), dimension_names=["y", "x"])
    array(source, "1", (4, 3), dimension_names=["y", "x"])
    ncz.copy(source, middle, modes=["nczarr", "v2"], notify=lambda _: None)
    ncz.copy(middle, target, modes=["zarr"], allow_loss=True, notify=lambda _: None)
    for name in ("0", "1"):
        attributes = json.loads((target / name / ".zattrs").read_text())
        assert attributes["_ARRAY_DIMENSIONS"] == ["y", "x"]


def test_invented_names_of_a_text_are_not_written(tmp_path):
    (tmp_path / "x.cdl").write_text(
        "netcdf x { dimensions: _Anonymous_Dim_3 = 3 ; n = 2 ;"
        " variables: int a(_Anonymous_Dim_3) ; int b(n, _Anonymous_Dim_3) ; }"
    )
    notices: list[Notice] = []
    target = tmp_path / "target.zarr"
    ncz.gen(tmp_path / "x.cdl", target, modes=["zarr", "v3"], notify=notices.append)
    names = [json.loads((target / v / "zarr.json").read_text()) for v in ("a", "b")]
    assert [n.get("dimension_names") for n in names] == [None, ["n", None]]
    assert [notice.message for notice in notices] == [
        "xarray cannot open arrays without names of dimensions (/a)"
    ]


def test_one_notice_names_unrequested_changes(run, tmp_path):
    source = tmp_path / "source.zarr"
    sharded = {
        "name": "sharding_indexed",
        "configuration": {
            "chunk_shape": [2, 3],
            "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
            "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        },
    }
    array(source, "s", (8, 3), codecs=[sharded], dimension_names=["y", "x"])
    array(source, "b", (8, 3), data_type="bool", fill_value=False, dimension_names=["y", "x"])
    kept = run("copy", source, tmp_path / "kept.zarr")
    assert "changes" not in kept.stderr
    ran = run("copy", "--mode", "nczarr", "--zarr-format", "2", source, tmp_path / "changed.zarr")
    notices = [line for line in ran.stderr.splitlines() if "changes how data are stored" in line]
    assert len(notices) == 1
    assert "data type |b1 becomes |u1 (/b)" in notices[0]
    assert "shards become separate chunks (/s)" in notices[0]
    assert "V2" not in notices[0]  # which was requested


def test_the_plan_says_every_change(run, tmp_path):
    source = made(tmp_path, ["zarr", "v3", "consolidated"])
    ran = run("copy", "--dry-run", "--json", "--zarr-format", "2", "--mode", "nczarr",
              "--no-consolidated", source, tmp_path / "target.zarr")  # fmt: skip
    changes = {c["message"]: c["requested"] for c in json.loads(ran.text)["changes"]}
    assert changes["Zarr V3 becomes Zarr V2"]
    assert changes["pure Zarr becomes NCZarr"]
    assert changes["consolidated metadata are left out"]
    assert changes["separator / of chunk keys becomes . (/v, /c, /s)"]


def test_a_store_says_that_it_is_consolidated(tmp_path):
    for version in ("v2", "v3"):
        store = tmp_path / f"{version}.zarr"
        (tmp_path / "x.cdl").write_text(CDL)
        ncz.gen(tmp_path / "x.cdl", store, modes=[version, "consolidated"], notify=lambda _: None)
        zmap = open_zmap(parse_location(str(store)))
        dataset = open_dataset(zmap, name="x")
        assert dataset.provenance.consolidated
        assert dict(variables_by_fqn(dataset.root))["/s"].axis_names == ()
        zmap.close()


@pytest.mark.parametrize(("short", "code"), [(0, 0), (1, 1)])
def test_a_chunk_may_need_all_of_the_memory(run, tmp_path, short, code):
    text = b"""netcdf m { dimensions: x = 9000000 ;
      variables: double v(x) ; v:_ChunkSizes = 9000000 ; }"""
    assert run("gen", "-", "-o", tmp_path / "a.zarr", stdin=text).code == 0
    need = 3 * 9_000_000 * 8
    memory = str(PROGRAM_MEMORY + need - short)
    ran = run(
        "copy", "--dry-run", "-d", "1", "--memory", memory, tmp_path / "a.zarr", tmp_path / "b.zarr"
    )
    assert ran.code == code
    assert ("copying one chunk needs" in ran.stderr) == bool(short)

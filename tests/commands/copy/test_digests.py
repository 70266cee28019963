"""Digests that stores keep: written by copy, and compared with the values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.digests.sums import sums_text
from ncz.digests.variable import variable_sums
from ncz.errors import NczError, ignore_notice
from ncz.formats.opening import open_dataset
from ncz.model.tree import dimensions_by_fqn, shape_of, variables_by_fqn
from ncz.parallel.threads import ThreadPool
from ncz.transfer.difference import DifferenceError
from ncz.zmap.location import location_of

CDL = """netcdf s {{
dimensions: t = UNLIMITED ; x = 5 ;
variables:
  float v(t, x) ; v:_ChunkSizes = 2, 3 ; v:_FillValue = -1.f ;
  short w(x, t) ; w:_ChunkSizes = 2, 2 ;
  int t(t) ;
  string s(x) ;
data:
  t = {times} ;
  v = {values} ;
  w = {words} ;
  s = "a", "b", "", "d", "e" ;
}}
"""


def text(folder: Path, start: int, count: int, name: str = "s") -> Path:
    """Write CDL with a number of times."""
    times = range(start, start + count)
    values = (f"{t}.{x}" if (t, x) != (1, 2) else "_" for t in times for x in range(5))
    words = ("{" + ", ".join(str(10 * t + x) for t in times) + "}" for x in range(5))
    path = folder / f"{name}.cdl"
    path.write_text(
        CDL.format(
            times=", ".join(map(str, times)),
            values=", ".join(values),
            words=", ".join(words),
        )
    )
    return path


MODES = [
    "zarr,v2,consolidated",
    "zarr,v3,consolidated",
    "nczarr,v2",
    "nczarr,v3",
    "nczarr,v2,consolidated",
]


def kept(store: Any) -> dict[str, str]:
    """Return the digests that a store keeps, after they are compared with its values."""
    found = {}
    with open_dataset(location_of(store)) as opened, ThreadPool(1 << 26, 1) as pool:
        root = opened.dataset.root
        lengths = dimensions_by_fqn(root)
        for fqn, variable in variables_by_fqn(root):
            assert variable.data is not None
            sums = variable.data.kept_sums()
            if sums is not None:
                shape = shape_of(variable, lengths)
                assert sums_text(variable_sums(variable, shape, pool)) == sums
                found[fqn] = sums
    return found


def copied(source: Any, target: Any, **options: Any) -> None:
    ncz.copy(source, target, digest=True, notify=ignore_notice, **options)


@pytest.fixture(params=MODES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    copied(text(tmp_path, 0, 3), tmp_path / "s.zarr", modes=request.param)
    return tmp_path / "s.zarr"


def test_copies_keep_the_digest_of_every_variable(store, run):
    assert kept(store).keys() == {"/v", "/w", "/t", "/s"}
    ran = run("check", "--data", store)
    assert ran.code == 0, ran.text
    assert ncz.diff(store.parent / "s.cdl", store) == []


def test_a_finished_copy_that_is_resumed_is_compared(store, tmp_path, request):
    modes = request.node.callspec.params["store"]
    summary = ncz.copy(
        tmp_path / "s.cdl", store, digest=True, resume=True, modes=modes, notify=ignore_notice
    )
    assert (summary.chunks, summary.compared) == (0, 15 + 15 + 3 + 5)
    other = text(tmp_path, 1, 3, "other")
    with pytest.raises(NczError):
        ncz.copy(other, store, digest=True, resume=True, modes=modes, notify=ignore_notice)


def _chunk(store: Path, variable: str) -> Path:
    files: Iterator[Path] = (store / variable).rglob("*")
    return next(p for p in files if p.is_file() and not p.name.startswith((".z", "zarr")))


def damage(store: Path, variable: str = "w") -> None:
    """Change one value of an array that is stored without codecs."""
    chunk = _chunk(store, variable)
    data = bytearray(chunk.read_bytes())
    data[0] ^= 1
    chunk.write_bytes(data)


@pytest.fixture
def damaged(store: Path) -> Path:
    damage(store)
    return store


def test_check_reports_other_values(damaged, run):
    ran = run("check", "--data", damaged)
    assert ran.code == 1
    assert "error: digest-mismatch: /w: the digest of the values differs" in ran.text
    assert run("check", damaged).code == 0  # no values are read


def test_a_copy_with_digests_is_refused(damaged, tmp_path):
    with pytest.raises(DifferenceError, match="the digest of the values differs"):
        copied(damaged, tmp_path / "t.zarr")
    assert not (tmp_path / "t.zarr").exists()


def test_a_copy_passes_on_kept_values(damaged, tmp_path, run):
    ncz.copy(damaged, tmp_path / "t.zip", codecs="zlib", notify=ignore_notice)
    ran = run("check", "--data", tmp_path / "t.zip")
    assert "digest-mismatch: /w:" in ran.text
    assert "/v:" not in ran.text


def test_verify_compares_kept_values(damaged, tmp_path):
    with pytest.raises(DifferenceError, match="the digest of the values differs"):
        ncz.copy(damaged, tmp_path / "t.zarr", verify=True, notify=ignore_notice)


@pytest.mark.parametrize(
    "options",
    [
        {"chunks": "t/1"},
        {"codecs": "zstd"},
        {"modes": ["zarr", "v3", "consolidated"], "chunks": "v:1,3", "shards": "v:2,3"},
    ],
)
def test_chunks_and_codecs_do_not_count(store, tmp_path, options):
    ncz.copy(store, tmp_path / "t.zarr", notify=ignore_notice, **options)
    assert kept(tmp_path / "t.zarr") == kept(store)


def test_a_part_does_not_pass_on_the_digest_of_the_whole(store, tmp_path):
    ncz.copy(store, tmp_path / "t.zarr", isel={"t": slice(None, None, -1)}, notify=ignore_notice)
    assert kept(tmp_path / "t.zarr").keys() <= {"/s"}
    ncz.copy(
        store,
        tmp_path / "u.zarr",
        isel={"t": slice(None, None, -1)},
        digest=True,
        notify=ignore_notice,
    )
    assert len(kept(tmp_path / "u.zarr")) == 4


def test_digests_of_rounded_values_match_the_written_ones(tmp_path):
    path = tmp_path / "q.cdl"
    path.write_text(
        "netcdf q { dimensions: x = 3 ; variables: float v(x) ;"
        " v:_QuantizeBitGroomNumberOfSignificantDigits = 2 ;"
        " data: v = 1.23456, 2.34567, 3.45678 ; }"
    )
    copied(path, tmp_path / "q.zarr", modes="zarr,consolidated")
    assert kept(tmp_path / "q.zarr").keys() == {"/v"}
    ncz.copy(tmp_path / "q.zarr", tmp_path / "r.zarr", notify=ignore_notice)
    kept(tmp_path / "r.zarr")


@pytest.mark.parametrize("target", ["x.nc", "x.cdl", "x.zarr#mode=zarr,v3"])
def test_targets_that_keep_no_digests_are_refused(run, tmp_path, target):
    options = ("--no-annotations",) if target.endswith("v3") else ()
    ran = run("copy", "--digest", *options, text(tmp_path, 0, 1), f"{tmp_path}/{target}")
    assert ran.code == 2, ran.stderr
    assert "digests" in ran.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["s.cdl"]


def test_sets_of_references_keep_digests(tmp_path):
    pytest.importorskip("h5py")
    ncz.copy(text(tmp_path, 0, 3), tmp_path / "s.nc", notify=ignore_notice)
    copied(tmp_path / "s.nc", f"{tmp_path}/s.json#mode=reference,consolidated")
    assert len(kept(tmp_path / "s.json")) == 4


def test_commits_of_icechunk_are_compared(tmp_path, run):
    icechunk = pytest.importorskip("icechunk", reason="icechunk is not installed")
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    repository, original = tmp_path / "s.icechunk", tmp_path / "s.zarr"
    for target in (repository, original):
        copied(text(tmp_path, 0, 3), target)
    assert run("check", "--data", repository).code == 0
    opened = icechunk.Repository.open(icechunk.local_filesystem_storage(str(repository)))
    session = opened.writable_session("main")
    zarr.open_group(session.store, mode="r+")["w"][1, 1] = 99
    session.commit("another value")
    assert ncz.diff(original, repository, digest=True) == []  # nothing is read
    assert {each.fqn for each in ncz.diff(original, repository)} == {"/w"}
    ran = run("check", "--data", repository)
    assert (ran.code, "digest-mismatch: /w:" in ran.text) == (1, True)
    with pytest.raises(DifferenceError, match="the digest of the values differs"):
        ncz.copy(repository, tmp_path / "t.zarr", verify=True, notify=ignore_notice)


def test_another_program_that_appends_ends_a_digest(store, run):
    """A digest that is of another shape is not used."""
    name = "zarr.json" if (store / "zarr.json").exists() else ".zarray"
    for document in [store / "s" / name, *store.glob(".zmetadata"), *store.glob("zarr.json")]:
        members = json.loads(document.read_text())
        for node in _nodes_named(members, "s"):
            node["shape"] = [4]
        document.write_text(json.dumps(members))
    assert kept(store).keys() == {"/v", "/w", "/t"}


def _nodes_named(members: Any, name: str) -> list[Any]:
    """Return the documents of an array: the one, or all of it in consolidated metadata."""
    if members.get("shape"):
        return [members]
    inner = members.get("metadata") or members.get("consolidated_metadata", {}).get("metadata", {})
    return [inner[key] for key in (name, f"{name}/.zarray") if key in inner]


def test_renaming_keeps_digests(store, run):
    before = kept(store)
    assert run("edit", store, "--rename", "w=other").code == 0
    assert kept(store) == {f.replace("/w", "/other"): sums for f, sums in before.items()}


def test_diff_trusts_digests_only_if_it_may(damaged, tmp_path, run):
    original = tmp_path / "s.cdl"
    assert ncz.diff(original, damaged, digest=True) == []
    assert {each.fqn for each in ncz.diff(original, damaged)} == {"/w"}
    other = text(tmp_path, 0, 3, "other")
    other.write_text(other.read_text().replace('"d"', '"D"'))
    found = ncz.diff(other, damaged, digest=True)
    assert [(each.fqn, each.index) for each in found if each.kind == "value"] == [("/s", (3,))]
    assert run("diff", "--digest", original, damaged).code == 0


def test_equal_digests_need_no_reading(store, tmp_path):
    """If both sides keep digests, no chunk is read: none has to exist."""
    ncz.copy(store, tmp_path / "t.zarr", notify=ignore_notice)
    for path, data in ((store, b"?"), (tmp_path / "t.zarr", b"!")):
        _chunk(path, "w").write_bytes(data)
    with pytest.raises(NczError):
        ncz.diff(store, tmp_path / "t.zarr")
    assert ncz.diff(store, tmp_path / "t.zarr", digest=True) == []

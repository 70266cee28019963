"""Digests that the masters of aggregations keep: written by copy, updated by append, compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import LossError, ignore_notice
from ncz.transfer.difference import DifferenceError
from tests.commands.copy.test_digests import kept, text

pytest.importorskip("h5py", reason="h5py is not installed")

FORMS = [
    ("cfa0.4", "m.nca"),
    ("cfa0.5", "m.nca"),
    ("cf", "m.nca"),
    ("cfa0.4", "m.zarr"),
    ("cf", "m.zarr"),
]
"""The forms of masters that ncz writes, and their files."""


def aggregated(source: Any, target: Any, form: str, **options: Any) -> None:
    ncz.copy(source, target, modes=form, pieces={"t": 2}, notify=ignore_notice, **options)


@pytest.fixture(params=FORMS, ids=" ".join)
def master(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    form, name = request.param
    target: Path = tmp_path / name
    aggregated(text(tmp_path, 0, 4), target, form, digest=True)
    return target


def of_the_whole(folder: Path, count: int) -> dict[str, str]:
    whole = folder / "whole.zarr"
    ncz.copy(
        text(folder, 0, count, "whole"),
        whole,
        modes="zarr,consolidated",
        digest=True,
        notify=ignore_notice,
    )
    return {fqn: sums for fqn, sums in kept(whole).items() if fqn in ("/v", "/w")}


def test_masters_keep_the_digests_of_variables_in_pieces(master, tmp_path, run):
    found = kept(master)
    assert found | of_the_whole(tmp_path, 4) == found
    assert ncz.diff(tmp_path / "s.cdl", master, notify=ignore_notice) == []
    assert "ncz_digest" not in ncz.dump(master, notify=ignore_notice)
    assert run("check", "--data", master).code == 0


def test_appending_updates_them_from_new_values(master, tmp_path):
    """The pieces that exist are not read: they are broken in the meantime."""
    pieces = [p for p in (tmp_path / "m").rglob("*") if p.is_file()]
    contents = {piece: piece.read_bytes() for piece in pieces}
    for piece in pieces:
        piece.write_bytes(b"broken")
    ncz.copy(text(tmp_path, 4, 3, "new"), master, append="t", notify=ignore_notice)
    for piece, content in contents.items():
        piece.write_bytes(content)
    found = kept(f"{master}#reference.seals=off")
    assert found | of_the_whole(tmp_path, 7) == found


@pytest.fixture
def damaged(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Write a master without the states of its pieces, and change a value of one."""
    target = f"{tmp_path}/m.nca#reference.seals=off"
    options = {"digest": True, "piece_format": "zarr"}
    aggregated(text(tmp_path, 0, 4), target, "cfa0.5", **options)
    chunk = next((tmp_path / "m").glob("m.w.0.0.zarr/w/0*"))
    chunk.write_bytes(bytes([chunk.read_bytes()[0] ^ 1]) + chunk.read_bytes()[1:])
    return target


def test_other_values_are_found(damaged, tmp_path, run):
    ran = run("check", "--data", damaged)
    assert (ran.code, "digest-mismatch: /w:" in ran.text) == (1, True)
    assert "digest-mismatch: /v:" not in ran.text
    with pytest.raises(DifferenceError, match="the digest of the values differs"):
        ncz.copy(damaged, tmp_path / "t.zarr", verify=True, notify=ignore_notice)
    assert ncz.diff(tmp_path / "s.cdl", damaged, digest=True, notify=ignore_notice) == []
    assert ncz.diff(tmp_path / "s.cdl", damaged, notify=ignore_notice) != []


def test_copies_pass_them_on(master, tmp_path):
    ncz.copy(master, tmp_path / "t.zarr", notify=ignore_notice)
    copied = kept(tmp_path / "t.zarr")
    assert copied | of_the_whole(tmp_path, 4) == copied
    aggregated(tmp_path / "t.zarr", tmp_path / "again.nca", "cfa0.5")
    assert kept(tmp_path / "again.nca").keys() == {"/v", "/w"}


def test_a_variable_with_another_name_keeps_its_digest(tmp_path, run):
    aggregated(text(tmp_path, 0, 4), tmp_path / "m.nca", "cfa0.4", digest=True)
    before = kept(tmp_path / "m.nca")
    assert run("edit", tmp_path / "m.nca", "--rename", "v=u", "--rename", "w=v").code == 0
    assert kept(tmp_path / "m.nca") == {"/u": before["/v"], "/v": before["/w"]}


@pytest.mark.parametrize("form", ["cfa0.5", "cf"])
def test_stored_values_of_packed_variables_count(tmp_path, form):
    source = tmp_path / "p.cdl"
    source.write_text(
        "netcdf p { dimensions: t = 4 ; variables: short v(t) ; v:scale_factor = 0.1f ;"
        " v:add_offset = 20. ; v:_FillValue = -1s ; data: v = 1, _, -32768, 32767 ; }"
    )
    aggregated(source, tmp_path / "p.nca", form, digest=True)
    assert kept(tmp_path / "p.nca").keys() == {"/v"}


def test_rounded_values_are_refused(tmp_path):
    """Bits are rounded by the place in a piece, and not by that in the whole variable."""
    source = tmp_path / "q.cdl"
    source.write_text(
        "netcdf q { dimensions: t = 4 ; variables: float v(t) ;"
        " v:_QuantizeBitGroomNumberOfSignificantDigits = 2 ; data: v = 1.23456, 2.3, 3.4, 4.5 ; }"
    )
    with pytest.raises(LossError, match="rounded"):
        aggregated(source, tmp_path / "q.nca", "cfa0.5", digest=True)
    assert not (tmp_path / "q.nca").exists()


@pytest.mark.parametrize("form", ["cfa0.5", "cf"])
def test_netcdf_c_reads_a_master_with_digests(tmp_path, form):
    netcdf4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
    aggregated(text(tmp_path, 0, 4), tmp_path / "m.nca", form, digest=True)
    with netcdf4.Dataset(tmp_path / "m.nca") as opened:
        assert '"sums"' in opened["v"].ncz_digest
        assert np.asarray(opened["t"][:]).tolist() == [0, 1, 2, 3]

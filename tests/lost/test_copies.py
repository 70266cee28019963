"""A copy is complete, or it is not made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.lost.stores import CDL, chunk, damage_document


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


@pytest.mark.parametrize("text", [b'"x\xc0"', b'["y", "x\xc0"]', b'{"x\xc0": 1}', b'"x\\udcc0"'])
@pytest.mark.parametrize("mode", ["zarr", "nczarr"])
def test_text_that_is_not_utf_8_is_kept_or_named(run, folder, text, mode):
    """Documents that netcdf-c writes have the bytes of the text, even if they are not UTF-8."""
    array = {"zarr_format": 2, "shape": [1], "chunks": [1], "dtype": "<i4", "fill_value": 0}
    array |= {"order": "C", "compressor": None, "filters": None}
    Path("s.zarr/v").mkdir(parents=True)
    Path("s.zarr/.zgroup").write_text('{"zarr_format": 2}')
    Path("s.zarr/v/.zarray").write_text(json.dumps(array))
    attributes = b'{"a": %b, "n": NaN, "_ARRAY_DIMENSIONS": ["x"]}' % text
    Path("s.zarr/v/.zattrs").write_bytes(attributes)
    ran = run("copy", "--mode", mode, "s.zarr", "t.zarr")
    assert ran.code == 0
    said = "text of attributes that is not UTF-8 is written as Latin-1: v:a\n" in ran.stderr
    assert said == (mode == "zarr" or text.startswith(b"{"))
    same = run("dump", "-n", "x", "t.zarr").stdout == run("dump", "-n", "x", "s.zarr").stdout
    assert same == (not said)

"""Commands that read aggregations."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ncz.formats.opening import open_dataset
from ncz.zmap.location import parse_location
from tests.formats.aggregation.conftest import read
from tests.formats.aggregation.masters import expected, master_cdl, plain, write, write_pieces


@pytest.fixture
def master(tmp_path, monkeypatch):
    """A master next to its pieces, in the working folder."""
    write_pieces(tmp_path, plain)
    write(tmp_path / "a.nca", master_cdl("CF-1.13"), kind="netCDF-4")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "a.nca"


def test_dump_prints_all_values(run, master):
    done = run("dump", "a.nca", "-v", "tas")
    assert done.code == 0
    assert "float tas(time, lat) ;" in done.text
    assert "  0, 1, 2, 3, _, _,\n  6, 7, 8, 9, 10, 11," in done.text
    assert "fragment" not in done.text


def test_dump_skips_a_piece_on_request(run, master):
    (master.parent / plain((1, 2))).unlink()
    done = run("dump", "a.nca", "-v", "tas")
    assert (done.code, done.text.count("_,")) == (1, 0)
    assert "a.nca: /tas, partition 1.2: data of /tas: piece" in done.stderr
    done = run("dump", "a.nca", "-v", "tas", "--keep-going")
    assert (done.code, done.text.count("_, _")) == (1, 4)
    assert run("dump", "a.nca", "--keep-going", "--allow-loss").code == 0


def test_ls_lists_partitions_and_their_places(run, master):
    keys = ["/tas/0.0", "/tas/0.1", "/tas/1.0", "/tas/1.1", "/tas/1.2"]
    assert run("ls", "a.nca", "/tas").text.split() == keys
    line = run("ls", "-l", "a.nca", "/tas/1.1").text
    *fields, size, unit, state = line.split()
    assert fields == ["24", "piece", "/tas/1.1", str(master.parent / plain((1, 1)))]
    assert (size, unit, state) == ("(144", "bytes,", "present)")
    (entry,) = json.loads(run("ls", "--json", "a.nca", "/tas/1.1").text)
    assert entry["places"] == [str(master.parent / plain((1, 1)))]
    assert run("ls", "a.nca", "--cat", "/tas/0.1", "--decode").text == "2.0, 3.0\n"


@pytest.mark.parametrize("form", ["CFA-0.5", "CF-1.13"])
@pytest.mark.parametrize("version", [2, 3])
def test_ls_lists_the_partitions_of_a_zarr_master(run, master, form, version):
    write(master.parent / "a.zarr", master_cdl(form), modes=(f"v{version}",))
    keys = ["/tas/0.0", "/tas/0.1", "/tas/1.0", "/tas/1.1", "/tas/1.2"]
    assert run("ls", "a.zarr").text.split() == ["/tas", "/time"]
    assert run("ls", "a.zarr", "/tas").text.split() == keys
    (entry,) = json.loads(run("ls", "--json", "a.zarr", "/tas/1.1").text)
    assert entry["places"] == [str(master.parent / plain((1, 1)))]
    stored = run("ls", "a.zarr#mode=noaggregation", "/tas").text.split()
    assert stored == (["/tas/.zarray", "/tas/.zattrs"] if version == 2 else ["/tas/zarr.json"])


def test_a_broken_zarr_master_is_listed_as_a_store(run, master):
    write(master.parent / "a.zarr", master_cdl("CFA-0.5"))
    (master.parent / "a.zarr" / ".zgroup").write_text("{")
    assert "/tas/.zarray" in run("ls", "-r", "a.zarr").text.split()


def test_ls_and_info_need_no_pieces(run, master):
    for piece in (master.parent / "m").iterdir():
        piece.unlink()
    assert run("ls", "-l", "a.nca", "/tas").code == 0
    done = run("info", "--storage", "a.nca")
    assert done.code == 0
    assert "a: netCDF-4, CF-1.13 aggregation" in done.text
    assert "5/6" in done.text


@pytest.mark.parametrize("target", ["out.zarr", "out.nc"])
def test_copy_reads_the_values_out_of_the_pieces(run, master, target):
    done = run("copy", "a.nca", target)
    assert (done.code, done.stderr) == (0, "")
    np.testing.assert_array_equal(read(target), expected())
    with open_dataset(parse_location(target)) as opened:
        assert opened.dataset.provenance.aggregation is None


def test_copy_skips_a_piece_on_request(run, master):
    (master.parent / plain((1, 2))).unlink()
    assert run("copy", "a.nca", "out.zarr").code == 1
    assert not (master.parent / "out.zarr").exists()
    done = run("copy", "a.nca", "out.zarr", "--keep-going")
    assert done.code == 1
    assert done.stderr.count("partition 1.2") == 1
    assert (read("out.zarr")[1:, 4:] == -1).all()

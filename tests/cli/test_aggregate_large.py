"""References to the chunks of pieces, and aggregations of many pieces."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ncz.formats import open_datasets
from ncz.formats.opening import open_dataset
from ncz.model.data import read_box
from ncz.model.grid import Box
from ncz.zmap.location import parse_location
from tests.formats.aggregation.conftest import open_files, read
from tests.formats.aggregation.masters import listed, piece_cdl, write

PIECES = 10_000
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux reports files and memory")


@pytest.fixture
def source(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "source.nc", piece_cdl(np.arange(240, dtype="f4").reshape(6, 40)))
    return "source.nc"


@pytest.mark.parametrize("options", [[], ["--kind", "netCDF-4"]], ids=["classic", "netCDF-4"])
def test_references_lead_to_the_chunks_of_pieces(run, source, options):
    assert run("copy", "-d", "4", source, "deflated.nc", "--kind", "netCDF-4").code == 0
    source = "deflated.nc" if options else source
    assert run("copy", source, "all.nca", "--pieces", "time/2").code == 0
    done = run("copy", "all.nca", "refs.json", "--mode", "reference", "--inline", "0")
    assert (done.code, done.stderr) == (0, "")
    refs = json.loads(Path("refs.json").read_text())["refs"]
    chunks = {key: value[0] for key, value in refs.items() if key in ("tas/0.0", "tas/2.0")}
    names = [os.path.join(os.getcwd(), f"all/all.tas.{i}.0.") for i in (0, 2)]
    found = [chunk.removeprefix("file://") for chunk in chunks.values()]
    assert [name + "nc" for name in names] == found
    assert run("diff", "refs.json", source).code == 0


def test_pieces_that_do_not_fit_are_copied_if_small(run, source):
    assert run("copy", source, "all.nca", "--pieces", "time/4").code == 0
    assert run("copy", "all.nca", "refs.json", "--mode", "reference").code == 0
    assert run("diff", "refs.json", source).code == 0


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A master of the form CFA 0.4 over 10,000 pieces, which are links to one file."""
    folder = tmp_path_factory.mktemp("many")
    write(folder / "p.nc", piece_cdl(np.array([[1, 2]], "f4")), kind="classic")
    for number in range(PIECES):
        os.link(folder / "p.nc", folder / f"p{number}.nc")
    for name, count in (("many.nc", PIECES), ("one.nc", 1)):
        files = listed([f"p{i}.nc" for i in range(count)])
        write(
            folder / name,
            f"netcdf m {{ dimensions: time = {count} ; lat = 2 ; i = 2 ; f = {count} ; g = 1 ;"
            ' variables: float tas ; tas:units = "K" ; tas:aggregated_dimensions = "time lat" ;'
            ' tas:aggregated_data = "map: m uris: u identifiers: a" ;'
            " int m(i, f) ; string u(f, g) ; string a ;"
            f" data: m = {listed([1] * count + [2] + [None] * (count - 1))} ; u = {files} ;"
            ' a = "tas" ; }',
        )
    return folder


def bytes_read() -> int:
    """Return the number of bytes that this process has read."""
    return int(Path("/proc/self/io").read_text().split()[1])


@on_linux
def test_a_header_reads_about_as_much_as_one_over_a_single_piece(many, run):
    read = {}
    for name in ("one.nc", "one.nc", "many.nc"):  # the first time, modules are imported
        before = bytes_read()
        assert run("dump", "-h", many / name).code == 0
        read[name] = bytes_read() - before
    assert 0 < read["many.nc"] < 2 * read["one.nc"]
    assert (many / "many.nc").stat().st_size > 10 * read["many.nc"]


@on_linux
def test_one_value_opens_one_of_many_pieces(many):
    with open_dataset(parse_location(str(many / "many.nc"))) as dataset:
        source = dataset.dataset.root.variables[0].data
        assert source is not None
        assert read_box(source, Box((7000, 1), (7001, 2))).tolist() == [[2]]
        assert open_files(many) == {"many.nc", "p7000.nc"}
        read_box(source, Box((0, 0), (100, 2)))
        wanted = {f"p{number}.nc" for number in range(100 - open_datasets.MOST_OPEN, 100)}
        assert open_files(many) == {"many.nc", *wanted}


@pytest.mark.long
@on_linux
def test_a_copy_of_many_pieces_needs_little_memory_and_few_files(many, tmp_path):
    """The budget is 5 pieces. The process may open 24 files next to them; more would be an error.

    getrusage would return the peak of this process, which a new process inherits.
    """
    settings, target = tmp_path / "s3nc.json", tmp_path / "out.zarr"
    settings.write_text('{"resource_allocation": {"filehandles": 5}}')
    program = (
        "import atexit, resource as r; from ncz.cli import main\n"
        "r.setrlimit(r.RLIMIT_NOFILE, (29, 29))\n"
        "tell = lambda: print(*(x.split()[1] for x in open('/proc/self/status') if 'VmHWM' in x))\n"
        "atexit.register(tell); main()"  # a program ends without `finally`
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "copy", str(many / "many.nc"), str(target)],
        capture_output=True, text=True, check=False, timeout=120,
        env=os.environ | {"S3_NC_CONFIG": str(settings)},
    )  # fmt: skip
    assert done.stderr == ""
    assert int(done.stdout.split()[-1]) < 300 * 1024
    assert read(target).sum() == 3 * PIECES

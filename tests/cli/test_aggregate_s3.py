"""Aggregations on S3."""

from __future__ import annotations

import json
import os
import random
import signal
from pathlib import Path

import numpy as np
import pytest

from tests.cli.test_aggregate_writing import VALUES, folder, source
from tests.cli.test_killed import killed
from tests.formats.aggregation.conftest import read

__all__ = ["folder", "source"]

FORMS = [("out.nca", "nc"), pytest.param("out.zarr", "zarr", marks=pytest.mark.long)]


def names(run, url):
    """Return the objects below a prefix that are not part of a store."""
    return run("ls", "-r", f"{url}/#mode=s3").text.split()


@pytest.mark.parametrize(("name", "extension"), FORMS)
def test_an_aggregation_is_written_to_s3_and_read_from_there(run, s3, source, name, extension):
    target = f"{s3}/m/{name}#mode=s3"
    done = run("copy", source, target, "--mode", "cfa", "--pieces", "time/2", "-V", "tas,lat")
    assert done.code == 0, done.stderr
    np.testing.assert_array_equal(read(target), VALUES)
    found = json.loads(run("ls", "--json", target, "/tas").text)
    pieces = {f"{s3}/m/out/out.tas.{number}.0.0.{extension}" for number in range(3)}
    assert {place for entry in found for place in entry.get("places", ())} == pieces
    done = run("copy", target, "back.zarr")
    assert (done.code, done.stderr) == (0, "")
    np.testing.assert_array_equal(read("back.zarr"), VALUES)


def test_an_old_aggregation_is_replaced_with_its_pieces(run, s3, source):
    target = f"{s3}/m/out.nca#mode=s3"
    command = ["copy", source, target, "-V", "tas,lat", "--mode", "cfa"]
    assert run(*command, "--pieces", "time/1").code == 0
    assert len(names(run, s3)) == 6  # the first piece would be fill
    done = run(*command, "--pieces", "time/3")
    assert "already exists; use --overwrite" in done.stderr
    assert run(*command, "--pieces", "time/3", "--overwrite").code == 0
    np.testing.assert_array_equal(read(target), VALUES)
    wanted = ["/m/out.nca", "/m/out-2/out.tas.0.0.0.nc", "/m/out-2/out.tas.1.0.0.nc"]
    assert sorted(names(run, s3)) == sorted(wanted)
    assert run(*command, "--pieces", "time/3", "--overwrite").code == 0
    assert sorted(names(run, s3)) == sorted(name.replace("-2", "") for name in wanted)


def test_an_error_leaves_nothing(run, s3, source, tmp_path):
    target = f"{s3}/m/out.nca#mode=s3"
    broken = tmp_path / "broken.zarr"
    assert run("copy", source, broken, "-c", "time/1", "-V", "tas,lat").code == 0
    (broken / "tas" / "5.0.0").write_bytes(b"?")
    done = run("copy", broken, target, "--pieces", "time/1")
    assert done.code == 1
    assert run("ls", f"{s3}/#mode=s3").code == 1


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="a system without SIGKILL")
@pytest.mark.long
@pytest.mark.parametrize("place", ["disk", "s3"])
def test_a_copy_that_is_killed_leaves_the_old_one(run, s3, source, tmp_path, place):
    """Or no store, if none existed.

    A netCDF file as the source would be read by another process, which could be killed instead.
    """
    assert run("copy", source, "source.zarr", "-V", "tas,lat").code == 0
    above = f"{s3}/m" if place == "s3" else str(tmp_path)
    mode = "#mode=s3" if place == "s3" else ""

    def command(name, *more):
        target = f"{above}/{name}.nca{mode}"
        return ["copy", "source.zarr", target, "--pieces", "time/1", *more]

    whole = killed(0, *command("whole"))
    assert whole.code == 0
    assert whole.moments > 5
    at = random.Random(place).sample(range(1, whole.moments + 1), 4)
    was_there = False
    for number, moment in enumerate(at):
        if number == 2:
            assert run(*command("new", "--overwrite")).code == 0
        was_there = was_there or number >= 2
        more = ("--overwrite",) if number else ()
        assert killed(moment, *command("new", *more)).code == -signal.SIGKILL
        target = f"{above}/new.nca{mode}"
        done = run("dump", "-h", target)
        assert (not was_there and done.code != 0) or (read(target) == VALUES).all(), moment
        was_there = done.code == 0
        if not mode:
            assert run("clean", "new.nca").code == 0
            left = {name for name in os.listdir() if "new" in name}
            # Pieces without a master are complete: the master would have been next.
            assert left <= {"new", "new-2", "new.nca"}
            assert not Path("new").exists() or len(os.listdir("new")) == len(os.listdir("whole"))


def test_a_master_over_files_on_s3(run, s3, source):
    halves = [f"{s3}/m/{name}.nc#mode=s3" for name in "ab"]
    for half, times in zip(halves, ("0:4", "4:6"), strict=True):
        assert run("copy", source, half, "--isel", f"time={times}", "-V", "tas,lat").code == 0
    target = f"{s3}/m/all.nca#mode=s3"
    done = run("aggregate", target, *halves, "--axis", "time")
    assert (done.code, done.stderr) == (0, "")
    np.testing.assert_array_equal(read(target), VALUES)


def test_a_master_over_a_file_on_disk_and_one_on_a_web_server(run, web, source):
    for name, times in (("a.nc", "0:4"), ("b.nc", "4:6")):
        assert run("copy", source, name, "--isel", f"time={times}", "-V", "tas,lat").code == 0
    web.objects["d/b.nc"] = Path("b.nc").read_bytes()
    far = f"{web.endpoint}/d/b.nc"
    assert run("aggregate", "all.nca", "a.nc", far, "--axis", "time").code == 0
    assert "if you trust the aggregation" in run("dump", "all.nca", "-v", "tas").stderr
    done = run("copy", "all.nca", "out.zarr", "--allow-target", web.endpoint)
    assert (done.code, done.stderr) == (0, "")
    np.testing.assert_array_equal(read("out.zarr"), VALUES)


def test_a_query_is_not_written_into_a_master(run, web, source):
    web.objects["d/b.nc"] = Path(source).read_bytes()
    done = run("aggregate", "all.nca", f"{web.endpoint}/d/b.nc?sig=hidden", "--axis", "time")
    assert done.code == 1
    assert "would contain the query, which may be a secret" in done.stderr
    assert "hidden" not in done.stderr
    assert not Path("all.nca").exists()

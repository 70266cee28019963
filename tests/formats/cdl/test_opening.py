"""Every command that reads a dataset reads CDL text."""

from __future__ import annotations

import gzip
import os
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest

import ncz
from tests.conftest import ROOT, Run

CDL = "netcdf d { dimensions: x = 3 ; variables: int v(x) ; data: v = 1, 2, 3 ; }"


@pytest.fixture
def text(tmp_path: Path) -> Path:
    return Path(shutil.copy(ROOT / "cdl_examples" / "weather.cdl", tmp_path))


@pytest.fixture
def file(text: Path) -> Path:
    ncz.gen(text, text.with_name("weather.nc"), notify=lambda _: None)
    return text.with_name("weather.nc")


@pytest.mark.parametrize(
    "line", [("dump",), ("dump", "-i", "-v", "time"), ("ls",), ("check",), ("dump", "-k")]
)
def test_a_command_says_the_same_of_a_text_and_of_its_file(run: Run, text, file, line):
    of_text, of_store = run(*line, text), run(*line, file)
    assert of_text.code == 0, of_text.stderr
    assert of_text.text == of_store.text.replace(".nc", ".cdl")


def test_a_text_and_its_file_are_equal(run: Run, text, file):
    assert ncz.digest(text).value == ncz.digest(file).value
    assert run("diff", text, file).code == 0
    assert run("view", text, "-o", text.with_name("x.png")).code == 0
    assert [v.path for v in ncz.info(text).variables] == [v.path for v in ncz.info(file).variables]


def test_a_text_is_known_by_its_first_bytes(run: Run, tmp_path):
    (tmp_path / "d").write_text(CDL)
    (tmp_path / "d.cdl.gz").write_bytes(gzip.compress(CDL.encode()))
    assert ncz.open(tmp_path / "d")["v"][:].tolist() == [1, 2, 3]
    assert ncz.open(tmp_path / "d.cdl.gz")["v"][:].tolist() == [1, 2, 3]
    assert ncz.open(CDL.encode())["v"][:].tolist() == [1, 2, 3]


def test_xarray_opens_a_text_by_the_end_of_its_name(text):
    xr = pytest.importorskip("xarray")
    with xr.open_dataset(text) as ds, xr.open_dataset(text, engine="ncz") as named:
        assert str(ds.time.values[1]).startswith("2026-01-01T06")
        assert np.isnan(ds.temperature[0, 2, 3])
        xr.testing.assert_identical(ds, named)


def test_an_open_text_can_be_pickled(text):
    variable = ncz.open(text)["temperature"]
    again = pickle.loads(pickle.dumps(variable))
    np.testing.assert_array_equal(again[:], variable[:])


@pytest.mark.parametrize("command", ["dump", "info", "check", "digest", "ls", "view"])
def test_an_error_names_line_and_column(run: Run, tmp_path, command):
    (tmp_path / "bad.cdl").write_text("netcdf x {\ndimensions: a = ;\n}")
    ran = run(command, tmp_path / "bad.cdl")
    assert ran.code
    assert "bad.cdl:2:17: unexpected `;`" in ran.stderr + ran.text


@pytest.mark.parametrize("line", [("edit", "--set", ":a=1"), ("consolidate",)])
@pytest.mark.parametrize("start", ["// comment\n", ""])
def test_requests_for_stores_are_answered_with_a_line(run: Run, tmp_path, monkeypatch, line, start):
    monkeypatch.chdir(tmp_path)
    Path("d.cdl").write_text(start + CDL)
    ran = run(line[0], "d.cdl", *line[1:])
    assert ran.code == 1
    assert "ncz gen d.cdl -o" in ran.stderr
    assert ran.stderr.count("\n") == 1


def test_a_text_that_changed_is_not_read_on(text):
    with ncz.open(text) as ds:
        text.write_text(CDL)
        os.utime(text, (0, 0))
        with pytest.raises(ncz.ZmapError, match="changed while"):
            ds._handle.opened.check_unchanged()


def test_a_text_on_a_server_is_copied_first(web):
    web.objects = {"d.cdl": CDL.encode()}
    assert ncz.open(f"{web.endpoint}/d.cdl")["v"][:].tolist() == [1, 2, 3]

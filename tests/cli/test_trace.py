"""``--trace`` and NCTRACING: which keys are read and written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ncz import zmap
from tests.conftest import Run

CDL = "netcdf x { dimensions: n = 2 ; variables: int v(n) ; data: v = 1, 2 ; }"
TIMES = re.compile(r"(?<=trace: )\d+\.\d+ s |, \d+\.\d+ ms$", re.MULTILINE)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch, run: Run):
    monkeypatch.chdir(tmp_path)
    assert run("gen", "-", "-o", "x.zarr", stdin=CDL).code == 0


def traced(stderr: str) -> list[str]:
    return [TIMES.sub("", line) for line in stderr.splitlines() if "trace" in line]


def test_reads(run: Run):
    plain, done = run("dump", "x.zarr"), run("dump", "--trace", "x.zarr")
    assert done.stdout == plain.stdout
    lines = traced(done.stderr)
    assert len(lines) == len(done.stderr.splitlines())  # each has a time
    assert lines[0] == "ncz: trace: open x.zarr (DirectoryZmap)"
    assert "ncz: trace: get /zarr.json: missing" in lines
    assert "ncz: trace: get /.zgroup: 18 bytes" in lines
    assert "ncz: trace: get /v/0: 8 bytes" in lines


COMMANDS = {
    "gen": "gen a.cdl -o new.zarr",
    "dump": "dump x.zarr",
    "copy": "copy x.zarr new.zip",
    "append": "copy --append n y.zarr x.zarr",
    "ls": "ls x.zarr",
    "check": "check x.zarr",
    "diff": "diff x.zarr a.cdl",
    "info": "info x.zarr",
    "edit": "edit x.zarr --set v:n=1",
    "consolidate": "consolidate x.zarr",
    "aggregate": "aggregate new.zarr x.zarr --axis n",
    "copy --mode cfa": "copy x.zarr new.nca --mode cfa",
    "references": "copy x.zarr new.json --mode reference",
}


@pytest.mark.parametrize("how", ["option", "variable"])
@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_traced(run: Run, monkeypatch, name, how):
    Path("a.cdl").write_text(CDL)
    assert run("gen", "a.cdl", "-o", "y.zarr").code == 0
    command, *rest = COMMANDS[name].split()
    if how == "variable":
        monkeypatch.setenv("NCTRACING", "1")
    else:
        rest = ["--trace", *rest]
    done = run(command, *rest)
    assert done.code == 0, done.stderr
    lines = traced(done.stderr)
    assert any(line.startswith("ncz: trace: open ") for line in lines), done.stderr
    assert all(TIMES.search(line) for line in done.stderr.splitlines() if "trace" in line)


def test_writes(run: Run):
    lines = traced(run("copy", "--trace", "x.zarr", "y.zip").stderr)
    assert any(line.startswith("ncz: trace: open y.zip (") for line in lines)
    assert "ncz: trace: put /.zgroup 18 bytes: done" in lines


def test_a_file(run: Run):
    assert run("copy", "x.zarr", "x.nc").code == 0
    lines = traced(run("dump", "--trace", "x.nc").stderr)
    assert lines[0] == "ncz: trace: open x.nc (LocalFile)"
    assert any(re.fullmatch(r"ncz: trace: read \d+ \d+: \d+ bytes", line) for line in lines)


@pytest.mark.parametrize(("value", "traces"), [("1", True), ("9", True), ("0", False), ("", False)])
def test_the_environment(run: Run, monkeypatch, value, traces):
    monkeypatch.setenv("NCTRACING", value)
    assert bool(traced(run("ls", "-q", "x.zarr").stderr)) is traces


def test_an_error_and_the_end_of_a_trace(run: Run):
    Path("x.zarr/v/.zarray").write_text("{")
    assert run("dump", "--trace", "x.zarr").code == 1
    assert run("dump", "--trace", "missing.zarr").stderr.count("\n") == 1
    assert zmap._watches == []
    assert traced(run("dump", "x.zarr").stderr) == []


def test_secrets_are_not_shown(run: Run, web):
    web.objects = {"b/x.zarr/.zgroup": b'{"zarr_format": 2}', "b/x.zarr/.zattrs": b"{}"}
    keys = f"aws.endpoint_url={web.endpoint}&aws.access_key_id=k&aws.secret_access_key=hidden"
    url = f"s3://b/x.zarr#{keys}"
    done = run("dump", "--trace", url)
    assert "open s3://b/x.zarr" in done.stderr
    assert "hidden" not in done.stderr


@pytest.mark.parametrize("fragment", ["#log=stderr", "#mode=nczarr&log"])
def test_the_key_log_of_a_url_traces_as_the_option_does(run: Run, fragment):
    assert traced(run("dump", f"file://{Path('x.zarr').absolute()}{fragment}").stderr)


def test_the_log_goes_to_standard_error_only(run: Run):
    ran = run("dump", "x.zarr#log=stdout")
    assert (ran.code, "can only go to standard error" in ran.stderr) == (1, True)

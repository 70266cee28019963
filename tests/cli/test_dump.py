"""``ncz dump``: options, streams, exit codes."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT, Run

pytest.importorskip("numpy")


@pytest.fixture
def store(run: Run, tmp_path: Path) -> Path:
    target = tmp_path / "weather.zarr"
    assert run("gen", ROOT / "cdl_examples" / "weather.cdl", "-o", target).code == 0
    return target


def test_d_with_a_name_chooses_a_variable_as_in_h5dump(run: Run, tmp_path):
    text = b"netcdf a { variables: int v, w ; data: v = 1 ; w = 2 ; }"
    assert run("gen", "-", "-o", tmp_path / "a.nc", stdin=text).code == 0
    printed = run("dump", "-d", "/v", tmp_path / "a.nc").text
    assert printed == run("dump", "-v", "/v", tmp_path / "a.nc").text
    assert "w = 2" not in printed
    assert run("dump", "-d", "3", tmp_path / "a.nc").code == 0


def test_the_whole_is_printed(run: Run, store: Path):
    ran = run("dump", store)
    assert ran.code == 0
    assert ran.stderr == ""
    assert ran.text.startswith("netcdf weather {\n")
    assert ran.text.endswith("}\n")


def test_help_has_no_short_form(run: Run, store: Path):
    header = run("dump", "-h", store)
    assert header.code == 0
    assert "data:" not in header.text
    assert header.text == run("dump", "--header", store).text
    help_text = run("dump", "--help").text
    assert "Usage:" in help_text
    assert max(map(len, help_text.splitlines())) <= 80


@pytest.mark.parametrize(
    ("short", "long"),
    [
        (["-c"], ["--coordinates"]),
        (["-v", "time"], ["--variables", "time"]),
        (["-g", "/"], ["--group", "/"]),
        (["-n", "x y"], ["--name", "x y"]),
        (["-l", "30"], ["--line-length", "0x1e"]),
        (["-p", "3,4"], ["--precision", "3,4"]),
        (["-b", "c"], ["--brief", "c"]),
        (["-f", "fortran"], ["--full", "F"]),
        (["-k"], ["--kind"]),
        (["-s"], ["--special"]),
    ],
    ids=lambda value: value[0],
)
def test_every_option_of_ncdump_has_a_letter_and_a_name(run: Run, store: Path, short, long):
    plain, ran = run("dump", store), run("dump", *short, store)
    assert ran.code == 0
    assert ran.text == run("dump", *long, store).text
    assert ran.text != plain.text or short == ["-g", "/"]


def test_letters_without_a_name(run: Run, store: Path):
    assert "_FillValue" in run("dump", "-hX", "F", store).text
    assert run("dump", "-hsF", store).code == 0
    ran = run("dump", "-hs", "-Xp", store)
    assert (ran.code, "_NCProperties" in ran.text) == (0, False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-l", "5"], "too small"),
        (["-l", "wide"], "'wide' is not an integer"),
        (["-p", "99"], "99 significant digits"),
        (["-p", "7,0"], "0 significant digits"),
        (["-p", "1,2,3"], "'2,3' is not an integer"),
        (["-b", "q"], "--brief: 'q'"),
        (["-f", ""], "--full: ''"),
        (["-X", "q"], "-X: 'q'"),
        (["-v", "nope"], "nope: no such variable"),
        (["-g", "nope"], "nope: no such group"),
    ],
    ids=str,
)
def test_impossible_options_are_one_line(run: Run, store: Path, arguments, message):
    ran = run("dump", *arguments, store)
    is_name = arguments[0] in ("-v", "-g")
    assert (ran.code, ran.stdout) == (1 if is_name else 2, b"")
    assert message in ran.stderr
    assert ran.stderr.count("\n") == 1


def test_no_store(run: Run, tmp_path: Path):
    ran = run("dump", tmp_path / "none")
    assert (ran.code, ran.stdout) == (1, b"")
    assert ran.stderr.count("\n") == 1


def test_a_damaged_chunk(run: Run, store: Path):
    chunk = next((store / "temperature").glob("[0-9]*"))
    chunk.write_bytes(b"x")
    ran = run("dump", store)
    assert ran.code == 1
    assert "data of /temperature: " in ran.stderr
    assert "// data of /temperature cannot be read: " in ran.text
    assert ran.text.endswith("}\n")


def test_output_to_a_file_is_whole_or_not_there(run: Run, store: Path, tmp_path: Path):
    target = tmp_path / "out" / "x.cdl"
    target.parent.mkdir()
    assert run("dump", store, "-o", target).stdout == b""
    assert target.read_bytes() == run("dump", store, "-o", "-").stdout
    ran = run("dump", "-h", store, "-o", target)
    assert ran.code == 1
    assert "--overwrite" in ran.stderr
    assert run("dump", "-h", store, "-o", target, "--overwrite").code == 0
    assert b"data:" not in target.read_bytes()
    next((store / "temperature").glob("[0-9]*")).write_bytes(b"x")
    ran = run("dump", "-q", store, "-o", target, "--overwrite")
    assert ran.code == 1
    assert "data of /temperature: " in ran.stderr
    assert f"{target}: not written, because part of the store cannot be read" in ran.stderr
    assert b"data:" not in target.read_bytes()
    assert run("dump", store, "-o", target, "--overwrite", "--allow-loss").code == 0
    assert b"data:" in target.read_bytes()
    assert list(target.parent.iterdir()) == [target]


def test_output_where_nothing_can_be_written(run: Run, store: Path, tmp_path: Path):
    ran = run("dump", store, "-o", tmp_path / "none" / "x.cdl")
    assert ran.code == 1
    assert f"the folder {tmp_path / 'none'} does not exist; create it first" in ran.stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("options", [[], ["--overwrite"]], ids=["", "overwrite"])
def test_a_pipe_is_written_to_and_not_replaced(
    run: Run, store: Path, tmp_path: Path, options: list[str]
):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        ran = run("dump", store, "-o", pipe, *options)
        text, _ = reader.communicate(timeout=60)
    assert ran.code == 0, ran.stderr
    assert text == run("dump", store).stdout
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)
    assert os.listdir(tmp_path).count("pipe") == 1

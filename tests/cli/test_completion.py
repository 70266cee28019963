"""Completion of commands: the answers of ncz to a shell, and the scripts in a real bash."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from tests.conftest import Run

CDL = """netcdf x {
dimensions:
  time = 3 ; lat = 2 ;
variables:
  float time(time) ;
  float temperature(time, lat) ;
group: inner { variables: int t ; }
}
"""


@pytest.fixture
def store(run: Run, tmp_path, monkeypatch):
    assert run("gen", "-", "-o", tmp_path / "x.zarr", stdin=CDL).code == 0
    monkeypatch.chdir(tmp_path)
    return "x.zarr"


@pytest.fixture
def completed(run: Run, monkeypatch):
    """Return the completions of the last word of a line."""

    def complete(line: str, program: str = "ncz") -> list[str]:
        words = line.split(" ")
        monkeypatch.setenv("_NCZ_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
        done = run()
        assert done.code == 0, done.stderr
        return [answer.partition(",")[2] for answer in done.text.splitlines() if answer]

    return complete


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ncz d", ["dump", "diff", "digest"]),
        ("ncz dump --va", ["--variables", "--vars"]),
        ("ncz copy --codec z", ["zlib", "zstd"]),
        ("ncz copy --mode zarr,x", ["zarr,xarray"]),
        ("ncz copy --mode zarr,zarr", []),
        ("ncz copy --for xarray,tens", ["xarray,tensorstore"]),
        ("ncz copy -k nc", ["nc3", "nc4", "nc5", "nc6", "nc7"]),
        ("ncz completion f", ["fish"]),
    ],
)
def test_words_that_need_no_dataset(completed, line, expected):
    assert completed(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ncz dump x.zarr -v t", ["time", "temperature"]),
        ("ncz dump x.zarr -v time,t", ["time,temperature"]),
        ("ncz dump x.zarr -v /inner", ["/inner/t"]),
        ("ncz dump x.zarr -g ", ["inner"]),
        ("ncz dump x.zarr --isel l", ["lat="]),
        ("ncz copy x.zarr y.zarr -c time/2,l", ["time/2,lat/"]),
        ("ncz dump missing.zarr -v t", []),
        ("ncz dump -v t", []),
        ("ncz dump 'x -v t", []),
    ],
)
def test_names_in_the_dataset_on_the_line(store, completed, line, expected):
    assert completed(line) == expected


def test_a_path_is_left_to_the_shell(completed, run: Run, monkeypatch):
    completed("ncz dump x")
    assert run().text == "file,x\n"


def test_a_damaged_store_completes_nothing(store, completed, tmp_path):
    (tmp_path / "x.zarr" / ".zgroup").write_text("{")
    assert completed("ncz dump x.zarr -v t") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_for_every_program(run: Run, shell):
    script = run("completion", shell).text
    for name in ("ncz", "ncz-gen", "ncz-dump", "ncz-ls", "ncz-copy"):
        assert f"_{name.upper().replace('-', '_')}_COMPLETE={shell}_complete" in script


def test_the_shell_of_the_environment_is_the_default(run: Run, monkeypatch):
    monkeypatch.setenv("SHELL", "/usr/bin/fish")
    assert run("completion").text == run("completion", "fish").text
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    done = run("completion")
    assert done.code == 2
    assert "name the shell: bash, zsh, fish" in done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_accepts_the_script(run: Run, shell):
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run(
        [program, "-n"], input=run("completion", shell).stdout, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_in_bash(run: Run, store, tmp_path):
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not installed")
    (tmp_path / "script").write_bytes(run("completion", "bash").stdout)
    (tmp_path / "ncz").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ncz "$@"\n')
    (tmp_path / "ncz").chmod(0o755)
    ask = (
        "PATH=$PWD:$PATH; source ./script; COMP_WORDS=(ncz dump x.zarr -v tem); COMP_CWORD=4;"
        ' _ncz_completion ./ncz; echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run([bash, "-c", ask], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("temperature\n", "")


@pytest.fixture
def on_s3(run: Run, moto, monkeypatch):
    """A bucket with a store."""
    with moto.bucket("completed", monkeypatch) as url:
        assert run("gen", "-", "-o", f"{url}/day/x.zarr#mode=zarr", stdin=CDL.encode()).code == 0
        yield url


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ncz dump {}/day/x.zarr -v t", ["time", "temperature"]),
        ("ncz dump {}/day/x.zarr -g ", ["inner"]),
        ("ncz info {}/day/x.zarr te", ["temperature"]),
        ("ncz view {}/day/x.zarr -v te", ["temperature"]),
        ("ncz dump {}/day/x.zarr --isel l", ["lat="]),
        ("ncz ls {}/day/x.zarr te", ["temperature"]),
        ("ncz ls {}/day/x.zarr --cat inner/t/.zar", ["inner/t/.zarray"]),
        ("ncz dump {}/missing.zarr -v t", []),
        ("ncz dump s3://missing-bucket/x.zarr -v t", []),
    ],
)  # fmt: skip
def test_names_in_a_store_on_s3(on_s3, completed, line, expected):
    assert completed(line.format(on_s3)) == expected


def test_a_url_is_completed_with_one_listing(on_s3, completed):
    assert completed(f"ncz info {on_s3}/da") == ["//completed/day"]
    assert completed(f"ncz info {on_s3}/day/") == ["//completed/day/x.zarr"]


def test_options_on_the_line_say_how_to_reach_the_server(on_s3, completed, moto, monkeypatch):
    monkeypatch.delenv("AWS_ENDPOINT_URL")
    line = f"ncz dump --endpoint-url {moto.endpoint} {on_s3}/day/x.zarr -v te"
    assert completed(line) == ["temperature"]


def test_bash_divides_urls_at_colons(on_s3, completed):
    line = f"ncz dump {on_s3.replace(':', ' : ')}/day/x.zarr -v te"
    assert completed(line) == ["temperature"]

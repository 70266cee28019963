"""docs/reference/exit-codes.md: each command has the codes of the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import ncz.cli
from ncz.cli import terminal
from ncz.cli.spellings import Size
from tests.conftest import Run

PAGE = Path(__file__).parents[2] / "docs/reference/exit-codes.md"
CDL = (
    b"netcdf s { dimensions: x = 2 ; variables: int v(x) ; int w(x) ; data: v = 1, 2 ; w = 3, 4 ; }"
)
GOOD = {
    "gen": ["gen", "s.cdl", "-o", "t.zarr"],
    "dump": ["dump", "s.zarr"],
    "view": ["view", "s.zarr", "--text"],
    "ls": ["ls", "-l", "s.zarr"],
    "copy": ["copy", "s.zarr", "t.zarr"],
    "consolidate": ["consolidate", "s.zarr"],
    "clean": ["clean", "s.zarr"],
    "mv": ["mv", "s.zarr", "t.zarr"],
    "rm": ["rm", "s.zarr"],
    "diff": ["diff", "s.zarr", "s.cdl"],
    "digest": ["digest", "s.zarr"],
    "check": ["check", "s.zarr"],
    "info": ["info", "--stats", "s.zarr"],
    "edit": ["edit", "s.zarr", "--set", "v:a = 1"],
    "aggregate": ["aggregate", "t.nca", "s.zarr", "--axis", "x"],
    "config": ["config"],
    "completion": ["completion", "bash"],
}
MISSING = {
    "gen": ["gen", "none.cdl", "-o", "t.zarr"],
    "dump": ["dump", "none.zarr"],
    "ls": ["ls", "none.zarr"],
    "copy": ["copy", "none.zarr", "t.zarr"],
    "consolidate": ["consolidate", "none.zarr"],
    "clean": ["clean", "none.zarr#mode=none,zarr,v4"],
    "mv": ["mv", "none.zarr", "t.zarr"],
    "rm": ["rm", "none.zarr"],
    "serve": ["serve", "none.zarr"],
    "view": ["view", "none.zarr"],
    "diff": ["diff", "none.zarr", "s.cdl"],
    "digest": ["digest", "none.zarr"],
    "check": ["check", "none.zarr"],
    "info": ["info", "none.zarr"],
    "edit": ["edit", "none.zarr", "--set", "v:a = 1"],
    "aggregate": ["aggregate", "t.nca", "none.zarr", "--axis", "x"],
    "config": ["config", "none.zarr"],
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.cdl").write_bytes(CDL)
    assert run("gen", "-q", "s.cdl", "-o", "s.zarr").code == 0
    return tmp_path


def rows(column: int) -> list[str]:
    """Return the cells of one column of all tables of the page."""
    return [
        line.split("|")[column].strip() for line in PAGE.read_text().splitlines() if "|" in line
    ]


def test_the_page_has_every_code():
    codes = {int(cell) for cell in rows(1) if cell.isdigit()}
    named = {terminal.INTERRUPTED, terminal.CLOSED_PIPE, terminal.TERMINATED, terminal.LOST}
    assert codes == {0, 2, *named}


def test_the_page_has_every_command():
    commands = ncz.cli.ncz.list_commands(click.Context(ncz.cli.ncz))
    named = {name for cell in rows(1) for name in re.findall("`ncz ([a-z]+)`", cell)}
    assert named == set(commands) == {*GOOD, "serve"} == {*MISSING, "completion"}


@pytest.mark.parametrize("command", GOOD)
def test_success(run, command):
    assert run(*GOOD[command]).code == 0


@pytest.mark.parametrize("command", MISSING)
def test_an_error_is_one_line(run, command):
    ran = run(*MISSING[command])
    trouble = 2 if command == "diff" else 1
    assert (ran.code, ran.stdout, ran.stderr.count("\n")) == (trouble, b"", 1)


def invalid_values() -> Iterator[tuple[str, str, str]]:
    """Yield each command, option and value, for options that take no name and no path."""
    context = click.Context(ncz.cli.ncz)
    for name in GOOD:
        command = ncz.cli.ncz.get_command(context, name)
        assert command is not None
        for option in command.get_params(context):
            if not isinstance(option, click.Option) or option.is_flag:
                continue
            values = list(ALWAYS_WRONG.get(option.opts[-1], ()))
            if isinstance(option.type, click.types.FloatParamType):
                values += "nan", "-1", "x", ""
            if isinstance(option.type, click.types.IntParamType):
                values += "nan", "1.5", "x", ""
            if isinstance(option.type, click.Choice | Size):
                values += "nan", "-1", "x", "?"
            yield from ((name, option.opts[0], value) for value in values)


ALWAYS_WRONG: dict[str, list[str]] = {
    "--line-length": ["9", "-1", "x", "", "1.5"],
    "--precision": ["0", "99", "7,21", ",0", "-1", "x", "1,2,3"],
    "--digits": ["0", "99", "7,21", ",0", "-1", "x", "1,2,3"],
    "--brief": ["x", "", "1"],
    "--full": ["x", "", "1"],
    "--extended": ["x", "q", "fz"],
    "--mode": ["none", "v2,v3", "?"],
    "--for": ["none", "xarray,none"],
    "--codec": ["nothing", "zlib:10", "zlib:x", "v=nothing"],
    "--deflate": ["10", "-1", "x"],
    "--filter": ["v,1,10", "v", "v,x"],
    "--chunks": ["x/0", "x/-2", "x/y", "?"],
    "--shards": ["x/0", "x/-1", "x/y", "?"],
    "--isel": ["x=y", "x=0:1:0", "x=99", "x"],
    "--sel": ["x", "x=0:1:y"],
}
"""Values that options of these names never take, with any store."""


def test_a_value_that_an_option_cannot_have_is_wrong_usage(run):
    tried = list(invalid_values())
    assert {option for _, option, _ in tried} >= {"-p", "-l", "--timeout", "--chunk-size"}
    wrong = []
    for command, option, value in tried:
        if (command, option, value) == ("dump", "-d", "x"):
            continue  # a variable, as in h5dump
        joined = [f"{option}={value}"] if option.startswith("--") else [option, value]
        ran = run(*GOOD[command], *joined)
        if ran.code != 2 or not ran.stderr.splitlines()[-1].startswith("ncz: "):
            wrong.append((command, option, value, ran.code, ran.stderr))
    assert wrong == []


UNKNOWN = """
dump -v none s.zarr
dump -g none s.zarr
dump --isel none=1 s.zarr
dump --sel none=1 s.zarr
dump s.zarr/none
ls s.zarr/none
ls --cat none s.zarr
info -v none s.zarr
info --isel none=1 s.zarr
info s.zarr/none
diff -v none s.zarr s.cdl
diff --isel none=1 s.zarr s.cdl
diff s.zarr/none s.cdl
check s.zarr/none
consolidate s.zarr/none
rm s.zarr/none
gen s.cdl -o t.zarr#mode=v3 --shards none/1
copy -v none s.zarr t.zarr
copy -V none s.zarr t.zarr
copy -g none s.zarr t.zarr
copy -c none/1 s.zarr t.zarr
copy -c none:1 s.zarr t.zarr
copy --codec none=zlib s.zarr t.zarr
copy --shards none/1 s.zarr t.zarr#mode=v3
copy --isel none=1 s.zarr t.zarr
copy --sel none=1 s.zarr t.zarr
copy --append none s.zarr s.zarr
copy --pieces none/1 s.zarr t.nca
copy s.zarr/none t.zarr
edit s.zarr --remove none
edit s.zarr --delete v:none
edit s.zarr --delete none:a
edit s.zarr --rename none=b
edit s.zarr --rename v:none=v:b
edit s.zarr --set none:a=1
aggregate t.nca s.zarr --axis none
""".strip().splitlines()


@pytest.mark.parametrize("line", UNKNOWN)
def test_an_unknown_name_has_the_exit_code_of_errors(run, folder, line):
    ran = run(*line.split())
    code = 2 if line.startswith("diff") else 1
    assert (ran.code, ran.stdout, ran.stderr.count("\n")) == (code, b"", 1)
    assert "none" in ran.stderr
    assert {path.name for path in folder.iterdir()} == {"s.cdl", "s.zarr"}


@pytest.mark.parametrize("command", GOOD)
def test_an_unknown_option_is_wrong_usage(run, command):
    assert run(*GOOD[command], "--no-such-option").code == 2


@pytest.mark.parametrize("command", ["dump", "copy", "consolidate"])
def test_a_loss(run, folder, command):
    (folder / "s.zarr/v/.zarray").write_text("{")
    ran = run(*GOOD[command], "-q") if command != "consolidate" else run("consolidate", "s.zarr")
    assert ran.code == 1
    assert "/v/.zarray: line 1 column 2: invalid JSON" in ran.stderr
    assert ("w = 3, 4" in ran.text) == (command == "dump")
    assert not (folder / "t.zarr").exists()
    assert not (folder / "s.zarr/.zmetadata").exists()


def test_diff_finds_something(run, folder):
    assert run("copy", "-q", "s.zarr", "t.zarr").code == 0
    assert run("diff", "s.zarr", "t.zarr").code == 0
    (folder / "t.zarr/v/0").write_bytes(bytes(8))
    assert run("diff", "s.zarr", "t.zarr").code == 1


def test_copy_verifies(run, folder):
    assert run("copy", "-q", "s.zarr", "t.zarr").code == 0
    assert run("copy", "-q", "--verify", "s.zarr", "t.zarr").code == 0
    (folder / "t.zarr/v/0").write_bytes(bytes(8))
    assert run("copy", "-q", "--verify", "s.zarr", "t.zarr").code == 1

"""Options that take lists add up when they are repeated."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

import ncz.cli
from tests.conftest import Run

CDL = b"""netcdf s {
dimensions: x = 2 ; y = 2 ;
variables: int a(x) ; a:n = 1 ; a:m = 2 ; int b(x) ; int c(x, y) ;
data: a = 1, 2 ; b = 3, 4 ; c = 5, 6, 7, 8 ;
group: g { variables: int d(x) ; data: d = 1, 2 ; }
group: h { variables: int e(x) ; data: e = 1, 2 ; }
}"""

ONE_VALUE = {
    ("view", "--axes"), ("dump", "--precision"), ("dump", "--digits"), ("edit", "--attribute"),
}  # fmt: skip
"""Options with a comma in their value that is one value, or that are refused."""


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.cdl").write_bytes(CDL)
    assert run("gen", "-q", "s.cdl", "-o", "s.zarr").code == 0


def listing_options() -> list[tuple[str, str]]:
    """The commands and options whose value is a list, by the help."""
    context = click.Context(ncz.cli.ncz)
    found = []
    for name in ncz.cli.ncz.list_commands(context):
        command = ncz.cli.ncz.get_command(context, name)
        assert command is not None
        for option in command.get_params(context):
            is_list = re.search(r",|SPEC|MODES", getattr(option, "metavar", None) or "")
            if is_list and (name, option.opts[-1]) not in ONE_VALUE:
                found.append((name, option.opts[-1]))
    return found


def test_every_option_that_takes_a_list_can_be_repeated():
    context = click.Context(ncz.cli.ncz)
    wrong = []
    for name, text in listing_options():
        command = ncz.cli.ncz.get_command(context, name)
        assert command is not None
        (option,) = [p for p in command.get_params(context) if text in p.opts]
        if not option.multiple:
            wrong.append((name, text))
    assert wrong == []
    assert ("copy", "--exclude") in listing_options()


@pytest.mark.parametrize(
    ("arguments", "option", "values"),
    [
        (["info", "s.zarr"], "--exclude", ["a", "c"]),
        (["info", "s.zarr"], "--vars", ["a", "c"]),
        (["info", "s.zarr"], "-v", ["a", "c"]),
        (["dump", "s.zarr"], "-v", ["a", "c"]),
        (["dump", "s.zarr"], "-g", ["g", "h"]),
        (["dump", "s.zarr"], "--vars", ["a", "g/*"]),
        (["dump", "s.zarr"], "--exclude", ["a", "c"]),
        (["dump", "-h", "-s", "s.zarr"], "-X", ["p", "f"]),
        (["diff", "s.zarr", "s.cdl"], "-v", ["a", "c"]),
        (["check", "s.zarr"], "--for", ["xarray", "netcdf-c", "gdal"]),
        (["ls", "-r", "s.zarr"], "--exclude", ["a", "c"]),
        (["copy", "s.zarr", "-"], "--exclude", ["a", "c"]),
        (["copy", "s.zarr", "-"], "--vars", ["a", "c"]),
        (["copy", "s.zarr", "-"], "-V", ["a", "c"]),
        (["copy", "s.zarr", "-"], "-v", ["a", "c"]),
        (["copy", "s.zarr", "-"], "-G", ["g", "h"]),
        (["copy", "s.zarr", "-"], "-g", ["g", "h"]),
        (["copy", "s.zarr", "-"], "--drop-attribute", ["a:n", "a:m"]),
    ],
)  # fmt: skip
def test_repeated_options_are_one_list(run: Run, arguments, option, values):
    name = option if option.startswith("--") else f"{option}"
    separate = run(*arguments, *(word for value in values for word in (name, value)))
    joined = run(*arguments, name, ",".join(values) if option != "-X" else "".join(values))
    last = run(*arguments, name, values[-1])
    if option == "--exclude" and arguments[0] == "ls":
        joined = run(*arguments, name, "[ac]")
    assert separate.code == joined.code
    assert separate.text == joined.text
    assert separate.text != last.text or arguments[0] in ("diff", "check")


def test_modes_readers_and_lengths_add_up(run: Run):
    ran = run("copy", "-q", "s.zarr", "t.zarr", "--mode", "zarr", "--mode", "v3")
    assert (ran.code, (Path("t.zarr") / "zarr.json").exists()) == (0, True), ran.stderr
    ran = run("copy", "s.zarr", "u.zarr", "--for", "xarray", "--for", "netcdf-c", "--vars", "a")
    assert ran.code == 0, ran.stderr
    ran = run("copy", "-q", "s.zarr", "p.nca", "--pieces", "x/1", "--pieces", "y/1", "-V", "c")
    assert (ran.code, len(list(Path("p").iterdir()))) == (0, 4), ran.stderr


def test_the_environment_names_several_readers(run: Run, monkeypatch):
    monkeypatch.setenv("NCZ_FOR", "xarray,zarr-python")
    ran = run("copy", "s.zarr", "t.zarr", "--verify", "--json")
    assert ran.code == 0, ran.stderr
    assert '"read_by": ["xarray", "zarr-python"]' in ran.text

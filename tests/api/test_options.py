"""Errors and notices name options of the command line, and arguments in Python."""

from __future__ import annotations

import ast
import inspect
from functools import cache
from pathlib import Path

import click
import pytest

import ncz
from ncz import cli
from ncz.commands.keywords import annotations_of
from ncz.errors import (
    AS_JSON,
    CONSOLIDATE,
    NczError,
    Notice,
    command,
    in_command_line,
    in_python,
    option,
)

FUNCTIONS = [f for name in ncz.__all__ if inspect.isfunction(f := getattr(ncz, name))]


@pytest.mark.parametrize(
    ("message", "command_line", "python"),
    [
        (f"use {option('overwrite', True)}", "use --overwrite", "use overwrite=True"),
        (option("consolidated", False), "--no-consolidated", "consolidated=False"),
        (option("memory", 300 << 20), "--memory 300MiB", "memory=300 * 2**20"),
        (option("jobs", 1), "--jobs 1", "jobs=1"),
        (option("kind", "cdf5"), "--kind cdf5", 'kind="cdf5"'),
        (option("modes", "zarr"), "--mode zarr", 'modes=["zarr"]'),
        (option("modes", "consolidated"), "--consolidated", 'modes=["consolidated"]'),
        (option("zarr_format", 3), "--zarr-format 3", 'modes=["v3"]'),
        (option("audience", "xarray"), "--for xarray", 'audience=["xarray"]'),
        (f"{option('chunks')} or {option('shards')}", "-c or --shards", "chunks or shards"),
        (f"see {command('copy')}", "see 'ncz copy'", "see ncz.copy"),
        (f"run {CONSOLIDATE}", "run ncz consolidate", "run ncz.consolidate"),
        (AS_JSON, "--json", 'view="json"'),
        ("a name such as --for", "a name such as --for", "a name such as --for"),
    ],
)
def test_a_message_is_written_for_its_reader(message, command_line, python):
    assert (in_command_line(message), in_python(message)) == (command_line, python)


def test_a_name_of_a_store_is_not_an_option(tmp_path):
    with pytest.raises(NczError) as raised:
        ncz.dump(tmp_path / "--for x.zarr")
    assert "--for x.zarr" in str(raised.value)


def test_a_function_for_notices_receives_arguments(tmp_path):
    (tmp_path / "a.cdl").write_text("netcdf a { dimensions: x = 2 ; variables: double d(x) ; }")
    seen: list[Notice] = []
    ncz.gen(tmp_path / "a.cdl", tmp_path / "a.zarr", notify=seen.append)
    (hint,) = [notice.hint for notice in seen if notice.code == "fill-masked"]
    assert hint == 'use audience=["xarray"] to write them, or modes=["v3"]'


@cache
def _named_options() -> set[str]:
    found = set()
    for path in Path(ncz.__file__).parent.rglob("*.py"):
        text = path.read_text()
        if "option" not in text:
            continue
        nodes = list(ast.walk(ast.parse(text)))
        names = {  # in other modules, `option` declares one
            alias.asname or alias.name
            for node in nodes
            if isinstance(node, ast.ImportFrom) and node.module == "ncz.errors"
            for alias in node.names
            if alias.name == "option"
        }
        for node in nodes:
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in names
                and node.args
                and isinstance(node.args[0], ast.Constant)
            ):
                found.add(str(node.args[0].value))
    return found


def test_every_option_that_a_message_names_exists():
    spelled = {
        name
        for command_name in cli.COMMANDS
        for parameter in cli.load(command_name).params
        if isinstance(parameter, click.Option)
        for name in parameter.opts
    }
    assert len(_named_options()) > 20
    named = {in_command_line(option(field)).split()[0] for field in _named_options()}
    assert named <= spelled


def test_every_argument_that_a_message_names_exists():
    arguments = {name for function in FUNCTIONS for name in annotations_of(function)}
    only_commands = {"decode", "endpoint_url", "force", "jobs", "relative_to", "zarr_format"}
    assert _named_options() - only_commands <= arguments

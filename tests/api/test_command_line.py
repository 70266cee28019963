"""Functions accept the options of the command line, under the same names."""

from __future__ import annotations

import dataclasses
import io
import json
import shutil
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest

import ncz
from ncz.cli import ncz as command_line
from ncz.cli.options import COMMON
from ncz.cli.source_options import REFERENCE_NAMES, S3_NAMES
from ncz.commands.keywords import annotations_of, descriptions_of
from ncz.errors import ignore_notice
from tests.conftest import Run

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "gen": ncz.gen,
    "dump": ncz.dump,
    "copy": ncz.copy,
    "aggregate": ncz.aggregate,
    "ls": ncz.ls,
    "check": ncz.check,
    "diff": ncz.diff,
    "info": ncz.info,
    "consolidate": ncz.consolidate,
    "edit": ncz.edit,
    "serve": ncz.serve,
    "view": ncz.view,
    "rm": ncz.rm,
}

OTHER_NAMES = {
    "for": "audience",  # a keyword of Python
    "header": "header_only",  # as in ncz diff
    "kind": "kinds",
    "no_annotations": "annotations",
    "no_consolidated": "consolidated",
    "only": "variables",  # as in ncz dump
    "group": "groups",
    "check": "target",  # None
    "precision": "digits",
    "codec": "codecs",
    "mode": "modes",
    "consolidated": "modes",
    "zarr_format": "modes",
    **dict.fromkeys(
        [
            "format_kind",
            "old_format_kind",
            "classic",
            "64_bit_offset",
            "netcdf4",
            "netcdf4_classic",
            "cdf5",
        ],
        "kind",
    ),
    "output": "target",
    "max": "most",
    "dates": "times",
    "iso_dates": "times",
    "filters": "fold_filters",
    "extended": "typed_fill",
    "json": "view",
    "ncml": "view",
    "csv": "view",
    "summary": "view",
    "tree": "view",
}
"""Arguments whose names differ from the names of the options."""

INSTEAD = {
    "dump": {
        "attribute": "attrs has the value",
        "output": "the text is returned",
        "overwrite": "the text is returned",
        "kind": 'view="kind"',
    },
    "copy": {"json": "the summary is returned"},
    "aggregate": {"json": "the number of files is returned"},
    "view": {
        "text": "the default",
        "colors": "text is returned without colours",
        "output": "png and html name the file",
        "no_browser": "the page is for people at a terminal",
        "port": "the page is for people at a terminal",
        "host": "the page is for people at a terminal",
        "variables": "variable is the one to draw, and vars selects several for a page",
    },
    "ls": {
        "human": "sizes are numbers",
        "history": "ncz.info has it",
        "tree": "a form of the list for people",
        "sum": "the first of the totals is the sum",
        "contents": "a form of the objects for people",
        "references": "a form of the list for files",
        "most": "a form of the objects for people",
        "cat": "a form of the objects for people",
        "decode": "a form of the objects for people",
        "format": "a form of the objects for people",
        "type": "a form of the objects for people",
        "objects": "a form of the objects for people",
        "metadata_only": "a form of the objects for people",
        "extended": "a form of the objects for people",
        "json": "records are returned",
        "allow_loss": "unreadable data raise an error",
    },
    "check": {
        "census": "the report has the numbers",
        "json": "the report is returned",
        "recursive": "a report is about one dataset",
    },
    "diff": {
        "json": "the differences are returned",
        "unified": "the differences are returned",
    },
    "info": {"json": "the record is returned", "storage": "the record has it"},
    "edit": {"json": "the changes are returned"},
    "rm": {
        "json": "removed objects are returned",
        "yes": "a program is not asked",
        "force": "a program catches the error of a store that does not exist",
    },
}
"""Options that programs replace by something else, and that are not arguments."""

TABLES = {
    name: (module.SPELLINGS, FUNCTIONS[name])
    for name in FUNCTIONS
    if hasattr(module := import_module(f"ncz.cli.{name}"), "SPELLINGS")
}


@pytest.mark.parametrize("command", TABLES)
def test_every_option_of_a_table_is_an_argument_with_a_description(command):
    spellings, function = TABLES[command]
    arguments, descriptions = annotations_of(function), descriptions_of(function)
    for name, spelling in spellings.items():
        if name not in arguments:  # the command line only
            assert spelling.help
            continue
        assert descriptions[name].endswith(".")
        assert spelling.help != descriptions[name]  # it need not be said twice


@pytest.mark.parametrize("command", FUNCTIONS)
def test_every_option_has_a_help(command):
    assert {name for name, parameter in options(command) if not parameter.help} == set()


IN_URLS = {*S3_NAMES, *REFERENCE_NAMES, "follow_links"}
"""Parameters of options that are keys of a URL's fragment too."""


def options(command: str) -> list[tuple[str, click.Option]]:
    """Return the long names, with underscores, of the options of a command that do something."""
    made = command_line.get_command(click.Context(command_line), command)
    assert made is not None
    return [
        (name.removeprefix("--").replace("-", "_"), parameter)
        for parameter in made.params
        if isinstance(parameter, click.Option)
        and not parameter.hidden
        and not (parameter.help or "").startswith("Ignored")
        and parameter not in COMMON
        and parameter.name not in IN_URLS
        for name in parameter.opts
        if name.startswith("--")
    ]


@pytest.mark.parametrize("command", FUNCTIONS)
def test_every_option_is_an_argument(command):
    arguments = annotations_of(getattr(ncz, command))
    found = options(command)
    instead = INSTEAD.get(command, {})
    missing = {
        name
        for name, parameter in found
        if name not in instead
        and name not in arguments
        and name.removeprefix("no_") not in arguments
        and OTHER_NAMES.get(name) not in arguments
        and f"{name}s" not in arguments
    }
    assert missing == set()
    names = {name for name, _ in found}
    assert instead.keys() <= names  # no reason is out of date
    assert not instead.keys() & arguments.keys()


CDL = """netcdf s { dimensions: t = UNLIMITED ; x = 4 ;
variables: double t(t) ; int v(t, x) ; v:_ChunkSizes = 1, 2 ; float w(x) ; int none(x) ;
data: t = 1, 2, 3 ; v = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 ; w = 0.125, 2, 3, 4 ;
group: g { variables: int u ; data: u = 7 ; } }
"""


@pytest.fixture
def store(tmp_path, monkeypatch, run: Run):
    monkeypatch.chdir(tmp_path)
    Path("s.cdl").write_text(CDL)
    assert run("gen", "s.cdl", "-o", "s.zarr").code == 0
    assert run("copy", "s.zarr", "2.zarr", "-V", "t,v").code == 0
    return "s.zarr"


COPIES: dict[str, tuple[list[str], dict[str, Any]]] = {
    "parts": (
        ["--isel", "x=0:2", "--sel", "t=2/3"],
        {"isel": {"x": slice(0, 2)}, "sel": {"t": slice(2, 3)}},
    ),
    "groups": (["-G", "/g"], {"only_groups": "/g"}),
    "data": (["-v", "w"], {"data_of": ["w"]}),
    "data of groups": (["-g", "/g"], {"data_of_groups": "/g"}),
    "fixed": (["-u"], {"fixed": True}),
    "one chunk": (["-M", "1000", "-u"], {"min_chunk_size": 1000, "fixed": True}),
    "chunking": (
        ["--chunk-size", "16", "--chunking", "netcdf"],
        {"chunk_size": 16, "chunking": "netcdf"},
    ),
    "pieces": (["--mode", "cfa", "--pieces", "t/2"], {"modes": "cfa", "pieces": {"t": 2}}),
    "large pieces": (
        ["--mode", "cfa", "--max-piece", "16", "--piece-format", "zarr"],
        {"modes": "cfa", "max_piece": 16, "piece_format": "zarr"},
    ),
    "references": (["--mode", "reference", "--inline", "0"], {"modes": "reference", "inline": 0}),
}


def content() -> dict[str, bytes]:
    """Return all files below the current folder."""
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_matches_the_command_line(store, run: Run, name):
    line, arguments = COPIES[name]
    place = "new.json" if name == "references" else "new.zarr"
    assert run("copy", store, place, *line).code == 0
    expected = content()
    for made in ("new.zarr", "new"):
        shutil.rmtree(made, ignore_errors=True)
    Path("new.json").unlink(missing_ok=True)
    ncz.copy(store, place, **arguments, notify=ignore_notice)
    assert content() == expected


def test_sources_are_joined(store, run: Run):
    keep = ["--overlap", "keep"]
    assert run("copy", "2.zarr", "2.zarr", "cli.zarr", "--concat", "t", *keep).code == 0
    sources: list[str | Path] = ["2.zarr", Path("2.zarr")]
    ncz.copy(sources, "py.zarr", concat="t", overlap="keep", notify=ignore_notice)
    assert run("diff", "cli.zarr", "py.zarr", "--storage").code == 0
    with pytest.raises(ncz.NczError, match=r'use overlap="first" or last$'):
        ncz.copy(sources, "new.zarr", concat="t")
    with pytest.raises(ncz.NczError, match=r"^sort needs concat or append$"):
        ncz.copy("2.zarr", "new.zarr", sort=True)
    with pytest.raises(ncz.NczError, match=r"^source: the list of sources is empty"):
        ncz.copy([], "new.zarr", concat="t")


DUMPS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "coordinates": (["-c"], {"coordinates": True}),
    "groups": (["-g", "/g"], {"groups": "/g"}),
    "a part": (["--isel", "t=-1"], {"isel": {"t": -1}}),
    "name": (["-n", "other"], {"name": "other"}),
    "lines": (["-l", "10"], {"line_length": 10}),
    "digits": (["-p", "2,3"], {"digits": (2, 3)}),
    "special": (["-s"], {"special": True}),
    "all": (["--keep-going", "--allow-loss"], {"keep_going": True, "allow_loss": True}),
}


@pytest.mark.parametrize("name", DUMPS)
def test_a_dump_matches_the_command_line(store, run: Run, name):
    line, arguments = DUMPS[name]
    text = ncz.dump(store, **arguments)
    assert text == run("dump", store, *line).text
    assert (text == ncz.dump(store)) == (name == "all")


def test_a_list_matches_the_command_line(store, run: Run):
    assert ncz.ls(store, kinds="chunk", recursive=True) == (
        run("ls", "-r", "--kind", "chunk", store).text.split()
    )
    totals = json.loads(run("ls", "--totals", "--json", store).text)
    assert [dataclasses.asdict(total) for total in ncz.ls(store, totals=True)] == totals


def test_a_part_is_compared_and_described(store):
    ncz.edit(store, set="w:n = 1")
    assert [d.name for d in ncz.diff(store, "2.zarr", variables="t", isel={"t": 0})] == []
    assert ncz.diff("s.cdl", store, isel={"t": 0}, threads=1, allow_loss=True) != []
    found = ncz.info(store, stats=True, isel={"t": 0}, variables="v", threads=1, allow_loss=True)
    (v,) = found.variables
    assert v.statistics is not None
    assert (v.statistics.minimum, v.statistics.maximum) == (1, 4)


def test_a_text_is_only_checked_and_has_another_name(store, run: Run):
    ncz.gen("s.cdl", None)
    with pytest.raises(ncz.CdlError):
        ncz.gen(io.BytesIO(b"netcdf x { variables: int v(y) ; }"), None)
    assert run("gen", "s.cdl", "-o", "new.zip", "-N", "other", "-x", "-H").code == 0
    expected = Path("new.zip").read_bytes()
    how = {"name": "other", "no_fill": True, "header_only": True, "overwrite": True}
    ncz.gen("s.cdl", "new.zip", notify=ignore_notice, **how)  # type: ignore[arg-type]
    assert Path("new.zip").read_bytes() == expected

"""The table of words of other programs, line by line."""

from __future__ import annotations

import importlib.util
import itertools
import re
import shlex
from collections import Counter

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ncz
from ncz.cli import COMMANDS, REMOVING, load
from ncz.cli.command import Command
from ncz.cli.programs.habits import (
    Habit,
    answer_of,
    fill_template,
    habit_of_command,
    habits,
    nearest_option,
    replacement,
)
from ncz.cli.programs.operators import line_of
from ncz.cli.terminal import Terminal
from ncz.errors import ignore_notice
from tests.cli.programs.lines import parsed
from tests.conftest import ROOT, Run

ROWS = [*habits()]
COMMAND_WORDS = [(row, word) for row in ROWS if not row.is_option for word in row.words]
OPTION_WORDS = [
    (row, word, command)
    for row in ROWS
    if row.is_option
    for word in row.words
    for command in row.commands or ["copy"]
]
PATHS = ["in.nc", "out.nc", "third.nc"]
PATHS_OF = {"copy": 2, "diff": 2, "aggregate": 2, "mv": 2, "config": 0}
"""The number of paths that a command is tried with, if not one."""
REMOVE = {"remove", "move", "moveto", "ren"}
"""Words that say themselves that something is removed or moved."""


def words_of(answer: str) -> list[str]:
    """Return the line of ncz within an answer."""
    (line,) = re.findall(r"type: ncz ([^;]*)", answer)
    return shlex.split(line)


def test_the_table_has_each_word_once():
    commands = Counter((word, row.least_paths) for row, word in COMMAND_WORDS)
    options = Counter((word, command) for _, word, command in OPTION_WORDS)
    assert {*commands.values(), *options.values()} == {1}
    assert len(COMMAND_WORDS) + len({word for _, word, _ in OPTION_WORDS}) > 400


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.words[0])
def test_a_row_says_where_it_comes_from_and_what_to_do(row: Habit):
    assert row.program
    assert row.line or row.other
    assert set(row.commands) <= set(COMMANDS)
    if not row.is_option:
        assert not row.commands
        assert row.line or row.other.startswith(("use ", "git ")), row


@pytest.mark.parametrize(
    "row", [row for row in ROWS if not row.is_option], ids=lambda row: row.words[0]
)
def test_commands_become_lines_that_ncz_takes(row: Habit):
    for word, count in itertools.product(row.words, (0, 2)):
        if count >= row.least_paths:
            check_command(row, word, count)


def check_command(row: Habit, word: str, count: int) -> None:
    """Check that the answer to a command with a number of paths is a line that ncz takes."""
    typed = PATHS[:count]
    assert word not in COMMANDS
    found = habit_of_command(word, PATHS[: max(count, row.least_paths)])
    assert found is not None
    assert found.words == row.words or found.least_paths > row.least_paths
    if row.runs:
        typed = typed[: PATHS_OF.get(row.line.split()[0], 1)]
        line = shlex.split(fill_template(row.line, typed))
        assert line[0] not in REMOVING or word in REMOVE
        if line != ["--version"] and count:
            assert parsed(line).params
        return
    answer = answer_of(row, word, typed, "")
    assert all(path in answer for path in typed[:1]) or "{1" not in row.line + row.other
    if row.line and words_of(answer) != ["--help"]:
        assert parsed(words_of(answer)).params


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.is_option], ids=lambda row: row.words[0]
)
def test_options_become_options_that_the_commands_have(row: Habit):
    for word, command in itertools.product(row.words, row.commands or ["copy"]):
        check_option(row, word, command)


def check_option(row: Habit, word: str, command: str) -> None:
    """Check that the answer to an option of a command has options that the command has."""
    name, _, value = word.partition("=")
    ours = {each for parameter in load(command).params for each in parameter.opts}
    assert name not in ours, "the command has it"
    if row.runs:
        options = [each for each in replacement(row, value or "5") if each.startswith("-")]
        assert set(options) <= ours
        return
    typed = (PATHS[: PATHS_OF.get(command, 1)], value or "short", command)
    answer = answer_of(row, name, *typed)
    if row.line:
        assert parsed(words_of(answer)).params
    else:
        assert fill_template(row.other, *typed) in answer


@given(st.text("abcdefghijklmnopqrstuvwxyz-_", min_size=1, max_size=9))
def test_no_word_is_taken_for_a_command_that_removes(word: str):
    typed = click.Context(click.Command("ncz"), obj=Terminal())
    group = __import__("ncz.cli", fromlist=["ncz"]).ncz
    if word in COMMANDS or word in REMOVE or word == "help":
        return
    try:
        name, _, _ = group.resolve_command(typed, [word, "x.zarr"])
    except click.UsageError as error:
        proposed = re.findall(r"did you mean (.*)\?", error.message)
        assert not any(f"'{name}'" in text for text in proposed for name in REMOVING)
    except click.exceptions.Exit:
        assert word == "version"
    else:
        assert name not in REMOVING


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("mean in.nc", "use cdo timmean in.nc OUT"),
        ("fldmean in.nc out.nc", "use cdo fldmean in.nc out.nc"),
        ("timmean in.nc", "use cdo timmean in.nc; in xarray: ds.mean("),
        ("resample in.nc", 'in xarray: ds.resample(time="D").mean()'),
        ("copy --mean time a.nc b.nc", 'use cdo timmean IN OUT; in xarray: ds.mean("time")'),
        ("remapbil,r360x180 in.nc out.nc", "use cdo remapbil,r360x180 in.nc out.nc"),
        ("rename s.zarr", "type: ncz edit s.zarr --rename OLD=NEW"),
        ("chname,a,b s.zarr", "type: ncz edit s.zarr --rename a=b"),
        ("ncatted s.zarr", "type: ncz edit s.zarr VAR:ATT=VALUE"),
        ("migrate s.zarr", "type: ncz edit s.zarr --zarr-format 3"),
        ("migrate v2 s.zarr", "type: ncz edit"),
        ("append a.nc s.zarr", "type: ncz copy --append time a.nc s.zarr"),
        ("fix s.zarr", "type: ncz check --fix s.zarr"),
        ("sync a.zarr", "type: ncz copy a.zarr DST --verify"),
        ("sellonlatbox,-10,10 a.nc b.nc", "type: ncz copy --sel lon=-10:10,lat=40:60 a.nc b.nc"),
        ("selyear,2026,2028 a.nc b.nc", "use cdo selyear,2026,2028 a.nc b.nc"),
        ("mergetime a.nc b.nc -O c.nc", "type: ncz copy --concat time --sort a.nc b.nc c.nc"),
        ("ncks --unknown a.nc b.nc", "use ncks --unknown a.nc b.nc, or see ncz copy --help"),
        ("splityear a.nc", "type: ncz copy --split time=year a.nc FOLDER"),
        ("delete s.zarr", "type: ncz rm s.zarr"),
        ("copy --bbox=-10,35 a.nc b.nc", "--sel lon=-10:EAST,lat=35:NORTH"),
        ("info --attrs a.nc", "type: ncz dump -h a.nc"),
        ("info --tree a.zarr", "type: ncz dump --tree a.zarr"),
        ("edit -a units,t,o,c,K s.zarr", "type: ncz edit s.zarr t:units=K"),
        ("ncap2 -s 't=t-273' a.nc b.nc", "use ncap2 -s t=t-273 a.nc b.nc"),
        ("ncks -G x -g y a.nc b.nc", "use ncks -G x -g y a.nc b.nc"),
        ("ncrcat -n 4,2,1 a1.nc b.nc", "use ncrcat -n 4,2,1 a1.nc b.nc"),
        ("yearmonmean a.nc b.nc", "use cdo yearmonmean a.nc b.nc"),
        ("ymonpctl,90 a.nc b.nc c.nc d.nc", "use cdo ymonpctl,90 a.nc b.nc c.nc d.nc"),
        ("consecsum,1 a.nc b.nc", "use cdo consecsum,1 a.nc b.nc"),
        ("head -n 2 none.nc", "type: ncz dump --isel time=0:5 none.nc"),
        ("select,param=1 a.nc b.nc", "use cdo select,param=1 a.nc b.nc"),
        ("-remapnn,r9x9 -selname,t a.nc b.nc", "use cdo"),
        ("gdal_translate -of GTiff a.nc b.tif", "use gdal_translate -of GTiff a.nc b.tif"),
        ("h5dump -x a.h5", "use h5dump -x a.h5"),
        ("gdalbuildvrt all.vrt a.nc b.nc", "type: ncz aggregate --axis time all.nca a.nc b.nc"),
    ],
)
def test_an_answer_has_the_typed_words(line: str, answer: str, run: Run):
    done = run(*shlex.split(line))
    assert done.code == 2
    assert answer in done.stderr
    assert done.stderr.count("\n") == 1


def test_commands_with_another_name_are_run(run: Run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.cdl").write_text(
        "netcdf a { dimensions: x = 2 ; variables: int v(x) ; data: v = 1, 2 ; }"
    )
    for line in (
        "ncgen a.cdl -o a.zarr",
        "translate a.zarr b.nc",
        "copy a.zarr -o c.zarr",
        "copy -f a.zarr c.zarr -z zip_5",
        "copy -n a.zarr d.zarr",
        "copy a.zarr e.zarr --include v --workers 1",
        "cat -h a.zarr",
        "sinfo a.zarr",
        "tree a.zarr",
        "du a.zarr",
        "stats a.zarr",
        "ls -lh a.zarr",
        "ls -R a.zarr",
        "info --stat a.zarr",
        "verify a.zarr",
        "verify a.zarr c.zarr",
        "diff --atol 1 a.zarr c.zarr",
        "diff -d 1 a.zarr c.zarr",
        "version",
    ):
        done = run(*line.split())
        assert (line, done.code, done.stderr) == (line, 0, "")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a.cdl", "a.zarr", "b.nc", "c.zarr", "e.zarr",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "ours"),
    [
        ("a.nc b.nc -projwin -1 53 1.5 50", "a.nc b.nc --sel lon=-1:1.5,lat=50:53"),
        ("-te -1 50 1 53 a.nc b.nc", "--sel lon=-1:1,lat=50:53 a.nc b.nc"),
        ("--bbox -1,50,1,53 a.nc b.nc", "--sel lon=-1:1,lat=50:53 a.nc b.nc"),
        ("--bbox=-1,50,1,53 2020.nc b.nc", "--sel lon=-1:1,lat=50:53 2020.nc b.nc"),
        ("--date 2020 a.nc b.nc", "--sel time=2020 a.nc b.nc"),
    ],
)
def test_the_sides_of_a_box_may_be_words(line: str, ours: str):
    copy = load("copy")
    assert isinstance(copy, Command)
    context = click.Context(copy, obj=Terminal())
    assert copy.in_own_words(context, shlex.split(line)) == shlex.split(ours)


OPERATORS = ("ncks", "ncrcat", "ncecat", "ncpdq", "ncrename", "ncatted", "seltimestep,1/x")
VALUES = st.sampled_from(["a,b", "a", "", ",", "t@u,v", "time,1,2,3", "u,t,o,c,K", "u,t,d", "5"])
FLAGS = st.sampled_from(["-O", "-4", "-x", "-U", "--output=x"]).map(lambda flag: [flag])
CHOICES = st.tuples(st.sampled_from(["-v", "-d", "-a", "-g", "-L", "-u", "-P"]), VALUES).map(list)


@given(st.sampled_from(OPERATORS), st.lists(FLAGS | CHOICES, max_size=3), st.integers(0, 3))
def test_any_words_after_an_operator_are_a_line_or_none(
    word: str, options: list[list[str]], count: int
):
    typed = [each for option in options for each in option]
    found = line_of(word, [*typed, *PATHS[:count]])
    assert found is None or all(isinstance(each, str) for each in found)


def test_transposed_dimensions(run: Run, tmp_path):
    text = "netcdf a { dimensions: x = 2 ; y = 3 ; c = 4 ; variables: int v(x, y) ; char s(x, c) ;"
    (tmp_path / "a.cdl").write_text(f'{text} data: v = 1, 2, 3, 4, 5, 6 ; s = "abcd", "efgh" ; }}')
    for source in ("a.nc", "a.zarr"):
        assert run("gen", tmp_path / "a.cdl", "-o", tmp_path / source).code == 0
        for target in ("b.nc", "b.zarr"):
            place = tmp_path / f"{source}.{target}"
            done = run("copy", "--transpose", "y,x", "-c", "y/2,x/1", tmp_path / source, place)
            assert (done.code, done.stderr) == (0, "")
            dumped = run("dump", place).text
            assert "int v(y, x)" in dumped
            assert "char s(x, c)" in dumped
            assert "1, 4,\n  2, 5,\n  3, 6" in dumped
    done = run("copy", "--transpose", "y,z", tmp_path / "a.nc", tmp_path / "c.nc")
    assert done.stderr == "ncz: no dimension is named 'z'; correct --transpose\n"


@pytest.mark.parametrize("command", ["copy", "dump", "ls", "diff", "info"])
def test_h_alone_is_help(command: str, run: Run):
    done = run(command, "-h")
    assert done.code == 0
    assert done.text.startswith(f"Usage: ncz {command}")


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("--append a.nc s.zarr", "--append takes a dimension, and got 'a.nc'; type: ncz copy"
         " --append time a.nc s.zarr"),
        ("--concat a.nc b.nc", "type: ncz copy --concat time a.nc b.nc"),
        ("-v a.nc b.nc", "-v takes names of variables, and got 'a.nc'; type: ncz copy -v VAR a.nc"),
        ("a.nc", "the target is missing; type: ncz copy a.nc TARGET"),
        ("--region time=5:6 a.nc b.nc", "to write into a part of DST, --into time=5:6"),
    ],
)  # fmt: skip
def test_arguments_with_another_meaning_are_named(line: str, answer: str, run: Run):
    done = run("copy", *line.split())
    assert done.code == 2
    assert answer in done.stderr


def test_the_page_of_words_is_up_to_date():
    spec = importlib.util.spec_from_file_location("make_habits", ROOT / "docs/make_habits.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    written = (ROOT / "docs/reference/elsewhere.md").read_text("utf-8")
    assert written == module.page(), "run make docs"
    assert "| `mean`, " in written
    assert "use cdo OPERATOR IN OUT" in written
    assert "''" not in written
    assert "ncz omit" not in written


def test_an_operator_of_cdo_that_ncz_lacks_names_cdo(run: Run):
    for line in ("timcor a.nc b.nc o.nc", "setlevel,850 a.nc o.nc", "smooth,nsmooth=2 a.nc o.nc"):
        done = run(*line.split())
        assert done.code == 2
        assert f"use cdo {line}" in done.stderr


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("--new-dim", "--new-dimension"),
        ("--chunksize", None),
        ("--chunk_size", "--chunk-size"),
        ("--var", "--vars"),
        ("--over", None),
        ("--alo", None),
        ("--overwrit", None),
        ("--ex", None),
        ("--exclud", "--exclude"),
        ("--shard", "--shards"),
    ],
)
def test_another_spelling_or_the_beginning_of_an_option(typed, meant):
    own = [name for parameter in load("copy").params for name in parameter.opts]
    assert nearest_option(typed, own) == meant


@given(st.sampled_from([*COMMANDS]), st.data())
def test_no_beginning_removes_or_replaces(command, data):
    own = [name for parameter in load(command).params for name in parameter.opts]
    name = data.draw(st.sampled_from([each for each in own if each.startswith("--")]))
    count = data.draw(st.integers(3, len(name)))
    assert nearest_option(name[:count], own) not in (
        "--overwrite", "--remove", "--delete", "--yes", "--fix",
    )  # fmt: skip


def test_options_that_remove_are_not_proposed(run: Run):
    said = run("edit", "--remov", "a.zarr").stderr + run("copy", "--overwrit", "a", "b").stderr
    assert "--remove" not in said
    assert "--overwrite" not in said


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("cpoy a.nc b.zarr", "did you mean 'copy'? type: ncz copy a.nc b.zarr"),
        ("mergtime a.nc b.nc", "did you mean 'mergetime'"),
    ],
)
def test_a_typo_names_the_line(run: Run, line, answer):
    assert answer in run(*line.split()).stderr


def test_a_document_is_printed_by_its_path(run: Run, tmp_path):
    ncz.gen(ROOT / "cdl_examples/weather.cdl", tmp_path / "w.zarr", notify=ignore_notice)
    assert '"chunks"' in run("cat", f"{tmp_path}/w.zarr/lat/.zarray").text
    assert '"zarr_format"' in run("cat", f"{tmp_path}/w.zarr/.zgroup").text


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("rename a.nc old new", "edit a.nc --rename old=new"),
        ("rename a.nc b.nc", None),
        ("select a.nc t x.nc", "copy --vars t a.nc x.nc"),
        ("subset a.nc x.nc --lat 0", "copy a.nc x.nc --lat 0"),
        ("subset a.nc x.nc", None),
        ("append a.nc s.zarr", "copy --append time a.nc s.zarr"),
        ("append s.zarr a.nc", "copy --append time a.nc s.zarr"),
        ("append a.nc b.nc s.zarr", "copy --append time a.nc b.nc s.zarr"),
        ("append a.nc new.zarr", "copy a.nc new.zarr"),
        ("append new.nc s.zarr", None),
        ("append a.nc", None),
    ],
)
def test_words_whose_order_decides_the_meaning(tmp_path, monkeypatch, typed, line):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.nc").touch()
    (tmp_path / "b.nc").touch()
    (tmp_path / "s.zarr").mkdir()
    word, *rest = typed.split()
    assert line_of(word, rest) == (None if line is None else line.split())

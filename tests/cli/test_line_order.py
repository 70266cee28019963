"""Words in another order than in ncz, and words without a meaning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.cli import COMMANDS, REMOVING
from ncz.cli.line_order import (
    arrange,
    name_for_format,
    with_dataset_first,
    with_output,
    with_variables,
    with_whole_names,
    without_fillers,
)

KNOWN = [name for name in COMMANDS if name not in REMOVING]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.nc", "b.nc", "my file.nc", "diff"):
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("a.nc info", "info a.nc"),
        ("a.nc dump -h", "dump a.nc -h"),
        ("a.nc rm", "a.nc rm"),
        ("a.nc diff b.nc", "a.nc diff b.nc"),
        ("a.nc temperature", "a.nc temperature"),
        ("a.nc x.zarr", "copy a.nc x.zarr"),
        ("a.nc b.nc", "a.nc b.nc"),
        ("cdo sinfo a.nc", "sinfo a.nc"),
        ("aws s3 ls s3://b", "ls s3://b"),
        ("cdo", "cdo"),
        ("/?", "--help"),
        ("--v", "--version"),
        ("--vers", "--version"),
        ("--verbose", "--verbose"),
        ("none.nc info", "none.nc info"),
        ("", ""),
    ],
)
def test_the_command_comes_first(here, typed, line):
    assert arrange(typed.split(), KNOWN) == line.split()


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("copy a.nc to x.zarr", "copy a.nc x.zarr"),
        ("copy from a.nc into x.zarr", "copy a.nc x.zarr"),
        ("diff a.nc and b.nc", "diff a.nc b.nc"),
        ("copy a.nc to", "copy a.nc to"),
        ("copy --concat in a.nc b.nc x.zarr", "copy --concat in a.nc b.nc x.zarr"),
        ("copy a.nc to --overwrite", "copy a.nc to --overwrite"),
    ],
)
def test_words_between_paths_say_nothing(here, typed, line):
    assert without_fillers(typed.split()) == line.split()


def test_a_path_with_such_a_name_is_a_path(here):
    (here / "to").touch()
    assert without_fillers(["copy", "a.nc", "to", "x.zarr"]) == ["copy", "a.nc", "to", "x.zarr"]


@given(st.lists(st.sampled_from(["a.nc", "x.zarr", "--overwrite", "-c", "time/1"]), max_size=6))
def test_other_lines_stay_unchanged(words):
    assert without_fillers(["copy", *words]) == ["copy", *words]
    assert arrange(["copy", *words], KNOWN) == ["copy", *words]
    assert with_output(["copy", *words]) == ["copy", *words]


def test_names_with_spaces_are_put_together(here):
    assert with_whole_names(["my", "file.nc", "x.zarr"]) == ["my file.nc", "x.zarr"]
    assert with_whole_names(["-v", "my", "file.nc"]) == ["-v", "my file.nc"]
    assert with_whole_names(["a.nc", "b.nc"]) == ["a.nc", "b.nc"]
    assert with_whole_names(["your", "file.nc"]) == ["your", "file.nc"]


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("dump a.nc lat", "dump -v lat a.nc"),
        ("dump a.nc lat lon -p 3", "dump -v lat,lon a.nc -p 3"),
        ("dump a.nc b.nc", "dump a.nc b.nc"),
        ("dump a.nc x.cdl", "dump a.nc x.cdl"),
        ("dump -h a.nc", "dump -h a.nc"),
        ("copy a.nc lat", "copy a.nc lat"),
        ("dump", "dump"),
    ],
)
def test_names_after_a_dataset_to_dump_are_variables(here, typed, line):
    assert with_variables(typed.split()) == line.split()


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("copy a.nc x.csv", "dump --csv a.nc -o x.csv"),
        ("copy a.nc b.nc x.csv", "copy a.nc b.nc x.csv"),
        ("copy -f CSV a.nc x.csv", "dump --csv a.nc -o x.csv"),
        ("copy --format=csv --vars v a.nc x.csv", "dump --csv --vars v a.nc -o x.csv"),
        ("copy a.nc x.csv --sel lat=0", "dump --csv a.nc -o x.csv --sel lat=0"),
        ("dump --csv a.nc x.csv", "dump --csv a.nc -o x.csv"),
        ("dump a.nc x.csv --unpack", "dump a.nc -o x.csv --unpack"),
        ("dump -h a.nc x.cdl", "dump -h a.nc -o x.cdl"),
        ("dump a.nc -o x.cdl", "dump a.nc -o x.cdl"),
        ("dump x.cdl", "dump x.cdl"),
        ("view a.nc t x.png", "view a.nc t -o x.png"),
        ("view a.nc b.nc", "view a.nc b.nc"),
        ("info a.nc x.html", "info a.nc --html x.html"),
        ("copy s.zarr/t/.zarray -", "ls s.zarr --cat /t/.zarray"),
        ("copy s3://b/s.zarr/zarr.json -", "ls s3://b/s.zarr --cat /zarr.json"),
        ("copy", "copy"),
    ],
)
def test_an_output_that_is_only_named(here, typed, line):
    assert with_output(typed.split()) == line.split()


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("copy a.nc zarr", "ncz copy a.nc a.zarr"),
        ("copy dir/a.b.nc .netcdf", "ncz copy dir/a.b.nc a.nc"),
        ("copy a.nc x.zarr", None),
        ("copy a.nc b.nc zarr", None),
        ("copy", None),
    ],
)
def test_the_name_of_a_format_is_no_target(here, typed, line):
    assert name_for_format(typed.split()) == line


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("copy --format csv a.nc", "dump --csv a.nc"),
        ("copy a.nc x.json --format json", "dump --json a.nc -o x.json"),
        ("copy -f XML a.nc x.xml", "dump -x a.nc -o x.xml"),
        ("copy -f nc4 a.nc x.nc", "copy -f nc4 a.nc x.nc"),
        ("copy a.nc x.json", "copy a.nc x.json"),
    ],
)
def test_a_copy_to_a_text_is_printed(here, typed, line):
    assert with_output(typed.split()) == line.split()


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("view temp a.nc -o x.png", "view a.nc temp -o x.png"),
        ("dump temp a.nc", "dump a.nc temp"),
        ("info a.nc temp", "info a.nc temp"),
        ("view a.nc b.nc", "view a.nc b.nc"),
        ("copy temp a.nc", "copy temp a.nc"),
    ],
)
def test_a_variable_may_be_named_before_its_dataset(here, typed, line):
    assert with_dataset_first(typed.split()) == line.split()


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("dump -h a.nc temp lat", "dump -h -v temp,lat a.nc"),
        ("dump --csv a.nc temp --lat 0", "dump --csv -v temp a.nc --lat 0"),
        ("dump -p 4 a.nc temp", "dump -p 4 a.nc temp"),
    ],
)
def test_flags_may_come_before_the_dataset(here, typed, line):
    assert with_variables(typed.split()) == line.split()

"""Help texts fit in 80 columns and have examples, and docs/reference/commands.md contains them."""

from __future__ import annotations

import re
import runpy
import sys
import zipfile

import click
import pytest

import ncz._version
import ncz.cli
from tests.conftest import ROOT, Run

WORKING = ncz.cli.ncz.list_commands(click.Context(ncz.cli.ncz))


def context_of(command: click.Command, name: str) -> click.Context:
    """Return the context of the command; click keeps the first help option that it makes."""
    return click.Context(command, info_name=name, **command.context_settings)


def options_of(name: str) -> list[click.Option]:
    command = ncz.cli.load(name)
    parameters = command.get_params(context_of(command, f"ncz {name}"))
    return [p for p in parameters if isinstance(p, click.Option) and not p.hidden]


def test_the_commands_are_listed(run: Run):
    shown = run("--help").text
    assert WORKING == [
        "gen",
        "dump",
        "ls",
        "copy",
        "consolidate",
        "info",
        "view",
        "serve",
        "diff",
        "digest",
        "check",
        "aggregate",
        "edit",
        "config",
        "completion",
        "mv",
        "rm",
        "clean",
    ]
    for name in WORKING:
        assert f"\n  {name} " in shown
    assert "man ncz-gen" in shown


@pytest.mark.parametrize("command", [[], *[[name] for name in WORKING]], ids=str)
def test_help_fits_and_has_three_examples(command, run: Run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    done = run(*command, "--help")
    assert done.code == 0
    assert done.stderr == ""
    lines = done.text.splitlines()
    assert max(map(len, lines)) <= 80
    examples = lines[lines.index("  Examples:") + 1 :]
    assert len([line for line in examples if line.startswith("    ")]) >= 3


@pytest.mark.parametrize("command", [[], *[[name] for name in WORKING]], ids=str)
def test_help_is_one_screen(command, run: Run):
    lines = run(*command, "--help").text.splitlines()
    assert len(lines) <= 40
    assert "  --help-all " in "\n".join(lines)


@pytest.mark.parametrize("name", WORKING)
def test_all_help_lists_every_option(name, run: Run):
    done = run(name, "--help-all")
    assert done.code == 0
    for option in options_of(name):
        assert re.search(rf"(?m)^  ([^ ].*)?{re.escape(option.opts[-1])}\b", done.text), option.opts


@pytest.mark.parametrize("name", WORKING)
def test_every_option_has_a_description(name):
    for option in options_of(name):
        assert option.help, option.opts


@pytest.mark.parametrize("name", WORKING)
def test_every_short_option_has_a_long_name(name):
    for option in options_of(name):
        assert any(spelling.startswith("--") for spelling in option.opts), option.opts


MAKE_REFERENCE = runpy.run_path(str(ROOT / "docs/make_reference.py"))


def test_the_reference_matches_the_help():
    text = (ROOT / "docs/reference/commands.md").read_text("utf-8")
    assert text == MAKE_REFERENCE["reference"](), "run 'make docs'"


@pytest.mark.parametrize("name", WORKING)
def test_the_reference_has_every_option(name):
    text = (ROOT / "docs/reference/commands.md").read_text("utf-8")
    section = text.partition(f"\n## ncz {name}\n")[2].partition("\n## ")[0]
    assert section, f"docs/reference/commands.md has no section 'ncz {name}'"
    shared = text.partition(f"\n{MAKE_REFERENCE['SHARED']}\n")[2].partition("\n## ")[0]
    command = ncz.cli.load(name)
    for option in options_of(name):
        record = option.get_help_record(context_of(command, f"ncz {name}"))
        assert record
        names = record[0]
        (row,) = [line for line in shared.splitlines() if f"| `{names}` |" in line] or [""]
        commands = row.rpartition(" | ")[2]
        is_shared = name in commands if not commands.startswith("all") else name not in commands
        assert f"  {names}" in section or (row and is_shared), names


def test_version_names_packages_that_affect_results(run: Run):
    lines = run("--version").text.splitlines()
    assert lines[0] == f"ncz {ncz.__version__}"
    for package in ("python", "numpy", "numcodecs", "fsspec"):
        assert any(line.startswith(f"{package} ") for line in lines)


def test_a_report_of_a_bug_names_optional_libraries_too(run: Run):
    assert run("--version", "--verbose").text == f"{ncz._version.versions(with_optional=True)}\n"


def test_versions_equal_the_metadata_of_packages():
    from importlib import metadata

    for line in ncz._version.versions().splitlines()[2:]:
        package, _, version = line.partition(" ")
        try:
            assert version == metadata.version(package)
        except metadata.PackageNotFoundError:
            assert version == "is not installed"


def test_versions_of_packages_in_a_zip_file(monkeypatch, tmp_path):
    with zipfile.ZipFile(tmp_path / "packages.zip", "w") as packages:
        packages.writestr("obstore-99.5.dist-info/METADATA", "Name: obstore\nVersion: 99.5\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "packages.zip")])
    assert "obstore 99.5" in ncz._version.versions().splitlines()


@pytest.mark.parametrize("program", ["ncz-gen", "ncz-dump", "ncz-ls", "ncz-copy"])
def test_each_command_is_a_program_too(program):
    import subprocess
    import sys

    name = program.partition("-")[2]
    code = (
        f"import sys; sys.argv[:] = ['{program}', '--help']; import ncz.cli; ncz.cli.main_{name}()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"Usage: {program} [OPTIONS]")


@pytest.mark.parametrize("name", ["copy", "dump", "rm"])
def test_the_word_help_after_a_command(run, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run(name, "help")
    assert (done.code, done.text.split()[:3]) == (0, ["Usage:", "ncz", name])

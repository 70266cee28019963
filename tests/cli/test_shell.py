"""Answers to the requests of a shell for completions of a line."""

from __future__ import annotations

import click
import pytest

from ncz.cli import shell
from ncz.cli.candidates import VALUES
from tests.cli.test_completion import completed as completed
from tests.conftest import Run


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Return the answer to a line of a small program, for bash or zsh."""
    arguments: list[click.Parameter] = [
        click.Argument(["source"]),
        click.Argument(["names"], nargs=-1),
    ]
    inner = click.Command("inner", params=arguments)
    program = click.Group("p", commands={"inner": inner})
    monkeypatch.setattr(shell, "urls", lambda words, start: [f"{start}a.zarr", f"{start}\x1b"])
    monkeypatch.setitem(VALUES, "variables", lambda words, start: [*words[-1:], "t\nu"])

    def answer(line: str, name: str = "bash") -> list[str]:
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
        assert shell.answer(program, "p", "_P_COMPLETE", f"{name}_complete") == 0
        return capsys.readouterr().out.splitlines()

    return answer


def test_a_path_is_completed_by_the_shell(answered):
    assert answered("p inner x") == ["file,x"]


def test_a_url_is_completed_after_its_last_colon_in_bash(answered):
    assert answered("p inner s3://b/") == ["plain,//b/a.zarr"]
    assert "s3://b/a.zarr" in answered("p inner s3://b/", "zsh")


def test_names_get_the_words_of_the_line_and_no_control_characters(answered):
    assert answered("p inner a.nc v") == ["plain,v"]


def test_a_line_without_a_command_completes_commands(answered):
    assert answered("p i") == ["plain,inner"]
    assert answered("p unknown x") == [""]


def test_every_command_names_its_paths_as_here(completed, run: Run):
    assert completed("ncz mv x") == ["x"]
    assert completed("ncz ls x") == ["x"]

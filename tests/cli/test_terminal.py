"""Messages on standard error, their colour, and exit codes."""

from __future__ import annotations

import io
import subprocess
import sys

import click
import pytest

import ncz.cli
from ncz.cli.command import command
from ncz.cli.terminal import CLOSED_PIPE, INTERRUPTED, Terminal, Termination, as_read, run, visible
from ncz.errors import CdlError, NczError, Notice, UrlError, note_on_interrupt
from tests.test_errors import wait_and_be_interrupted


class Screen(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


def raising(error: BaseException) -> click.Command:
    @command("raise")
    def failing(_: click.Context, /) -> None:
        raise error

    return failing


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (NczError("it broke", "x.zarr", "mend it"), 1, "ncz: x.zarr: it broke; mend it\n"),
        (UrlError("no such mode"), 1, "ncz: no such mode\n"),
        (KeyboardInterrupt(), INTERRUPTED, "ncz: interrupted\n"),
        (Termination(), 143, "ncz: terminated\n"),
        (BrokenPipeError(), CLOSED_PIPE, ""),
        (
            MemoryError(),
            1,
            "ncz: not enough memory; use smaller chunks or a machine with more memory\n",
        ),
        (PermissionError(13, "Permission denied", "x"), 1, "ncz: x: Permission denied\n"),
        (
            RuntimeError("oh"),
            1,
            "ncz: internal error: RuntimeError: oh; "
            "run the command again with --debug and report its output\n",
        ),
    ],
)
def test_every_end_has_one_line_and_a_code(error, code, line, capsys):
    assert run(raising(error), "ncz", []) == code
    assert capsys.readouterr().err == line


def test_an_interrupt_that_a_lock_replaces_is_an_interrupt(capsys):
    @command("wait")
    def waiting(_: click.Context, /) -> None:
        with note_on_interrupt("nothing was changed"):
            wait_and_be_interrupted()

    assert run(waiting, "ncz", []) == INTERRUPTED
    assert capsys.readouterr().err == "ncz: interrupted; nothing was changed\n"


def test_usage_errors_end_with_2_and_name_the_help(capsys):
    assert run(ncz.cli.ncz, "ncz", ["gen", "--no-such-option"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Usage: ncz gen [OPTIONS] CDL [TARGET]"
    assert lines[1].startswith("ncz: ")
    assert lines[1].endswith("? try 'ncz gen --help'")


def test_an_unknown_command_lists_the_commands():
    with pytest.raises(click.UsageError, match="unknown command 'x'; the commands are gen"):
        ncz.cli.ncz.resolve_command(click.Context(ncz.cli.ncz), ["x"])


def test_an_unknown_command_that_is_like_another_is_a_mistake():
    with pytest.raises(click.UsageError, match=r"unknown command 'dmp'; did you mean 'dump'\?"):
        ncz.cli.ncz.resolve_command(click.Context(ncz.cli.ncz), ["dmp"])


def test_debug_shows_the_traceback(capsys):
    assert run(raising(NczError("it broke")), "ncz", ["--debug"]) == 1
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_a_traceback_cannot_control_the_terminal(capsys):
    error = NczError("it broke \x1b]0;title\x07 \u202e \udcff", "a\x1b[2Jb")
    assert run(raising(error), "ncz", ["--debug"]) == 1
    text = capsys.readouterr().err
    assert "Traceback" in text
    assert text.replace("\n", "").isprintable()
    assert r"\x1b]0;title\x07 \u202e \xff" in text


@pytest.mark.parametrize(
    ("arguments", "is_colored"),
    [
        (["--color", "never", "--wrong"], False),
        (["--wrong", "--color=never"], False),
        (["--color=always", "--wrong", "--color=never"], False),
        (["--color", "always", "--wrong"], True),
        (["--wrong"], True),
        (["--wrong", "--color"], True),
        (["--color=sometimes"], True),
    ],
)
def test_usage_errors_have_the_requested_colour(arguments, is_colored, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    assert run(ncz.cli.ncz, "ncz", ["gen", *arguments]) == 2
    assert ("\x1b[" in screen.getvalue()) is is_colored


def test_a_cdl_error_on_a_terminal_shows_the_line_and_a_caret(monkeypatch):
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("NO_COLOR", "1")
    error = CdlError("no such type", "x.cdl:3:5", source_line="\tint8 v ;\n", column=2)
    assert run(raising(error), "ncz", []) == 1
    assert screen.getvalue() == "ncz: x.cdl:3:5: no such type\n          int8 v ;\n          ^\n"


def test_a_very_long_line_is_cut_around_the_caret(monkeypatch):
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("NO_COLOR", "1")
    error = CdlError("bad", "x:1:5000", source_line="1, " * 4000, column=5000)
    run(raising(error), "ncz", [])
    line, caret = screen.getvalue().splitlines()[1:]
    assert len(line) <= 60
    assert line.startswith("  ...")
    assert 3 < caret.index("^") < 60


def test_piped_errors_have_no_second_line(capsys):
    run(raising(CdlError("bad", "x.cdl:1:1", source_line="xyz", column=1)), "ncz", [])
    assert capsys.readouterr().err == "ncz: x.cdl:1:1: bad\n"


def test_notices_are_marked_and_quiet_silences_them(capsys):
    terminal = Terminal()
    terminal.notify(Notice("dimension-inferred", "dimensions were named by length", "x.zarr"))
    assert capsys.readouterr().err == "ncz: notice: x.zarr: dimensions were named by length\n"
    terminal.quiet = True
    terminal.notify(Notice("dimension-inferred", "again"))
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain", "plain"),
        ("naïve 気温", "naïve 気温"),
        ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("\x85\x9b", "\\x85\\x9b"),
        ("\u202eright to left", "\\u202eright to left"),
        ("\udcff", "\\xff"),
        ("\ud800", "\\ud800"),
    ],
)
def test_other_peoples_names_cannot_steer_a_terminal(text, seen):
    assert visible(text) == seen


@pytest.mark.parametrize(
    ("color", "environment", "terminal", "expected"),
    [
        ("auto", {}, True, True),
        ("auto", {}, False, False),
        ("auto", {"NO_COLOR": "1"}, True, False),
        ("auto", {"NO_COLOR": ""}, True, True),
        ("auto", {"FORCE_COLOR": "1"}, False, True),
        ("auto", {"FORCE_COLOR": "0"}, False, False),
        ("auto", {"TERM": "dumb"}, True, False),
        ("never", {"FORCE_COLOR": "1"}, True, False),
        ("always", {"NO_COLOR": "1", "TERM": "dumb"}, False, True),
    ],
)
def test_when_there_is_colour(color, environment, terminal, expected, monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    speaker = Terminal()
    speaker.color = color
    assert speaker.is_colored(Screen() if terminal else io.StringIO()) is expected


def test_colour_styles_the_head_and_leaves_the_text(capsys):
    run(raising(NczError("it broke")), "ncz", ["--color", "always"])
    assert capsys.readouterr().err == "\x1b[1;31mncz:\x1b[0m it broke\n"


def test_a_message_stays_one_line_for_any_name(capsys):
    run(raising(NczError("no variable", location="a\nb")), "ncz", [])
    assert capsys.readouterr().err == "ncz: a\\nb: no variable\n"


def test_the_end_of_a_program_calls_registered_functions():
    program = (
        "import atexit, sys; from ncz.cli import main; atexit.register(print, 'last', end='');"
        " sys.argv = ['ncz', '--version']; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.splitlines()[-1] == "last"


def test_a_terminal_does_not_show_notices_for_kept_texts():
    seen: list[Notice] = []
    report = as_read(seen.append)
    report(Notice("digits-left-out", "numbers have more digits than are printed: v"))
    report(Notice("attribute-as-text", "attributes that are JSON are printed as text: :a"))
    report(Notice("c-format-ignored", "C_format is ignored"))
    assert [notice.code for notice in seen] == ["c-format-ignored"]

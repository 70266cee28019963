"""The spellings of a function's arguments, and the arguments that a command line gives."""

from __future__ import annotations

from typing import Any, Literal

import click
import pytest

from ncz.cli.command import command
from ncz.cli.spellings import (
    LITERAL,
    SIZE,
    Flag,
    Spelling,
    arguments_of,
    choice,
    given_arguments,
    integer,
    number,
    spelling,
    split_names,
    words,
)


def function(
    *,
    shape: Literal["round", "square"] = "round",
    names: tuple[str, ...] = (),
    size: int | None = None,
    count: int = 0,
    share: float = 0.0,
    hue: str = "",
    ink: str = "",
    loud: bool = False,
    fast: bool | None = None,
    waits: bool = True,
    pairs: dict[str, int] | None = None,
) -> None:
    """Do nothing.

    Parameters
    ----------
    shape
        Its form.
    """


SPELLINGS = {
    "shape": spelling("--shape", metavar="FORM", values=LITERAL),
    "names": spelling("-n", "--names", metavar="N,...", repeats=True, parse=split_names),
    "size": spelling("--size", metavar="SIZE", values=SIZE),
    "count": spelling("--count", metavar="N", values=integer(1, 9)),
    "share": spelling("--share", metavar="X", values=number(0)),
    "hue": spelling("--hue", metavar="H", values=choice("red", "blue")),
    "ink": spelling(flags=(Flag(("--red",), "red", "As fire."), Flag(("--green",), "green", ""))),
    "loud": spelling("--loud"),
    "fast": spelling("--fast/--slow"),
    "waits": spelling("--no-wait"),
    "pairs": spelling("--pair", metavar="N", repeats=True, parse=words, gather=dict.fromkeys),
}  # fmt: skip


def given(line: str) -> dict[str, Any]:
    """Return the arguments that a line gives."""
    found: dict[str, Any] = {}

    @command("try")
    @arguments_of(function, SPELLINGS)
    def run(ctx: click.Context, /, **_: Any) -> None:
        found.update(given_arguments(ctx, SPELLINGS))

    run.main(line.split(), standalone_mode=False)
    return found


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("", {}),
        ("--shape square", {"shape": "square"}),
        ("-n a,b --names c", {"names": ("a", "b", "c")}),
        ("--size 2KiB", {"size": 2048}),
        ("--count 9 --share 0.5", {"count": 9, "share": 0.5}),
        ("--hue red", {"hue": "red"}),
        ("--green", {"ink": "green"}),
        ("--loud", {"loud": True}),
        ("--fast", {"fast": True}),
        ("--slow", {"fast": False}),
        ("--no-wait", {"waits": False}),
        ("--pair a,b", {"pairs": {"a": None, "b": None}}),
    ],
)
def test_a_line_gives_arguments(line: str, arguments: dict[str, Any]):
    assert given(line) == arguments


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--shape oval", "'round', 'square'"),
        ("--size many", "'many' is not a valid size; write 10MB or 256MiB"),
        ("--count 10", "'10' is not a whole number from 1 to 9"),
        ("--count 1,5", "'1,5' is not a whole number from 1 to 9"),
        ("--share nan", "'nan' is not a number"),
        ("--share 0,5", "write --share 0.5"),
        ("--hue pink", "'red', 'blue'"),
    ],
)
def test_a_value_that_is_not_valid(line: str, message: str):
    with pytest.raises(click.UsageError) as error:
        given(line)
    assert message in error.value.format_message()


def test_the_description_is_the_help():
    @command("try")
    @arguments_of(function, SPELLINGS)
    def run(_: click.Context, /, **__: Any) -> None:
        """Run nothing."""

    (shape,) = (each for each in run.params if each.name == "shape")
    assert isinstance(shape, click.Option)
    assert shape.help == "Its form."
    assert isinstance(SPELLINGS["shape"], Spelling)

"""``ncz completion``: print the script that completes commands in a shell."""

from __future__ import annotations

import os

import click

from ncz.cli.command import command
from ncz.cli.terminal import completion_variable, standard_output

PROGRAMS = ("ncz", "ncz-gen", "ncz-dump", "ncz-ls", "ncz-copy")
"""The programs that are completed."""


_SHELLS = ("bash", "zsh", "fish")


def _own_shell() -> str | None:
    """Return the shell that the environment names; None for one without completion."""
    name = os.path.basename(os.environ.get("SHELL", ""))
    return name if name in _SHELLS else None


@command(
    "completion",
    'eval "$(ncz completion bash)"  # in ~/.bashrc',
    'eval "$(ncz completion zsh)"  # in ~/.zshrc, after compinit',
    "ncz completion fish > ~/.config/fish/completions/ncz.fish",
)
@click.argument("shell", type=click.Choice(_SHELLS), metavar="[SHELL]", default=_own_shell)
def completion(_: click.Context, /, shell: str | None) -> None:
    """Print a script that completes the commands of ncz in a shell.

    SHELL is bash (4.4 or later), zsh or fish; the default is the value of the variable SHELL. The
    script completes commands, options and their values: modes, codecs and programs, and the names
    of variables, groups and dimensions of the dataset on the line, also on a server, which has two
    seconds to answer.
    """
    from click.shell_completion import ShellComplete, get_completion_class

    if shell is None:
        raise click.UsageError(f"name the shell: {', '.join(_SHELLS)}")
    kind = get_completion_class(shell)
    assert kind is not None
    nothing = click.Command("ncz")
    with standard_output() as write:
        for program in PROGRAMS:
            script = ShellComplete.source(kind(nothing, {}, program, completion_variable(program)))
            write(f"{script.strip()}\n".encode())

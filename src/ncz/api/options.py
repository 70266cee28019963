"""Options of the command line in messages, as the arguments of Python functions."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from ncz.errors import NczError

_P = ParamSpec("_P")
_T = TypeVar("_T")

ARGUMENTS: tuple[tuple[str, str], ...] = (
    (r"-c(, | or )--chunk-size\b", r"chunks\1chunk_size"),
    (r"--memory (\d+)MiB", r"memory=\1 * 2**20"),
    (r"--jobs (\d+)", r"jobs=\1"),
    (r"--zarr-format (\d)", r'modes=["v\1"]'),
    (r"--for ([\w-]+)", r'audience=["\1"]'),
    (r"--for\b", "audience"),
    (r"--allow-target ", r"the fragment key allow_target="),
    (r"--no-consolidated\b", "consolidated=False"),
    (r"--no-annotations\b", "annotations=False"),
    (r"--consolidated\b", 'modes=["consolidated"]'),
    (r"--overwrite\b", "overwrite=True"),
    (r"--allow-loss\b", "allow_loss=True"),
    (r"--keep-going\b", "keep_going=True"),
    (r"--truncate-strings\b", "truncate_strings=True"),
    (r"--resume\b", "resume=True"),
    (r"--zarr-format\b", "modes"),
    (r"--codec\b", "codecs"),
    (r"--kind ([\w-]+)", r'kind="\1"'),
    (r"--mode ([a-z]\w*)", r'modes=["\1"]'),
    (r"--mode\b", "modes"),
    (r"\bncz consolidate\b", "ncz.consolidate"),
    (r"ncz dump --json", 'ncz.dump(..., view="json")'),
    (r"--json\b", 'view="json"'),
    (r"'ncz dump -h'", "'print(ncz.open(...))'"),
    (r"'ncz (copy|gen|edit|check|diff|info|ls)'", r"ncz.\1"),
)
"""A pattern of an option as messages write it, and the argument that has the same effect."""

_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]+)")


def in_python(text: str) -> str:
    """Return a message in which options of the command line are arguments of functions.

    An option that is not in `ARGUMENTS` is named like the argument.
    """
    for pattern, argument in ARGUMENTS:
        text = re.sub(pattern, argument, text)
    return _OPTION.sub(lambda found: found[1].replace("-", "_"), text)


def speaks_python(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Let the errors of a function name arguments instead of options of the command line."""

    @functools.wraps(function)
    def call(*arguments: _P.args, **named: _P.kwargs) -> _T:
        try:
            return function(*arguments, **named)
        except NczError as error:
            translate(error)
            raise
        except BaseException as end:
            if hasattr(end, "__notes__"):
                end.__notes__ = [in_python(note) for note in end.__notes__]
            raise

    return call


def translate(error: NczError) -> None:
    """Rewrite the texts of an error for a Python program."""
    error.message = in_python(error.message)
    if error.location is not None and error.location.startswith("--"):  # an option, and no path
        error.location = in_python(error.location)
    error.hint = error.hint and in_python(error.hint)

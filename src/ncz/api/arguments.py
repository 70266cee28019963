"""What callers give to functions, and messages in the words of Python."""

from __future__ import annotations

import functools
import os
import re
import sys
import warnings
from collections.abc import Callable, Collection, Sequence
from types import FrameType
from typing import BinaryIO, ParamSpec, TypeVar

from ncz.errors import NczError, Notice

Path = str | os.PathLike[str]
"""A path or a URL."""

Words = str | Sequence[str]
"""Several texts, or one."""

_Text = TypeVar("_Text", bound=str)
_Stream = TypeVar("_Stream", bound=BinaryIO)


def path_or_stream(given: Path | _Stream) -> str | _Stream:
    """Return a path or a URL as text, and an open file as it is."""
    return path_of(given) if isinstance(given, (str, bytes, os.PathLike)) else given


def path_of(given: Path) -> str:
    """Return a path or a URL as text; bytes are a path too, as for `open`."""
    try:
        return os.fsdecode(given)
    except TypeError:
        raise TypeError(f"a path or a URL is expected, not {type(given).__name__}") from None


def words(given: _Text | Collection[_Text]) -> tuple[_Text, ...]:
    """Return several texts; a single one is not taken for its characters."""
    return (given,) if isinstance(given, str) else tuple(given)


def words_or_none(given: Words | None) -> tuple[str, ...] | None:
    """Return several texts; None means all."""
    return None if given is None else words(given)


# Options of the command line in messages, as the arguments of Python functions.

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


# Notices as Python warnings.


class NczWarning(UserWarning):
    """A `Notice` as a Python warning."""


def warn(notice: Notice) -> None:
    """Turn a notice into a Python warning about the caller's line; the default of `notify`."""
    level = 1
    frame: FrameType | None = sys._getframe()
    while frame is not None and _is_ours(frame):
        frame, level = frame.f_back, level + 1
    warnings.warn(NczWarning(in_python(str(notice))), stacklevel=level)


def _is_ours(frame: FrameType) -> bool:
    """Return whether a frame is of ncz, or of what ncz calls to call itself."""
    package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    return package in ("ncz", "contextlib", "functools")

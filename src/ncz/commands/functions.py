"""Functions for Python programs: they accept a string for a list, and report notices as warnings.

Errors and notices name arguments in place of options.
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable, Collection, Sequence
from types import FrameType
from typing import ParamSpec, TypeVar

from ncz.errors import Callbacks, NczError, Notice, Notify, in_python
from ncz.record import replace

_P = ParamSpec("_P")
_T = TypeVar("_T")
_Text = TypeVar("_Text", bound=str)


def speaks_python(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Return a function for Python programs: its messages name arguments instead of options.

    The command line gives it `Callbacks` as `notify`, and translates nothing.
    """

    @functools.wraps(function)
    def call(*arguments: _P.args, **keywords: _P.kwargs) -> _T:
        if isinstance(keywords.get("notify"), Callbacks):
            return function(*arguments, **keywords)
        if callable(notify := keywords.get("notify")):
            keywords["notify"] = lambda notice: notify(notice_in_python(notice))
        try:
            from ncz.commands.keywords import check_keywords, in_own_words, with_sizes

            given, own = in_own_words(function, arguments, with_sizes(keywords))
            check_keywords(function, own)
            return function(*given, **own)
        except NczError as error:
            translate(error)
            raise
        except BaseException as end:
            if hasattr(end, "__notes__"):
                end.__notes__ = [in_python(note) for note in end.__notes__]
            raise

    return call


def translate(error: NczError) -> None:
    """Write the texts of an error for a Python program."""
    error.message = in_python(error.message)
    error.location = error.location and in_python(error.location)
    error.hint = error.hint and in_python(error.hint)


def notice_in_python(notice: Notice) -> Notice:
    """Return a notice whose texts are written for a Python program."""
    return replace(
        notice,
        message=in_python(notice.message),
        location=notice.location and in_python(notice.location),
        hint=notice.hint and in_python(notice.hint),
    )


Words = str | Sequence[str]
"""Several texts, or one."""

Listener = Notify | Callbacks
"""Callbacks of a function: one for notices, or a record with more."""


def callbacks_of(notify: Listener) -> Callbacks:
    """Return the callbacks of a function from its argument `notify`."""
    return notify if isinstance(notify, Callbacks) else Callbacks(notify)


class NczWarning(UserWarning):
    """A `Notice` as a Python warning."""


def warn(notice: Notice) -> None:
    """Turn a notice into a Python warning about the caller's line; the default of `notify`."""
    level = 1
    frame: FrameType | None = sys._getframe()
    while frame is not None and _is_ours(frame):
        frame, level = frame.f_back, level + 1
    warnings.warn(NczWarning(str(notice_in_python(notice))), stacklevel=level)


def _is_ours(frame: FrameType) -> bool:
    """Return whether a frame is in ncz, xarray, or a library that calls ncz back."""
    package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    return package in ("ncz", "contextlib", "functools", "xarray")


def words(texts: _Text | Collection[_Text]) -> tuple[_Text, ...]:
    """Return several texts; a single one is not taken for its characters."""
    return (texts,) if isinstance(texts, str) else tuple(texts)

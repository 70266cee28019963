"""Functions for Python programs: their messages name arguments."""

from __future__ import annotations

import warnings

import pytest

from ncz.commands.functions import NczWarning, speaks_python, translate, warn, words
from ncz.errors import Callbacks, NczError, Notice, Notify, option


@speaks_python
def work(*, fail: bool = False, notify: Notify = lambda _: None) -> str:
    """Notify, or fail."""
    text = f"use {option('allow_loss', True)}"
    if fail:
        raise NczError("lost", "a.nc", text)
    notify(Notice("attribute-nil", text))
    return text


def test_errors_and_notices_name_arguments():
    notices: list[Notice] = []
    work(notify=notices.append)
    assert notices[0].message == "use allow_loss=True"
    with pytest.raises(NczError) as error:
        work(fail=True)
    assert error.value.hint == "use allow_loss=True"


def test_the_command_line_translates_nothing():
    with pytest.raises(NczError) as error:
        work(fail=True, notify=Callbacks())  # type: ignore[arg-type]
    assert str(error.value) == "a.nc: lost; use --allow-loss"


def test_an_unknown_argument_is_refused():
    with pytest.raises(TypeError, match="nothing"):
        work(nothing=1)  # type: ignore[call-arg]


def test_one_text_is_one_word():
    assert words("a") == ("a",)
    assert words(["a", "b"]) == ("a", "b")
    error = NczError("x", None, option("allow_loss", True))
    translate(error)
    assert error.hint == "allow_loss=True"
    with warnings.catch_warnings(action="error"):
        assert words(()) == ()


def test_a_warning_names_the_line_of_the_caller():
    with pytest.warns(NczWarning, match="text") as found:
        warn(Notice("attribute-nil", "text"))
    assert found[0].filename == __file__

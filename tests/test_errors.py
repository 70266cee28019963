"""Errors and notices: their texts, and their output by commands."""

from __future__ import annotations

import contextlib
import pickle
import threading
from typing import cast

import pytest

from ncz import errors
from ncz.errors import list_names


@pytest.mark.parametrize("names", [["a" * 300] * 9, [f"/group/variable_{i}" for i in range(99)]])
def test_a_list_of_names_is_short(names):
    assert len(list_names(names)) <= 60
    assert f"{len(names) - 1} more" in list_names(names) or len(list_names(names, 2)) <= 60


def test_short_lists_are_complete():
    assert list_names(["t", "lat", "lon"]) == "t, lat, lon"
    assert list_names([f"v{i}" for i in range(7)]) == "v0, v1, v2, v3, v4 and 2 more"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("s3://b/x#aws.secret_access_key=k&mode=zarr", "s3://b/x#aws.secret_access_key=***&mode=zarr"),
        ("https://h/x?X-Amz-Security-Token=t&y=1", "https://h/x?X-Amz-Security-Token=***&y=1"),
        ("aws.session_token=a aws.anon=true", "aws.session_token=*** aws.anon=true"),
        ("s3://b/secret/token", "s3://b/secret/token"),
    ],
)  # fmt: skip
def test_secrets_are_hidden(url, shown):
    assert errors.without_secrets(url) == shown
    assert errors.NczError("it failed", url).location == shown
    assert str(errors.Notice("not-removed", "it stays", url)) == f"{shown}: it stays"


@pytest.mark.parametrize(
    ("message", "location", "hint", "line"),
    [
        ("m", None, None, "m"),
        ("m", "f.cdl:1:2", None, "f.cdl:1:2: m"),
        ("m", "x.zarr", "h", "x.zarr: m; h"),
        ("m", "", "", "m"),
    ],
)
def test_an_error_is_one_line(message, location, hint, line):
    assert str(errors.NczError(message, location, hint)) == line
    assert str(errors.ZmapError(message, location, hint)) == line
    assert str(errors.KeyMissing(message, location, hint)) == line


def test_numbers_and_long_texts():
    assert [errors.quantity(n, "byte") for n in (0, 1, 2)] == ["0 bytes", "1 byte", "2 bytes"]
    assert [errors.quantity(n, "index") for n in (1, 2)] == ["1 index", "2 indices"]
    assert errors.shorten("x" * 40) == "x" * 40
    assert errors.shorten("x" * 41) == "x" * 37 + "..."
    assert errors.shorten(12345, 4) == "1..."


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Temp", "did you mean 'temp'?"),
        ("tmep", "did you mean 'time' or 'temp'?"),
        ("zzz", "otherwise"),
        ("", "otherwise"),
    ],
)
def test_names_that_are_alike(name, hint):
    assert errors.did_you_mean(name, ["time", "temp", "lat"], "otherwise") == hint


def test_words_of_the_command_line_and_of_python():
    text = f"add {errors.option('allow_loss', True)} to {errors.command('copy')}"
    assert errors.in_command_line(text) == "add --allow-loss to 'ncz copy'"
    assert errors.in_python(text) == "add allow_loss=True to ncz.copy"
    error = errors.NczError("m", hint=text)
    assert str(error) == "m; add --allow-loss to 'ncz copy'"


@pytest.mark.parametrize(
    "kind",
    [errors.NczError, errors.CdlError, errors.ZmapError, errors.StoreMissing, errors.KeyMissing,
     errors.CodecMissing, errors.LossError],
)  # fmt: skip
def test_errors_pass_between_processes(kind):
    error = kind("m", "l", "h")
    error.exit_code = 7
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert (str(again), again.exit_code) == ("l: m; h", 7)


def stop(end: BaseException, *notes: str) -> None:
    with contextlib.ExitStack() as stack:
        for note in notes:
            stack.enter_context(errors.note_on_interrupt(note))
        raise end


def test_an_interrupt_gets_the_note_of_the_inner_block():
    with pytest.raises(KeyboardInterrupt) as interrupt:
        stop(KeyboardInterrupt(), "outer", "inner")
    assert interrupt.value.__notes__ == ["inner"]
    with pytest.raises(errors.NczError) as error:
        stop(errors.NczError("m"), "nothing")
    assert not hasattr(error.value, "__notes__")


class InterruptedLock:
    """A lock that is released; then Ctrl-C arrives."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.acquire = self.lock.acquire

    def __enter__(self) -> None:
        self.lock.acquire()

    def __exit__(self, *_: object) -> None:
        self.lock.release()

    def release(self) -> None:
        self.lock.release()
        raise KeyboardInterrupt


def wait_and_be_interrupted() -> None:
    condition = threading.Condition(cast("threading.Lock", InterruptedLock()))
    with condition:
        condition.wait()


def test_an_interrupt_within_a_wait_is_an_interrupt():
    with (
        pytest.raises(RuntimeError, match="release unlocked lock") as error,
        errors.note_on_interrupt("nothing was changed"),
    ):
        wait_and_be_interrupted()
    interrupt = errors.interrupt_behind(error.value)
    assert isinstance(interrupt, KeyboardInterrupt)
    assert interrupt.__notes__ == ["nothing was changed"]
    assert errors.may_pass(error.value)


@pytest.mark.parametrize("error", [RuntimeError(), ValueError(), errors.ZmapError("m")])
def test_other_errors_are_not_interrupts(error):
    assert errors.interrupt_behind(error) is None
    assert not errors.may_pass(error)
    errors.add_note(error, "n")
    assert not hasattr(error, "__notes__")
    error.__context__ = ValueError()
    assert errors.interrupt_behind(error) is None


def test_parts_that_cannot_be_read_are_notices():
    notices: list[errors.Notice] = []
    callbacks = errors.Callbacks(notify=notices.append)
    error = errors.CodecError("damaged", "x.zarr: /v/0", "h")
    with pytest.raises(errors.CodecError):
        callbacks.partial(allowed=False).on_error(error)
    callbacks.partial().on_error(error)
    assert [str(each) for each in notices] == [str(error)]
    assert notices[0].is_left_behind


def test_a_notice_ends_with_names():
    (notice,) = errors.named_notice("not-removed", "these stay", ["a", "b"], "h")
    assert str(notice) == "these stay: a, b; h"
    assert list(errors.named_notice("not-removed", "these stay", [])) == []

"""Functions in a process that may crash or not end: results, errors, questions, and ends."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from ncz.errors import FormatError, ZmapError
from ncz.parallel import isolation as starting
from ncz.parallel import processes as standstill
from ncz.parallel.isolation import Ask, Isolated, Limits
from ncz.parallel.processes import can_fork, in_order, is_alone

pytestmark = pytest.mark.skipif(not can_fork(), reason="processes are not forked on this system")


@pytest.fixture(scope="module", autouse=True)
def own_server() -> Iterator[None]:
    """The server of these tests has no modules, and would fork slow processes for later tests."""
    starting._forget_server()
    yield
    starting._forget_server()


class Thing:
    """An object that cannot be pickled, and of which each process has its own."""

    def __init__(self, ask: Ask | None = None) -> None:
        self.ask = ask
        self.lock = threading.Lock()


class Names:
    """Both processes know the thing by the same name."""

    kinds = (Thing,)

    def __init__(self, thing: Thing) -> None:
        self.thing = thing

    def name_of(self, thing: Thing) -> str:
        """Return the name."""
        return "thing"

    def find(self, name: str) -> Thing:
        """Return the object."""
        assert name == "thing"
        return self.thing


def enter_with_thing(ask: Ask) -> Names:
    return Names(Thing(ask))


def refuse_to_enter(ask: Ask) -> Names:
    raise FormatError("damaged", "x")


@contextlib.contextmanager
def opened(
    answer: Ask = lambda question: question, enter: Callable[[Ask], Names] = enter_with_thing
) -> Iterator[tuple[Isolated, Thing]]:
    thing = Thing()
    process = Isolated(
        Names(thing),
        enter,
        answer,
        limits=Limits(0.2, 64 << 20),
        failed=lambda what: FormatError(f"it {what}", "x"),
    )
    with contextlib.closing(process):
        yield process, thing


def ask_three(thing: Thing, first: int) -> list[Any]:
    assert thing.ask is not None
    return [thing.ask(first + n) for n in range(3)]


def loop(_: object) -> None:
    while True:
        pass


def crash(_: object) -> None:
    ctypes.string_at(0)


def speak(_: object) -> None:
    for stream in (sys.stdout, sys.stderr):
        print("spoken", file=stream, flush=True)
    os.write(2, b"spoken")


def raise_error(_: object) -> None:
    raise ZmapError("cannot read", "a/b", "try again")


def test_it_runs_in_another_process_that_ends_with_it():
    with opened() as (process, _):
        pid = process.call(os.getpid)
        assert pid != os.getpid()
        assert process.call(os.getpid) == pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_objects_are_passed_by_name_and_questions_answered():
    with opened(lambda question: question * 10) as (process, thing):
        assert process.call(ask_three, thing, 4) == [40, 50, 60]
        (same,) = process.call(tuple, [thing])
        assert same is thing


def test_large_results_arrive():
    with opened() as (process, _):
        assert process.call(bytes, 3 << 20) == bytes(3 << 20)


def test_an_error_of_the_function_is_raised_here():
    with opened() as (process, _):
        with pytest.raises(ZmapError) as raised:
            process.call(raise_error, 0)
        assert str(raised.value) == "a/b: cannot read; try again"
        assert process.call(len, "next") == 4


def test_an_error_of_an_answer_is_raised_by_the_question():
    with opened(raise_error) as (process, thing), pytest.raises(ZmapError, match="cannot read"):
        process.call(ask_three, thing, 1)


def test_an_error_at_the_start_is_that_of_each_call():
    with opened(enter=refuse_to_enter) as (process, _):
        for _ in range(2):
            with pytest.raises(FormatError, match="x: damaged"):
                process.call(len, "")


def test_what_cannot_be_pickled_is_an_error():
    with opened() as (process, _), pytest.raises(TypeError, match="lock"):
        process.call(threading.Lock)


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (loop, "x: it did not end within 0.2 s of processor time"),
        (crash, "x: it crashed (SIGSEGV)"),
        (os._exit, "x: it crashed (exit code 3)"),
    ],
)
def test_an_end_is_an_error_of_this_call_and_of_those_after(function, told, capfd):
    with opened() as (process, _):
        for _ in range(2):
            with pytest.raises(FormatError) as raised:
                process.call(function, 3)
            assert str(raised.value) == told
    assert capfd.readouterr() == ("", "")


def take(count: int) -> int:
    return len(bytes(count))


def test_memory_that_it_may_not_have_is_an_error_of_this_call():
    with opened() as (process, _):
        with pytest.raises(FormatError, match="x: it needs more than 64 MiB of memory"):
            process.call(take, 128 << 20)
        with pytest.raises(FormatError, match="x: it needs more than 64 MiB of memory"):
            process.call(bytes, 50 << 20)  # which the message holds again
        assert process.call(take, 128 << 20, memory=128 << 20) == 128 << 20
        with pytest.raises(FormatError, match="x: it needs more than 65 MiB of memory"):
            process.call(take, 128 << 20, memory=1 << 20)
        assert process.call(len, "next") == 4


def test_it_writes_to_no_stream(capfd):
    with opened() as (process, _):
        process.call(speak, 0)
    assert capfd.readouterr() == ("", "")


def test_an_interruption_ends_it():
    def interrupt(question: object) -> None:
        raise KeyboardInterrupt

    with opened(interrupt) as (process, thing):
        with pytest.raises(KeyboardInterrupt):
            process.call(ask_three, thing, 1)
        with pytest.raises(FormatError, match="it was stopped"):
            process.call(len, "")


def test_another_thread_can_close_it_during_a_call():
    """The call ends with an error that says so, whatever the process did."""
    begun = threading.Event()
    with opened(lambda _: begun.set()) as (process, thing):
        with ThreadPoolExecutor(1) as pool:
            call = pool.submit(process.call, ask_and_wait, thing)
            assert begun.wait(60)
            process.close()
            with pytest.raises(FormatError, match="x: it is closed"):
                call.result(60)
        with pytest.raises(FormatError, match="x: it is closed"):
            process.call(len, "")


def test_it_can_be_closed_while_it_is_answered():
    closing: list[Callable[[], None]] = []
    with opened(lambda _: closing[0]()) as (process, thing):
        closing.append(process.close)
        with pytest.raises(FormatError, match="x: it is closed"):
            process.call(ask_three, thing, 1)


def ask_and_wait(thing: Thing) -> None:
    assert thing.ask is not None
    thing.ask("begun")
    wait()


def test_forked_processes_get_one_of_their_own():
    with opened() as (process, _):
        pid = process.call(os.getpid)

        def work(_: int) -> Iterator[bytes]:
            yield str(process.call(os.getpid)).encode()

        others = {int(each) for each in in_order([0, 1], work, 2)}
        assert process.call(os.getpid) == pid
    assert len(others) == 2
    assert pid not in others


def test_it_ends_with_its_owner():
    reading, writing = os.pipe()
    owner = os.fork()
    if owner == 0:
        process = Isolated(
            Names(Thing()), enter_with_thing, len, limits=Limits(1, 64 << 20), failed=FormatError
        )
        os.write(writing, str(process.call(os.getpid)).encode())
        os.kill(os.getpid(), signal.SIGKILL)
    os.close(writing)
    os.waitpid(owner, 0)
    with open(reading, "rb") as stream:  # ends when nobody has the other end any more
        assert int(stream.read()) > 0


@pytest.fixture
def other_thread() -> Iterator[None]:
    """A thread that runs while processes are started."""
    end = threading.Event()
    thread = threading.Thread(target=end.wait, args=(60,))
    thread.start()
    yield
    end.set()
    thread.join(60)


@pytest.mark.usefixtures("other_thread")
def test_a_server_forks_where_threads_run():
    """One that has the locks of no other thread, and that tells how the process ended."""
    held = threading.Lock()
    with held, opened(lambda question: question * 10) as (process, thing):
        assert not is_alone()
        assert process.call(parent_of) != os.getpid()
        assert process.call(ask_three, thing, 4) == [40, 50, 60]
        pid = process.call(os.getpid)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with opened() as (process, _):
        for _ in range(2):
            with pytest.raises(FormatError, match=r"it crashed \(SIGSEGV\)"):
                process.call(crash, 0)


def parent_of() -> int:
    return os.getppid()


def ask_a_module_for_what_it_lacks(_: object) -> str:
    import encodings.ascii

    return str(getattr(encodings.ascii, "no_name", "missing"))


@pytest.mark.usefixtures("other_thread")
@pytest.mark.parametrize("is_removed_before", [False, True])
def test_the_working_directory_of_a_server_may_be_removed(tmp_path, monkeypatch, is_removed_before):
    """Python 3.13.0 then raises SystemError where a module lacks an attribute."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.setattr(sys, "path", [*map(os.path.abspath, sys.path)])
    monkeypatch.chdir(folder)
    starting._forget_server()
    if is_removed_before:
        folder.rmdir()
    with opened() as (process, _):
        if not is_removed_before:
            folder.rmdir()
        assert process.call(ask_a_module_for_what_it_lacks, 0) == "missing"
    starting._forget_server()


@pytest.mark.usefixtures("other_thread")
def test_a_server_that_cannot_be_started_rules_it_out(monkeypatch):
    monkeypatch.setattr(starting, "_running", None)
    monkeypatch.setattr(sys, "executable", "/bin/true")
    assert not starting.can_isolate()


def test_a_process_that_waits_for_nothing_is_an_error(monkeypatch):
    monkeypatch.setattr(standstill, "SECONDS", 1)
    with opened() as (process, _):
        with pytest.raises(FormatError, match="it does not respond"):
            process.call(wait)
        with pytest.raises(FormatError, match="it does not respond"):
            process.call(len, "")


def wait() -> None:
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


def test_modules_are_imported_before_the_fork(monkeypatch):
    """Not in each process, as h5py takes a tenth of a second."""
    monkeypatch.setattr(starting, "is_alone", lambda: True)
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    connection, child = starting.start(["colorsys", "ncz.not_installed"])
    connection.close()
    child.end()
    assert "colorsys" in sys.modules


def test_the_first_process_is_forked_ahead_and_imports_modules_itself(monkeypatch):
    monkeypatch.setattr(starting, "is_alone", lambda: True)
    monkeypatch.setattr(starting, "_is_first", True)
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    assert starting.fork_ahead(["colorsys", "ncz.not_installed"])
    assert not starting.fork_ahead(["colorsys"])  # a second one would inherit the modules
    with opened() as (process, _):
        assert process.call(has_module, "colorsys")
        with opened() as (other, _):
            assert other.call(os.getpid) != process.call(os.getpid)
    assert "colorsys" not in sys.modules


def has_module(name: str) -> bool:
    return name in sys.modules


@pytest.mark.usefixtures("other_thread")
def test_no_process_is_forked_ahead_where_threads_run(monkeypatch):
    monkeypatch.setattr(starting, "_is_first", True)
    assert not starting.fork_ahead(["colorsys"])


def test_it_keeps_no_file_of_this_process():
    """Whoever waits for the end of a pipe does not wait for an isolated process."""
    reading, writing = os.pipe()
    with opened() as (process, _), open(reading, "rb") as stream:
        process.call(len, "")
        os.close(writing)
        assert stream.read() == b""


def test_it_finalizes_no_object_of_this_process():
    """An object that would wait for a thread, which is not there."""
    thing = Waits()
    thing.itself = thing
    gc.disable()
    try:
        del thing
        with opened() as (process, _):
            assert process.call(gc.collect) >= 0
    finally:
        gc.enable()
        Waits.owner = 0
        gc.collect()


class Waits:
    owner = os.getpid()
    itself: object = None

    def __del__(self) -> None:
        if Waits.owner not in (0, os.getpid()):
            wait()

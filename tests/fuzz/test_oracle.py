"""The oracle finds each kind of fault, and processes that end are distinguished."""

from __future__ import annotations

import os
import signal

import pytest

from tests.fuzz import isolation
from tests.fuzz.case import Case
from tests.fuzz.commands import Done
from tests.fuzz.oracle import breaches, judge
from tests.fuzz.seeds import SUBJECTS

STORE = Case("documents", "s.zarr", {"s.zarr/.zgroup": b"{}", "s.zarr/field/.zarray": b"{}"})


def done(code: int, error: str = "", out: bytes = b"field") -> Done:
    return Done(("dump",), code, out, error)


@pytest.mark.parametrize(
    ("code", "error", "told"),
    [
        (3, "ncz: x\n", "dump: exit code 3: ncz: x"),
        (1, "", "dump: fails without a message"),
        (1, "ncz: a\nncz: b\n", "dump: 2 lines of error: ncz: a"),
        (0, "ncz: a\n", "dump: succeeds with an error: ncz: a"),
        (0, "UserWarning: a\n", "dump: 1 lines of error: UserWarning: a"),
        (1, "ncz: internal error: KeyError\n", "dump: ncz: internal error: KeyError"),
        (1, "ncz: not enough memory; x\n", "dump: ncz: not enough memory; x"),
        (1, "ncz: \x9b31m\n", "dump: control characters in a message"),
    ],
)
def test_rules_for_one_command(code, error, told):
    assert list(breaches(done(code, error))) == [told]


def test_time_of_other_processes_counts():
    slow = Done(("dump",), 0, b"", "", 6.0)
    assert list(breaches(slow)) == ["dump: more than 5 s, with the processes that it started"]


MUCH = "ncz: notice: copying one chunk needs 2 GiB of memory\nncz: not enough memory; x\n"


@pytest.mark.parametrize(
    "good",
    [
        done(0),
        done(1, "ncz: a\n"),
        done(1, "ncz: notice: a\n"),
        Done(("copy", "x", "y", "-c", "/"), 1, b"", MUCH),
        Done(("copy", "x", "y", "--shards", "/"), 1, b"", MUCH),
    ],
)
def test_results_that_break_no_rule(good):
    assert list(breaches(good)) == []


@pytest.mark.parametrize(
    ("dumped", "copied", "again", "told"),
    [
        (done(1, "ncz: a\n"), done(0), done(0), "copy succeeds where dump fails: ncz: a"),
        (done(0, out=b""), done(1, "ncz: a\n"), done(0), "/field is gone, and nothing is said"),
        (done(0), done(0), done(0, out=b"field 1"), "the copy differs: b'field' and b'field 1'"),
        (done(0), done(0), done(1, "ncz: a\n"), "the copy cannot be read: ncz: a"),
    ],
)
def test_rules_for_commands_together(dumped, copied, again, told):
    def run(*command: str):
        if command[0] == "copy":
            return copied
        return again if command[-1] == "copy.zarr" else dumped

    assert told in list(judge(STORE, run))


def _judge(monkeypatch, act) -> list[str]:
    monkeypatch.setattr(isolation, "judge", lambda case, run: act(case))
    first, second, third = isolation.judge_all([STORE, Case("x", "bad", {}), STORE])
    assert first.breaches == third.breaches == ()
    return list(second.breaches)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_process_that_ends_is_blamed_on_its_case(monkeypatch):
    def crash(case):
        if case.source == "bad":
            os.kill(os.getpid(), signal.SIGUSR1)
        return []

    assert _judge(monkeypatch, crash) == ["crash: SIGUSR1"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_command_without_an_end_is_ended(monkeypatch):
    def run(source: str) -> None:
        while source == "bad":
            pass

    def act(case):
        isolation._timed(case.source)
        return []

    monkeypatch.setattr(isolation, "SECONDS", 0.2)
    monkeypatch.setattr(isolation, "run_ncz", run)
    assert _judge(monkeypatch, act) == ["hang: more than 0.2 s"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_memory_is_limited(monkeypatch):
    def fill(case):
        try:
            bytearray(1 << 30) if case.source == "bad" else None
        except MemoryError:
            return ["no memory"]
        return []

    assert _judge(monkeypatch, fill) == ["no memory"]


def test_a_secret_of_the_settings_is_a_breach_if_it_is_printed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    case = next(iter(SUBJECTS["config"]()))
    for name, data in case.files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def told(out: bytes) -> list[str]:
        return list(judge(case, lambda *_, **__: done(0, out=out)))

    assert told(b"access_key = ***") == []
    assert told(b"x SECRET-of-s3nc")[0] == "config prints a secret: SECRET-of-s3nc"
    assert list(judge(case)) == []
    (tmp_path / ".dodsrc").write_bytes(b"NCZ.ALIAS.SECRET-of-s3nc=http://127.0.0.1:9\n")
    assert told(b"x SECRET-of-s3nc") == []

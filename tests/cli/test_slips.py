"""Typing errors of people, and the messages for them (slips.txt); no file changes."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.cli.five_people_folder import fill
from tests.cli.guesses import contents
from tests.conftest import Run

LINES = Path(__file__).with_name("slips.txt").read_text("utf-8").splitlines()
SLIPS = list(zip(LINES[::2], LINES[1::2], strict=True))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("slips")
    fill(folder)
    return folder


@pytest.mark.parametrize(("typed", "message"), SLIPS, ids=[typed[6:] for typed, _ in SLIPS])
def test_a_slip(typed, message, folder, run: Run, monkeypatch):
    monkeypatch.chdir(folder)
    before = contents()
    done = run(*shlex.split(typed.removeprefix("$ ncz ")))
    assert done.code in (1, 2)
    assert done.stderr.splitlines()[-1] == message
    assert contents() == before

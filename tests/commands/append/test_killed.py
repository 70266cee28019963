"""A set whose append is killed at any operation on the disk has the old state or the new one."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ncz
from tests.commands.append.growing import FORMS, WIDTH, Form, write_day

SETS = [form for form in FORMS if form.master is None and not form.modes]

APPEND = """
import os, signal, sys
import ncz
moment, count, place = int(sys.argv[1]), 0, sys.argv[3]
ncz.open(place).close()  # imports take no part

def tick():
    global count
    count += 1
    if count == moment:
        os.kill(os.getpid(), signal.SIGKILL)

def watched(name):
    real = getattr(os, name)
    def call(*args, **options):
        writes = name != "open" or args[1] & (os.O_WRONLY | os.O_RDWR)
        if writes:
            tick()
        result = real(*args, **options)
        if writes:
            tick()
        return result
    setattr(os, name, call)

for name in ("open", "write", "rename", "replace", "link", "unlink", "mkdir", "rmdir", "fsync"):
    watched(name)
ncz.copy(sys.argv[2], place, append="t", notify=lambda _: None)
print(count)
"""


def values_of(place: Path) -> list[float]:
    with ncz.open(place) as dataset:
        found = dataset["v"][:]
        assert dataset["t"][:].tolist() == [*range(len(found))]
        assert np.array_equal(found - found[:, :1], np.tile(np.arange(WIDTH), (len(found), 1)))
        return [float(value) for value in found[:, 0]]


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="a system without SIGKILL")
@pytest.mark.parametrize("form", SETS, ids=lambda form: form.name)
def test_the_old_state_or_the_new_one_is_left(form: Form, tmp_path: Path) -> None:
    files = [write_day(tmp_path / f"{day}.nc", [day]) for day in range(3)]
    (tmp_path / "old").mkdir()
    old = form.join(files[:2], tmp_path / "old")
    place = tmp_path / form.name
    states, moment, ended = set(), 0, False
    while not ended:
        moment += 1
        for path in (place, *tmp_path.glob(f".*{form.name}*")):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        shutil.copytree(old, place) if old.is_dir() else shutil.copy2(old, place)
        done = subprocess.run(
            [sys.executable, "-c", APPEND, str(moment), files[2], str(place)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        ended = done.returncode == 0
        assert ended or done.returncode == -9, done.stderr
        found = values_of(place)
        assert found in ([0, 1], [0, 1, 2]), (moment, found)
        states.add(len(found))
    assert moment > 2
    assert states == {2, 3}

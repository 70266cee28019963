"""A set whose append is killed at any operation on the disk has the old state or the new one."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

import ncz
from tests.commands.append.growing import FORMS, WIDTH, Form, write_day
from tests.killed_at import ends_by_itself

SETS = [form for form in FORMS if form.master is None and not form.modes]

APPEND = """
import ncz
source, place = sys.argv[2:]
ncz.open(place).close()  # imports take no part
watch_disk()
ncz.copy(source, place, append="t", notify=lambda _: None)
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
        ended = ends_by_itself(APPEND, moment, files[2], str(place))
        found = values_of(place)
        assert found in ([0, 1], [0, 1, 2]), (moment, found)
        states.add(len(found))
    assert moment > 2
    assert states == {2, 3}

"""An addition that is killed at any operation on the disk leaves the old state or the new one."""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path

import pytest

import ncz
from ncz.commands.clean import clean
from ncz.errors import ignore_notice
from ncz.zmap.key import JOURNAL
from ncz.zmap.location import location_of
from tests.commands.add.test_command import CDL, TARGETS
from tests.killed_at import ends_by_itself

MORE = """netcdf m { dimensions: lat = 3 ; time = 2 ; variables: byte mask(lat) ; double z(lat) ;
  float temp(time, lat) ; temp:units = "K" ;
  data: mask = 1, 2, 3 ; z = 5, 6, 7 ; temp = 9, 8, 7, 6, 5, 4 ; }"""

ADD = """
import ncz
source, place = sys.argv[2:]
ncz.open(source).close()  # imports take no part
ncz.open(place).close()
watch_disk()
ncz.copy(source, place, add=True, notify=lambda _: None)
"""


def state_of(place: Path) -> str:
    """Return the state of a store, after a change that began to replace documents is completed.

    Chunks of new variables may be left without documents, which the same command writes again.
    """
    if (place / JOURNAL).exists():
        clean(location_of(place))
    with ncz.open(place, notify=ignore_notice) as ds:
        first = float(ds["temp"][0, 0])
        if "mask" not in ds:
            assert "z" not in ds
            return f"old {first}"
        assert ds["mask"][:].tolist() == [1, 2, 3]
        assert ds["z"][:].tolist() == [5, 6, 7]
        return f"new {first}"


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="a system without SIGKILL")
@pytest.mark.parametrize("form", ["nczarr-v2", "zarr-v3", "zip"])
@pytest.mark.parametrize("replaces", [False, True])
def test_the_old_state_or_the_new_one_is_left(form: str, replaces: bool, tmp_path: Path) -> None:
    name, modes = TARGETS[form]
    (tmp_path / "old").mkdir()
    old, place = tmp_path / "old" / name, tmp_path / name
    ncz.gen(io.BytesIO(CDL), old, modes=modes, notify=ignore_notice)
    text = MORE if replaces else MORE.replace("temp = 9, 8, 7, 6, 5, 4", "temp = 1, 2, 3, 4, 5, 6")
    (tmp_path / "more.cdl").write_text(text)
    states, moment, ended = set(), 0, False
    while not ended:
        moment += 1
        for path in (place, *tmp_path.glob(f".*{name}*")):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        shutil.copytree(old, place) if old.is_dir() else shutil.copy2(old, place)
        ended = ends_by_itself(ADD, moment, str(tmp_path / "more.cdl"), str(place))
        states.add(state_of(place))
    assert moment > 2
    assert states == {"old 1.0", "new 9.0" if replaces else "new 1.0"}

"""Changes of reference sets that exist: all of them, or none."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest

import ncz
from ncz.errors import ZmapError, ignore_notice
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap
from ncz.zmap.reference.held_values import LARGEST_HELD
from ncz.zmap.reference.revision import ReferenceRevision
from tests.commands.source_files import write


@pytest.fixture(params=["a.json", "a.json.zst", "a.parq"])
def archive(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A set over two files."""
    if request.param.endswith(".parq"):
        pytest.importorskip("pyarrow")
    files = [tmp_path / f"{number}.nc" for number in range(2)]
    for number, path in enumerate(files):
        write(path, number)
    target = tmp_path / str(request.param)
    ncz.copy([*map(str, files)], str(target), concat="t", notify=ignore_notice)
    return target


def read(target: Path, key: str) -> bytes | None:
    with contextlib.closing(open_zmap(parse_location(str(target)))) as zmap:
        return zmap.get(key)


def test_nothing_appears_before_it_is_committed(archive: Path) -> None:
    before = read(archive, "v/1.0")
    with contextlib.closing(open_zmap(parse_location(str(archive)), write=True)) as revision:
        revision.put("v/1.0", b"held")
        assert read(archive, "v/1.0") == before
        revision.commit("change")
    assert read(archive, "v/1.0") == b"held"
    states = [source.state for source in ncz.info(str(archive), sources=True).sources or ()]
    assert states[0] == "unchanged"


def test_targets_keep_their_names_and_states(archive: Path) -> None:
    (archive.parent / "0.nc").unlink()  # which is not looked at
    write(archive.parent / "2.nc", 2)
    place = parse_location(str(archive))
    with contextlib.closing(open_zmap(place, write=True)) as revision:
        assert isinstance(revision, ReferenceRevision)
        revision.refer("v/1.0", ByteRange(str(archive.parent / "2.nc"), 0, 4000))
        revision.commit("change")
    found = {Path(s.url).name: s.state for s in ncz.info(str(archive), sources=True).sources or ()}
    assert found == {"0.nc": "missing", "2.nc": "unchanged"}


def test_names_from_the_folder_of_the_set_stay_so(tmp_path: Path) -> None:
    write(tmp_path / "0.nc", 0)
    write(tmp_path / "1.nc", 1)
    target = tmp_path / "a.json"
    ncz.copy(str(tmp_path / "0.nc"), str(target), relative_to="ref", notify=ignore_notice)
    ncz.copy(str(tmp_path / "1.nc"), str(target), append="t", notify=ignore_notice)
    refs = json.loads(target.read_text())["refs"]
    assert [refs[key][0] for key in ("v/0.0", "v/1.0")] == ["0.nc", "1.nc"]


def test_a_change_of_another_program_is_kept(archive: Path) -> None:
    place = parse_location(str(archive))
    with contextlib.closing(open_zmap(place, write=True)) as revision:
        revision.put("v/1.0", b"mine")
        with contextlib.closing(open_zmap(place, write=True)) as other:
            other.put(".zattrs", b'{"by": "other"}')
            other.commit("change")
        with pytest.raises(ZmapError, match="another program changed the set"):
            revision.commit("change")
    assert read(archive, ".zattrs") == b'{"by": "other"}' or archive.suffix == ".parq"


def test_few_values_are_held(archive: Path) -> None:
    folder = archive.with_name(f"{archive.name}.chunks")
    with contextlib.closing(open_zmap(parse_location(str(archive)), write=True)) as revision:
        revision.put("v/0.0", bytes(LARGEST_HELD - 1))
        revision.put("t/0", bytes(4))
        assert not folder.exists()
        revision.put("v/1.0", bytes(501))  # fewer are no more than a reference
        revision.commit("change")
    (file,) = folder.iterdir()
    assert file.stat().st_size == LARGEST_HELD + 500
    assert read(archive, "v/1.0") == bytes(501)


def test_an_edit_of_a_set(archive: Path) -> None:
    ncz.edit(str(archive), set='v:units="K"', notify=ignore_notice)
    with ncz.open(str(archive)) as dataset:
        assert dataset["v"].attrs["units"] == "K"
        assert dataset["v"][1][0] == 1

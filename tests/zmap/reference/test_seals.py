"""Sources that changed after their references were made: reported when read or checked."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz
from ncz.errors import ZmapError, ignore_notice
from ncz.zmap.location import parse_location
from ncz.zmap.reference.seals import Seal
from ncz.zmap.remote.opening import connect_to_write
from tests.sampled import share_of

netcdf4 = pytest.importorskip("netCDF4")


def write(path: Path, seed: int = 0) -> None:
    """Write a file of random values, always of the same size."""
    with netcdf4.Dataset(path, "w") as file:
        file.createDimension("x", 2000)
        values = np.random.default_rng(seed).random(2000)
        file.createVariable("v", "f8", ("x",))[:] = values


def rewritten(path: Path) -> None:
    before = path.stat()
    write(path, 1)
    assert path.stat().st_size == before.st_size
    os.utime(path, ns=(0, before.st_mtime_ns + 2_000_000))


def truncated(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def longer(path: Path) -> None:
    before = path.stat().st_mtime_ns
    path.write_bytes(path.read_bytes() + b"more")
    os.utime(path, ns=(0, before))


def replaced_by_an_older_one(path: Path) -> None:
    before = path.stat().st_mtime_ns
    write(path.with_name("other.nc"), 2)
    os.utime(path.with_name("other.nc"), ns=(0, before - 10**15))
    path.with_name("other.nc").replace(path)


def replaced_by_one_of_its_size_and_time(path: Path) -> None:
    before = path.stat()
    data = bytearray(path.read_bytes())
    data[16_000:16_008] = bytes(8)
    path.with_name("other.nc").write_bytes(data)
    os.utime(path.with_name("other.nc"), ns=(0, before.st_mtime_ns))
    path.with_name("other.nc").replace(path)


def removed(path: Path) -> None:
    path.unlink()


CHANGES: list[Callable[[Path], None]] = [
    rewritten, truncated, longer, replaced_by_an_older_one, replaced_by_one_of_its_size_and_time,
    removed,
]  # fmt: skip


@settings(max_examples=share_of(40), deadline=None)
@given(
    st.sampled_from(CHANGES),
    st.sampled_from(["r.json", "r.parq", "r.json.zst"]),
    st.integers(1, 3),
    st.data(),
)
def test_a_change_of_a_source_is_reported(
    change: Callable[[Path], None], name: str, count: int, data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, f"s{i}.nc") for i in range(count)]
        for number, file in enumerate(files):
            write(file, number)
        target = Path(folder, name)
        ncz.copy(
            [*map(str, files)], str(target), new_dimension="n", notify=ignore_notice
        ) if count > 1 else ncz.copy(str(files[0]), str(target), notify=ignore_notice)
        assert ncz.check(str(target)).is_clean
        with ncz.open(target) as dataset:
            before = dataset["v"][...]
        changed = data.draw(st.sampled_from(files))
        change(changed)
        with ncz.open(target) as dataset, pytest.raises(ZmapError) as caught:
            _ = dataset["v"][...]
        assert changed.name in str(caught.value)
        assert "has changed since" in str(caught.value) or "does not exist" in str(caught.value)
        found = ncz.check(str(target)).findings
        assert [f.code for f in found if f.code == "source-changed"] == ["source-changed"]
        with pytest.raises(ZmapError):
            ncz.copy(str(target), str(Path(folder, "again.json")), notify=ignore_notice)
        if change is rewritten:
            with ncz.open(f"{target}#reference.seals=off") as dataset:
                assert dataset["v"][...].shape == before.shape


def test_copies_that_keep_times_are_the_same_source(tmp_path: Path) -> None:
    write(tmp_path / "s.nc")
    (tmp_path / "moved").mkdir()
    target = f"{tmp_path}/r.json#reference.relative_to=ref"
    ncz.copy(str(tmp_path / "s.nc"), target, notify=ignore_notice)
    for name in ("s.nc", "r.json"):
        shutil.copy2(tmp_path / name, tmp_path / "moved")
    status = (tmp_path / "s.nc").stat()
    whole_seconds = status.st_mtime_ns // 10**9 * 10**9  # as a coarse file system keeps them
    for time in (status.st_mtime_ns, whole_seconds):
        os.utime(tmp_path / "moved" / "s.nc", ns=(0, time))
        with ncz.open(tmp_path / "moved" / "r.json") as dataset:
            assert dataset["v"].shape == (2000,)
            assert dataset["v"][...].shape == (2000,)


def test_a_set_without_seals_is_read(tmp_path: Path) -> None:
    write(tmp_path / "s.nc")
    ncz.copy(str(tmp_path / "s.nc"), f"{tmp_path}/r.json#reference.seals=off", notify=ignore_notice)
    document = json.loads((tmp_path / "r.json").read_text())
    assert "ncz" not in document
    for seals in cast(
        "list[object]", [1, {"sources": 2}, {"sources": {"file:///x": 3}}, {"sources": {"a": {}}}]
    ):
        (tmp_path / "r.json").write_text(json.dumps({**document, "ncz": seals}))
        with ncz.open(tmp_path / "r.json") as dataset:
            assert dataset["v"][...].shape == (2000,)


@pytest.mark.filterwarnings("ignore:The 'fastparquet' engine")
def test_other_programs_read_a_set_with_seals(tmp_path: Path) -> None:
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("kerchunk")
    write(tmp_path / "s.nc")
    for name in ("r.json", "r.parq"):
        ncz.copy(str(tmp_path / "s.nc"), str(tmp_path / name), notify=ignore_notice)
        found = xarray.open_dataset(str(tmp_path / name), engine="kerchunk")
        wanted = xarray.open_dataset(tmp_path / "s.nc")
        np.testing.assert_array_equal(found["v"].values, wanted["v"].values)


def test_an_object_on_a_server_that_changed_is_reported(s3: str, tmp_path: Path) -> None:
    folder = connect_to_write(parse_location(f"{s3}/data#mode=s3"))
    write(tmp_path / "s.nc")
    folder.put("s.nc", (tmp_path / "s.nc").read_bytes())
    target = f"{s3}/r.json#mode=s3,reference"
    ncz.copy(f"{s3}/data/s.nc#mode=s3", target, notify=ignore_notice, verify=True)
    write(tmp_path / "s.nc", 1)
    folder.put("s.nc", (tmp_path / "s.nc").read_bytes())
    with ncz.open(target) as dataset, pytest.raises(ZmapError, match="its ETag is another"):
        _ = dataset["v"][...]
    assert "source-changed" in [f.code for f in ncz.check(target).findings]


def test_icechunk_reads_no_chunk_of_a_changed_file(tmp_path: Path) -> None:
    pytest.importorskip("icechunk")
    write(tmp_path / "s.nc")
    target = str(tmp_path / "repo.icechunk")
    ncz.copy(
        str(tmp_path / "s.nc"), target, modes=("reference",), notify=ignore_notice, verify=True
    )
    later = (tmp_path / "s.nc").stat().st_mtime_ns + 3 * 10**9
    write(tmp_path / "s.nc", 1)
    os.utime(tmp_path / "s.nc", ns=(0, later))
    with (
        ncz.open(target) as dataset,
        pytest.raises(
            ZmapError, match=r"the object owning the virtual chunk has|has changed since"
        ),
    ):
        _ = dataset["v"][...]


def test_differences_of_seals() -> None:
    sealed = Seal(10, 5_000_000_123, None)
    assert not sealed.difference(Seal(10, 5_000_000_123, "tag"))
    assert not sealed.difference(Seal(None, None, None))
    assert sealed.difference(Seal(11)) == "it had 10 bytes, and has 11"
    assert sealed.difference(Seal(10, 6_000_000_000)) == "it was written later"
    assert sealed.difference(Seal(10, 4_000_000_000)) == "it is an older file"
    assert Seal(tag="a").difference(Seal(tag="b")) == "its ETag is another"


def test_a_set_of_many_sources_is_a_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ncz.zmap.reference.creation.LOOKED_AT", 2000)
    monkeypatch.chdir(tmp_path)
    names = []
    for number in range(20):
        write(Path(f"s{number:02}.nc"), number)
        names.append(f"s{number:02}.nc")
    for _ in range(2):
        ncz.copy(names, "r.json", new_dimension="n", overwrite=True, notify=ignore_notice)
    text = Path("r.json").read_text()
    assert len(ncz.info("r.json", sources=True).sources or ()) == 20
    # Sets of earlier versions had the states before the references.
    document = json.loads(text)
    old = {"version": 1, "ncz": document["ncz"], "refs": document["refs"]}
    Path("r.json").write_text(json.dumps(old, separators=(",", ":")))
    ncz.copy(names, "r.json", new_dimension="n", overwrite=True, notify=ignore_notice)
    assert Path("r.json").read_text() == text

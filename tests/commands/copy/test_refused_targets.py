"""Targets that a copy refuses before it reads anything."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.refused_targets import explain, refuse_target
from ncz.errors import NczError, StoreExists, StoreMissing, UrlError
from ncz.zmap.location import Location, location_of, parse_location


def refuse(target: Location, *sources: Location, **options: Any) -> None:
    given = CopyOptions(source=sources[0], more_sources=sources[1:], target=target, **options)
    refuse_target(given, target)


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("s3://b/x", "s3://b/x", "the target is also a source"),
        ("s3://b/x", "s3://b/x/y", "the target is within the source"),
        ("s3://b/x/y", "s3://b/x", "the source is within the target"),
        ("memory://x/y", "memory://x", "the source is within the target"),
        ("/d/x.zarr", "/d/x.zarr/y", "the target is within the source"),
        ("/d/x.zarr", "/d/x.zarr", "the target is also a source"),
    ],
)
def test_a_target_and_its_source(source, target, message):
    with pytest.raises(UrlError, match=message):
        refuse(parse_location(target), parse_location(source))


@pytest.mark.parametrize(
    ("source", "target"),
    [("s3://b/x", "s3://b/xy"), ("/d/x/y", "/d/x"), ("s3://b/x", "/d/x"), ("/d/x", "s3://b/x")],
)
def test_other_targets(source, target):
    refuse(parse_location(target), parse_location(source))


def test_a_folder_that_is_no_store(tmp_path: Path):
    (tmp_path / "f.txt").touch()
    source = parse_location("/d/a.b.nc")
    with pytest.raises(StoreExists, match="it is a directory, but not a store") as caught:
        refuse(location_of(tmp_path).with_modes(["zarr"]), source)
    assert f"such as {tmp_path}/a.zarr or" in str(caught.value.hint)
    (tmp_path / ".zgroup").touch()
    refuse(location_of(tmp_path), source)
    (tmp_path / "empty").mkdir()
    refuse(location_of(tmp_path / "empty"), source)


def test_a_target_that_is_named_like_the_sources(tmp_path: Path):
    for number in range(3):
        (tmp_path / f"m{number}.nc").touch()
    first, second, third = (location_of(tmp_path / f"m{n}.nc") for n in range(3))
    with pytest.raises(StoreExists, match="already exists, and is named like the sources"):
        refuse(third, first, second, concat="t")
    refuse(location_of(tmp_path / "m9.nc"), first, second, concat="t")
    refuse(third, first)


def test_paths_that_were_exchanged(tmp_path: Path):
    (tmp_path / "old.nc").touch()
    source, target = location_of(tmp_path / "new.nc"), location_of(tmp_path / "old.nc")
    options = CopyOptions(source=source, target=target)
    error = StoreMissing("no file", source.path, "check the path")
    assert "is it meant so: ncz copy" in str(explain(error, options, target))
    absent = location_of(tmp_path / "absent")
    assert explain(error, options, absent) is error
    other = StoreMissing("no file", "elsewhere")
    assert explain(other, options, target) is other
    assert isinstance(error, NczError)


def test_the_line_for_a_part_that_replaces_its_source(run, tmp_path: Path):
    path = tmp_path / "a.zarr"
    ncz.gen(
        io.BytesIO(b"netcdf a { dimensions: t = 3 ; variables: int v(t) ; data: v = 1, 2, 3 ; }"),
        path,
    )
    ran = run("copy", path, path, "--isel", "t=-2:", "--overwrite")
    assert ran.code == 1
    line = ran.stderr.rpartition(": ")[2].split()[1:]
    assert run("copy", "-q", path, line[2], "--isel", "t=-2:").code == 0
    assert run(*line).code == 0
    assert ncz.open(path)["v"].shape == (2,)
    with pytest.raises(UrlError, match=r"ncz\.mv\('.*a-new\.zarr', '.*', overwrite=True\)$"):
        ncz.copy(path, path, overwrite=True)

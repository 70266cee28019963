"""Targets of copies."""

from __future__ import annotations

import pytest

import ncz
from ncz.errors import StoreExists, StoreMissing, UrlError, ZmapError, ignore_notice
from tests.commands.copy.test_forms_copy import gen, objects
from tests.conftest import ROOT


@pytest.mark.parametrize("options", [{}, {"overwrite": True}, {"concat": "time"}])
def test_a_source_is_not_a_target_with_any_options(tmp_path, options):
    source, other, link = tmp_path / "a.zarr", tmp_path / "b.zarr", tmp_path / "c.zarr"
    gen(ROOT / "cdl_examples/weather.cdl", str(source))
    gen(ROOT / "cdl_examples/weather.cdl", str(other))
    link.symlink_to(source)
    before = objects(str(source))
    for target in (source, link):
        for sources in (source, [source, other], [other, source]):
            with pytest.raises(UrlError, match="the target is also a source; choose another"):
                ncz.copy(sources, target, **options)
    assert objects(str(source)) == before
    assert link.is_symlink()


SERIES = ["2026-01.nc", "2026-02.nc", "2026-03.nc"]


@pytest.mark.parametrize(
    ("names", "options"),
    [
        (SERIES, {"concat": "time"}),
        (SERIES, {"concat": "time", "overwrite": True}),
        (SERIES, {"new_dimension": "member", "overwrite": True}),
        (SERIES, {}),
        (["jan.nc", "feb.nc", "mar.nc"], {"concat": "time"}),
    ],
)
def test_the_last_source_is_not_taken_for_the_target(tmp_path, names, options):
    for name in names:
        gen(ROOT / "cdl_examples/weather.cdl", str(tmp_path / name))
    *sources, target = (tmp_path / name for name in names)
    before = target.read_bytes()
    with pytest.raises(StoreExists, match="if it is a source, name a target after it") as caught:
        ncz.copy(sources, target, **options)
    assert "overwrite" not in str(caught.value)
    assert target.read_bytes() == before


def test_an_older_result_of_a_join_is_replaced_on_request(tmp_path):
    for name in ("2026-01.nc", "2026-02.nc", "year.nc"):
        gen(ROOT / "cdl_examples/weather.cdl", str(tmp_path / name))
    sources = [tmp_path / "2026-01.nc", tmp_path / "2026-02.nc"]
    ncz.copy(sources, tmp_path / "year.nc", overwrite=True, concat="time", overlap="keep")
    assert ncz.read(tmp_path / "year.nc", "time").size == 8


def test_the_source_comes_before_the_target(tmp_path):
    source, target = tmp_path / "new.zarr", tmp_path / "a.nc"
    gen(ROOT / "cdl_examples/weather.cdl", str(target))
    with pytest.raises(StoreMissing, match=r"the source comes before .*ncz.copy.*a\.nc.*new"):
        ncz.copy(source, target)


@pytest.mark.parametrize("count", [1, 2])
def test_a_folder_of_files_is_no_target(tmp_path, count):
    (tmp_path / "out").mkdir()
    sources = [tmp_path / f"{number}.nc" for number in range(count)]
    for source in sources:
        gen(ROOT / "cdl_examples/weather.cdl", str(source))
    with pytest.raises(
        StoreExists, match=r"directory, but not a store.*use another name"
    ) as caught:
        ncz.copy(sources, f"{tmp_path}/out/")
    assert ("use each=True" in str(caught.value)) == (count == 2)
    assert [*(tmp_path / "out").iterdir()] == []


def test_no_store_within_another(tmp_path):
    source = tmp_path / "a.zarr"
    gen(ROOT / "cdl_examples/weather.cdl", str(source))
    with pytest.raises(UrlError, match="the target is within the source"):
        ncz.copy(source, source / "b.zarr")


def test_a_target_that_is_there_is_kept(tmp_path):
    source, target = tmp_path / "a.zarr", tmp_path / "b.zarr"
    gen(ROOT / "cdl_examples/weather.cdl", str(source))
    gen(ROOT / "cdl_examples/groups.cdl", str(target))
    before = objects(str(target))
    with pytest.raises(ZmapError, match="already exists; use overwrite=True"):
        ncz.copy(source, target)
    assert objects(str(target)) == before
    ncz.copy(source, target, overwrite=True)
    assert objects(str(target)) == objects(str(source))


def test_a_broken_chunk_leaves_no_target(tmp_path):
    source = tmp_path / "a.zarr"
    gen(ROOT / "cdl_examples/weather.cdl", str(source))
    (source / "temperature/0.0.0").write_bytes(b"no zlib")
    with pytest.raises(ncz.CodecError, match=r"a\.zarr: /temperature/0\.0\.0: "):
        ncz.copy(source, tmp_path / "b.zarr", codecs=["zstd:1"])
    with pytest.raises(ncz.CodecError):
        ncz.copy(source, tmp_path / "b.zip", chunks=["time/1"])
    assert [p.name for p in tmp_path.iterdir()] == ["a.zarr"]
    # A raw copy of it is broken, too, and the rest is complete.
    with pytest.raises(ncz.CodecError, match="1 damaged chunk was copied unchanged"):
        ncz.copy(source, tmp_path / "b.zarr", keep_going=True, notify=ignore_notice)
    assert objects(str(tmp_path / "b.zarr")) == objects(str(source))

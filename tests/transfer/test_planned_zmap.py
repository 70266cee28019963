"""Stores that are planned but not written have the bytes of a copy."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import ncz
from ncz.commands.planned_store import planned_store
from ncz.commands.sources import open_any
from ncz.errors import NO_CALLBACKS, ZmapError, ignore_notice
from ncz.formats.create_options import AS_DEFAULT
from ncz.formats.zarr.writing.target import plan_zarr
from ncz.transfer import move
from ncz.zmap.local.directory import DirectoryZmap
from ncz.zmap.location import location_of, parse_location
from tests.conftest import ROOT

FOREIGN = ROOT / "tests" / "stores" / "foreign"

CDL = """netcdf many { dimensions: t = UNLIMITED ; y = 5 ; x = 7 ; s = 3 ;
variables:
  double t(t) ; t:units = "days since 2026-01-01" ;
  float f(t, y, x) ; f:_ChunkSizes = 1, 2, 3 ; f:_FillValue = -1.f ; f:_DeflateLevel = 4 ;
  short plain(y, x) ; plain:_ChunkSizes = 2, 7 ;
  int never(y, x) ; never:_ChunkSizes = 5, 4 ;
  string name(s) ; char code(s, x) ; int scalar ; float empty(t, y) ;
data:
  t = 1, 2 ; f = 1, 2, 3 ; plain = 4, 5 ; name = "a", "bc", "" ; code = "abc", "de" ;
  scalar = 7 ;
group: g { dimensions: z = 2 ; variables: ubyte u(z) ; u:a = 1, 2 ; data: u = 1, 255 ; } }
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """Return a function that makes a source by its name, once."""
    folder = tmp_path_factory.mktemp("planned")
    (folder / "many.cdl").write_text(CDL)

    def make(name: str) -> str:
        target = folder / name
        if name.startswith("foreign/"):
            return str(FOREIGN / name.removeprefix("foreign/"))
        if not target.exists():
            modes = {"pure": "zarr", "v3": "v3", "sharded": "zarr,v3"}.get(target.stem, "")
            source = folder / "many.cdl"
            if modes and target.stem == "sharded":
                ncz.copy(source, target, modes=modes, shards=["f:2,4,6"], notify=ignore_notice)
            elif modes:
                ncz.copy(source, target, modes=modes, notify=ignore_notice)
            else:
                ncz.copy(source, target, notify=ignore_notice)
        return str(target)

    return make


SOURCES = [
    "many.cdl", "many.zarr", "many.nc", "pure.zarr", "v3.zarr", "sharded.zarr", "pure.zip",
    "foreign/xarray-v2", "foreign/zarr-python-v2", "foreign/zarr-python-v3", "foreign/ome-v2",
    "foreign/tensorstore-v3", "foreign/datatree-v3",
]  # fmt: skip


FROM_VALUES = [("many.cdl", 2), ("sharded.zarr", 2), ("foreign/tensorstore-v3", 2)]
"""Copies that do not write missing chunks where the plan does, or the other way round."""


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("name", SOURCES)
def test_all_objects_match_a_copy(made, tmp_path, name, zarr_format):
    source = made(name)
    target = tmp_path / "copy.zarr"
    modes = f"zarr,consolidated,v{zarr_format}"
    if (name, zarr_format) in FROM_VALUES:
        location = parse_location(f"{target.as_uri()}#mode={modes}")
        with open_any(location_of(source), NO_CALLBACKS) as dataset:
            plan_zarr(dataset, location, AS_DEFAULT, ignore_notice).write(overwrite=False)
    else:
        ncz.copy(source, target, modes=modes, allow_loss=True, notify=ignore_notice)
    written = DirectoryZmap(str(target))
    with open_any(location_of(source), NO_CALLBACKS) as dataset:
        planned = planned_store(dataset, zarr_format=zarr_format, allow_loss=True, memory=256 << 20)
        keys = list(written.walk())
        assert list(planned.walk()) == keys
        for key in keys:
            data = written.get(key)
            assert data is not None
            assert planned.get(key) == data, key
            assert planned.size(key) == len(data)
            assert planned.get_range(key, 1, 5) == data[1:6]
            assert planned.get_range(key, -3, 3) == data[-3:]
        for folder in {"", *(key.rpartition("/")[0] for key in keys)}:
            assert planned.search(folder) == written.search(folder)
        for key in (
            "f/9.9.9",
            "f/0.0",
            "f/c/0/0/99",
            "f/01.0.0",
            "f/-1.0.0",
            "none/0",
            "never/9.9",
            "never/c/9/9",
            "plain/9.9",
            "plain/c/9/9",
            "g/u/7",
            "g/u/c/7",
        ):
            assert planned.get(key) is None
        with pytest.raises(ZmapError, match=r"cannot contain the segment '\.\.'"):
            planned.get("f/../f")
        planned.close()
        with pytest.raises(ZmapError, match="closed"):
            planned.get("f/0.0.0")


def test_threads_that_want_the_same_chunk_share_it_within_the_memory(made, monkeypatch):
    encoded: list[object] = []
    both = threading.Barrier(2, timeout=60)
    encode = move.recode_chunk

    def counted(transfer, index, zmap):
        encoded.append(index)
        if len(encoded) == 1:
            both.wait()  # until another thread is about to ask
        return encode(transfer, index, zmap)

    monkeypatch.setattr("ncz.transfer.planned_zmap.recode_chunk", counted)
    found: list[bytes | None] = []

    def read() -> None:
        found.append(zmap.get("f/c/0/0/0"))

    def read_next() -> None:
        both.wait()
        read()

    with open_any(location_of(made("pure.zarr")), NO_CALLBACKS) as dataset:
        zmap = planned_store(dataset, zarr_format=3, memory=1)  # less than any chunk needs
        threads = [threading.Thread(target=target) for target in (read, read_next)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found[0] is not None
    assert found == [found[0], found[0]]
    assert len(encoded) == 1


def test_a_store_in_a_directory_refuses_later_changes(tmp_path):
    ncz.gen(ROOT / "cdl_examples" / "weather.cdl", tmp_path / "s.zarr", notify=ignore_notice)
    zmap = DirectoryZmap(str(tmp_path / "s.zarr"))
    zmap.refuse_newer()
    assert zmap.get("temperature/0.0.0") is not None
    chunk: Path = tmp_path / "s.zarr" / "temperature" / "0.0.0"
    chunk.write_bytes(chunk.read_bytes())
    for read in (
        lambda: zmap.get("temperature/0.0.0"),
        lambda: zmap.get_range("temperature/0.0.0", 0, 1),
    ):
        with pytest.raises(ZmapError, match="changed"):
            read()
    (tmp_path / "s.zarr" / "temperature" / "1.0.0").unlink()
    with pytest.raises(ZmapError, match="changed"):
        zmap.get("temperature/1.0.0")
    assert zmap.get("wind_speed/9.9.9") is None

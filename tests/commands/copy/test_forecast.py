"""The forecast of a copy, compared with the written objects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import ncz
from ncz.commands.copy.forecast import MOST_READ, Forecast, forecast
from ncz.commands.copy.plan import CopyPlan
from ncz.errors import ignore_notice
from ncz.model.data import ChunkSource, read_box
from ncz.text.sizes import format_size
from tests.commands.source_files import write

CDL = """netcdf f { dimensions: time = 60 ; y = 90 ; x = 120 ; n = 50 ;
variables: double time(time) ; float t(time, y, x) ; t:_ChunkSizes = 1, 90, 120 ;
t:_DeflateLevel = 1 ; t:_Shuffle = "true" ; short s(time, y) ; string name(n) ; }"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    h5py = pytest.importorskip("h5py")
    path = tmp_path_factory.mktemp("forecast") / "f.nc"
    (path.parent / "f.cdl").write_text(CDL)
    ncz.gen(str(path.parent / "f.cdl"), str(path))
    random = np.random.default_rng(1)
    waves = np.sin(np.arange(60 * 90 * 120) / 50).reshape(60, 90, 120)
    with h5py.File(path, "r+") as file:
        file["t"][...] = (waves + random.normal(scale=0.05, size=waves.shape)).round(2)
        file["s"][...] = random.integers(0, 50, (60, 90))
        file["name"][...] = [f"station {n}" * (n % 5) for n in range(50)]
    return path


def forecast_of(source: Any, target: str, **options: Any) -> Forecast:
    found: list[Forecast] = []

    def show(plan: CopyPlan) -> bool:
        found.append(forecast(plan))
        return True

    ncz.copy(source, target, dry_run=True, on_plan=show, notify=ignore_notice, **options)
    return found[0]


def files_of(target: Path) -> list[Path]:
    return [target] if target.is_file() else [p for p in target.rglob("*") if p.is_file()]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("raw.zarr", {}),
        ("recoded.zarr", {"codecs": "zstd:5"}),
        ("plain.zarr", {"codecs": "none"}),
        ("rechunked.zarr", {"chunks": "time/60,y/9,x/40"}),
        ("long.zarr", {"chunks": "time/60,y/3,x/3"}),
        ("cloud.zarr", {"cloud": True}),
        ("sharded.zarr", {"modes": "zarr,v3", "chunks": "t:5,30,40", "shards": "t:60,90,120"}),
        ("packed.zip", {}),
        ("file.nc", {"deflate": 4}),
        ("contiguous.nc", {"codecs": "none", "chunks": "/"}),
        ("short.zarr", {"pack": "short"}),
    ],
)
def test_bytes_and_objects_equal_the_written_ones(source, tmp_path, name, options):
    target = tmp_path / name
    expected = forecast_of(source, str(target), **options)
    assert not target.exists()
    ncz.copy(str(source), str(target), notify=ignore_notice, **options)
    written = files_of(target)
    assert expected.objects == len(written)
    assert expected.size == pytest.approx(sum(p.stat().st_size for p in written), rel=0.25)


def test_missing_chunks_are_not_counted(tmp_path):
    zarr = pytest.importorskip("zarr")
    array = zarr.open_array(
        str(tmp_path / "in.zarr" / "v"), mode="w", shape=(1000,), chunks=(10,), dtype="f8",
        zarr_format=2, attributes={"_ARRAY_DIMENSIONS": ["x"]}, fill_value=0, compressor=None,
    )  # fmt: skip
    zarr.open_group(str(tmp_path / "in.zarr"), mode="a", zarr_format=2)
    array[:30] = 1.5
    each: tuple[dict[str, Any], ...] = ({}, {"codecs": "zlib:1"}, {"chunks": "x/5"})
    for options in each:
        target = tmp_path / f"out{len(str(options))}.zarr"
        expected = forecast_of(tmp_path / "in.zarr", str(target), **options)
        ncz.copy(str(tmp_path / "in.zarr"), str(target), notify=ignore_notice, **options)
        assert expected.objects == len(files_of(target))


def test_reads_are_bounded(tmp_path, monkeypatch):
    memory = np.random.default_rng(1).integers(0, 9, (400, 500, 500), "i2")
    xarray = pytest.importorskip("xarray")
    data = xarray.Dataset({"v": (("t", "y", "x"), memory)})
    read: list[int] = []

    def counting(source: ChunkSource, box: Any) -> Any:
        read.append(box.size * 2)
        return read_box(source, box)

    monkeypatch.setattr("ncz.commands.copy.forecast.read_box", counting)
    expected = forecast_of(data, str(tmp_path / "x.zarr"), chunks="t/1,y/500,x/500", codecs="zlib")
    assert sum(read) <= MOST_READ < memory.nbytes
    assert expected.sampled == sum(read)
    assert 0.2 < expected.size / memory.nbytes < 0.4


def test_a_set_of_references_has_no_chunks(source, tmp_path):
    expected = forecast_of(source, str(tmp_path / "refs.json"))
    ncz.copy(str(source), str(tmp_path / "refs.json"), notify=ignore_notice)
    assert expected.objects == 1
    assert expected.size < 30_000
    assert (tmp_path / "refs.json").stat().st_size < 30_000


@pytest.mark.parametrize("inline", [None, 10**6])
@pytest.mark.parametrize("name", ["all.json", "all.icechunk"])
def test_bytes_that_are_referred_to_are_not_counted_as_written(tmp_path, name, inline):
    pytest.importorskip("icechunk" if name.endswith("icechunk") else "numpy")
    files = [str(tmp_path / f"{number}.nc") for number in range(4)]
    for number, path in enumerate(files):
        write(Path(path), number)
    options: dict[str, Any] = {"concat": "t", "modes": ("reference",)}
    target = str(tmp_path / name)
    expected = forecast_of(files, target, inline=inline, **options)
    ncz.copy(files, target, notify=ignore_notice, inline=inline, **options)
    values = 0 if inline else 4 * 4000
    assert expected.referred == values
    written = sum(p.stat().st_size for p in files_of(Path(target)))
    assert expected.size < written + 20_000  # a repository has more documents than chunks here
    assert expected.size > 4 * 4000 - values
    entries = ncz.ls(target, recursive=True, kinds="chunk", long=True)
    held = [entry.size or 0 for entry in entries if entry.target is None]
    assert sum(held) <= expected.size


@pytest.mark.parametrize("name", ["all.json", "all.icechunk", "all.zarr"])
def test_an_append_reports_its_bytes_and_references(tmp_path, name, run):
    pytest.importorskip("icechunk" if name.endswith("icechunk") else "numpy")
    files = [str(tmp_path / f"{number}.nc") for number in range(4)]
    for number, path in enumerate(files):
        write(Path(path), number)
    modes = () if name == "all.zarr" else ("reference",)
    target = str(tmp_path / name)
    ncz.copy(files[:2], target, concat="t", modes=modes, notify=ignore_notice)
    before = {p: p.read_bytes() for p in files_of(Path(target))}
    done = run("copy", "--append", "t", "--dry-run", "--json", *files[2:], target)
    rows = {row["variable"]: row for row in json.loads(done.text)["append"]}
    is_store = name == "all.zarr"
    assert rows["/v"]["referred_bytes"] == (0 if is_store else 8000)
    assert rows["/v"]["bytes"] == (8000 if is_store else 0)
    assert rows["/t"]["referred_bytes"] == 0
    text = run("copy", "--append", "t", "--dry-run", *files[2:], target).text
    assert text.splitlines()[-1].startswith("forecast: about ")
    assert text.endswith(" and references to 8 kB\n") != is_store
    assert before == {p: p.read_bytes() for p in files_of(Path(target))}


@pytest.mark.parametrize("name", ["all.nca", "all.zarr"])
def test_an_append_to_a_master_reports_its_bytes(tmp_path, name, run):
    files = [str(tmp_path / f"{number}.nc") for number in range(4)]
    for number, path in enumerate(files):
        write(Path(path), number)
    target = tmp_path / name
    mode: Literal["cf", "cfa"] = "cf" if name == "all.zarr" else "cfa"
    ncz.aggregate(files[:2], str(target), axis="t", mode=mode, notify=ignore_notice)
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    done = run("copy", "--append", "t", "--dry-run", "--json", *files[2:], str(target))
    rows = {row["variable"]: row for row in json.loads(done.text)["append"]}
    assert rows["/v"]["bytes"] == 2 * 500 * 8
    assert rows["/v"]["referred_bytes"] == rows["/v"]["bytes_beside"] == 0
    text = run("copy", "--append", "t", "--dry-run", *files[2:], str(target)).text
    size = sum(row["bytes"] for row in rows.values())
    assert text.splitlines()[-1] == f"forecast: about {format_size(size)}"
    assert before == {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    run("copy", "--append", "t", *files[2:], str(target))
    new = [p for p in tmp_path.rglob("*") if p.is_file() and p not in before]
    assert sum(p.stat().st_size for p in new) >= rows["/v"]["bytes"]

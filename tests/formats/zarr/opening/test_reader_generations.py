"""Stores of each generation of NCZarr."""

from __future__ import annotations

import pytest

from ncz.errors import Notice
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.model.data import read_all
from ncz.model.tree import Attribute, Dimension, walk
from ncz.model.types import Atomic
from ncz.zmap.local.directory import DirectoryZmap
from ncz.zmap.memory import MemoryZmap
from tests.formats.zarr.opening.test_reader import (
    NCZARR,
    ROOT,
    STORES,
    array,
    objects_of,
    read,
    variable,
)


@pytest.mark.parametrize("store", NCZARR)
def test_every_generation_is_the_same_dataset(store):
    notices: list[Notice] = []
    dataset = open_dataset(DirectoryZmap(str(STORES / store)), name="x", notify=notices.append)
    assert notices == []
    unlimited = store == "nczarr-4.10.1"
    assert dataset.root.dimensions == (
        Dimension(name="t", size=3, unlimited=unlimited),
        Dimension(name="y", size=2),
        Dimension(name="x", size=3),
    )
    shapes = {
        f"{fqn}/{v.name}": (v.type, v.dimensions, read_all(v.data).tolist())
        for fqn, group in walk(dataset.root)
        for v in group.variables
        if v.data is not None
    }
    temperature = [
        [[1, 2, 3], [4, 5, 6]],
        [[7, 8, 9], [10, 11, 12]],
        [[13, 14, -9.5], [16, 17, 18]],
    ]
    assert shapes == {
        "/temperature": (Atomic.FLOAT, ("/t", "/y", "/x"), temperature),
        "/counts": (Atomic.INT, ("/x",), [10, 20, 30]),
        "/scale": (Atomic.DOUBLE, (), 0.5),
        "/steps": (Atomic.SHORT, ("/t",), [1, -32767, 3]),
        "/code": (Atomic.CHAR, ("/y", "/x"), [[b"a", b"b", b"-"], [b"c", b"d", b"e"]]),
        "/forecast/height": (Atomic.INT64, ("/forecast/level", "/x"), [[1, 2, 3], [4, 5, 6]]),
    }
    assert list(shapes) == [
        *(f"/{n}" for n in ("temperature", "counts", "scale", "steps", "code")),
        "/forecast/height",
    ]
    attributes = {a.name: (a.type, a.values) for a in variable(dataset, "temperature").attributes}
    assert attributes == {
        "units": (Atomic.CHAR, ("K",)),
        "_FillValue": (Atomic.FLOAT, (-9.5,)),
        "valid_range": (Atomic.FLOAT, (0.0, 400.0)),
    }
    assert variable(dataset, "steps").attributes == (
        Attribute(name="flags", type=Atomic.BYTE, values=(1, 2)),
    )
    assert [a.name for a in dataset.root.attributes] == ["title", "number"]
    assert dataset.provenance.superblock == (1 if store == "nczarr-1" else 2)


def test_provenance():
    dataset, _ = read(objects_of("nczarr-4.10.1"))
    assert dataset.provenance.properties == "version=2,netcdf=4.10.1,nczarr=2.0.0"


def test_pure_zarr_is_listed_by_name_with_dimensions_by_group():
    dataset, notices = read(objects_of("zarr-python"))
    assert notices == []
    assert [v.name for v in dataset.root.variables] == [
        "code", "counts", "scale", "steps", "temperature",
    ]  # fmt: skip
    assert [(d.name, d.size) for d in dataset.root.dimensions] == [("y", 2), ("x", 3), ("t", 3)]
    forecast = dataset.root.groups[0]
    assert [(d.name, d.size) for d in forecast.dimensions] == [("level", 2), ("x", 3)]
    assert forecast.variables[0].dimensions == ("/forecast/level", "/forecast/x")
    assert dataset.provenance.superblock == 0


@pytest.mark.parametrize(
    "name", [*NCZARR, "zarr-python", "foreign/datatree-v2", "foreign/datatree-v3"]
)
def test_a_header_reads_no_document_twice(name):
    asked: list[str] = []

    class Counting(MemoryZmap):
        def get(self, key, *limit):
            asked.append(key)
            return super().get(key, *limit)

    open_dataset(Counting(objects_of(name), url="memory://x"), name="x")
    assert len(asked) > 5
    assert sorted(set(asked)) == sorted(asked)


def test_mode_zarr_reads_nczarr_as_pure():
    dataset, notices = read(objects_of("nczarr-4.10.1"), "zarr")
    assert "annotations-ignored" in [notice.code for notice in notices]
    assert variable(dataset, "scale").dimensions == ("/_scalar_",)
    assert variable(dataset, "code").type is Atomic.STRING
    assert not dataset.root.dimensions[0].unlimited
    assert dataset.provenance.superblock == 0


@pytest.mark.parametrize("version", ["v2", "v3"])
def test_annotations_that_the_mode_ignores_are_reported(tmp_path, run, version):
    text = b"netcdf s { dimensions: x = UNLIMITED ; variables: int v(x) ; data: v = 1 ; }"
    store = f"{tmp_path}/s.zarr#mode=zarr,{version}"
    run("gen", "-", "-o", store, stdin=text)
    done = run("dump", "-h", store)
    assert ("x = 1 ;" in done.text, "mode=zarr ignores annotations" in done.stderr) == (True, True)
    assert run("dump", "-h", tmp_path / "s.zarr").stderr == ""
    run("gen", "-", "-o", store, "--overwrite", "--no-annotations", "--allow-loss", stdin=text)
    assert run("dump", "-h", store).stderr == ""


def test_storage_shows_the_layout():
    shuffle, zlib = {"id": "shuffle", "elementsize": 0}, {"id": "zlib", "level": 5}
    dataset, notices = read(
        ROOT | {"v/.zarray": array(dtype=">i4", chunks=[2], filters=[shuffle], compressor=zlib)}
    )
    storage = variable(dataset, "v").storage
    assert notices == []
    assert (storage.chunks, storage.endianness, storage.fill) == ((2,), "big", 0)
    assert [f.to_json() for f in storage.filters or ()] == [shuffle, zlib]


def test_an_unknown_codec_still_has_a_header():
    dataset, notices = read(ROOT | {"v/.zarray": array(compressor={"id": "nosuch", "x": [1]})})
    assert variable(dataset, "v").type is Atomic.INT
    assert notices == []

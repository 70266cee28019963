"""Create the stores to measure with: floats of full precision, as models write them, or rounded.

They are pure Zarr, which every netCDF-C with support for Zarr reads.
"""

from __future__ import annotations

import functools
import io
import math
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ncz
from ncz.formats.opening import create_dataset
from ncz.formats.zarr.writing.options import WriteOptions
from ncz.formats.zarr.writing.writer import write_dataset
from ncz.model.data import ChunkSource, MemoryArray
from ncz.model.filters import Filter, make_filter
from ncz.model.grid import ChunkGrid, Index
from ncz.model.tree import Attribute, Dataset, Dimension, Group, Storage, Variable
from ncz.model.types import Atomic
from ncz.zmap.location import parse_location
from ncz.zmap.opening import create_zmap

ROUNDED, CONSTANT, MASKED, SMALL = "rounded", "constant", "masked", "small"

_FILL = 1e20
"""The value of missing elements in masked fields."""

_DIFFERENT = 16
"""Number of different chunks along an axis; making more would take longer than measuring."""


@dataclass(frozen=True, slots=True)
class Field(ChunkSource):
    """A smooth field with noise, generated chunk by chunk and reproducible."""

    grid: ChunkGrid
    type: Atomic
    kind: str = ""
    """ROUNDED if floats have only two decimals, as in some archives; CONSTANT if each chunk has one
    value; MASKED if half of the values are missing, like ocean data on land; SMALL if they are
    printed with exponents, like precipitation."""
    fill: Any = None

    def values_of(self, indices: Sequence[Index]) -> list[Any]:
        """Return the values of chunks."""
        return [self._values(index) for index in indices]

    def _values(self, index: Index) -> Any:
        """Return the values of one chunk."""
        if self.kind == CONSTANT:
            return _constant(index, self.grid.box(index).shape)
        different = tuple(each % _DIFFERENT for each in index)
        return _values(self.type, self.kind, different, self.grid.box(index).shape)


@functools.lru_cache(maxsize=_DIFFERENT)
def _values(nc_type: Atomic, kind: str, index: Index, shape: tuple[int, ...]) -> Any:
    import numpy as np

    random = np.random.default_rng(list(index) or [0])
    count = math.prod(shape)
    values = 280 + 20 * np.sin(np.arange(count) / 1e4 + sum(index))
    values = values + random.normal(0, 0.1, count)
    if not nc_type.is_floating:
        values = (values.round(2) * 1000).round()
    elif kind == ROUNDED:
        values = values.round(2)
    elif kind == SMALL:
        values = np.exp(random.normal(-12, 3, count))
    elif kind == MASKED:
        values[np.sin(np.arange(count) / 700) > 0] = _FILL
    return values.reshape(shape).astype(nc_type.dtype)


def _constant(index: Index, shape: tuple[int, ...]) -> Any:
    import numpy as np

    return np.full(shape, 0.5 + index[0])


def make(kind: str, store: Path, *arguments: object) -> None:
    """Create data in another process, because memory of this one would count for its children."""
    words = ["x".join(map(str, a)) if isinstance(a, tuple) else str(a) for a in arguments]
    command = [sys.executable, "-m", "benchmarks.data", kind, str(store), *words]
    subprocess.run(command, check=True, timeout=900)


def deflated(level: int) -> tuple[Filter, ...]:
    """Return zlib, or nothing for level 0. netCDF-C 4.9.0 decodes shuffle in Zarr incorrectly."""
    return (make_filter("zlib", level=level),) if level else ()


def make_field(
    path: Path, kind: str, shape: tuple[int, ...], chunks: tuple[int, ...], level: int
) -> None:
    """Create a store with one variable `v` of a type, or of a kind of floats."""
    floats = dict.fromkeys((ROUNDED, MASKED, SMALL), Atomic.FLOAT)
    nc_type = (floats | {CONSTANT: Atomic.DOUBLE}).get(kind) or Atomic[kind.upper()]
    fill = Attribute(name="_FillValue", type=nc_type, values=(_FILL,))
    names = [f"d{axis}" for axis in range(len(shape))]
    variable = Variable(
        name="v",
        type=nc_type,
        dimensions=tuple(f"/{name}" for name in names),
        attributes=(fill,) if kind == MASKED else (),
        storage=Storage(chunks=chunks, filters=deflated(level)),
        data=Field(ChunkGrid(shape, chunks), nc_type, kind),
    )
    dimensions = tuple(Dimension(name=n, size=s) for n, s in zip(names, shape, strict=True))
    _write(path, Group(dimensions=dimensions, variables=(variable,)))


def make_many(path: Path, count: int) -> None:
    """Create a store with `count` variables, each with two attributes and one chunk."""
    grid = ChunkGrid((10,), (10,))
    variables = tuple(
        Variable(
            name=f"v{number:05}",
            type=Atomic.FLOAT,
            dimensions=("/x",),
            attributes=(
                Attribute(name="units", type=Atomic.CHAR, values=("K",)),
                Attribute(name="valid_max", type=Atomic.FLOAT, values=(float(number),)),
            ),
            data=Field(grid, Atomic.FLOAT),
        )
        for number in range(count)
    )
    _write(path, Group(dimensions=(Dimension(name="x", size=10),), variables=variables))


def make_list(path: Path, kind: str, count: int) -> None:
    """Create a netCDF-4 file with one list: names of stations as char or string, or times."""
    import numpy as np

    nc_type = Atomic[kind.upper()]
    numbers = np.arange(count)
    names = [f"{_STATIONS[number % len(_STATIONS)]} {number}" for number in range(count)]
    sizes: tuple[int, ...] = (count,)
    values: Any = 1_700_000_000_000 + 1000 * numbers
    if nc_type is Atomic.CHAR:
        sizes = count, 32
        values = np.array([name.encode() for name in names], "S32").view("S1").reshape(sizes)
    elif nc_type is Atomic.STRING:
        values = np.array(names, object)
    dimensions = tuple(Dimension(name=f"d{axis}", size=n) for axis, n in enumerate(sizes))
    variable = Variable(
        name="v",
        type=nc_type,
        dimensions=tuple(f"/{each.name}" for each in dimensions),
        data=MemoryArray(values, nc_type),
    )
    dataset = Dataset(name="bench", root=Group(dimensions=dimensions, variables=(variable,)))
    create_dataset(dataset, parse_location(f"{path}#mode=netcdf-4"))


_STATIONS = ("Exeter", "Sheffield Manor Road", "Oslo", "O'Hare", "K")


def make_days(folder: Path, count: int) -> None:
    """Create a folder of `count` netCDF-4 files of one day each."""
    import numpy as np

    folder.mkdir()
    random = np.random.default_rng(1)
    head = (
        "dimensions: time = UNLIMITED ; y = 20 ; x = 30 ;\n"
        'variables: double time(time) ; time:units = "days since 2000-01-01" ;\n'
        " float y(y) ; float x(x) ; float t(time, y, x) ; float u(time, y, x) ;\n"
        f"data: y = {_numbers(20)} ; x = {_numbers(30)} ;"
    )
    for number in range(count):
        t, u = (", ".join(f"{v!r}f" for v in random.random(600).tolist()) for _ in "tu")
        text = f"netcdf day {{ {head} time = {number} ; t = {t} ; u = {u} ; }}"
        ncz.gen(io.BytesIO(text.encode()), folder / f"{number:05}.nc", kind="netCDF-4")


def make_months(folder: Path, count: int) -> None:
    """Create a folder of three classic files with `count` time steps in all.

    Values are packed as short, each file by its own scale, as archives of reanalyses deliver them.
    """
    import numpy as np

    folder.mkdir()
    random = np.random.default_rng(1)
    sizes = {"time": 0, "y": 281, "x": 451}
    field = sum(np.ix_(np.sin(np.arange(281) / 90), np.cos(np.arange(451) / 70)))
    for month in range(3):
        steps = np.arange(month * count // 3, (month + 1) * count // 3)
        sizes["time"] = len(steps)
        waves = 9000 * np.cos(steps / 60)[:, None, None] * field
        packed = waves + random.normal(0, 300, waves.shape)
        values = {"time": steps * 6.0, "y": np.arange(281) / 4, "x": np.arange(451) / 4}
        variables = [
            _coordinate(name, values[name], units)
            for name, units in (
                ("time", "hours since 2000-01-01"),
                ("y", "degrees_north"),
                ("x", "degrees_east"),
            )
        ]
        packing = {"scale_factor": 0.001 + month / 10_000, "add_offset": 280.0 + month}
        variable = Variable(
            name="v",
            type=Atomic.SHORT,
            dimensions=("/time", "/y", "/x"),
            attributes=tuple(
                Attribute(name=name, type=Atomic.DOUBLE, values=(value,))
                for name, value in packing.items()
            ),
            data=MemoryArray(packed.astype("i2"), Atomic.SHORT),
        )
        dimensions = tuple(
            Dimension(name=name, size=size, unlimited=name == "time")
            for name, size in sizes.items()
        )
        root = Group(dimensions=dimensions, variables=(*variables, variable))
        location = parse_location(f"{folder}/{month + 1}.nc#mode=netcdf-3")
        create_dataset(Dataset(name="month", root=root), location)


def _coordinate(name: str, values: Any, units: str) -> Variable:
    return Variable(
        name=name,
        type=Atomic.DOUBLE,
        dimensions=(f"/{name}",),
        attributes=(Attribute(name="units", type=Atomic.CHAR, values=(units,)),),
        data=MemoryArray(values, Atomic.DOUBLE),
    )


def _numbers(count: int) -> str:
    return ", ".join(map(str, range(count)))


def _write(path: Path, root: Group) -> None:
    with create_zmap(parse_location(f"{path}#mode=zarr"), overwrite=True) as zmap:
        write_dataset(Dataset(name="bench", root=root), zmap, WriteOptions(flavour="zarr"))


def main() -> None:
    """Run ``field PATH TYPE SHAPE CHUNKS LEVEL``, lengths joined by x, or ``many PATH COUNT``.

    ``days PATH COUNT`` and ``months PATH COUNT`` create a folder of files, and
    ``list PATH TYPE COUNT`` a list.
    """
    kind, path, *rest = sys.argv[1:]
    if kind == "list":
        make_list(Path(path), rest[0], int(rest[1]))
        return
    counted = {"many": make_many, "days": make_days, "months": make_months}
    if kind in counted:
        counted[kind](Path(path), int(rest[0]))
        return
    name, shape, chunks, level = rest
    lengths = [tuple(map(int, text.split("x"))) for text in (shape, chunks)]
    make_field(Path(path), name, lengths[0], lengths[1], int(level))


if __name__ == "__main__":
    main()

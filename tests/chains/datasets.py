"""Random datasets: numpy arrays, their attributes and masks, written by netCDF4."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from ncz.record import record

DTYPES = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "S1", "O")
SIZES = {"time": 5, "y": 4, "x": 3}


@record(kw_only=True)
class Held:
    """A variable in numpy: its stored values, its dimensions and its attributes."""

    dimensions: tuple[str, ...]
    values: Any
    attributes: dict[str, Any]
    chunks: tuple[int, ...] | None = None
    level: int = 0


def draw(random: Random) -> dict[str, Held]:
    """Return the variables of a dataset by their paths."""
    found: dict[str, Held] = {}
    for group in ("", "inner/")[: random.choice((1, 1, 2))]:
        for number in range(random.randint(1, 3)):
            found[f"{group}v{number}"] = _variable(random)
    if random.random() < 0.5:
        values = np.arange(SIZES["time"]) * random.choice((1, 6, 24))
        units = random.choice(("days", "hours", "seconds"))
        calendar = random.choice(("standard", "noleap", "360_day"))
        attributes = {"units": f"{units} since 2000-01-01", "calendar": calendar}
        found["time"] = Held(
            dimensions=("time",), values=values.astype(random.choice(("i4", "f8"))),
            attributes=attributes,
        )  # fmt: skip
    return found


def _variable(random: Random) -> Held:
    names = [name for name in SIZES if random.random() < 0.6]
    shape = tuple(SIZES[name] for name in names)
    dtype = random.choice(DTYPES)
    attributes: dict[str, Any] = {}
    if dtype == "O":
        values = np.empty(shape, "O")
        values[...] = "text"
        for index in np.ndindex(shape):
            values[index] = random.choice(("", "a", "é", "a longer text", "nan"))
    elif dtype == "S1":
        letters = [random.choice(b"abcxyz ") for _ in range(int(np.prod(shape)))]
        values = np.array(letters, "u1").view("S1").reshape(shape)
    else:
        values = _numbers(random, np.dtype(dtype), shape)
        _describe(random, np.dtype(dtype), values, attributes)
    if random.random() < 0.5:
        attributes["long_name"] = random.choice(("a name", "é", "1", '{"a": 1}'))
    chunks = None
    if names and random.random() < 0.5:
        chunks = tuple(random.randint(1, SIZES[name]) for name in names)
    is_number = dtype not in ("O",)
    level = random.choice((0, 4)) if chunks and is_number else 0
    return Held(
        dimensions=tuple(names), values=values, attributes=attributes, chunks=chunks, level=level
    )


def _numbers(random: Random, dtype: Any, shape: tuple[int, ...]) -> Any:
    count = int(np.prod(shape))
    if dtype.kind == "f":
        special = (0.0, -0.0, 1.5, 1e-30, float("nan"), float("inf"), -9999.0)
        numbers = [
            random.choice(special) if random.random() < 0.3 else random.uniform(-1e3, 1e3)
            for _ in range(count)
        ]
        return np.array(numbers, dtype).reshape(shape)
    limits = np.iinfo(dtype)
    edges = (0, 1, int(limits.min), int(limits.max))
    integers = [
        random.choice(edges) if random.random() < 0.3
        else random.randint(int(limits.min), int(limits.max))
        for _ in range(count)
    ]  # fmt: skip
    return np.array(integers, dtype).reshape(shape)


def _describe(random: Random, dtype: Any, values: Any, attributes: dict[str, Any]) -> None:
    """Add a mask or packing."""
    if random.random() < 0.4:
        mask = random.choice((0, 1, 99)) if dtype.kind != "f" else random.choice((-9999.0, 0.0))
        attributes["_FillValue"] = dtype.type(mask)
        if values.size and random.random() < 0.5:
            values[(0,) * values.ndim] = mask
    if dtype.itemsize <= 2 and random.random() < 0.3:
        attributes["scale_factor"] = random.choice((0.5, 0.01))
        attributes["add_offset"] = random.choice((0.0, 273.15))


def write(held: dict[str, Held], path: Path) -> None:
    """Write a dataset with netCDF4."""
    import netCDF4

    with netCDF4.Dataset(path, "w") as file:
        used = {name for each in held.values() for name in each.dimensions}
        for name in SIZES:
            if name in used:
                file.createDimension(name, None if name == "time" else SIZES[name])
        for path_in_file, each in held.items():
            options: dict[str, Any] = {"fill_value": each.attributes.get("_FillValue")}
            if each.chunks:
                options["chunksizes"] = each.chunks
            if each.level:
                options |= {"zlib": True, "complevel": each.level}
            dtype = str if each.values.dtype == "O" else each.values.dtype
            made = file.createVariable(path_in_file, dtype, each.dimensions, **options)
            made.set_auto_maskandscale(False)
            made.set_auto_chartostring(False)
            others = {k: v for k, v in each.attributes.items() if k != "_FillValue"}
            made.setncatts(others)
            made[...] = each.values

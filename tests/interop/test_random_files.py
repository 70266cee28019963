"""Property: xarray sees the same in a copy of any netCDF-4 file, decoded and as stored.

netCDF-C writes the files. Groups, names, types, byte orders, attributes, masks, packing, times,
filters, chunks and unwritten values are random. A notice may name parts that xarray sees
differently; such a copy is not compared.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, note, settings
from hypothesis import strategies as st

import ncz
from ncz.record import record
from tests.sampled import share_of

xarray = pytest.importorskip("xarray", reason="xarray is not installed")
pytest.importorskip("zarr", reason="zarr is not installed")
netCDF4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")

Draw = Callable[[st.SearchStrategy[Any]], Any]

EXAMPLES = int(os.environ.get("NCZ_CHAIN_EXAMPLES", share_of(50)))
"""Number of files for each target; ``make interop`` tries more."""

TARGETS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "default": ("copy.zarr", "zarr", {}),
    "cloud": ("copy.zarr", "zarr", {"cloud": True}),
    "v2": ("copy.zarr", "zarr", {"modes": ["zarr", "v2"]}),
    "v3": ("copy.zarr", "zarr", {"modes": ["zarr", "v3"]}),
    "references": ("copy.json", "kerchunk", {}),
    "netcdf": ("copy.nc", "netcdf4", {}),
}
"""Name -> the name of the copy, xarray's engine for it, and the options of `ncz.copy`."""

SAID = {
    "mask-renamed", "mask-left-out", "packed-as-double", "codec-not-widespread",
}  # fmt: skip
"""Codes of notices about parts that xarray sees differently."""

SIZES = {"x": 3, "y": 2, "t": 4, "none": 0, "unlimited": 3}
INTEGERS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")
NUMBERS = (*INTEGERS, "f4", "f8")
ATTRIBUTES = (
    "units", "long_name", "with blank", "é", "dtype", "chunks", "compressor", "filters", "shape",
    "coordinates", "grid_mapping", "bounds", "valid_range", "flag_values", "_Storage", "a.b",
    "fill_value", "attrs", "zarr_format", "name", "history",
)  # fmt: skip
UNITS = (
    "days since 2000-01-01", "hours since 1900-01-01 00:00:00", "seconds since 1970-01-01T00:00Z",
    "months since 2000-01-01", "days since -4712-01-01", "days", "seconds", "nonsense since x",
)  # fmt: skip
CALENDARS = ("standard", "noleap", "360_day", "julian", "366_day", "none", "other", "NOLEAP")
ODD = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5)
TEXTS = st.sampled_from(["", "a", "NaN", "é", "日本", "x y", "null", "1", "[1]", "a\nb"]) | ODD


@record(kw_only=True)
class Drawn:
    """A variable: the arguments of `createVariable`, its attributes and its values.

    `rows` is the number of written ones; None means all.
    """

    name: str
    dimensions: tuple[str, ...]
    dtype: Any
    how: Mapping[str, Any]
    attributes: Mapping[str, Any]
    values: Any
    rows: int | None


@record(kw_only=True)
class DrawnGroup:
    """A group: its attributes, variables and groups."""

    attributes: Mapping[str, Any]
    variables: tuple[Drawn, ...]
    groups: Mapping[str, DrawnGroup]


def numbers(dtype: str) -> st.SearchStrategy[Any]:
    """Numbers of a dtype, the limits and netCDF's fill values often among them."""
    if dtype[0] == "f":
        usual = [0.0, -0.0, 1.5, 0.1, np.nan, np.inf, -999.0, 9.969209968386869e36, 1e20]
        return st.sampled_from(usual) | st.floats(width=32 if dtype == "f4" else 64)
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    often = [n for n in (0, 1, -1, 255, -127, low, high, high - 1, -32767) if low <= n <= high]
    return st.sampled_from(often) | st.integers(low, high)


@st.composite
def attribute_values(draw: Draw) -> Any:
    """A text, a number, numbers or strings."""
    kind = draw(st.sampled_from(["text", "number", "numbers", "strings"]))
    if kind == "text":
        return draw(TEXTS)
    if kind == "strings":
        return draw(st.lists(TEXTS, min_size=2, max_size=3))
    dtype = draw(st.sampled_from(NUMBERS))
    if kind == "number":
        return np.dtype(dtype).type(draw(numbers(dtype)))
    return np.array(draw(st.lists(numbers(dtype), min_size=2, max_size=3)), dtype)


def attributes(most: int) -> st.SearchStrategy[dict[str, Any]]:
    """Attributes of any variable or group."""
    return st.dictionaries(st.sampled_from(ATTRIBUTES), attribute_values(), max_size=most)


@st.composite
def variables(draw: Draw, name: str) -> Drawn:
    """A variable of numbers, packed or masked or times or truth values, of chars or strings."""
    kinds = ["number", "number", "packed", "time", "masked", "bool", "unsigned", "char", "string"]
    kind = draw(st.sampled_from(kinds))
    dimensions = tuple(draw(st.lists(st.sampled_from(list(SIZES)), max_size=3, unique=True)))
    if dimensions and draw(st.integers(0, 4)) == 0:
        name, dimensions = dimensions[0], dimensions[:1]  # a coordinate
    shape = tuple(SIZES[d] for d in dimensions)
    own: dict[str, Any] = {}
    how: dict[str, Any] = {}
    dtype: Any
    if kind == "string":
        dtype, elements = str, TEXTS
    elif kind == "char":
        dtype, elements = "S1", st.sampled_from([b"a", b"", b" ", b"\xc3", b"\xa9", b"\xff"])
        if draw(st.integers(0, 3)) == 0:
            own["_Encoding"] = draw(st.sampled_from(["utf-8", "ascii", "latin-1"]))
    else:
        dtype = draw(st.sampled_from(_DTYPES.get(kind, NUMBERS)))
        elements = numbers(dtype)
        own = draw(_conventions(kind, dtype))
        how["endian"] = draw(st.sampled_from(["native", "big", "little"]))
        if dimensions:
            how["compression"] = draw(st.sampled_from([None, "zlib", "zstd", "bzip2"]))
            how["shuffle"], how["fletcher32"] = draw(st.booleans()), draw(st.booleans())
    if kind == "masked" or draw(st.integers(0, 3)) == 0:
        how["fill_value"] = draw(elements)
    if dimensions and all(shape) and draw(st.booleans()):
        how["chunksizes"] = tuple(draw(st.integers(1, length)) for length in shape)
    flat = np.empty(int(np.prod(shape)), "O" if dtype is str else dtype)
    flat[:] = draw(st.lists(elements, min_size=flat.size, max_size=flat.size))
    return Drawn(
        name=name,
        dimensions=dimensions,
        dtype=dtype,
        how=how,
        attributes={**draw(attributes(3)), **own},
        values=flat.reshape(shape),
        rows=draw(st.sampled_from([None, None, 0, 1])),
    )


_DTYPES = {
    "packed": ("i1", "i2", "u1", "u2", "i4", "f4"),
    "time": ("i2", "i4", "i8", "f4", "f8"),
    "bool": ("i1", "u1"),
    "unsigned": ("i1", "i2", "i4", "u1", "u2"),
}


@st.composite
def _conventions(draw: Draw, kind: str, dtype: str) -> dict[str, Any]:
    """The attributes that xarray uses to decode numbers."""
    found: dict[str, Any] = {}
    if kind == "packed":
        of = draw(st.sampled_from(["f4", "f8"]))
        found["scale_factor"] = np.dtype(of).type(draw(st.sampled_from([0.5, 0.1, 10, 0.01])))
        if draw(st.booleans()):
            found["add_offset"] = np.dtype(of).type(draw(st.sampled_from([0, 273.15, -5])))
    elif kind == "bool":
        found["dtype"] = "bool"
    elif kind == "unsigned":
        found["_Unsigned"] = draw(st.sampled_from(["true", "false", "True"]))
    elif kind == "time":
        found["units"] = draw(st.sampled_from(UNITS))
        if draw(st.booleans()):
            found["calendar"] = draw(st.sampled_from(CALENDARS))
    elif kind == "masked":
        of = draw(st.sampled_from([dtype, dtype, *NUMBERS]))
        found["missing_value"] = np.dtype(of).type(draw(numbers(of)))
    return found


@st.composite
def groups(draw: Draw, depth: int = 0) -> DrawnGroup:
    """A group of a few variables, at times with groups."""
    names = ("v", "w", "with blank", "é", "a.b", "1st", "_q", "V")
    chosen = draw(st.lists(st.sampled_from(names), max_size=3, unique=True))
    found = {v.name: v for v in (draw(variables(name)) for name in chosen)}
    inner = ("g", "g h") if depth < 2 and draw(st.integers(0, 4)) == 0 else ()
    return DrawnGroup(
        attributes=draw(attributes(2)),
        variables=tuple(found.values()),
        groups={name: draw(groups(depth + 1)) for name in inner},
    )


def write(path: Path, drawn: DrawnGroup) -> None:
    """Write a file as netCDF-C does."""
    with netCDF4.Dataset(path, "w") as file:
        file.set_auto_mask(False)
        for name, size in SIZES.items():
            file.createDimension(name, None if name == "unlimited" else size)
        _write_group(file, drawn)


def _write_group(group: Any, drawn: DrawnGroup) -> None:
    group.setncatts(drawn.attributes)
    for one in drawn.variables:
        dtype = one.dtype
        if one.how.get("endian") in ("big", "little"):
            dtype = np.dtype(dtype).newbyteorder(one.how["endian"])
        variable = group.createVariable(one.name, dtype, one.dimensions, **one.how)
        variable.set_auto_maskandscale(False)
        variable.set_auto_chartostring(False)
        variable.setncatts(one.attributes)
        if not one.dimensions:
            if one.rows is None:
                variable[...] = one.values.item() if dtype is str else one.values[()]
        elif all(one.values.shape) and one.rows != 0:
            variable[: one.rows] = one.values[: one.rows]
    for name, inner in drawn.groups.items():
        _write_group(group.createGroup(name), inner)


RAW = dict.fromkeys(("mask_and_scale", "decode_times", "decode_coords", "concat_characters"), False)


def seen(path: Path, engine: str, options: Mapping[str, Any], *, tree: bool) -> Any:
    """Return the dataset of each group in xarray, or the type of the error that it raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of codecs without a specification, dates without a unit
        try:
            if not tree:
                return {"/": xarray.load_dataset(str(path), engine=engine, **options)}
            opened = xarray.open_groups(str(path), engine=engine, **options)
            found = {name: dataset.load() for name, dataset in opened.items()}
            for dataset in opened.values():
                dataset.close()
        except Exception as error:  # the same error is the same sight
            return type(error)
        return found


def differences(before: Any, after: Any) -> list[str]:
    """Return the differences of groups; a double may equal a float."""
    if isinstance(before, type) or isinstance(after, type):
        # A store may be readable when a netCDF file is not, as some attributes have another type.
        return [] if before is after or isinstance(before, type) else [f"raises {after}"]
    found = [] if before.keys() == after.keys() else [f"groups {list(after)}"]
    for group in before.keys() & after.keys():
        old, new = before[group].variables, after[group].variables
        if not xarray.core.utils.dict_equiv(before[group].attrs, after[group].attrs):
            found.append(f"{group}: attributes {after[group].attrs}")
        if old.keys() != new.keys() or before[group].coords.keys() != after[group].coords.keys():
            found.append(f"{group}: variables {list(new)}")
        for name in old.keys() & new.keys():
            dtypes = [_dtype(one[name]) for one in (old, new)]
            if dtypes == ["float32", "float64"] or dtypes[0] == dtypes[1]:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # kerchunk's engine decodes dates only now
                    is_same = old[name].identical(new[name])
                if not is_same:
                    found.append(f"{group}: {old[name]} became {new[name]}")
            else:
                found.append(f"{group}: {name}: {dtypes[0]} became {dtypes[1]}")
    return found


def _dtype(variable: Any) -> str:
    return "text" if variable.dtype.kind in "TUO" else str(variable.dtype)


EARLY_DATES = Drawn(
    name="w",
    dimensions=("x",),
    dtype="i2",
    how={"endian": "native"},
    attributes={"units": "days since -4712-01-01"},
    values=np.zeros(3, "i2"),
    rows=None,
)

NAN_BEFORE_DATES = Drawn(
    name="v",
    dimensions=("t",),
    dtype="f4",
    how={},
    attributes={"units": "days since -4712-01-01"},
    values=np.array([np.nan, 1, np.inf, 3], "f4"),
    rows=None,
)
"""xarray raises an error for the first value of these dates, if it decodes that alone."""


@pytest.mark.parametrize("target", TARGETS)
@example(DrawnGroup(attributes={}, variables=(NAN_BEFORE_DATES,), groups={}))
@example(DrawnGroup(attributes={}, variables=(EARLY_DATES,), groups={}))
@given(groups())
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow])
def test_xarray_sees_the_same_in_a_copy_of_any_file(target, drawn):
    name, engine, options = TARGETS[target]
    if engine not in xarray.backends.list_engines():
        pytest.skip(f"xarray's engine {engine} is not installed")
    tree = engine != "kerchunk" and bool(drawn.groups)
    with tempfile.TemporaryDirectory() as temporary:
        source, copy = Path(temporary) / "source.nc", Path(temporary) / name
        write(source, drawn)
        notices: list[ncz.Notice] = []
        try:
            ncz.copy(source, copy, notify=notices.append, **options)
        except ncz.LossError as error:
            note(f"refused: {error}")
            return
        if SAID & {notice.code for notice in notices}:
            return
        # kerchunk's engine reads through Dask, and xarray then decodes the first value alone.
        through: dict[str, Any] = {"chunks": {}} if engine == "kerchunk" else {}
        for how in ({}, RAW):
            before = seen(source, "netcdf4", {**how, **through}, tree=tree)
            assert not differences(before, seen(copy, engine, how, tree=tree))

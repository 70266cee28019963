"""Properties: however a dataset of xarray is taken from form to form, xarray decodes the same.

Datasets are random in dtype, packing, mask, calendar, missing chunks and scalars; a chain is up to
three copies, or texts that are dumped and made stores again. Values that the limits of a form would
change are not drawn.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from ncz.record import record
from tests.interop.contents.writing import Version, by_xarray
from tests.interop.readers import read_xarray
from tests.interop.seen import differences
from tests.interop.targets import TARGETS, make_target

pytest.importorskip("xarray", reason="xarray is not installed")
pytest.importorskip("zarr", reason="zarr is not installed")

Draw = Callable[[st.SearchStrategy[Any]], Any]

FORMS = tuple(name for name, form in TARGETS.items() if form.zarr_format)
CALENDARS = ("standard", "noleap", "360_day", "julian")
EXAMPLES = int(os.environ.get("NCZ_CHAIN_EXAMPLES", "30"))
"""Number of chains; ``make interop`` tries more."""

INTEGERS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")


@record(kw_only=True)
class Drawn:
    """One variable: its values as xarray decodes them, and its encoding."""

    dimensions: tuple[str, ...]
    values: Any
    encoding: dict[str, Any]


@st.composite
def variables(draw: Draw) -> Drawn:
    """Numbers, packed or not, booleans, times or texts, over no, one or two dimensions."""
    dimensions = draw(st.sampled_from([(), ("x",), ("y",), ("y", "x")]))
    shape = tuple({"x": 4, "y": 3}[name] for name in dimensions)
    kind = draw(st.sampled_from(["integer", "float", "packed", "bool", "time", "text"]))
    encoding: dict[str, Any] = {}
    mask: int | float | None = None
    if kind == "integer":
        dtype = draw(st.sampled_from(INTEGERS))
        limits = np.iinfo(dtype)
        values = _array(
            draw, shape, st.sampled_from([limits.min, 0, 1, limits.max // 2, limits.max]), dtype
        )
        encoding["dtype"] = dtype
    elif kind == "float":
        dtype = draw(st.sampled_from(["f4", "f8"]))
        numbers = st.sampled_from([0.0, -1.5, 0.1, 273.15, 1e20, np.nan, np.inf])
        values = _array(draw, shape, numbers, dtype)
        mask = draw(st.sampled_from([None, np.nan, -999.0, 1e35]))
        encoding["_FillValue"] = mask
    elif kind == "packed":
        dtype = draw(st.sampled_from(["i2", "u2", "i4"]))
        mask = draw(st.sampled_from([None, -1, 0, 7])) if dtype != "u2" else 65535
        values = _array(draw, shape, st.sampled_from([0.0, 0.5, 1.0, 40.5]), "f8")
        if mask is not None:
            values = np.where(values == 40.5, np.nan, values)
        encoding |= {"dtype": dtype, "scale_factor": 0.5, "add_offset": 0.0, "_FillValue": mask}
    elif kind == "bool":
        values = _array(draw, shape, st.booleans(), "?")
    elif kind == "time":
        values = _times(draw, shape, encoding)
    else:
        values = _array(draw, shape, st.sampled_from(["", "a", "Ørland", "long text"]), "O")
    if dimensions:
        encoding["chunks"] = tuple(draw(st.integers(1, n + 1)) for n in shape)
    return Drawn(dimensions=dimensions, values=values, encoding=encoding)


def _array(draw: Draw, shape: tuple[int, ...], elements: Any, dtype: str) -> Any:
    size = int(np.prod(shape))
    flat = np.empty(size, dtype)
    flat[:] = draw(st.lists(elements, min_size=size, max_size=size))
    return flat.reshape(shape)


def _times(draw: Draw, shape: tuple[int, ...], encoding: dict[str, Any]) -> Any:
    """Dates of a calendar, the reference date among them."""
    import cftime

    calendar = draw(st.sampled_from(CALENDARS))
    unit = draw(st.sampled_from(["days", "hours", "seconds"]))
    encoding |= {"units": f"{unit} since 2000-01-01", "dtype": draw(st.sampled_from(["i8", "f8"]))}
    if encoding["dtype"] == "f8":
        encoding["_FillValue"] = None
    days = _array(draw, shape, st.sampled_from([0, 1, 27, 365]), "i8")
    if calendar == "standard":
        encoding["calendar"] = calendar
        return np.datetime64("2000-01-01", "ns") + days.astype("m8[D]")
    flat = [cftime.num2date(n, "days since 2000-01-01", calendar) for n in days.reshape(-1)]
    found = np.empty(days.size, "O")
    found[:] = flat
    return found.reshape(shape)


def is_sound(version: Version, chain: tuple[str, ...], drawn: list[Drawn]) -> bool:
    """Whether no limit of `tests.interop.limits` would show on the way."""
    if "zip-nczarr-v2" in chain:
        return False  # zarr-python does not open it
    formats = [version]
    for name in chain:
        formats.append(TARGETS[name].format_of(formats[-1]))
    is_nczarr_v2 = any(
        TARGETS[name].mode == "nczarr" and made == 2
        for name, made in zip(chain, formats[1:], strict=True)
    )
    return not is_nczarr_v2 or all(d.dimensions for d in drawn)  # scalars have the shape [1] there


@st.composite
def cases(draw: Draw) -> tuple[Version, tuple[str, ...], list[Drawn], bool]:
    """A format, a chain of forms, variables, and whether chunks with only fill are written."""
    drawn = draw(st.lists(variables(), min_size=1, max_size=3))
    version: Version = draw(st.sampled_from([2, 3]))
    chain: tuple[str, ...] = ()
    for _ in range(draw(st.integers(1, 3))):
        longer = [(*chain, form) for form in FORMS if is_sound(version, (*chain, form), drawn)]
        chain = draw(st.sampled_from(longer))
    return version, chain, drawn, draw(st.booleans())


@given(cases())
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow])
def test_any_chain_of_copies_and_texts_keeps_the_decoded_values_of_xarray(case):
    version, chain, drawn, write_empty_chunks = case
    with tempfile.TemporaryDirectory() as temporary:
        store = Path(temporary) / "source.zarr"
        write(store, version, drawn, write_empty_chunks=write_empty_chunks)
        before = read_xarray(store)
        for number, name in enumerate(chain):
            target = Path(temporary) / f"{number}.{TARGETS[name].suffix}"
            done = make_target(store, TARGETS[name], target)
            assert not done.crash, done.crash
            if done.code:
                note(f"refused: {done.error}")
                return
            store = target
        netcdf = any(TARGETS[name].is_netcdf for name in chain)
        assert not differences(before, read_xarray(store), netcdf=netcdf, stored=False)


def write(store: Path, version: Version, drawn: list[Drawn], *, write_empty_chunks: bool) -> None:
    """Write the dataset of the variables ``v0``, ``v1``, ..."""
    import xarray

    named = {f"v{i}": d for i, d in enumerate(drawn)}
    to_zarr = by_xarray(
        lambda: xarray.Dataset({n: (d.dimensions, d.values) for n, d in named.items()}),
        {name: d.encoding for name, d in named.items()},
        write_empty_chunks=write_empty_chunks,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of packing without a mask, which is on purpose
        to_zarr(store, version)

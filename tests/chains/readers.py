"""Values that other programs read at the end of a chain, compared with numpy arrays."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.chains.datasets import Held
from tests.chains.steps import State


def differences(state: State) -> list[str]:
    """Return the values that readers see and numpy does not hold."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = _tried("xarray", _by_xarray(state))
        if state.is_netcdf:
            return found + _tried("netCDF4", _by_netcdf4(state))
        return found + _tried("zarr-python", _by_zarr_python(state))


def _tried(reader: str, differences: Iterator[str]) -> list[str]:
    """Return differences; an error of a reader is one."""
    found: list[str] = []
    try:
        found.extend(differences)
    except Exception as error:  # with any exception, the reader did not read the dataset
        found.append(f"{reader} fails: {type(error).__name__}: {error}")
    return found


def _by_xarray(state: State) -> Iterator[str]:
    """Compare stored and decoded values, as xarray with its own engines has them."""
    import xarray

    engine = "netcdf4" if state.is_netcdf else "zarr"
    place = _store(state)
    options: dict[str, Any] = {} if state.is_netcdf else {"consolidated": None}
    for group in sorted({name.rpartition("/")[0] for name in state.held}):
        for decodes in (False, True):
            with xarray.open_dataset(
                place, engine=engine, group=group or None, mask_and_scale=decodes,
                decode_times=False, concat_characters=False, **options,
            ) as opened:  # fmt: skip
                for name, held in _in_group(state, group):
                    if name not in opened.variables:
                        yield f"xarray has no {group}/{name}"
                        continue
                    expected = decoded(held) if decodes else held.values
                    yield from _compare(f"xarray {decodes} {name}", opened[name].values, expected)


def _store(state: State) -> Any:
    """Return a dataset as zarr-python takes it."""
    if state.path.suffix != ".zip":
        return state.path
    from zarr.storage import ZipStore

    return ZipStore(state.path, mode="r")


def decoded(held: Held) -> Any:
    """Return values without masked ones and packing, by the rules of the conventions."""
    values = held.values
    if values.dtype.kind not in "iuf":
        return values
    mask = held.attributes.get("_FillValue")
    scale, offset = held.attributes.get("scale_factor"), held.attributes.get("add_offset")
    if mask is None and scale is None:
        return values
    result = values.astype("f8")
    if mask is not None:
        result[values == mask] = np.nan
    if scale is not None:
        result = result * scale + (offset or 0.0)
    return result


def _in_group(state: State, group: str) -> Iterator[tuple[str, Held]]:
    for name, held in state.held.items():
        above, _, last = name.rpartition("/")
        if above == group:
            yield last, held


def _by_netcdf4(state: State) -> Iterator[str]:
    import netCDF4

    with netCDF4.Dataset(state.path) as file:
        file.set_auto_maskandscale(False)
        file.set_auto_chartostring(False)
        for name, held in state.held.items():
            yield from _compare(f"netCDF4 {name}", file[name][...], held.values)
            for attribute in ("long_name", "note", "units"):
                if attribute in held.attributes:
                    found = file[name].getncattr(attribute)
                    if found != held.attributes[attribute]:
                        yield f"netCDF4 {name}:{attribute} is {found!r}"


def _by_zarr_python(state: State) -> Iterator[str]:
    import zarr

    group = zarr.open_group(_store(state), mode="r")
    for name, held in state.held.items():
        values = np.asarray(group[name][...])
        if held.values.dtype.kind in "iuf":
            yield from _compare(f"zarr-python {name}", values, held.values)
        for attribute in ("long_name", "note", "units"):
            if attribute in held.attributes:
                found = dict(group[name].attrs).get(attribute)
                if found != held.attributes[attribute]:
                    yield f"zarr-python {name}:{attribute} is {found!r}"


def _compare(what: str, found: Any, expected: Any) -> Iterator[str]:
    found = np.asarray(found)
    if found.shape != expected.shape:
        yield f"{what} has the shape {found.shape}, not {expected.shape}"
    elif expected.dtype.kind == "f" and found.dtype.kind == "f":
        is_close = np.isclose(found, expected, rtol=1e-5, atol=1e-6, equal_nan=True)
        is_same = is_close if found.dtype != expected.dtype else (
            (found == expected) | (np.isnan(found) & np.isnan(expected))
        )  # fmt: skip
        if not np.all(is_same):
            yield f"{what}: {found.tolist()}, not {expected.tolist()}"
    elif expected.dtype.kind == "S" and found.dtype.kind == "u":
        return  # NCZarr V3 has chars as numbers, which docs/reference/nczarr-v3.md says
    elif expected.dtype.kind in "OS":
        texts = [_text(each) for each in found.ravel()]
        wanted = [_text(each) for each in expected.ravel()]
        if texts != wanted:
            yield f"{what}: {texts}, not {wanted}"
    elif not np.array_equal(found, expected):
        yield f"{what}: {found.tolist()}, not {expected.tolist()}"


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)

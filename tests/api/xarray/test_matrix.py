"""The engine "ncz" compared with xarray's own on every store of the interoperability table.

``make test`` takes one kind of content; ``make test-long`` takes all.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.sampled import sampled

xr = pytest.importorskip("xarray", reason="xarray is not installed (make setup)")
zarr = pytest.importorskip("zarr", reason="zarr is not installed (make setup)")

from ncz.api.xarray import NczBackendEntrypoint as ENGINE  # noqa: E402
from tests.api.xarray.complex_numbers import with_complex  # noqa: E402
from tests.api.xarray.test_equal import DECODINGS, as_text, opened  # noqa: E402
from tests.interop.cells import make  # noqa: E402
from tests.interop.kinds import KINDS, VERSIONS, write_kind  # noqa: E402
from tests.interop.targets import TARGETS, run_ncz  # noqa: E402

NETCDF = {"netcdf4": "netCDF4", "h5netcdf": "h5netcdf"}
"""The engines for netCDF files, and the packages that they need."""

BYTES = "native-bytes"
"""Bytes of any length, which are objects in pure Zarr, and text in netCDF and NCZarr."""

NUMPY_TIMES = ("native-types", "native-missing-times")
"""Kinds with the times of numpy, which are numbers with units until they are decoded."""

CASES = list(itertools.product(KINDS, VERSIONS))

UNOPENED = ("pyramid", "unnamed")
"""Kinds that xarray's engine opens in no form."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("matrix")


def alike(found: Any, expected: Any) -> tuple[Any, Any]:
    """Return two datasets without parts that netCDF cannot distinguish, or ncz corrects.

    These parts are lists of one number, notes of NCZarr, the dimension of its scalars, and text
    that NCZarr stores as bytes of a fixed length.
    """
    for holder in (expected, *expected.variables.values()):
        for name, value in list(holder.attrs.items()):
            if name.startswith("_nczarr"):
                del holder.attrs[name]
            elif isinstance(value, list) and len(value) == 1:
                holder.attrs[name] = value[0]
    if "_scalar_" in expected.dims:
        expected = expected.isel(_scalar_=0)
    for name, variable in expected.variables.items():
        if variable.dtype.kind == "S" and name in found and found[name].dtype.kind in "UO":
            values = np.char.decode(variable.values, "utf-8")
            expected = expected.assign({name: (variable.dims, values, variable.attrs)})
    return found, expected


def opaque(dataset: Any) -> set[Any]:
    """Return the names of variables of opaque values."""
    kinds = {name: variable.dtype for name, variable in dataset.variables.items()}
    return {name for name, dtype in kinds.items() if dtype.kind == "V" and not dtype.names}


def _comparable(dataset: Any) -> Any:
    """Turn structures into text: NaN within them is not equal to itself."""
    for name, variable in dataset.variables.items():
        if variable.dtype.names:
            texts = [str(value.tolist()) for value in variable.values.ravel()]
            values = np.array(texts, object).reshape(variable.shape)
            dataset = dataset.assign({name: (variable.dims, values, variable.attrs)})
    return dataset


def differences(place: Path, engine: str, kind: str, *, is_netcdf: bool) -> tuple[int, list[str]]:
    """Return the number of stores that an engine opens, and the differences from ncz."""
    count, found = 0, []
    # NCZarr has JSON that netCDF has no type for as text, and NaN as a word.
    are_attributes_same = not (is_netcdf and kind.startswith("attributes"))
    same = xr.testing.assert_identical if are_attributes_same else xr.testing.assert_equal
    for options in DECODINGS[: 1 if kind in NUMPY_TIMES else None]:
        try:
            expected = as_text(opened(_source(place), engine, **options))
        except Exception:  # another library may raise anything
            continue
        count += 1
        found_here = as_text(opened(place, ENGINE, **options))
        if engine == "netcdf4":  # it leaves out opaque values
            found_here = found_here.drop_vars(opaque(found_here) - set(expected.variables))
            expected = with_complex(expected, found_here)  # h5netcdf and ncz read the numbers
        try:
            same(*map(_comparable, alike(found_here, expected)))
        except AssertionError as error:
            found.append(f"{place}, {engine}, {options}: {error}")
    return count, found


@pytest.mark.parametrize(("kind", "version"), sampled(CASES, len(CASES)))
def test_the_engines_agree_on_every_store(kind, version, folder):
    source = write_kind(kind, version, folder)
    stores = {source: False}
    turn = [*KINDS].index(kind) + version
    targets = [*TARGETS.items()][turn % 2 :: 2]  # each has every kind and both versions
    for name, target in targets if kind != BYTES else ():  # metadata of ncz mark them as text
        made = make(kind, version, name, folder)
        if not made.done.code:
            stores[made.store] = target.is_netcdf
    total = 0
    for store, is_netcdf in stores.items():
        count, found = differences(store, "zarr", kind, is_netcdf=is_netcdf)
        assert found == []
        total += count
    assert (total > 0) == (kind not in UNOPENED)


@pytest.mark.parametrize(("kind", "version"), sampled(CASES, len(CASES)))
@pytest.mark.parametrize("engine", NETCDF)
def test_the_engines_agree_on_every_file(engine, kind, version, folder):
    pytest.importorskip(NETCDF[engine], reason="make setup")
    source = write_kind(kind, version, folder)
    file = folder / f"{kind}-v{version}.nc"
    if not file.exists():
        assert run_ncz("copy", str(source), str(file), "--allow-loss", "-d", "4")[0].code == 0
    _, found = differences(file, engine, kind, is_netcdf=True)
    assert found == []


def _source(store: Path) -> Any:
    """Return the stores that xarray's engines take."""
    is_zip = store.suffix == ".zip"
    return zarr.storage.ZipStore(store, mode="r") if is_zip else store

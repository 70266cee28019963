"""The engine "ncz" gives the same datasets as xarray's own engines, on the stores they can open.

``make test`` takes a sixth of the examples.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import ncz
from ncz.errors import LossError, ignore_notice
from tests.conftest import EXAMPLES, ROOT
from tests.sampled import sampled

xr = pytest.importorskip("xarray", reason="xarray is not installed (make setup)")

from ncz.api.xarray import NczBackendEntrypoint as ENGINE  # noqa: E402

STORES = ROOT / "tests" / "stores"
WRITTEN_BY_OTHERS = [
    *sorted(path for path in (STORES / "foreign").iterdir() if path.is_dir()),
    *(STORES / name for name in ("zarr-python", "nczarr-1", "nczarr-4.9.2", "nczarr-4.10.1")),
]
PLUGINS = {"codecs", "filters"}
"""Examples whose netCDF files need plugins of HDF5, which h5py and netCDF4 cannot share."""
MASKED_BY_NCZ = {"zarr-python": ["code"]}
"""Char whose ``_FillValue`` is an attribute, which xarray's engine for Zarr does not apply."""
DECODINGS = [{}, {"decode_cf": False}]
NOT_IN_ZARR_PYTHON = {"names": ["back\\slash"]}
"""Variables that zarr-python does not find, because it takes a backslash for a separator."""


def opened(source, engine, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return xr.open_dataset(source, engine=engine, **options).load()


def as_text(dataset):
    """Turn strings of a fixed length, which zarr-python gives as bytes, into text."""
    for name, variable in dataset.variables.items():
        attributes = {
            k: v.decode().rstrip("\0")
            if isinstance(v, bytes) and variable.dtype.itemsize > 8
            else v
            for k, v in variable.attrs.items()
        }
        values = variable.values
        if values.dtype.kind == "S" and (values.dtype.itemsize > 8 or not values.shape):
            values = np.char.decode(values, "utf-8")
        elif values.dtype == object:
            flat = [_comparable(v) for v in values.ravel()]
            values = np.array([*flat, None], object)[:-1].reshape(values.shape)
        dataset = dataset.assign({name: (variable.dims, values, attributes)})
    return dataset


def _comparable(value):
    """Return text as text, and a value of a vlen type, an array, as a tuple."""
    if isinstance(value, bytes):
        return value.decode()
    return tuple(value.tolist()) if isinstance(value, np.ndarray) else value


def compare(source, engine, left_out=(), **options):
    try:
        expected = as_text(opened(source, engine, **options))
    except Exception as error:  # another library may raise anything
        pytest.skip(f"xarray's engine {engine} cannot read it: {error}"[:200])
    expected = expected.drop_vars(left_out, errors="ignore")
    found = as_text(opened(source, ENGINE, **options)).drop_vars(left_out)
    xr.testing.assert_identical(found, expected)


@pytest.mark.parametrize("options", DECODINGS, ids=["decoded", "raw"])
@pytest.mark.parametrize("store", WRITTEN_BY_OTHERS, ids=lambda p: p.name)
def test_stores_of_other_programs(store, options):
    pytest.importorskip("zarr", reason="zarr is not installed (make setup)")
    compare(store, "zarr", MASKED_BY_NCZ.get(store.name, ()), **options)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Write each example once in each form; None if the form cannot represent it."""
    folder = tmp_path_factory.mktemp("equal")
    made = {}

    def write(path, name, modes=()):
        target = folder / f"{path.stem}.{name}"
        if target not in made:
            made[target] = True
            try:
                consolidated, loss = (False, True) if modes else (None, False)
                ncz.gen(
                    path,
                    target,
                    modes=modes,
                    consolidated=consolidated,
                    allow_loss=loss,
                    notify=ignore_notice,
                )
            except LossError:
                made[target] = False
        if not made[target]:
            pytest.skip("this form cannot represent the example")
        return target

    return write


@pytest.mark.parametrize("modes", [("zarr",), ("zarr", "v3")], ids=["v2", "v3"])
@pytest.mark.parametrize("path", sampled(EXAMPLES, 6), ids=lambda p: p.stem)
def test_zarr_stores(path, modes, written):
    pytest.importorskip("zarr", reason="zarr is not installed (make setup)")
    store = written(path, f"{'-'.join(modes)}.zarr", modes)
    for options in DECODINGS:
        compare(store, "zarr", NOT_IN_ZARR_PYTHON.get(path.stem, ()), **options)


NOT_IN_NETCDF4 = {"user_types": ("packet", "observation")}
"""Variables of compound and opaque types, which the engine netcdf4 leaves out."""


@pytest.mark.parametrize("engine", ["netcdf4", "h5netcdf"])
@pytest.mark.parametrize("path", sampled(EXAMPLES, 6), ids=lambda p: p.stem)
def test_netcdf_files(path, engine, written):
    pytest.importorskip({"netcdf4": "netCDF4"}.get(engine, engine), reason="make setup")
    if path.stem in PLUGINS:
        pytest.skip("its filters need plugins of HDF5")
    file = written(path, "nc")
    for options in DECODINGS:
        compare(file, engine, NOT_IN_NETCDF4.get(path.stem, ()), **options)

"""netCDF-C, zarr-python and xarray read the stores that ncz writes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ncz.formats.create_options import CreateOptions
from ncz.formats.zarr.writing.options import WriteOptions
from ncz.model.data import MemoryArray, read_all
from ncz.model.tree import Attribute, Dataset, Dimension, Group, Storage, Variable
from ncz.model.types import Atomic
from tests.formats.zarr.writing.test_writer import PURE, read, text, told, write


def on_disk(objects: dict[str, bytes], root: Path) -> Path:
    for key, value in objects.items():
        path = root / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(value)
    return root


EVERY = tuple(t for t in Atomic if t is not Atomic.STRING)


def every_type(*types: Atomic) -> Dataset:
    """A variable of each type over an unlimited and a fixed dimension, with its attributes."""
    rng = np.random.default_rng(3)
    members = []
    for nc_type in types:
        if nc_type is Atomic.CHAR:
            values = np.array([[b"a", b"b", b"c"], [b"d", b"e", b""]])
        elif nc_type is Atomic.STRING:
            values = np.array([["a", "é", "long " * 30], ["x", "y", "z"]], dtype=object)
        elif nc_type.is_floating:
            values = rng.normal(size=(2, 3)).astype(nc_type.dtype)
        else:
            values = rng.integers(*nc_type.limits, (2, 3), nc_type.dtype, endpoint=True)
        members.append(
            Variable(
                name=f"v_{nc_type.word}",
                type=nc_type,
                dimensions=("/t", "/x"),
                storage=Storage(chunks=(1, 2), endianness="big" if nc_type.size > 1 else None),
                data=MemoryArray(values, nc_type),
            )
        )
    scalar = Variable(
        name="scalar",
        type=Atomic.DOUBLE,
        attributes=(
            Attribute(name="third", type=Atomic.DOUBLE, values=(1 / 3,)),
            Attribute(name="nan", type=Atomic.DOUBLE, values=(float("nan"), 1.0)),
            Attribute(name="u64", type=Atomic.UINT64, values=(2**64 - 1,)),
            text("twelve", "12"),
            text("json", '{"a": [1,{"b": null}]}'),
            text("odd", 'q"\\\n\té'),
        ),
        data=MemoryArray(np.array(0.1), Atomic.DOUBLE),
    )
    dimensions = (Dimension(name="t", size=2, unlimited=True), Dimension(name="x", size=3))
    return Dataset(name="every", root=Group(dimensions=dimensions, variables=(*members, scalar)))


def test_netcdf_c_reads_stores_of_ncz(tmp_path):
    netcdf4 = pytest.importorskip("netCDF4", reason="the peer netcdf-c comes with netCDF4")
    dataset = every_type(*Atomic)
    root = on_disk(write(dataset)[0], tmp_path / "s")
    with netcdf4.Dataset(f"file://{root}#mode=nczarr,file") as peer:
        peer.set_auto_maskandscale(False)
        peer.set_auto_chartostring(False)
        assert peer.dimensions["t"].isunlimited()
        assert list(peer.variables) == [v.name for v in dataset.root.variables]
        for variable in dataset.root.variables:
            assert variable.data is not None
            assert peer[variable.name][...].tolist() == read_all(variable.data).tolist()
        scalar = peer["scalar"]
        assert scalar.dimensions == ()
        assert scalar.third == 1 / 3
        assert np.isnan(scalar.nan[0])
        assert scalar.u64 == 2**64 - 1
        assert scalar.twelve == "12"
        assert scalar.json == '{"a": [1,{"b": null}]}'
        assert scalar.odd == 'q"\\\n\té'


@pytest.mark.parametrize("options", [PURE, WriteOptions(store=CreateOptions(char="|S1"))])
def test_zarr_python_reads_stores_of_ncz(tmp_path, options):
    zarr = pytest.importorskip("zarr", reason="the peer zarr-python is not installed")
    dataset = every_type(*EVERY)
    root = on_disk(write(dataset, options)[0], tmp_path / "s")
    group = zarr.open_group(str(root), mode="r")
    for variable in dataset.root.variables:
        assert variable.data is not None
        expected = read_all(variable.data)
        assert np.array_equal(np.squeeze(group[variable.name][...]), expected)
    assert group["scalar"].attrs["third"] == 1 / 3
    assert group["scalar"].attrs["twelve"] == "12"
    assert group["scalar"].attrs["json"] == '{"a": [1,{"b": null}]}'


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::UserWarning")
def test_xarray_reads_stores_of_ncz(tmp_path):
    pytest.importorskip("zarr", reason="xarray reads through zarr-python, which is not installed")
    xarray = pytest.importorskip("xarray", reason="the peer xarray is not installed")
    dataset = every_type(*EVERY)
    root = on_disk(write(dataset, replace(PURE, consolidated=True))[0], tmp_path / "s")
    with xarray.open_zarr(root, mask_and_scale=False) as peer:
        assert dict(peer.sizes) == {"t": 2, "x": 3}
        assert peer["scalar"].dims == ()
        for variable in dataset.root.variables:
            assert variable.data is not None
            assert np.array_equal(peer[variable.name].values, read_all(variable.data))


def test_netcdf_c_opens_odd_attributes(tmp_path):
    netcdf4 = pytest.importorskip("netCDF4", reason="the peer netcdf-c comes with netCDF4")
    attributes = (
        *(Attribute(name=f"e_{t.word}", type=t, values=()) for t in Atomic),
        Attribute(name="nil", type=Atomic.STRING, values=(None,)),
        Attribute(name="nils", type=Atomic.STRING, values=("a", None)),
        text("nul", "a\0b"),
        text("bytes", "a\udcffb"),
        text("escape", "\x1b"),
    )
    objects, _ = write(Dataset(name="x", root=Group(attributes=attributes)))
    back, notices = read(objects)
    assert (told(back.root.attributes), notices) == (told(attributes), [])
    with netcdf4.Dataset(f"file://{on_disk(objects, tmp_path / 's')}#mode=nczarr,file") as peer:
        assert peer.ncattrs() == [a.name for a in attributes]
        for name in ("e_int", "e_double", "e_uint64"):
            assert np.size(peer.getncattr(name)) == 0

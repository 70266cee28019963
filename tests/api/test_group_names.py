"""Names of other libraries on an open dataset."""

from __future__ import annotations

import io

import pytest

import ncz
from ncz.errors import ignore_notice

CDL = b"""netcdf s { types: byte enum e { a = 1 } ; opaque(2) o ; int(*) l ;
  compound c { int n ; } ;
dimensions: t = UNLIMITED ; x = 2 ;
variables: int v(t, x) ; v:units = "K" ; int w(x) ; w:units = "m" ; w:axis = "X" ;
group: g { variables: int u(x) ; group: h { variables: int u(x) ; } }
}"""


@pytest.fixture
def dataset(tmp_path):
    ncz.gen(io.BytesIO(CDL), tmp_path / "s.nc", notify=ignore_notice)
    with ncz.open(tmp_path / "s.nc") as opened:
        yield opened


def test_names_of_netcdf4(dataset):
    assert (dataset.data_model, dataset.disk_format) == ("NETCDF4", "HDF5")
    assert {n: (len(d), d.isunlimited()) for n, d in dataset.dimensions.items()} == {
        "t": (0, True), "x": (2, False),
    }  # fmt: skip
    assert (list(dataset.enumtypes), list(dataset.cmptypes), list(dataset.vltypes)) == (
        ["/e"], ["/c"], ["/l"],
    )  # fmt: skip
    assert dataset["g/h"].parent.path == "/g"
    assert dataset["g"].parent.path == "/"
    assert dataset.parent is None


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ({"units": "K"}, ["v"]),
        ({"units": lambda value: value is not None}, ["v", "w"]),
        ({"units": "m", "axis": "X"}, ["w"]),
        ({"axis": lambda value: value is None}, ["v"]),
        ({"absent": "x"}, []),
    ],
)
def test_variables_by_attributes(dataset, wanted, names):
    assert [v.name for v in dataset.get_variables_by_attributes(**wanted)] == names


def test_names_of_zarr_python_and_h5py(dataset):
    assert list(dataset.array_keys()) == ["v", "w"]
    assert [name for name, _ in dataset.members()] == ["v", "w", "g"]
    assert [path for path, _ in dataset.members(max_depth=None)] == [
        "v", "w", "g", "g/u", "g/h", "g/h/u",
    ]  # fmt: skip
    assert dataset.nmembers(max_depth=1) == 5
    visited: list[str] = []
    assert dataset.visit(visited.append) is None
    assert visited[-1] == "g/h/u"
    assert dataset.visititems(lambda path, _: path if "/" in path else None) == "g/u"


def test_the_tree_is_text(dataset):
    lines = str(dataset.tree()).splitlines()
    assert lines[1:] == [
        "├── v (t: 0, x: 2) int32",
        "├── w (x: 2) int32",
        "└── g",
        "    ├── u (x: 2) int32",
        "    └── h",
        "        └── u (x: 2) int32",
    ]
    assert dataset.tocdl().startswith("netcdf s {")

"""Groups, dimensions and links of HDF5 files."""

from __future__ import annotations

import h5py
import numpy as np

from ncz.model.tree import variables_by_fqn
from tests.formats.hdf5.test_reader import made as made
from tests.formats.hdf5.test_reader import read as read


def test_dimensions_are_invented_as_netcdf_c_names_them(made, read):
    with made() as file:
        file["a"] = np.ones((3, 3))
        file["b"] = np.ones((4, 3))
        file.create_dataset("c", (2, 4), "f4", maxshape=(None, 4), chunks=(1, 4))
        file["g/z"] = np.ones(4)
    root, _, _ = read()
    named = {v.name: v.dimensions for v in root.variables}
    # Inner groups come first; two axes of one length in a variable are two dimensions.
    assert root.groups[0].variables[0].dimensions == ("/g/phony_dim_0",)
    assert named["a"] == ("/phony_dim_1", "/phony_dim_2")
    assert named["b"] == ("/phony_dim_3", "/phony_dim_1")
    assert named["c"] == ("/phony_dim_4", "/phony_dim_3")
    assert [d.unlimited for d in root.dimensions] == [False, False, False, True]


def test_scales_are_dimensions_and_the_rest_is_invented(made, read):
    with made() as file:
        file["x"] = np.arange(3)
        file["x"].make_scale("x")
        file["v"] = np.ones((4, 3))
        file["v"].dims[1].attach_scale(file["x"])
    root, _, _ = read()
    assert {v.name: v.dimensions for v in root.variables} == {
        "v": ("/phony_dim_1", "/x"),
        "x": ("/x",),
    }


def test_a_scale_with_several_links_is_one_dimension(made, read):
    with made() as file:
        file["x"] = np.arange(3)
        file["x"].make_scale("x")
        file["v"] = np.ones(3)
        file["v"].dims[0].attach_scale(file["x"])
        file["x_again"] = file["x"]
        file["x_soft"] = h5py.SoftLink("/x")
    root, values, notices = read()
    assert [d.name for d in root.dimensions] == ["x"]
    assert {v.name: v.dimensions for v in root.variables} == dict.fromkeys(
        ("v", "x", "x_again", "x_soft"), ("/x",)
    )
    assert values["/x"] == values["/x_again"] == values["/x_soft"] == [0, 1, 2]
    assert notices == []


def test_each_group_has_its_own_dimension_for_a_scale(made, read):
    with made() as file:
        scale = file.create_dataset("x", (2,), "i4", maxshape=(None,), chunks=(2,))
        scale.make_scale("x")
        file["g/y"] = scale
        for path in ("v", "g/v", "g/h/v", "other/v"):
            file.create_dataset(path, (3,), "i4", maxshape=(None,), chunks=(2,))
            file[path].dims[0].attach_scale(scale)
    root, _, _ = read()
    found = {fqn: v.dimensions for fqn, v in variables_by_fqn(root)}
    assert found == {
        "/x": ("/x",), "/v": ("/x",), "/other/v": ("/x",),
        "/g/y": ("/g/y",), "/g/v": ("/g/y",), "/g/h/v": ("/g/y",),
    }  # fmt: skip
    g = next(group for group in root.groups if group.name == "g")
    assert [(d.size, d.unlimited) for d in (*root.dimensions, *g.dimensions)] == [(3, True)] * 2


def test_a_group_has_the_name_of_its_hard_link(made, read):
    with made() as file:
        file["entry/run/v"] = np.arange(2)
        file["default"] = h5py.SoftLink("/entry/run")  # before the group, by its name
    _, values, notices = read()
    assert values == {"/entry/run/v": [0, 1]}
    assert [(n.code, n.location.rpartition(" ")[2]) for n in notices] == [
        ("object-left-out", "/default")
    ]


def test_unreadable_objects_are_omitted_and_named(made, read, run, tmp_path):
    with made() as file:
        file["v"] = np.arange(3)
        file["true"] = np.array([file["v"].ref], h5py.ref_dtype)
        inner = np.dtype([("c", h5py.ref_dtype)])
        file.create_dataset("records", (2,), np.dtype([("a", "i4"), ("b", inner)]))
        file["nothing"] = h5py.Empty("f4")
        file["v"].attrs["reference"] = file["true"].ref
    _, values, notices = read()
    assert values == {"/v": [0, 1, 2]}
    assert {(n.code, n.location.rpartition(" ")[2], n.lost) for n in notices} == {
        ("variable-left-out", "/true", True),
        ("variable-left-out", "/records", True),
        ("variable-left-out", "/nothing", True),
        ("attribute-left-out", "/v", True),
    }
    refused = run("copy", tmp_path / "x.h5", tmp_path / "x.zarr")
    assert refused.code == 1
    assert "its type is a reference" in refused.stderr
    assert not (tmp_path / "x.zarr").exists()
    assert run("copy", "--allow-loss", tmp_path / "x.h5", tmp_path / "x.zarr").code == 0


def test_links(made, read, tmp_path):
    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["secret"] = np.arange(3)
        other["folder/secret"] = np.arange(3)
    with made() as file:
        file["v"] = np.arange(3)
        file["h/up"] = h5py.SoftLink("/soft")
        file["through"] = h5py.SoftLink("/h/folder/secret")
        file["h/folder"] = h5py.ExternalLink("other.h5", "/folder")
        file["h/near"] = h5py.SoftLink("./folder/secret")
        file["twice"] = h5py.SoftLink("h/near")
        file["soft"] = h5py.SoftLink("/v")
        file["broken"] = h5py.SoftLink("/gone")
        file["outside"] = h5py.ExternalLink("other.h5", "/secret")
        file["g/loop"] = file["/"]
    _, values, notices = read()
    assert values == {"/v": [0, 1, 2], "/soft": [0, 1, 2], "/h/up": [0, 1, 2]}
    assert {n.location.rpartition(" ")[2]: n.message for n in notices}.keys() == {
        "/broken",
        "/outside",
        "/g/loop",
        "/through",
        "/twice",
        "/h/folder",
        "/h/near",
    }

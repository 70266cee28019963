"""Copies between pure Zarr V2 and V3: dtypes, attributes and codecs are kept."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import ncz
from ncz.commands.copy.dataset import copy_dataset
from ncz.commands.copy.options import CopyOptions
from ncz.commands.sources import location_of_target
from ncz.errors import ignore_notice
from ncz.formats.create_options import CreateOptions
from ncz.zmap.location import location_of
from tests.commands.copy.test_forms_copy import DOCUMENT, copied, objects


def foreign(folder: Path) -> Path:
    """A store of zarr-python with dtypes that netCDF lacks."""
    zarr = pytest.importorskip("zarr", reason="the peer zarr is not installed")
    root = zarr.open_group(folder, mode="w", zarr_format=2)
    root.attrs.update({"flag": True, "nothing": None, "list": [], "nested": {"a": [1, None]}})
    arrays = {
        "bools": np.array([[True, False], [False, True]]),
        "times": np.array(["2000-01-01", "NaT"], "M8[ns]"),
        "spans": np.array([5, -3], "m8[s]"),
        "half": np.array([0.5, 2], "f2"),
        "complex": np.array([1 + 2j, 3], "c8"),
        "records": np.array([(1, 2.5), (3, 4.5)], [("a", "<i2"), ("b", "<f8")]),
        "texts": np.array(["é", "longer"], "U8"),
        "bytes": np.array([b"x", b"yz"], "S3"),
        "big": np.arange(6, dtype=">i4").reshape(2, 3),
        "fortran": np.asfortranarray(np.arange(12.0).reshape(3, 4)),
        "scalar": np.array(7.5),
        "none": np.zeros((0, 3)),
    }
    for name, values in arrays.items():
        array = root.create_array(
            name,
            shape=values.shape,
            dtype=values.dtype,
            chunks=tuple(max(1, (n + 1) // 2) for n in values.shape),
            order="F" if name == "fortran" else "C",
        )
        array[...] = values
    return folder


@pytest.mark.parametrize("codec", [None, "zstd:3", "blosc:lz4:3"])
def test_pure_v2_to_pure_v3_and_back(tmp_path, codec):
    """Dtypes that netCDF lacks keep their meaning in V3, and chunks move unchanged."""
    zarr = pytest.importorskip("zarr", reason="the peer zarr is not installed")
    source, middle, back = foreign(tmp_path / "a.zarr"), tmp_path / "b.zarr", tmp_path / "c.zarr"
    if codec is not None:
        ncz.copy(
            source, back, modes=["zarr"], codecs=[codec], allow_loss=True, notify=ignore_notice
        )
        source, back = back, tmp_path / "d.zarr"
    _, plan = copied(str(source), f"{middle}#mode=zarr,v3", verify=True)
    assert {v.way for v in plan.variables} <= {"raw"}
    _, plan = copied(str(middle), f"{back}#mode=zarr,v2", verify=True)
    assert {v.way for v in plan.variables} <= {"raw"}
    groups = [zarr.open_group(place, mode="r") for place in (source, middle, back)]
    for name, array in groups[0].arrays():
        expected = array[...]
        assert groups[1][name].metadata.zarr_format == 3
        for group in groups[1:]:
            # In V3 a codec has the byte order, and values are in native order.
            assert group[name].dtype.newbyteorder("=") == array.dtype.newbyteorder("=")
            np.testing.assert_array_equal(expected, group[name][...], err_msg=name)
    ours, theirs = objects(str(source)), objects(str(back))
    for key, value in ours.items():
        if key.endswith(".zarray"):
            found, expected = json.loads(theirs[key]), json.loads(value)
            assert (found["dtype"], found["order"]) == (expected["dtype"], expected["order"]), key
        elif not DOCUMENT.fullmatch(key):
            assert theirs[key] == value, key


def named(store: dict[str, bytes], key: str) -> bool:
    """Whether the array of this `.zarray` names its dimensions as xarray does."""
    return b"_ARRAY_DIMENSIONS" in store.get(f"{key.rpartition('/')[0]}/.zattrs", b"")


def test_pure_to_pure_keeps_dtypes_and_attributes(tmp_path):
    zarr = pytest.importorskip("zarr", reason="the peer zarr is not installed")
    source = foreign(tmp_path / "a.zarr")
    target = f"{tmp_path}/b.zarr#mode=zarr"
    copy_dataset(
        CopyOptions(
            source=location_of(source),
            target=location_of_target(target),
            create=CreateOptions(allow_loss=True),
        )
    )
    ours, theirs = objects(str(source)), objects(str(tmp_path / "b.zarr"))
    for key, value in ours.items():
        name = key.rpartition("/")[2]
        if name == ".zattrs":
            added = {"_ARRAY_DIMENSIONS"}
            found = {k: v for k, v in json.loads(theirs[key]).items() if k not in added}
            assert found == {k: v for k, v in json.loads(value).items() if k not in added}, key
        elif name == ".zarray":
            found, expected = json.loads(theirs[key]), json.loads(value)
            if expected["fill_value"] == -(2**63):
                expected["fill_value"] = "NaT"  # two spellings of one value
            if expected["dtype"] == "|S3":  # tensorstore reads only fills of the whole length
                assert expected["fill_value"] == ""
                expected["fill_value"] = "AAAA"
            if named(theirs, key) and not named(ours, key):  # or xarray would see a mask
                expected["fill_value"] = None
            for member in ("shape", "chunks", "dtype", "order", "fill_value"):
                assert found[member] == expected[member], (key, member)
        elif not name.startswith("."):
            assert theirs[key] == value, key
    before, after = (
        zarr.open_group(source, mode="r"),
        zarr.open_group(tmp_path / "b.zarr", mode="r"),
    )
    for name, array in before.arrays():
        np.testing.assert_array_equal(array[...], after[name][...], err_msg=name)


def test_pure_to_pure_recodes_and_rechunks_dtypes_that_netcdf_lacks(tmp_path):
    zarr = pytest.importorskip("zarr", reason="the peer zarr is not installed")
    source = foreign(tmp_path / "a.zarr")
    for number, codec in enumerate(["none", "zstd:1", "shuffle+zlib:2"]):
        for chunk_size in (None, 12):
            target = tmp_path / f"b{number}-{chunk_size}.zarr"
            ncz.copy(
                source, target, modes=["zarr"], codecs=[codec], chunk_size=chunk_size,
                allow_loss=True, notify=ignore_notice, verify=True,
            )  # fmt: skip
            before, after = zarr.open_group(source, mode="r"), zarr.open_group(target, mode="r")
            for name, array in before.arrays():
                np.testing.assert_array_equal(array[...], after[name][...], err_msg=name)

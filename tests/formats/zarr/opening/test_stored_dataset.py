"""Datasets as a Zarr store contains them."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.errors import ignore_notice
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.formats.zarr.opening.stored_dataset import as_stored
from ncz.model.tree import Attribute, Dataset, Group, Provenance, Variable
from ncz.model.types import Atomic
from ncz.record import replace
from ncz.zmap.local.directory import DirectoryZmap

PURE_V2, PURE_V3 = Provenance(zarr_format=2), Provenance(zarr_format=3)
NCZARR = Provenance(zarr_format=2, superblock=2)
HINT = Attribute(name="hint", type=Atomic.CHAR, values=("u",))
REAL = Attribute(name="units", type=Atomic.CHAR, values=("K",), original=("K",))


def names(source: Provenance, target: Provenance, *attributes: Attribute) -> list[str]:
    variable = Variable(name="v", type=Atomic.INT, attributes=attributes)
    dataset = Dataset(name="d", root=Group(variables=(variable,)), provenance=source)
    return [a.name for a in as_stored(dataset, target).root.variables[0].attributes]


@pytest.mark.parametrize(
    ("source", "target", "found"),
    [
        (PURE_V2, PURE_V2, ["units"]),
        (PURE_V2, PURE_V3, ["units"]),
        (PURE_V2, NCZARR, ["hint", "units"]),
        (NCZARR, PURE_V2, ["hint", "units"]),
        (PURE_V2, replace(PURE_V3, annotated=True), ["hint", "units"]),
        (Provenance(), PURE_V2, ["hint", "units"]),
    ],
)
def test_hints_of_dtypes_are_not_in_pure_copies(source, target, found: list[str]):
    assert names(source, target, HINT, REAL) == found


@pytest.mark.parametrize(("dtype", "is_kept"), [("i4", True), ("f8", True), ("S3", False)])
def test_masks_of_text_do_not_go_from_v2_to_v3(tmp_path, dtype: str, is_kept: bool):
    zarr = pytest.importorskip("zarr", minversion="3")
    group = zarr.open_group(tmp_path, mode="w", zarr_format=2)
    group.create_array("v", data=np.zeros(2, dtype))
    dataset = open_dataset(DirectoryZmap(str(tmp_path)), name="t", notify=ignore_notice)
    mask = Attribute(name="_FillValue", type=Atomic.CHAR, values=("x",), original=("x",))
    (variable,) = dataset.root.variables
    variable = replace(variable, attributes=(mask, REAL))
    dataset = replace(dataset, root=replace(dataset.root, variables=(variable,)))
    (found,) = as_stored(dataset, PURE_V3).root.variables
    assert [a.name for a in found.attributes] == ["_FillValue", "units"][not is_kept :]
    (same,) = as_stored(dataset, PURE_V2).root.variables
    assert [a.name for a in same.attributes] == ["_FillValue", "units"]

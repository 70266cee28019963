"""Attributes that describe how data are stored."""

from __future__ import annotations

import pytest

from ncz.formats.zarr.edit.storage_attributes import describes_storage


@pytest.mark.parametrize(
    "name",
    ["_FillValue", "_ChunkSizes", "_NCProperties", "_ARRAY_DIMENSIONS", "_nczarr_attrs",
     "DIMENSION_LIST", "_Filter"],
)  # fmt: skip
def test_they_cannot_be_changed_alone(name: str):
    assert describes_storage(name)


@pytest.mark.parametrize("name", ["units", "FillValue", "_fillvalue", "missing_value", ""])
def test_other_attributes_can(name: str):
    assert not describes_storage(name)

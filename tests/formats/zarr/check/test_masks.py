"""Variables that only the fill value of Zarr V2 masks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ncz.formats.zarr.check.contents import read_contents
from ncz.formats.zarr.check.masks import masks_of_formats
from ncz.zmap.location import parse_location
from ncz.zmap.memory import MemoryZmap


def masked(*, fill: Any = 0, **attributes: Any) -> frozenset[str]:
    array = {
        "zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<f4", "order": "C",
        "compressor": None, "filters": None, "fill_value": fill,
    }  # fmt: skip
    named = {"_ARRAY_DIMENSIONS": ["x"], **attributes}
    documents = {".zgroup": {"zarr_format": 2}, "v/.zarray": array, "v/.zattrs": named}
    objects = {key: json.dumps(document).encode() for key, document in documents.items()}
    read, _ = read_contents(MemoryZmap(objects), parse_location("memory://masks"), None)
    assert read is not None
    return masks_of_formats(read)


def test_a_fill_value_is_a_mask_of_zarr_v2():
    assert masked() == {"/v"}


@pytest.mark.parametrize("more", [{"fill": None}, {"missing_value": 5}])
def test_not_without_a_mask_or_with_one_in_the_attributes(more: dict[str, Any]):
    assert masked(**more) == frozenset()

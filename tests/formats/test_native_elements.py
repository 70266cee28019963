"""The elements of a variable as programs see them without ncz."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ncz.errors import ignore_notice
from ncz.formats.native_elements import NativeElements
from ncz.formats.opening import native_elements, open_dataset
from ncz.zmap.location import parse_location

zarr = pytest.importorskip("zarr", minversion="3")


@pytest.mark.parametrize("version", [2, 3])
def test_each_dtype_of_zarr_has_its_elements(tmp_path: Path, version: int):
    root = zarr.open_group(tmp_path / "s.zarr", mode="w", zarr_format=version)
    root.create_array("i", data=np.arange(3, dtype="i2"), fill_value=0)
    root.create_array("z", data=np.zeros(3, "c16"))
    root.create_array("t", data=np.zeros(3, "m8[s]"))
    with open_dataset(parse_location(str(tmp_path / "s.zarr")), notify=ignore_notice) as opened:
        provenance = opened.dataset.provenance
        found = {v.name: native_elements(v, provenance) for v in opened.dataset.root.variables}
        i, z, t = (found[name] for name in "izt")
        assert i is not None
        assert z is not None
        assert t is not None
        assert (i.item_size, z.item_size, t.item_size) == (2, 16, 8)
        assert (i.is_complex, z.is_complex, t.is_complex) == (False, True, False)
        assert (i.time_dtype, z.time_dtype, t.time_dtype) == (None, None, "m8[s]")
        assert t.times(np.array([5], "i8")).tolist() == [np.timedelta64(5, "s")]
        assert i.fill_is_mask == (version == 2)
        assert i.has_fill
        assert len(i.codecs()) == (1 if version == 2 else 2)


def test_every_property_is_given_by_name():
    with pytest.raises(TypeError, match="item_size"):
        NativeElements(is_complex=True)  # type: ignore[call-arg]

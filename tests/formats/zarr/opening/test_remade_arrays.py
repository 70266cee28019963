"""Arrays that another program made again under a name that an annotation describes."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz
from ncz.errors import Notice
from tests.sampled import share_of

zarr = pytest.importorskip("zarr", reason="zarr is not installed")

CDL = """netcdf a {
types: byte enum e_t { off = 0, on = 1 } ;
dimensions: x = 4 ;
variables: int v(x) ; int nf(x) ; nf:_NoFill = "true" ; double m(x) ; m:_FillValue = -1. ;
  float w(x) ; e_t e(x) ;
data: v = 1, 2, 3, 4 ; nf = 1, 2, 3, 4 ; m = 1, 2, 3, 4 ; w = 1, 2, 3, 4 ; e = on, on, off, on ;
}
"""
NAMES = ["v", "nf", "m", "w", "e"]


def annotated(folder: Path, zarr_format: int) -> Path:
    (folder / "a.cdl").write_text(CDL)
    store = folder / f"s{zarr_format}.zarr"
    modes = ["zarr", f"v{zarr_format}", "consolidated"]
    ncz.gen(folder / "a.cdl", store, modes=modes, overwrite=True, notify=lambda _: None)
    return store


def remade(store: Path, name: str, zarr_format: int, dtype: str, fill: int | None) -> Any:
    """Make an array again with the same attributes and axes; one chunk of four is written."""
    group = zarr.open_group(store, mode="r+", use_consolidated=False)
    old = group[name]
    attributes = dict(old.attrs)
    names = {} if zarr_format == 2 else {"dimension_names": old.metadata.dimension_names}
    del group[name]
    array = group.create_array(name, shape=(4,), dtype=dtype, chunks=(1,), fill_value=fill, **names)
    array.attrs.update(attributes)
    array[0] = 1
    return array


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_their_fill_value_is_the_present_one(tmp_path: Path, zarr_format: int):
    @given(
        st.sampled_from(NAMES),
        st.sampled_from(["i1", "u1", "i4", "f4", "f8"]),
        st.sampled_from([None, 0, 7]),
    )
    @settings(max_examples=share_of(100), deadline=None)
    def holds(name: str, dtype: str, fill: int | None) -> None:
        store = annotated(tmp_path, zarr_format)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            array = remade(store, name, zarr_format, dtype, fill)
        dataset = ncz.open(store, notify=lambda _: None)
        assert np.array_equal(dataset[name][...], array[...])
        for other in set(NAMES) - {name}:
            assert other in dataset

    holds()


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_documents_that_are_not_made_again_have_their_notes(tmp_path: Path, zarr_format: int):
    store = annotated(tmp_path, zarr_format)
    notices: list[Notice] = []
    text = ncz.dump(store, notify=notices.append)
    assert "e_t e(x)" in text
    assert "nf:_FillValue" not in text
    assert notices == []


OPTIONS: list[dict[str, Any]] = [{"annotations": False}, {"consolidated": False}]


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_a_copy_without_annotations_names_its_losses(
    tmp_path: Path, zarr_format: int, option: dict[str, Any]
):
    store, target = annotated(tmp_path, zarr_format), tmp_path / "out.zarr"
    with pytest.raises(ncz.LossError, match=r"does not record user-defined types.*: /e_t"):
        ncz.copy(store, target, **option)
    ncz.copy(store, target, allow_loss=True, notify=lambda _: None, **option)
    assert ncz.open(target)["e"][:].tolist() == [1, 1, 0, 1]
    assert "_FillValue" not in ncz.dump(target).partition("e(x)")[2].partition("double")[0]

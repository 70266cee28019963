"""The plan of an array: fill values, lengths of strings, chunks."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ncz.formats.zarr.writing.options import AS_NETCDF_C, WriteOptions
from ncz.model.tree import Attribute, Dataset, Storage
from ncz.model.types import Atomic
from tests.formats.zarr.writing.test_writer import small, write
from tests.formats.zarr.writing.test_writer_v2 import strings


def test_a_contiguous_variable_is_one_chunk():
    objects, _ = write(small(storage=Storage(storage_class="contiguous")))
    assert json.loads(objects["v/.zarray"])["chunks"] == [3]


def described(dataset: Dataset, options: WriteOptions = AS_NETCDF_C) -> tuple[Any, Any]:
    """The `.zarray` and the `.zattrs` of v."""
    objects, _ = write(dataset, options)
    return json.loads(objects["v/.zarray"]), json.loads(objects["v/.zattrs"])


@pytest.mark.parametrize("options", [AS_NETCDF_C, WriteOptions(flavour="zarr")])
@pytest.mark.parametrize("filler", [Storage(no_fill=True), Storage(fill=7), Storage()])
def test_fill_value_is_null_without_a_mask(filler, options):
    array, attributes = described(small(storage=filler), options)
    assert array["fill_value"] is None
    noted = None if filler.no_fill else (filler.fill or -2147483647)
    if not options.pure:
        assert attributes["_nczarr_array"].get("fill_value") == noted


@pytest.mark.parametrize("options", [AS_NETCDF_C, WriteOptions(flavour="zarr")])
def test_fill_value_is_the_mask(options):
    fill = Attribute(name="_FillValue", type=Atomic.INT, values=(5,))
    array, attributes = described(small(attributes=(fill,)), options)
    assert array["fill_value"] == 5
    assert attributes.get("_FillValue") == (None if options.pure else 5)


def test_fill_value_is_the_default_of_a_variable_without_data_in_nczarr():
    assert described(small(data=None), AS_NETCDF_C)[0]["fill_value"] == -2147483647


def test_chunks_of_a_variable_without_data_are_written_where_readers_mask_fill_value():
    objects, _ = write(small(data=None), WriteOptions(flavour="zarr"))
    assert json.loads(objects["v/.zarray"])["fill_value"] is None
    assert np.frombuffer(objects["v/0"], "<i4").tolist() == [-2147483647] * 3


def test_fill_value_is_the_default_where_too_many_chunks_would_be_written():
    options = WriteOptions(flavour="zarr", most_filled=16)
    assert described(small(data=None), options)[0]["fill_value"] == -2147483647


def test_fill_value_without_names_of_dimensions_masks_nothing():
    options = WriteOptions(flavour="zarr", xarray=False)
    assert described(small(storage=Storage(fill=7)), options)[0]["fill_value"] == 7


def dtype_of(dataset: Dataset) -> str:
    dtype: str = json.loads(write(dataset)[0]["v/.zarray"])["dtype"]
    return dtype


def test_string_length_is_128_or_the_longest_string():
    assert dtype_of(strings("a")) == "|S128"
    assert dtype_of(strings("é" * 100)) == "|S200"


def test_a_declared_string_length_is_kept():
    maximum = Attribute(name="_nczarr_maxstrlen", type=Atomic.INT, values=(6,))
    everywhere = Attribute(name="_nczarr_default_maxstrlen", type=Atomic.INT, values=(12,))
    assert dtype_of(strings("twotwo", attributes=(maximum,))) == "|S6"
    assert dtype_of(strings("a", storage=Storage(string_length=3))) == "|S3"
    root = replace(strings("a").root, attributes=(everywhere,))
    assert dtype_of(Dataset(name="s", root=root)) == "|S12"

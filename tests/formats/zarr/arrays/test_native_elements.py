"""The elements of arrays of Zarr as zarr-python gives them to programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numcodecs import Zlib

from ncz.errors import ignore_notice
from ncz.formats.native_elements import NativeElements
from ncz.formats.zarr.arrays.native_elements import native_elements
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.formats.zarr.writing.options import WriteOptions
from ncz.model.tree import Provenance, Variable
from ncz.model.types import Atomic
from ncz.zmap.local.directory import DirectoryZmap
from ncz.zmap.memory import MemoryZmap
from tests.test_round_trip import parsed, stored

zarr = pytest.importorskip("zarr", minversion="3")


@pytest.fixture
def found(tmp_path: Path):
    """Return the elements of an array with some data."""

    def elements(data: Any, **options: Any) -> NativeElements:
        group = zarr.open_group(tmp_path, mode="w", zarr_format=2)
        group.create_array("v", data=data, **options)
        zmap = DirectoryZmap(str(tmp_path))
        dataset = open_dataset(zmap, name="t", notify=ignore_notice)
        result = native_elements(dataset.root.variables[0], dataset.provenance)
        assert result is not None
        return result

    return elements


def test_bytes_of_one_length(found):
    elements = found(np.array([b"abc", b"d"]))
    assert (elements.length_of_bytes, elements.item_size) == (3, 3)
    assert not elements.are_bytes
    assert found(np.arange(4)).length_of_bytes is None


def test_times_equal_zarr_s(found):
    elements = found(np.array(["2000-01-01", "2000-01-02"], "M8[D]"))
    assert elements.time_dtype == "M8[D]"
    days = np.array(["1970-01-02", "1970-01-03"], "M8[D]")
    np.testing.assert_array_equal(elements.times(np.array([1, 2], "i8")), days)


def test_codecs_are_documents(found):
    assert found(np.arange(4), compressors=None).codecs() == []
    (codec,) = found(np.arange(4), compressors=Zlib(level=3)).codecs()
    assert (codec["id"], codec["level"]) == ("zlib", 3)


def test_a_char_of_nczarr_is_one_byte_and_a_text_has_no_elements():
    text = parsed(b'netcdf t { variables: char c ; string s ; data: c = "a" ; s = "b" ; }')
    zmap = MemoryZmap(stored(text, WriteOptions()), "memory://t")
    dataset = open_dataset(zmap, name="t", notify=ignore_notice)
    s = native_elements(dataset.root.variables[1], dataset.provenance)
    assert s is not None
    assert not s.are_bytes
    assert native_elements(text.root.variables[0], Provenance()) is None
    assert native_elements(Variable(name="v", type=Atomic.INT), Provenance()) is None

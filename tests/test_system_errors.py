"""Errors of storage are errors of the operating system, with its number."""

from __future__ import annotations

import errno
import os
import pickle

import pytest

from ncz.errors import StoreExists, StoreMissing, ZmapError
from ncz.system_errors import changed_object_error, storage_error
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EIO])
def test_the_number_of_the_system_is_kept(number):
    error = storage_error(OSError(number, os.strerror(number)), "store", "write")
    assert error.errno == number
    assert os.strerror(number) in str(error)
    assert pickle.loads(pickle.dumps(error)).errno == number


def test_errors_of_ncz_itself():
    assert ZmapError("damaged", "store").errno is None
    assert StoreExists("it already exists", "store").errno == errno.EEXIST
    assert changed_object_error("store").errno == errno.ESTALE


def test_a_store_that_does_not_exist(tmp_path):
    with pytest.raises(StoreMissing) as caught:
        open_zmap(parse_location(str(tmp_path / "gone.zarr")))
    assert caught.value.errno == errno.ENOENT
    assert isinstance(caught.value, FileNotFoundError)

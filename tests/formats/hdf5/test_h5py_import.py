"""h5py, which is imported when it is needed."""

from __future__ import annotations

import sys

import pytest

from ncz.errors import NczError
from ncz.formats.hdf5.h5py_import import load_h5py


def test_the_package_is_h5py():
    h5py = pytest.importorskip("h5py")
    assert load_h5py() is h5py


def test_without_it_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(NczError) as error:
        load_h5py()
    text = str(error.value)
    assert text.startswith("netCDF-4 files need the package h5py; pip install h5py")
    assert "--kind classic" in text

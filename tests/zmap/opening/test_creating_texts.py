"""Files of text that are created."""

from __future__ import annotations

import os
import stat

import pytest

from ncz.errors import StoreExists
from ncz.zmap.local.creation import create_output
from tests.zmap.opening.test_opening import OBJECTS, contents, create, read


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_a_text_replaces_only_a_file_and_keeps_its_permissions(here):
    (here / "x.cdl").write_bytes(b"old")
    (here / "x.cdl").chmod(0o640)
    with pytest.raises(KeyError), create_output("x.cdl", overwrite=True):
        raise KeyError
    with create_output("x.cdl", overwrite=True) as file:
        file.write(b"new")
    assert stat.S_IMODE(os.stat("x.cdl").st_mode) == 0o640
    with (
        pytest.raises(StoreExists, match="use --overwrite"),
        create_output("x.cdl", overwrite=False),
    ):
        pass
    create("x.zarr")
    with (
        pytest.raises(StoreExists, match="it is a directory"),
        create_output("x.zarr", overwrite=True),
    ):
        pass
    assert contents(here) == ["x.cdl", "x.zarr"]
    assert (here / "x.cdl").read_bytes() == b"new"
    assert read("x.zarr") == OBJECTS

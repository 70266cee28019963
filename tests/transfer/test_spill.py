"""A temporary file of elements."""

from __future__ import annotations

import os
import shutil

import numpy as np
import pytest

from ncz.errors import ZmapError
from ncz.transfer.spill import Spill, spill_file


def test_elements_at_offsets(tmp_path):
    with spill_file(100, str(tmp_path), "/v") as file:
        spill = Spill(file, np.dtype("<i4"), "/v")
        spill.write(6, np.array([[7, 8]], "<i4"))
        spill.write(0, np.arange(6, dtype="<i4"))
        assert spill.read(2, (2, 3)).tolist() == [[2, 3, 4], [5, 7, 8]]
        assert os.listdir(tmp_path) == []


def test_a_folder_with_too_little_space(tmp_path):
    with pytest.raises(
        ZmapError, match=r"rechunking /v needs a temporary file of .* MiB"
    ) as caught:
        spill_file(shutil.disk_usage(tmp_path).total + 1, str(tmp_path), "/v")
    assert "set TMPDIR" in str(caught.value.hint)
    with pytest.raises(ZmapError, match="cannot write a temporary file"):
        spill_file(1, str(tmp_path / "absent"), "/v")


def test_a_file_that_takes_nothing(tmp_path):
    (tmp_path / "f").touch()
    with (tmp_path / "f").open("rb") as file:
        spill = Spill(file, np.dtype("u1"), "/v")
        with pytest.raises(ZmapError, match="cannot write a temporary file"):
            spill.write(0, np.zeros(1, "u1"))

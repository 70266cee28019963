"""The dimensions of arrays: named, and inferred where names do not fit."""

from __future__ import annotations

import json

import pytest


@pytest.mark.parametrize(
    ("names", "told"),
    [('["x","y"]', '["x","y"]'), ('"x"', '"x"'), ("[]", "[]"), ('["x"]', None)],
)
def test_names_that_do_not_fit_the_shape_are_reported(names, told, run, tmp_path):
    (tmp_path / "v").mkdir()
    (tmp_path / ".zgroup").write_text('{"zarr_format": 2}')
    array = {
        "zarr_format": 2, "shape": [3], "chunks": [3], "dtype": "<i4", "order": "C",
        "fill_value": 0, "filters": None, "compressor": None,
    }  # fmt: skip
    (tmp_path / "v" / ".zarray").write_text(json.dumps(array))
    (tmp_path / "v" / ".zattrs").write_text(f'{{"_ARRAY_DIMENSIONS": {names}}}')
    done = run("dump", "-h", tmp_path)
    assert done.code == 0
    if told is None:
        assert done.stderr == ""
    else:
        fault = f"_ARRAY_DIMENSIONS {told} does not fit the shape [3]"
        assert f"{fault}; dimensions are named by length" in done.stderr
        assert done.stderr.count("\n") == 1

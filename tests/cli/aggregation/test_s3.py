"""Aggregations on S3."""

from __future__ import annotations

import numpy as np

from tests.cli.aggregation.test_writing import VALUES, folder, source
from tests.formats.aggregation.conftest import read
from tests.servers.fixtures import moto, s3

__all__ = ["folder", "moto", "s3", "source"]


def test_an_aggregation_is_written_to_s3_and_read_from_there(run, s3, source):
    target = f"{s3}/out.zarr#mode=s3"
    done = run("copy", source, target, "--mode", "cfa", "--pieces", "time/2", "-V", "tas,lat")
    assert done.code == 0, done.stderr
    np.testing.assert_array_equal(read(target), VALUES)

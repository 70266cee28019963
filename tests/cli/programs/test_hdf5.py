"""Programs of HDF5 as lines of ncz."""

from __future__ import annotations

import pytest

from tests.cli.programs.lines import check_line


@pytest.mark.parametrize(
    ("line", "ours"),
    [
        ("h5dump -H a.h5", "dump -h a.h5"),
        ("h5dump -d /a/b a.h5", "dump -v /a/b a.h5"),
        ("h5dump -n a.h5", "info a.h5"),
        ("h5ls -rv a.h5", "info --storage a.h5"),
        ("h5repack -f SHUF -f GZIP=4 a.h5 b.h5", "copy --codec shuffle+zlib:4 a.h5 b.h5"),
        ("h5repack -f /x:GZIP=1 -l /x:CHUNK=2x3 -i a.h5 -o b.h5",
         "copy -c /x:2,3 --codec /x=zlib:1 a.h5 b.h5"),
        ("h5repack -l CHUNK=2x3 a.h5 b.h5", None),
        ("h5repack -f SZIP=8,NN a.h5 b.h5", None),
    ],
)  # fmt: skip
def test_programs_of_hdf5(line: str, ours: str | None):
    check_line(line, ours)

"""Messages that name options of the command line name arguments in Python."""

from __future__ import annotations

import pytest

from ncz.api.arguments import in_python


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("use --overwrite to replace it", "use overwrite=True to replace it"),
        ("use --memory 300MiB, or omit it", "use memory=300 * 2**20, or omit it"),
        ("use --mode zarr to keep it", 'use modes=["zarr"] to keep it'),
        ("add --zarr-format 3", 'add modes=["v3"]'),
        ("run ncz consolidate", "run ncz.consolidate"),
        ("use --no-consolidated", "use consolidated=False"),
        ("use --kind cdf5 or --kind netCDF-4", 'use kind="cdf5" or kind="netCDF-4"'),
        ("with -c, --chunk-size or --shards", "with chunks, chunk_size or shards"),
        ("use --some-new-option", "use some_new_option"),
        ("2 -- 3", "2 -- 3"),
    ],
)
def test_the_arguments(message, expected):
    assert in_python(message) == expected

"""The configuration file of S3netCDF4."""

from __future__ import annotations

import json
import os

import pytest

from ncz.errors import ZmapError
from ncz.zmap.s3netcdf4 import parse_size, read_budgets, temporary_folder
from tests.cli.test_config import home as home


@pytest.mark.parametrize(
    ("text", "size"), [("50MB", 50_000_000), ("1 kB", 1000), ("2YB", 2 * 10**24), ("7", 7)]
)
def test_sizes_have_units(text, size):
    assert parse_size(text) == size


def test_the_folder_of_the_cache_contains_temporary_files(home, monkeypatch):
    assert temporary_folder(os.environ) == "/large/cache"
    monkeypatch.setenv("TMPDIR", "/elsewhere")
    assert temporary_folder(os.environ) is None


@pytest.mark.parametrize(
    "budget",
    [
        {"memory": "1XB"},
        {"memory": "SECRET"},
        {"memory": "9" * 4299 + "YB"},
        {"filehandles": 0},
        {"filehandles": "SECRET"},
        {"filehandles": ["SECRET"]},
        ["SECRET"],
        7,
    ],
    ids=range(8),
)
def test_budgets_that_are_not_valid_are_errors(home, budget):
    (home / ".s3nc.json").write_text(json.dumps({"resource_allocation": budget}))
    with pytest.raises(ZmapError, match="resource_allocation is not valid") as raised:
        read_budgets({"HOME": str(home)})
    assert "SECRET" not in str(raised.value)
